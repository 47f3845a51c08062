"""Entries that somebody decided to leave out of the report: by an option, a file, or a comment at the place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from conformance.upgrade.model import AffectedPlace, Report, ReportEntry
from conformance.usage import IgnoreComment


def without_ignored(report: Report, ids: Sequence[str], comments: Sequence[IgnoreComment] = ()) -> Report:
    """Return a report without what is ignored. It says how many entries that are, and what matched nothing.

    Parameters
    ----------
    ids
        Ids of entries, or names of torch, which stand for all entries about them.
    comments
        The comments in the code. An entry stays if it has a place that no comment covers.
    """
    entries = [entry for entry in report.entries if names_of(entry).isdisjoint(ids)]
    kept = [replace(entry, places=_uncovered(entry, comments)) for entry in entries]
    kept = [entry for entry, before in zip(kept, entries) if entry.places or not before.places]
    return replace(
        report,
        entries=tuple(kept),
        ignored=len(report.entries) - len(kept),
        unused_ignores=(*_unused_ids(report.entries, ids), *_unused_comments(entries, comments)),
    )


def names_of(entry: ReportEntry) -> set[str]:
    """Return what an entry may be ignored by."""
    return {entry.id, entry.subject}


def _covers(comment: IgnoreComment, entry: ReportEntry, place: AffectedPlace) -> bool:
    return comment.covers(place.use) and not names_of(entry).isdisjoint(comment.ids)


def _uncovered(entry: ReportEntry, comments: Sequence[IgnoreComment]) -> tuple[AffectedPlace, ...]:
    return tuple(place for place in entry.places if not any(_covers(comment, entry, place) for comment in comments))


def _unused_ids(entries: Iterable[ReportEntry], ids: Iterable[str]) -> list[str]:
    named = {name for entry in entries for name in names_of(entry)}
    return [name for name in dict.fromkeys(ids) if name not in named]


def _unused_comments(entries: Sequence[ReportEntry], comments: Iterable[IgnoreComment]) -> list[str]:
    return [
        f"{', '.join(comment.ids) or 'a comment without an id'} ({comment})"
        for comment in comments
        if not any(_covers(comment, entry, place) for entry in entries for place in entry.places)
    ]
