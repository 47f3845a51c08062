"""The rules that a claim must keep, one module for each part of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from conformance.language.documents import Mapping
from conformance.language.drafts import Draft
from conformance.language.rules.citations import check_citations, check_says
from conformance.language.rules.conditions import check_conditions
from conformance.language.rules.context import Context
from conformance.language.rules.divergences import check_divergences
from conformance.language.rules.identity import (
    check_entry_place,
    check_file_place,
    check_identity,
    check_uniqueness,
    place_in_corpus,
)
from conformance.language.rules.outcomes import check_outcome
from conformance.language.rules.programs import check_programs, never_reached, unused_inputs
from conformance.language.rules.suspects import check_suspects
from conformance.language.sources import SourceList

__all__ = ["Context", "check_claim", "check_entry", "check_file_place", "check_uniqueness", "place_in_corpus"]


def check_claim(draft: Draft, sources: SourceList, context: Context) -> None:
    """Check a claim by itself."""
    check_identity(draft, sources)
    check_citations(draft, sources)
    check_conditions(draft)
    check_outcome(draft)
    check_programs(draft, context)
    check_divergences(draft, sources)


def check_entry(drafts: Sequence[Draft], place: Optional[str]) -> None:
    """Check an entry of ``claims`` with all that ``each`` makes of it; ``place`` is its file's below the corpus.

    An input is of use if one row uses it, and a statement if it runs for one row.
    """
    if place is not None and drafts:
        check_entry_place(drafts, place)
        check_says(drafts)
        check_suspects(drafts)
    _check_reached(drafts)
    unused = [unused_inputs(draft) for draft in drafts]
    for name, _ in drafts[0].claim.given if drafts else ():
        if all(name in names for names in unused):
            given = drafts[0].entries["given"]
            assert isinstance(given, Mapping)
            message = f"nothing uses the input '{name}'; use it or remove it"
            drafts[0].report(given.keys[name], "E209", message)


def _check_reached(drafts: Sequence[Draft]) -> None:
    dead = [never_reached(draft) for draft in drafts]
    for line, text in dead[0].items() if dead else ():
        program = drafts[0].claim.do
        if program is not None and all(line in unreached for unreached in dead):
            lines = program.text.split("\n")
            indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
            offset = sum(len(before) + 1 for before in lines[: line - 1]) + indent
            drafts[0].report_code(program, offset, "E212", f"no example reaches this: {text[:60]}")
