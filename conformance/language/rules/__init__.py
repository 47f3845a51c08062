"""The rules that a claim must keep, one module for each part of a claim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance.language.documents import Document
from conformance.language.drafts import ClaimDraft
from conformance.language.problems import Problems
from conformance.language.rules.citations import check_citations
from conformance.language.rules.comparisons import check_comparison
from conformance.language.rules.conditions import check_conditions
from conformance.language.rules.context import Context
from conformance.language.rules.divergences import check_divergences
from conformance.language.rules.identity import check_identity, check_place, check_uniqueness
from conformance.language.rules.outcomes import check_outcome
from conformance.language.rules.programs import check_programs, unused_inputs
from conformance.language.sources import SourceList

__all__ = ["Context", "check_claim", "check_corpus", "check_entry", "check_file"]


def check_file(document: Document, path: Path, root: Optional[Path], problems: Problems) -> None:
    """Check a file as a whole."""
    if root is not None:
        check_place(document, path, root, problems)


def check_claim(draft: ClaimDraft, sources: SourceList, context: Context, problems: Problems) -> None:
    """Check a claim by itself."""
    check_identity(draft, sources, problems)
    check_citations(draft, sources, problems)
    check_conditions(draft, problems)
    check_outcome(draft, problems)
    check_programs(draft, context, problems)
    check_divergences(draft, problems)
    check_comparison(draft, context, problems)


def check_entry(drafts: Sequence[ClaimDraft], problems: Problems) -> None:
    """Check an entry of ``claims``, with all that ``each`` makes of it: an input is of use if one row uses it."""
    if not drafts:
        return
    unused = [unused_inputs(draft) for draft in drafts]
    for entry in drafts[0].given:
        if all(entry.name in names for names in unused):
            problems.add(
                drafts[0].document.place(entry.key),
                "E209",
                f"nothing uses the input '{entry.name}'; use it or remove it",
            )


def check_corpus(drafts: Sequence[ClaimDraft], problems: Problems) -> list[ClaimDraft]:
    """Check claims against each other; return those that are fine."""
    return check_uniqueness(drafts, problems)
