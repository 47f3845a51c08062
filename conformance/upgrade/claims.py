"""Entries from claims: what was measured otherwise in the new release, one for the same change seen through several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.kept import load_own_corpus
from conformance.language.sources import SourceList
from conformance.results.model import Entry as Measurement
from conformance.results.store import Entries
from conformance.text import count_of
from conformance.upgrade.comparison import Comparison, Finding
from conformance.upgrade.findings import findings
from conformance.upgrade.model import Entry, Report
from conformance.upgrade.standings import CAUSED
from conformance.views.addresses import claim_page
from conformance.views.recorded import Measured


def compare_claims(corpus: Corpus, path: Sequence[Measured]) -> Report:
    """Compare what was measured of claims, on one device from the old to the new release, with those between them."""
    found: list[Finding] = []
    gaps: dict[str, str] = {}
    claims = [claim for claim in corpus.claims if claim.compare is None]
    for claim in claims:
        comparison = Comparison(claim, path)
        if comparison.gap:
            gaps[claim.id] = comparison.gap
        elif _seen(comparison.entries[0]) != _seen(comparison.entries[1]):
            found.extend(findings(comparison))
    entries = sorted(map(_entry, _grouped(found)), key=Entry.order)
    return Report(path[0].torch, path[-1].torch, path, tuple(entries), len(claims) - len(gaps), gaps)


def differing(path: Sequence[Measured], subjects: Iterable[str]) -> set[str]:
    """Return the ids of claims about subjects of which something else was measured in the new release."""
    wanted, (old, new) = set(subjects), (path[0].entries, path[-1].entries)
    known = [id for id in old.keys() | new.keys() if id.rpartition("/")[0] in wanted]
    return {id for id in known if not _same_line(old, new, id) and _seen(old.get(id)) != _seen(new.get(id))}


def _same_line(old: Mapping[str, Measurement], new: Mapping[str, Measurement], id: str) -> bool:
    """Return whether two files say the same of a claim, letter for letter, so that none of it has to be decoded."""
    if not (isinstance(old, Entries) and isinstance(new, Entries)):
        return False
    return id in old and id in new and old.line(id) == new.line(id)


def claims_named(ids: set[str], specs: Optional[Sequence[Path]]) -> Corpus:
    """Return the claims with some ids."""
    corpus = read_specs(specs) if ids else Corpus((), SourceList(), default_root())
    return replace(corpus, claims=tuple(claim for claim in corpus.claims if claim.id in ids))


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


def _seen(entry: Optional[Measurement]) -> Optional[Measurement]:
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


def _entry(group: list[Finding]) -> Entry:
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
    return Entry(
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
