"""All that is known of one claim, as text."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.base.release_spans import runs
from conformance.language.model import Claim
from conformance.language.source_words import manner, source_view
from conformance.results.facts import fact_lines
from conformance.results.recorded import Cell, Recorded
from conformance.show.claim_lines import claim_marks, happens_in_words, instead_in_words
from conformance.show.sentences import documentation_states
from conformance.show.tried import kinds_tried, on_kinds


def claim_page(claim: Claim, recorded: Recorded) -> str:
    """Return sources, verdicts, the program, the newest example and the newest counterexample."""
    lines = [claim.id, claim.title, ""]
    for source in claim.sources:
        how = manner(source)
        lines.append(f"  source: {source_view(source)}{f' ({how})' if how else ''}")
    lines += [f"  spec:   {claim.place}", ""]
    tried = f", {on_kinds(kinds_tried(claim))}" if kinds_tried(claim) and not claim.unspecified else ""
    lines += [f"  {mark} {where}{tried if where else ''}".rstrip() for mark, where in claim_marks(claim, recorded)]
    told = (*happens_in_words(claim, recorded), *_documentation(claim, recorded), *instead_in_words(claim))
    lines += [f"  {line}" for line in told]
    lines += ["", *(f"    {line}" for line in _program(claim))]
    newest_first = sorted(recorded.environments, key=lambda measured: measured.version, reverse=True)
    cells = [measured.cell(claim) for measured in newest_first]
    return "\n".join([*lines, *_example(cells), *_counterexample(cells)])


def _documentation(claim: Claim, recorded: Recorded) -> list[str]:
    """Return how the documentation compares with the truth, with releases and device."""
    return [
        f"{run.value}: {run.span} {device}"
        for device, path in recorded.by_device.items()
        for run in runs(documentation_states(claim, path).items())
        if run.value is not None
    ]


def _program(claim: Claim) -> list[str]:
    lines = [f"{name} = {kind.text.strip()}" for name, kind in claim.given]
    lines += claim.do.text.strip().splitlines() if claim.do else []
    lines += [f"assert {expression.text.strip()}" for expression in claim.expectation.expect]
    raises = claim.expectation.raises
    if raises is not None:
        lines.append(
            f"# {'looks for' if claim.unspecified else 'raises'} {raises.type or 'an error'}"
            + (f": {raises.message}" if raises.message else "")
        )
    lines += [f"# but not with {new.text} in place of {old}" for old, new in claim.control]
    return lines


def _example(cells: Sequence[Cell]) -> list[str]:
    for cell in cells:
        if cell.entry is not None and cell.entry.facts is not None:
            inputs = ", ".join(f"{name} = {recipe}" for name, recipe in cell.entry.example.items()) or "no input"
            shown = [f"    {line}" for line in fact_lines(cell.entry.facts)]
            return ["", f"  on torch {cell.release}, with {inputs}:", *shown]
    return []


def _counterexample(cells: Sequence[Cell]) -> list[str]:
    for cell in cells:
        if cell.entry is not None and cell.entry.counterexample is not None:
            script = cell.entry.counterexample.splitlines()
            return ["", f"  where it is false, on torch {cell.release}:", "", *(f"    {line}" for line in script)]
    return []
