"""``conformance show``: what is promised about a name, and where it holds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Optional

from conformance.language.lookup import find_anywhere, find_claims
from conformance.language.model import Claim
from conformance.results.recorded import recorded_folder
from conformance.text import one_line, printable
from conformance.views.calls import CallHistory
from conformance.views.causes import ranked_causes
from conformance.views.conditions import divergence_in_words
from conformance.views.facts import fact_lines
from conformance.views.name import NameView, is_dotted, load_names, name_view, recorded_names
from conformance.views.recorded import NOT_PROMISED, Cell, Recorded, load_recorded
from conformance.views.releases import runs, span
from conformance.views.sentences import documentation_states
from conformance.views.sources import manner, source_view
from conformance.views.verdicts import NOT_MEASURED

_LEGEND = (
    "yes: holds · NO: documented but false, as recorded · partly: false for some inputs, as recorded · "
    "open: left open or not promised · absent: no such name · n/a: does not apply · ?: not measured"
)


def show(name: str, folder: Optional[Path] = None) -> str:
    """Return what is known of each name that matches, or of one claim.

    Raises
    ------
    conformance.language.lookup.UnknownName
        If no claim and no recorded release has that name.
    conformance.names.store.StoreError
        If a file of names can't be used.
    conformance.results.files.ResultError
        If a result file can't be used.
    """
    folder = folder or recorded_folder()
    names, calls = load_names(folder), CallHistory(folder)
    claims = find_claims(name)
    if not claims:
        found = recorded_names(names, name)
        if found:
            glances = [[*_glance(name_view(one, names, calls)), "  claims     none"] for one in found]
            return printable("\n\n".join("\n".join(lines) for lines in glances))
        claims = find_anywhere(name, names.suggest(name) if is_dotted(name) else ())
    recorded = load_recorded(folder)
    if name in (claims[0].id, *claims[0].was):
        return printable(_claim(claims[0], recorded))
    tables = []
    for subject, group in groupby(claims, lambda claim: claim.subject):
        glance = _glance(name_view(subject, names, calls)) if is_dotted(subject) else [subject]
        tables.append("\n".join([*glance, *_table(list(group), recorded)]))
    return printable("\n\n".join([*tables, _LEGEND]))


def show_own(name: str, claims: Sequence[Claim], folder: Optional[Path]) -> str:
    """Return what is known of claims of the user's own, or of the one with an id.

    Raises
    ------
    conformance.results.files.ResultError
        If a result file can't be used.
    """
    recorded = load_recorded(folder) if folder is not None else Recorded()
    if name in (claims[0].id, *claims[0].was):
        return printable(_claim(claims[0], recorded))
    groups = groupby(claims, lambda claim: claim.subject)
    tables = ["\n".join([subject, *_table(list(group), recorded)]) for subject, group in groups]
    return printable("\n\n".join([*tables, _LEGEND]))


def _glance(view: NameView) -> list[str]:
    """Return a summary of a name, in at most eight lines."""
    told = [("in torch", view.releases)]
    if view.call is None:
        told.append(("calls", "not measured"))
    else:
        more = f" ({view.call.others} more: conformance profiles show {view.name})" if view.call.others else ""
        told += [("call", f"{view.call.call} {view.call.measured}{more}"), *view.call.topics]
    told.append(("changed in", "; ".join(filter(None, (view.parameters, view.changes)))))
    return [view.name, *(f"  {title:10} {one_line(text)}" for title, text in told if text)]


def _table(claims: Sequence[Claim], recorded: Recorded) -> list[str]:
    lines = [f"claims measured on {_environments(recorded)}", ""]
    for claim in claims:
        marks = _marks(claim, recorded)
        lines.append(f"  {marks[0][0] if len(marks) == 1 else '':7} {claim.title}")
        lines.append(f"          {claim.id}")
        lines += [f"          {mark} {where}" for mark, where in marks] if len(marks) > 1 else []
        lines += [f"          {note}" for note in (*_happens(claim, recorded), *_instead(claim))]
    return [*lines, *_false(claims, recorded)]


def _false(claims: Sequence[Claim], recorded: Recorded) -> list[str]:
    """Return what makes the claims false where it was seen, the worst first."""
    seen = [view for view in ranked_causes(claims, recorded) if view.environments]
    lines = ["", "  false, the worst first"] if seen else []
    for view in seen:
        name = f" [{view.cause.id}]" if view.named else ""
        lines.append(f"    {view.harm}, {view.reach}: {view.cause.title}{name}")
        lines.append(f"      {view.where}")
    return lines


def _environments(recorded: Recorded) -> str:
    told = []
    for device, path in recorded.by_device.items():
        count = f" ({len(path)} releases)" if len(path) > 1 else ""
        told.append(f"torch {span([measured.torch for measured in path])}{count} on {device}")
    return ", ".join(told) or "no release yet: run 'conformance run --results=DIR'"


def _marks(claim: Claim, recorded: Recorded) -> list[tuple[str, str]]:
    """Return the marks of a claim, each with its releases and device, such as ``1.10.2 to 2.15.0 cpu``."""
    return [
        (run.value, f"{run.span} {device}")
        for device, path in recorded.by_device.items()
        for run in runs((measured.torch, measured.cell(claim).look.mark) for measured in path)
    ] or [(NOT_MEASURED.mark, "")]


def _happens(claim: Claim, recorded: Recorded) -> list[str]:
    """Return what happens where an error or a warning is not promised, with releases and device."""
    return [
        f"{NOT_PROMISED} {run.value} ({run.span} {device})"
        for device, path in recorded.by_device.items()
        for run in runs((measured.torch, measured.cell(claim).happens) for measured in path)
        if run.value
    ]


def _documentation(claim: Claim, recorded: Recorded) -> list[str]:
    """Return how the documentation compares with the truth, with releases and device."""
    return [
        f"{run.value}: {run.span} {device}"
        for device, path in recorded.by_device.items()
        for run in runs(documentation_states(claim, path).items())
        if run.value is not None
    ]


def _instead(claim: Claim) -> list[str]:
    """Return, for each divergence, where it applies and what happens there."""
    told = ((divergence_in_words(divergence), one_line(divergence.note)) for divergence in claim.diverges)
    return [f"instead{f' ({where})' if where else ''}: {note}" for where, note in told]


def _claim(claim: Claim, recorded: Recorded) -> str:
    lines = [claim.id, claim.title, ""]
    for source in claim.sources:
        how = manner(source)
        lines.append(f"  source: {source_view(source)}{f' ({how})' if how else ''}")
    lines += [f"  spec:   {claim.place}", ""]
    lines += [f"  {mark} {where}".rstrip() for mark, where in _marks(claim, recorded)]
    told = (*_happens(claim, recorded), *_documentation(claim, recorded), *_instead(claim))
    lines += [f"  {line}" for line in told]
    lines += ["", *(f"    {line}" for line in _program(claim))]
    newest_first = sorted(recorded.environments, key=lambda measured: measured.version, reverse=True)
    cells = [measured.cell(claim) for measured in newest_first]
    return "\n".join([*lines, *_example(cells), *_counterexample(cells)])


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
