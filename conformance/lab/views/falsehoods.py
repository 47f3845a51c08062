"""Where a claim is false: what happens instead, why, and for which inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.base.text import one_line
from conformance.lab.views.program import expectation, in_groups
from conformance.lab.views.running_text import Text, code, link, linked, prose, text_of, words
from conformance.language.condition_words import KINDS, conditions_in_words
from conformance.language.model import Claim, Divergence
from conformance.results.conditions import admits
from conformance.results.model import Verdict
from conformance.results.recorded import Cell, environments_in_words
from conformance.results.verdicts import APPEARANCES, truth

#: Verdicts of a claim that no record explains.
UNEXPLAINED: tuple[Verdict, ...] = ("refuted", "diverges-differently")
#: What a spec says instead of the address of a report.
NOT_FILED = "none-filed"
_ON_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/(issues|pull)/([0-9]+)", re.ASCII)
_TO_LOOK_AT: tuple[Verdict, ...] = (*UNEXPLAINED, "unexpected-pass")


@dataclass(frozen=True)
class Falsehood:
    """One way in which a claim is false.

    Attributes
    ----------
    position : int
        Counts the ways of a claim, the recorded ones first.
    kind : str
        The kind of the divergence; empty where no record explains it.
    heading, seen : str
        What it is, and where it was seen.
    circumstances : tuple of Text
        For which environments and inputs.
    origin : tuple of Text
        Its cause, and the report of it.
    counterexamples : tuple of (str, str)
        Where it is false, and a script that shows it.
    false_for : str
        Recipes of inputs, where no counterexample was found here.
    """

    position: int
    kind: str
    style: str
    heading: str
    seen: str
    note: Text = ()
    circumstances: tuple[Text, ...] = ()
    origin: tuple[Text, ...] = ()
    instead: tuple[Text, ...] = ()
    wording: Text = ()
    failed: str = ""
    detail: str = ""
    counterexamples: tuple[tuple[str, str], ...] = ()
    false_for: str = ""


def falsehoods(claim: Claim, cells: Sequence[Cell]) -> tuple[Falsehood, ...]:
    """Return every recorded divergence, and every verdict that no record explains."""
    found = [_recorded(at, divergence, affected(claim, at, cells)) for at, divergence in enumerate(claim.diverges)]
    for verdict in _TO_LOOK_AT:
        seen = [cell for cell in cells if cell.verdict == verdict]
        found += [_unexplained(len(found), verdict, seen)] if seen else []
    return tuple(found)


def affected(claim: Claim, position: int, cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells in which a recorded divergence was seen."""
    divergence = claim.diverges[position]
    found = []
    for cell in cells:
        # No entry names a crash, which another process has seen.
        if divergence.instead.crashes:
            applied = admits(divergence.when, cell.measured.environment)
        else:
            applied = cell.entry is not None and position in cell.entry.divergence
        if cell.verdict == "diverges" and applied:
            found.append(cell)
    return found


def false_somewhere(cells: Sequence[Cell]) -> bool:
    """Return whether a claim is false in some environment that was measured."""
    return any(cell.verdict is not None and truth(cell.verdict) == "false" for cell in cells)


def false_where(claim: Claim, cells: Sequence[Cell]) -> tuple[Text, ...]:
    """Return for which inputs and environments a claim is false, an item for each divergence that was seen."""
    items = []
    for position, divergence in enumerate(claim.diverges):
        seen = affected(claim, position, cells)
        if seen:
            everywhere = len(seen) == sum(
                cell.verdict not in (None, "absent", "inapplicable", "unsupported") for cell in cells
            )
            where = "" if everywhere else f" on {environments_in_words([cell.measured for cell in seen])}"
            if divergence.where is not None:
                items.append(text_of("false where ", code(one_line(divergence.where.text)), where))
            elif where:
                items.append(words(f"false{where}"))
            elif claim.given:
                items.append(words("false for all inputs"))
    return tuple(items)


def _recorded(position: int, divergence: Divergence, seen: Sequence[Cell]) -> Falsehood:
    scripts = _counterexamples(seen)
    example = "\n".join(f"{name} = {recipe.text}" for name, recipe in divergence.example)
    where = environments_in_words([cell.measured for cell in seen])
    return Falsehood(
        position=position,
        kind=divergence.kind,
        style="known",
        heading=f"≠ Recorded as false. {KINDS.get(divergence.kind, divergence.kind)}.",
        seen=f"Seen on {where}." if seen else "Not seen in any environment measured here.",
        note=prose(divergence.note),
        circumstances=_circumstances(divergence),
        origin=_origin(divergence),
        instead=expectation(divergence.instead, device=divergence.when.device),
        wording=prose(divergence.wording) if divergence.wording else (),
        counterexamples=scripts,
        false_for="" if scripts else example,
    )


def _unexplained(position: int, verdict: Verdict, cells: Sequence[Cell]) -> Falsehood:
    look = APPEARANCES[verdict]
    newest = next((told for cell in reversed(cells) if (told := cell.entry) and (told.failed or told.detail)), None)
    return Falsehood(
        position=position,
        kind="",
        style=look.style,
        heading=f"{look.symbol} {look.word.capitalize()}",
        seen=f" on {environments_in_words([cell.measured for cell in cells])}: {look.meaning}.",
        failed=str(newest.failed) if newest and newest.failed else "",
        detail=newest.detail or "" if newest else "",
        counterexamples=_counterexamples(cells),
    )


def _counterexamples(cells: Sequence[Cell]) -> tuple[tuple[str, str], ...]:
    texts = [(cell.measured, cell.entry.counterexample if cell.entry else None) for cell in cells]
    groups = in_groups(texts)
    return tuple((where if len(groups) > 1 else "", str(text)) for text, where in reversed(groups))


def _circumstances(divergence: Divergence) -> tuple[Text, ...]:
    conditions = conditions_in_words(divergence.when)
    items = [words(f"Where: {conditions}." if conditions else "Where: in every environment.")]
    if divergence.where is not None:
        items.append(text_of("For inputs with ", code(divergence.where.text), "."))
    return tuple(items)


def _origin(divergence: Divergence) -> tuple[Text, ...]:
    if divergence.cause is None:
        return (text_of("Report: ", report(divergence.link), "."),)
    return (text_of("Cause: ", linked(divergence.cause.title, "cause", divergence.cause.id), "."),)


def report(address: str) -> Text:
    """Return the link to a report, or say that there is none."""
    if address == NOT_FILED:
        return words("not reported")
    found = _ON_GITHUB.fullmatch(address)
    if found is None:
        return text_of("reported: ", link(None, address))
    repository, kind, number = found.groups()
    told = "reported: " if kind == "issues" else "pull request "
    return text_of(told, link(f"{repository}#{number}", address))
