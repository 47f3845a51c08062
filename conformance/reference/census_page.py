"""The census on its page: how much of the documentation the corpus covers, from the recorded numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

from docutils import nodes
from sphinx.util import logging

from conformance.census.record import Record, newest_record
from conformance.reference import markup
from conformance.reference.content import Reference
from conformance.results.store import ResultError

_logger = logging.getLogger(__name__)

_STATES = (("encoded", "Encoded"), ("no-claim", "No claim"), ("untestable", "Untestable"), ("todo", "To do"))
_FAMILIES = ("sharing", "leaf", "gradients", "errors", "in-place", "dtype", "device", "memory-format")
_SUMS = {"all": "all families", "sentence": "sentences with any claim"}


def load_census(folder: Path) -> Optional[Record]:
    """Read the newest recorded census; one that can't be read is told and left out."""
    try:
        return newest_record(folder)
    except ResultError as error:
        _logger.info("%s", error)
        return None


def census_page(reference: Reference, document: str) -> Sequence[nodes.Node]:
    """Show coverage by family, by module and family, for the pages, and the rules' precision and recall."""
    record = reference.census
    if record is None:
        return [markup.paragraph("No census is recorded yet.", classes=["missing"])]
    blocks: list[nodes.Node] = [_tiles(record), markup.paragraph(f"Read from the docstrings of torch {record.torch}.")]
    modules = {name: rows for name, rows in record.modules.items() if not name.startswith("notes/")}
    pages = {name: rows["all"] for name, rows in record.modules.items() if "all" in rows}
    families = {family: _summed([rows[family] for rows in modules.values() if family in rows]) for family in _FAMILIES}
    blocks.append(_section("families", "By family", _state_table("Family", families)))
    blocks.append(_section("modules", "By module and family", _module_table(modules)))
    if pages:
        blocks.append(_section("pages", "Pages, sentence by sentence", _state_table("Page", pages)))
    if record.rules:
        blocks.append(_section("rules", "How often the rules are right", *_rules(record)))
    return blocks


def _tiles(record: Record) -> nodes.Node:
    wanted = sum(record.wanted.values())
    numbers = [
        (f"{record.objects:,}", "documented objects"),
        (f"{record.claims:,}", f"sentences with a claim in the four families, in {record.stating:,} objects"),
        (f"{wanted - record.wanted['todo']:,} of {wanted:,}", "of the sentences wanted are settled"),
        (f"{record.wanted['untestable']:,}", "of them are untestable"),
    ]
    return markup.bullets([[nodes.strong("", count), f" {word}"] for count, word in numbers], classes=["tiles"])


def _state_table(head: str, rows: Mapping[str, Mapping[str, int]]) -> nodes.Node:
    shown: list[markup.Row] = []
    for name, counted in rows.items():
        total = sum(counted.values())
        if total:
            cells: list[list[markup.Inline]] = [[f"{counted[state]:,}"] for state, _ in _STATES]
            shown.append([[markup.code(name)], *cells, [_share(counted)]])
    return markup.table([[head], *([word] for _, word in _STATES), ["Settled"]], shown, "census")


def _module_table(modules: Mapping[str, Mapping[str, Mapping[str, int]]]) -> nodes.Node:
    """Show settled and all sentences of each module and family."""
    shown: list[markup.Row] = []
    for module, rows in modules.items():
        cells: list[list[markup.Inline]] = []
        for family in _FAMILIES:
            total = sum(rows[family].values()) if family in rows else 0
            cells.append([f"{total - rows[family]['todo']:,}/{total:,}" if total else ""])
        shown.append([[markup.code(module)], *cells])
    return markup.table([["Module"], *([family] for family in _FAMILIES)], shown, "census")


def _rules(record: Record) -> list[nodes.Node]:
    rows: list[markup.Row] = [
        [[_SUMS.get(kind, kind)], [f"{score['precision']:.1%}"], [f"{score['recall']:.1%}"]]
        for kind, score in record.rules.items()
    ]
    told = f"Measured on {record.judged:,} sentences that were drawn after the rules were tuned, and judged by hand."
    return [markup.paragraph(told), markup.table([["Family"], ["Precision"], ["Recall"]], rows, "census")]


def _summed(rows: Sequence[Mapping[str, int]]) -> dict[str, int]:
    return {state: sum(row[state] for row in rows) for state, _ in _STATES}


def _share(counted: Mapping[str, int]) -> str:
    total = sum(counted.values())
    return f"{(total - counted['todo']) / total:.1%}"


def _section(anchor: str, heading: str, *body: nodes.Node) -> nodes.section:
    return nodes.section("", nodes.title(heading, heading), *body, ids=[anchor], names=[])
