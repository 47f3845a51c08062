"""The census: how much of the documentation the corpus covers, from the recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.lab.census.families import FAMILIES
from conformance.lab.census.record import CensusRecord
from conformance.lab.views.overview import Tile
from conformance.lab.views.pieces import code, words
from conformance.lab.views.program import Table

#: The states of a sentence.
STATES = (("encoded", "Encoded"), ("no-claim", "No claim"), ("untestable", "Untestable"), ("todo", "To do"))
_SUMS = {"all": "all families", "sentence": "sentences with any claim"}

_States = Mapping[str, int]


@dataclass(frozen=True)
class CensusView:
    """The census as a reader sees it.

    Attributes
    ----------
    tables : tuple
        An anchor, a heading, a sentence (or none) and a table each.
    """

    torch: str
    tiles: tuple[Tile, ...]
    tables: tuple[tuple[str, str, str, Table], ...]


def census_view(record: CensusRecord) -> CensusView:
    """Return coverage by family, by module and family, for the pages, and the rules' precision and recall."""
    modules = _modules_of(record)
    pages = {name: rows["all"] for name, rows in record.modules.items() if "all" in rows}
    tables = [
        ("families", "By family", "", _states("Family", counted_by_family(record))),
        ("modules", "By module and family", "", _modules(modules)),
    ]
    if pages:
        tables.append(("pages", "Pages, sentence by sentence", "", _states("Page", pages)))
    if record.rules:
        told = (
            f"Measured on {record.judged:,} sentences that were drawn after the rules were tuned, and judged by hand."
        )
        tables.append(("rules", "How often the rules are right", told, _rules(record)))
    return CensusView(record.torch, _tiles(record), tuple(tables))


def counted_by_family(record: CensusRecord) -> dict[str, _States]:
    """Return how many sentences of the documented objects are in each state, by family."""
    rows = _modules_of(record).values()
    return {family: _summed([row[family] for row in rows if family in row]) for family in FAMILIES}


def _modules_of(record: CensusRecord) -> dict[str, Mapping[str, _States]]:
    return {name: rows for name, rows in record.modules.items() if not name.startswith("notes/")}


def _tiles(record: CensusRecord) -> tuple[Tile, ...]:
    all_states = sum(record.states.values())
    return (
        Tile(f"{record.objects:,}", "documented objects"),
        Tile(f"{record.claims:,}", f"sentences with a claim in the four families, in {record.stating:,} objects"),
        Tile(f"{all_states - record.states['todo']:,} of {all_states:,}", "settled, sentences of pages included"),
        Tile(f"{record.states['untestable']:,}", "of them are untestable"),
    )


def _states(head: str, rows: Mapping[str, _States]) -> Table:
    shown = tuple(
        (code(name), *(words(f"{counted[state]:,}") for state, _ in STATES), words(_share(counted)))
        for name, counted in rows.items()
        if sum(counted.values())
    )
    return Table((words(head), *(words(word) for _, word in STATES), words("Settled")), shown)


def _modules(modules: Mapping[str, Mapping[str, _States]]) -> Table:
    """Return settled and all sentences of each module and family."""
    rows = tuple(
        (code(module), *(words(_settled(found.get(family))) for family in FAMILIES))
        for module, found in modules.items()
    )
    return Table((words("Module"), *map(words, FAMILIES)), rows)


def _rules(record: CensusRecord) -> Table:
    rows = tuple(
        (words(_SUMS.get(kind, kind)), words(f"{score.precision:.1%}"), words(f"{score.recall:.1%}"))
        for kind, score in record.rules.items()
    )
    return Table((words("Family"), words("Precision"), words("Recall")), rows)


def _settled(counted: Optional[_States]) -> str:
    total = sum(counted.values()) if counted else 0
    return f"{total - counted['todo']:,}/{total:,}" if counted and total else ""


def _summed(rows: Sequence[_States]) -> dict[str, int]:
    return {state: sum(row[state] for row in rows) for state, _ in STATES}


def _share(counted: _States) -> str:
    total = sum(counted.values())
    return f"{(total - counted['todo']) / total:.1%}"
