"""The census: how much of the documentation the corpus covers, from the recorded numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Optional

from conformance.lab.census.families import FAMILIES
from conformance.lab.census.record import CensusRecord
from conformance.lab.views.running_text import Table, code, words

#: The states of a sentence.
STATES = (("encoded", "Encoded"), ("no-claim", "No claim"), ("untestable", "Untestable"), ("todo", "To do"))
_SUMS = {"all": "all families", "sentence": "sentences with any claim"}

_States = Mapping[str, int]


def census_numbers(record: CensusRecord) -> tuple[tuple[str, str], ...]:
    """Return the numbers of a census, and what each counts."""
    all_states = sum(record.states.values())
    return (
        (f"{record.objects:,}", "documented objects"),
        (f"{record.claims:,}", f"sentences with a claim in the four families, in {record.stating:,} objects"),
        (f"{all_states - record.states['todo']:,} of {all_states:,}", "settled, sentences of pages included"),
        (f"{record.states['untestable']:,}", "of them are untestable"),
    )


def census_tables(record: CensusRecord) -> Iterator[tuple[str, str, str, Table]]:
    """Yield coverage by family, by module and family, for the pages, and how often a family is right.

    Each is an anchor, a heading, a sentence (or none) and a table.
    """
    yield "families", "By family", "", _states("Family", counted_by_family(record))
    rows = tuple(
        (code(module), *(words(_settled(found.get(family))) for family in FAMILIES))
        for module, found in _modules_of(record).items()
    )
    yield "modules", "By module and family", "", Table((words("Module"), *map(words, FAMILIES)), rows)
    pages = {name: rows["all"] for name, rows in record.modules.items() if "all" in rows}
    if pages:
        yield "pages", "Pages, sentence by sentence", "", _states("Page", pages)
    if record.rules:
        rules = tuple(
            (
                words(_SUMS.get(kind, kind)),
                *(words(f"{share:.1%}") for score in (both, alone) for share in (score.precision, score.recall)),
            )
            for (kind, alone), both in zip(record.rules.items(), record.labelled.values())
        )
        method = (
            f"Measured on {record.judged:,} sentences that were drawn when rules and labels were done, and judged by "
            "two readers. A new release has no labels: there the rules are alone."
        )
        head = ("Family", "Precision", "Recall", "Precision of the rules alone", "Recall of the rules alone")
        yield "rules", "How often a family is right", method, Table(tuple(map(words, head)), rules)


def counted_by_family(record: CensusRecord) -> dict[str, _States]:
    """Return how many sentences of the documented objects are in each state, by family."""
    rows = _modules_of(record).values()
    return {
        family: {state: sum(row[family][state] for row in rows if family in row) for state, _ in STATES}
        for family in FAMILIES
    }


def _modules_of(record: CensusRecord) -> dict[str, Mapping[str, _States]]:
    return {name: rows for name, rows in record.modules.items() if not name.startswith("notes/")}


def _states(head: str, rows: Mapping[str, _States]) -> Table:
    shown = []
    for name, counted in rows.items():
        total = sum(counted.values())
        if total:
            cells = [*(f"{counted[state]:,}" for state, _ in STATES), f"{(total - counted['todo']) / total:.1%}"]
            shown.append((code(name), *map(words, cells)))
    return Table((words(head), *(words(word) for _, word in STATES), words("Settled")), tuple(shown))


def _settled(counted: Optional[_States]) -> str:
    total = sum(counted.values()) if counted else 0
    return f"{total - counted['todo']:,}/{total:,}" if counted and total else ""
