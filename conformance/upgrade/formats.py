"""The report for programs: JSON, and annotations of GitHub's workflow runs; both are bounded."""

from __future__ import annotations

import json

from conformance.base.codec import Json
from conformance.base.text import count_of, printable
from conformance.upgrade.harm import SHOWN, rank
from conformance.upgrade.model import Report, ReportCoverage, ReportEntry
from conformance.upgrade.report import MOST_PLACES, summary
from conformance.usage import Use

#: Version of the JSON format.
VERSION = 3
_MOST_ANNOTATED, _MOST_ANNOTATIONS, _MOST_LISTED = 5, 50, 200
_LEVELS = {"breaks": "error", "changes": "warning", "warns": "notice"}


def json_report(report: Report) -> str:
    """Write the report as JSON: what is shown, what is maybe, and what is pending where that was asked for."""
    document: dict[str, Json] = {
        "format": VERSION,
        "old": report.old,
        "new": report.new,
        "remarks": list(report.remarks),
        "summary": summary(report),
        "counts": report.counts(),
        "maybe": len(report.maybe),
        "ignored": report.ignored,
        "unused_ignores": list(report.unused_ignores[:_MOST_LISTED]),
        "entries": [_entry(entry) for entry in report.entries],
        "pending": [_entry(entry) for entry in report.pending],
    }
    if report.coverage is not None:
        document["coverage"] = _coverage(report.coverage)
    return json.dumps(document, indent=1) + "\n"


def github_report(report: Report) -> str:
    """Write a workflow command for each place that surely or likely breaks, changes or warns."""
    lines: list[str] = []
    for entry in [entry for severity in SHOWN for entry in report.of(severity)]:
        title = f"torch {report.new}, {entry.severity}: {entry.what}"
        instead = f"instead: {entry.instead}\n" if entry.instead else ""
        only = f"only if {entry.condition}\n" if entry.condition else ""
        more = len(entry.places) - _MOST_ANNOTATED
        others = f"\nand {count_of(more, 'more place')}" if more > 0 else ""
        message = (
            f"{only}before: {entry.before}\nafter: {entry.after}\n{instead}changed {entry.when}\n{entry.id}{others}"
        )
        places = [f"file={_property(place.use.path)},line={place.use.line}," for place in entry.places]
        for place in dict.fromkeys(places[:_MOST_ANNOTATED] or [""]):
            properties = f"{place}title={_property(title)}"
            lines.append(f"::{_LEVELS[entry.severity]} {properties}::{_message(message)}")
    if len(lines) > _MOST_ANNOTATIONS:
        left = len(lines) - _MOST_ANNOTATIONS
        lines[_MOST_ANNOTATIONS:] = [f"::notice title=torch {_property(report.new)}::and {left} more"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _entry(entry: ReportEntry) -> Json:
    return {
        "id": entry.id,
        "severity": entry.severity,
        "rank": rank(entry.severity),
        "kind": entry.kind,
        "what": entry.what,
        "evidence": entry.evidence.name.lower(),
        "before": entry.before,
        "after": entry.after,
        "changed": entry.when,
        "instead": entry.instead,
        "only_if": entry.condition,
        "notes": list(entry.notes),
        "release_notes": [
            {"release": note.release, "section": note.section, "id": note.id, "title": note.title}
            for note in entry.announced[:_MOST_LISTED]
        ],
        "page": entry.page,
        "script": entry.script,
        "places": len(entry.places),
        "uses": [
            {"evidence": place.evidence.name.lower(), "name": place.use.names[0], **_place(place.use)}
            for place in entry.places[:MOST_PLACES]
        ],
    }


def _place(use: Use) -> dict[str, Json]:
    place: dict[str, Json] = {"file": use.path, "line": use.line, "column": use.column}
    return place if use.cell is None else {**place, "cell": use.cell}


def _coverage(coverage: ReportCoverage) -> Json:
    def listed(names: object) -> list[Json]:
        pairs = list(dict(names).items())[:_MOST_LISTED]  # type: ignore[call-overload]
        return [{"name": name, "why": why, **_place(use)} for name, (use, why) in pairs]

    return {
        "files": coverage.files,
        "names": coverage.names,
        "calls": coverage.calls,
        "calls_by_signature": coverage.known_calls,
        "complete": coverage.is_complete,
        "unknown": listed(coverage.unknown),
        "in_neither_release": listed(coverage.missing),
        "not_read": [
            {"file": one.path, "line": one.line, "cell": one.cell, "why": one.cause.value, "detail": one.detail}
            for one in coverage.not_read[:_MOST_LISTED]
        ],
        "unclear": [
            {"file": one.path, "line": one.line, "cell": one.cell, "why": one.doubt.value}
            for one in coverage.unclear[:_MOST_LISTED]
        ],
        "skipped": list(coverage.skipped[:_MOST_LISTED]),
    }


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
