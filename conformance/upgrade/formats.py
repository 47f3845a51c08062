"""The report for programs: JSON, and annotations of GitHub's workflow runs."""

from __future__ import annotations

import json
from typing import Any

from conformance.upgrade.entries import Entry, Report
from conformance.upgrade.report import clean, headline
from conformance.upgrade.severity import rank

#: Version of the JSON format.
VERSION = 1
_MOST_ANNOTATED = 5
_LEVELS = {"breaking": "error", "behaviour": "warning"}


def json_report(report: Report) -> str:
    """Write the report as JSON."""
    document: dict[str, Any] = {
        "format": VERSION,
        "old": report.old.environment,
        "new": report.new.environment,
        "between": list(report.between),
        "compared": report.compared,
        "not_compared": dict(sorted(report.holes.items())),
        "counts": report.counts(),
        "entries": [_entry(entry) for entry in report.entries],
    }
    if report.uses is not None:
        document["files"] = report.uses.files
        document["unknown"] = report.uses.unknown
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def github_report(report: Report) -> str:
    """Write a workflow command for each entry, at the places that use it where these are known."""
    lines: list[str] = []
    for entry in report.entries:
        level = _LEVELS.get(entry.severity, "notice")
        title = f"torch {report.new.environment['torch']}, {entry.severity}: {headline(entry)}"
        message = f"before: {entry.before}\nafter: {entry.after}\nchanged {entry.when}\n{entry.claims[0].id}"
        places: list[dict[str, Any]] = [{"file": use.path, "line": use.line} for use in entry.uses[:_MOST_ANNOTATED]]
        for place in places or [{}]:
            properties = ",".join(
                f"{name}={_property(str(value))}" for name, value in {**place, "title": title}.items()
            )
            lines.append(f"::{level} {properties}::{_message(message)}")
    return "".join(f"{clean(line)}\n" for line in lines)


def _entry(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = {
        "severity": entry.severity,
        "rank": rank(entry.severity),
        "kind": entry.kind,
        "what": headline(entry),
        "before": entry.before,
        "after": entry.after,
        "changed": entry.when,
        "notes": list(entry.notes),
        "claims": [{"id": claim.id, "title": claim.title} for claim in entry.claims],
        "page": entry.page,
        "script": entry.script,
    }
    if entry.uses:
        found["uses"] = [
            {"file": use.path, "line": use.line, "name": use.name, "certain": use.certain} for use in entry.uses
        ]
    return found


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
