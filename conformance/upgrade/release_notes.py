"""What release notes say of the names in a report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from conformance.base.release_spans import as_version, minor
from conformance.language.release_notes import ReleaseNote, ReleaseNotes
from conformance.upgrade.measured_notes import notes_by_topic
from conformance.upgrade.model import Report, ReportEntry


def with_notes(report: Report, all_notes: Iterable[ReleaseNotes]) -> Report:
    """Return a report whose entries have the notes about them that came with a release after the old one."""
    oldest, newest = (as_version(minor(release)) for release in (report.old, report.new))
    by_topic = notes_by_topic(one for one in all_notes if oldest < as_version(minor(one.release)) <= newest)

    def announced(entry: ReportEntry) -> tuple[ReleaseNote, ...]:
        found = by_topic.get(entry.subject, ())
        return tuple(map(_as_planned, sorted(found, key=lambda note: as_version(note.release))))

    return replace(report, entries=tuple(replace(entry, announced=announced(entry)) for entry in report.entries))


def _as_planned(note: ReleaseNote) -> ReleaseNote:
    """Return a note whose title says it where it was only a plan, which may not have come true."""
    is_plan = as_version(note.by) > as_version(minor(note.release))
    return replace(note, title=f"was announced for {note.by}: {note.title}") if is_plan else note
