"""Entries from claims: what was measured otherwise in the new release, one for the same change seen through several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Optional

from conformance.cache import Kept
from conformance.language.corpus import Corpus, load_corpus
from conformance.language.kept import load_own_corpus
from conformance.language.model import Claim
from conformance.results.model import Entry
from conformance.results.store import Entries
from conformance.text import count_of
from conformance.upgrade.comparison import Comparison, Finding
from conformance.upgrade.findings import findings
from conformance.upgrade.model import Report, ReportEntry
from conformance.upgrade.standings import CAUSED
from conformance.views.addresses import claim_page
from conformance.views.recorded import Measured


def compare_claims(corpus: Corpus, path: Sequence[Measured], kept: Optional[Kept] = None) -> Report:
    """Compare what was measured of claims, on one device from the old to the new release, with those between them.

    Parameters
    ----------
    kept
        What was found before, on the same path.
    """
    found: list[Finding] = []
    gaps: dict[str, str] = {}
    kept = kept or Kept()
    claims = [claim for claim in corpus.claims if not claim.is_timed and not claim.is_example]
    for claim in claims:
        gap, differences = kept.of(("claim", claim.id), partial(_compared, claim, path))
        found.extend(differences)
        gaps.update({claim.id: gap} if gap else {})
    entries = sorted(map(_entry, _grouped(found)), key=ReportEntry.order)
    remarks = tuple(map(str, corpus.not_entered))
    return Report(path[0].torch, path[-1].torch, path, tuple(entries), len(claims) - len(gaps), gaps, remarks=remarks)


def _compared(claim: Claim, path: Sequence[Measured]) -> tuple[str, list[Finding]]:
    comparison = Comparison(claim, path)
    if comparison.gap:
        return comparison.gap, []
    old, new = comparison.entries
    is_same = old is new or _seen(old) == _seen(new)  # files that are read together share what is the same
    return "", [] if is_same else findings(comparison)


def differing(path: Sequence[Measured], specs: Optional[Sequence[Path]]) -> Corpus:
    """Return the claims of which something else was measured in the new release."""
    old, new = path[0].entries, path[-1].entries
    known = old.keys() | new.keys()
    ids = {id for id in known if not _same_line(old, new, id) and _seen(old.get(id)) != _seen(new.get(id))}
    corpus = read_specs(specs)
    return replace(corpus, claims=tuple(claim for claim in corpus.claims if claim.id in ids))


def _same_line(old: Mapping[str, Entry], new: Mapping[str, Entry], id: str) -> bool:
    """Return whether two files say the same of a claim, letter for letter, so that none of it has to be decoded."""
    if not (isinstance(old, Entries) and isinstance(new, Entries)):
        return False
    return id in old and id in new and old.line(id) == new.line(id)


def read_specs(paths: Optional[Sequence[Path]]) -> Corpus:
    """Return the claims of spec files, by default of the project's own corpus.

    Raises
    ------
    ValueError
        If a file has a mistake: what would be said without its claims may be false.
    """
    corpus, problems = load_corpus(paths) if paths else load_own_corpus()
    if problems:
        raise ValueError(f"{problems[0]}; {count_of(len(problems), 'mistake')}: run 'conformance check'")
    return corpus


def _seen(entry: Optional[Entry]) -> Optional[Entry]:
    """Return an entry without what says how it was measured."""
    return None if entry is None else replace(entry, examples=None, covered={}, detail=None)


def _grouped(found: list[Finding]) -> list[list[Finding]]:
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in found:
        # Several promises that one cause breaks are one entry: their titles differ, and what happens instead does not.
        caused = finding.kind in CAUSED and not finding.before == finding.after == "true"
        what = finding.what.partition(":")[0] if caused else finding.what
        key = (finding.scope, finding.severity, finding.kind, what, finding.before, finding.after, finding.when)
        groups.setdefault(key, []).append(finding)
    return list(groups.values())


def _entry(group: list[Finding]) -> ReportEntry:
    first = group[0]
    claims = tuple(finding.claim for finding in group)
    what = first.what
    if first.kind == "sentence":
        sentences = len({finding.notes[0].partition("”")[0] for finding in group})
        what = f"{sentences} sentence{'s' if sentences > 1 else ''} {what}"
    elif len({finding.what for finding in group}) > 1:
        head, _, title = what.partition(": ")
        more = f"{title} (and {len(group) - 1} more)"
        what = more if head == "now" else f"{head}: {len(group)} promises of {first.claim.subject}"
    # The headline says what torch does now; that it is new is what the report is about.
    what = what.removeprefix("now: ")
    notes = tuple(dict.fromkeys(note for finding in group for note in finding.notes))
    return ReportEntry(
        first.claim.id,
        first.severity,
        first.kind,
        what,
        first.before,
        first.after,
        first.when,
        first.script,
        claims,
        notes,
        page=claim_page(first.claim),
        subject=first.claim.subject,
    )
