"""The report as SARIF 2.1.0, which forges and editors show at the lines of the code."""

from __future__ import annotations

import json
from urllib.parse import quote

from conformance import __version__
from conformance.base.codec import Json
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.model import AffectedPlace, Report, ReportEntry
from conformance.upgrade.report import MOST_PLACES
from conformance.usage import Evidence

_LEVELS = {"breaks": "error", "changes": "warning", "warns": "note"}


def sarif_report(report: Report) -> str:
    """Write a result for each place that surely or likely breaks, changes or warns, at most 50 of an entry."""
    entries = [entry for severity in SHOWN for entry in report.of(severity)]
    driver: dict[str, Json] = {
        "name": "conformance upgrade",
        "semanticVersion": __version__,
        "rules": [_rule(entry) for entry in entries],
    }
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(entry, number, place)
            for number, entry in enumerate(entries)
            for place in [place for place in entry.places if place.evidence > Evidence.MAYBE][:MOST_PLACES]
        ],
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _rule(entry: ReportEntry) -> Json:
    instead = f"\nInstead: {entry.instead}" if entry.instead else ""
    rule: dict[str, Json] = {
        "id": entry.id,
        "shortDescription": {"text": entry.what},
        "help": {"text": f"Before: {entry.before}\nAfter: {entry.after}{instead}\nChanged {entry.when}."},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }
    return rule


def _result(entry: ReportEntry, number: int, place: AffectedPlace) -> Json:
    use = place.use
    instead = f" Instead: {entry.instead}." if entry.instead else ""
    where: dict[str, Json] = {"artifactLocation": {"uri": quote(use.path)}}
    if use.cell is None:  # a line of a notebook is one of a cell, not of the file
        where["region"] = {"startLine": use.line, "startColumn": use.column}
    return {
        "ruleId": entry.id,
        "ruleIndex": number,
        "level": _LEVELS[entry.severity],
        "message": {"text": f"{entry.what} (changed {entry.when}).{instead}"},
        "locations": [{"physicalLocation": where}],
    }
