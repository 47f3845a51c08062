"""Claims of the user's own, outside the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Optional

from conformance.base.text import count_of
from conformance.language.corpus import load_corpus
from conformance.results.recorded import Recorded, load_recorded
from conformance.show.claim_lines import claim_line
from conformance.show.claim_page import claim_page
from conformance.show.model import ClaimFinding, Finding, NameFinding, NoFinding


def own_findings(text: str, specs: Sequence[Path], results: Optional[Path]) -> tuple[Finding, ...]:
    """Return what specs outside the corpus have of a claim's id, or of a subject in full or by its last parts.

    Parameters
    ----------
    results
        The folder of what was measured of them.

    Raises
    ------
    NoFinding
        If a file has a mistake: its claims can't be told.
    conformance.base.json_files.ResultError
        If a result file can't be used.
    """
    corpus, problems = load_corpus(specs)
    if problems:
        raise NoFinding(f"{problems[0]}; {count_of(len(problems), 'mistake')}: run 'conformance check'")
    recorded = load_recorded(results) if results is not None else Recorded()
    for claim in corpus.claims:
        if text in (claim.id, *claim.was):
            return (ClaimFinding(claim.id, claim_page(claim, recorded)),)
    named = [claim for claim in corpus.claims if f".{claim.subject}".endswith(f".{text}")]
    by_place = sorted(named, key=lambda claim: (claim.subject, claim.place))
    groups = groupby(by_place, key=lambda claim: claim.subject)
    return tuple(
        NameFinding(subject, claims=tuple(claim_line(claim, recorded) for claim in group)) for subject, group in groups
    )
