"""The program of a claim: a script to run, what must be true of it, and what it really gave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

from conformance.lab.views.running_text import Table, Text, code, prose, text_of, words
from conformance.language.model import Claim, Expectation, Raises
from conformance.results.facts import fact_lines
from conformance.results.model import Facts, Tiers
from conformance.results.recorded import Cell, Measured, environments_in_words
from conformance.run.scripts.observation import example_script

_NEVER_ASKED = "–"


#: What a crash is, on the CPU or wherever it happens, and on another device.
_CRASHES = "the interpreter crashes"
_LOSES_DEVICE = "an assertion in a kernel fails, and the process can't use the device any more"


def expectation(expected: Expectation, *, judged: bool = True, device: Optional[str] = None) -> tuple[Text, ...]:
    """Return what must be true, be raised or be warned, an item for each; or what is only looked at.

    Parameters
    ----------
    device
        The device type to which a divergence is limited; None where it is to none.
    """
    items: list[Text] = [code(expression.text) for expression in expected.expect]
    if expected.raises is not None:
        items.append(text_of("the last statement raises ", _error(expected.raises, "an error", judged)))
    if expected.warns is not None:
        items.append(text_of("the last statement warns: ", _error(expected.warns, "any warning", judged)))
    if expected.crashes:
        items.append(words(_CRASHES if device in (None, "cpu") else _LOSES_DEVICE))
    return tuple(items)


def in_groups(values: Sequence[tuple[Measured, Optional[object]]]) -> list[tuple[object, str]]:
    """Return each value once, with the environments that have it in words; `None` is no value."""
    groups: list[tuple[object, list[Measured]]] = []
    for measured, value in values:
        if value is None:
            continue
        known = next((members for other, members in groups if other == value), None)
        if known is None:
            groups.append((value, [measured]))
        else:
            known.append(measured)
    return [(value, environments_in_words(members)) for value, members in groups]


def script_of(claim: Claim, cells: Sequence[Cell]) -> tuple[str, str]:
    """Return what the script of a claim is, an example or a program without inputs, and the script."""
    recipes = _recipes(claim, cells)
    if recipes is not None:
        return "Example", example_script(claim, recipes, _printed(cells))
    return "Program", claim.do.text.strip("\n") if claim.do else ""


def _recipes(claim: Claim, cells: Sequence[Cell]) -> Optional[Mapping[str, str]]:
    """Return the canonical inputs that were used, those of the newest torch first."""
    names = {name for name, _ in claim.given}
    entries = (cell.entry for cell in reversed(cells))
    return next((entry.example for entry in entries if entry is not None and set(entry.example) == names), None)


def _printed(cells: Sequence[Cell]) -> Iterable[str]:
    """Return the names that the script prints, so that it shows what stands below it."""
    facts = next((found for cell in reversed(cells) if (found := _facts(cell)) is not None), None)
    return () if facts is None or facts.raises is not None else facts.names


def _facts(cell: Cell) -> Optional[Facts]:
    return None if cell.entry is None or cell.entry.facts == Facts() else cell.entry.facts


def outputs(cells: Sequence[Cell]) -> tuple[tuple[str, str], ...]:
    """Return what an example gave, and where, on the newest torch first; alike environments are named together."""
    groups = in_groups([(cell.measured, _facts(cell)) for cell in cells])
    newest = next((facts for cell in reversed(cells) if (facts := _facts(cell)) is not None), None)
    groups.sort(key=lambda group: group[0] != newest)
    return tuple((where, "\n".join(fact_lines(facts))) for facts, where in groups if isinstance(facts, Facts))


def inputs_of(claim: Claim) -> tuple[Text, ...]:
    """Return the inputs that a claim is tried on, and why they are narrowed."""
    given = [code(f"{name}: {kind.text}") for name, kind in claim.given]
    why = [text_of("narrowed because: ", prose(claim.because))] if claim.because else []
    only = (text_of("only where ", code(condition.text)) for condition in claim.assume)
    instead = (text_of(code(new.text), " in place of ", code(old), " raises nothing") for old, new in claim.control)
    return (*given, *only, *why, *instead)


def _error(raises: Raises, anything: str, judged: bool) -> Text:
    parts: list[Text] = [code(raises.type) if raises.type else words(anything)]
    if raises.message:
        parts.append(text_of(", with ", code(raises.message), " in its message"))
    if not judged:
        return text_of(*parts)
    if raises.promised == "error" and (raises.type or raises.message):
        parts.append(words(" (the source promises only that it happens; the rest is recorded)"))
    elif raises.promised == "type" and raises.message:
        parts.append(words(" (the source promises the class; the message is recorded)"))
    return text_of(*parts)


def observed(claim: Claim, cells: Sequence[Cell]) -> Optional[Table]:
    """Return, for what the source leaves open, what each environment happens to do."""
    measured = [(cell.measured, cell.entry.observed) for cell in cells if cell.entry and cell.entry.observed]
    if not measured:
        return None
    rows = []
    for position, expression in enumerate(claim.expectation.expect):
        seen = [(item, found[position] if position < len(found) else "not measured") for item, found in measured]
        told = "; ".join(f"{often} on {where}" for often, where in in_groups(seen))
        rows.append((code(expression.text), prose(told)))
    return Table((words("Expression"), words("True")), tuple(rows))


def tiers(cells: Sequence[Cell]) -> Optional[Table]:
    """Return how far each tier of a promised error or warning was met."""
    groups = in_groups([(cell.measured, cell.entry.tiers if cell.entry else None) for cell in cells])
    if not groups:
        return None
    rows = []
    for tiers, where in groups:
        assert isinstance(tiers, Tiers)
        found = (tiers.error, tiers.type, tiers.message)
        rows.append((words(where), *(words(often or _NEVER_ASKED) for often in found)))
    head = ("Environment", "It happens", "with its class", "with its message")
    return Table(tuple(map(words, head)), tuple(rows))
