"""A page for each release: what it changed, measured against the release before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from conformance.reference import markup
from conformance.reference.content import Reference
from conformance.results.cells import unmeasured_minors
from conformance.upgrade.entries import Entry, Report
from conformance.upgrade.report import headline
from conformance.upgrade.severity import MEANING, SEVERITIES

#: A release with another name gets no page: the name becomes that of a file.
RELEASE = re.compile(r"[0-9]+(\.[0-9]+)+[A-Za-z0-9.]*", re.ASCII)

MOST_CLAIMS = 8
STYLES = {
    "breaking": "bad",
    "behaviour": "known",
    "notice": "none",
    "documentation": "open",
    "improvement": "good",
}


def releases_with_a_page(reference: Reference) -> list[str]:
    """Name the releases that get a page, oldest first."""
    return [release for release in reference.history.releases() if RELEASE.fullmatch(release)]


def release_blocks(release: str, reference: Reference, document: str) -> list[nodes.Node]:
    """Show what differs from the release before, on each device."""
    reports = reference.history.reports_of(release)
    blocks: list[nodes.Node] = [_neighbours(release, reference, document)]
    if not reports:
        blocks.append(
            markup.paragraph("No older release was measured, so nothing can be said about what this one changed.")
        )
    for device, report in reports.items():
        ids = device if len(reference.history.devices) > 1 else ""
        parts = _report(report, document, ids)
        if len(reports) > 1:
            section = nodes.section("", nodes.title("", nodes.Text(f"On {device}")), ids=[device], names=[])
            section.extend(parts)
            parts = [section]
        blocks += parts
    return blocks


def releases_list(reference: Reference, document: str) -> list[nodes.Node]:
    """List the releases, newest first, with how many changes of each severity they brought."""
    releases = releases_with_a_page(reference)
    if not releases:
        return [markup.paragraph("No release has been measured.")]
    several = len(reference.history.devices) > 1
    rows: list[markup.Row] = []
    for release in reversed(releases):
        link = _link(release, document)
        reports = reference.history.reports_of(release)
        if not reports:
            rows.append([[link], ["the oldest release measured"]])
        for device, report in reports.items():
            chips: list[markup.Inline] = []
            for severity, count in report.counts().items():
                chips += [_severity_chip(severity, count), " "] if count else []
            where = f" on {device}" if several else ""
            told: list[markup.Inline] = [f"since {report.old.environment['torch']}{where}: "]
            rows.append([[link], [*told, *(chips or ["nothing that was measured"])]])
            link = nodes.Text("")
    return [markup.table([["Release"], ["Changes"]], rows, "glance"), _legend()]


def _link(release: str, document: str) -> nodes.Node:
    return markup.cite("release", release, document, nodes.inline("", "", nodes.Text(release)))


def _legend() -> nodes.Node:
    return markup.definitions(
        [([_severity_chip(severity)], [markup.paragraph(f"{MEANING[severity]}.")]) for severity in SEVERITIES],
        "meanings",
    )


def _severity_chip(severity: str, count: int = 0) -> nodes.inline:
    return markup.span(f"{count} {severity}" if count else severity, "chip", f"verdict-{STYLES[severity]}")


def _neighbours(release: str, reference: Reference, document: str) -> nodes.Node:
    releases = releases_with_a_page(reference)
    position = releases.index(release)
    parts: list[markup.Inline] = []
    if position > 0:
        parts += ["Older: ", _link(releases[position - 1], document)]
    if position + 1 < len(releases):
        parts += [". " if parts else "", "Newer: ", _link(releases[position + 1], document)]
    return markup.paragraph(*parts, *(["."] if parts else []), classes=["neighbours"])


def _report(report: Report, document: str, prefix: str) -> list[nodes.Node]:
    old, new = report.old.environment, report.new.environment
    intro = (
        f"Compared with {old['torch']}, the release measured before it, on {new['device']}: {report.compared} claims "
        f"were measured on both."
    )
    missing = unmeasured_minors(old["torch"], new["torch"])
    if missing:
        between = missing[0] if len(missing) == 1 else f"{missing[0]} to {missing[-1]}"
        intro += f" Between the two, {between} was not measured: what differs may have changed there."
    blocks: list[nodes.Node] = [markup.paragraph(nodes.Text(intro))]
    names = {"python": "Python", "numpy": "NumPy", "system": "the system", "machine": "the machine"}
    others = [f"{text} {old[key]} → {new[key]}" for key, text in names.items() if old.get(key) != new.get(key)]
    if others:
        blocks.append(markup.paragraph(nodes.Text(f"Also different: {', '.join(others)}."), classes=["aside"]))
    if not report.entries:
        blocks.append(markup.paragraph("Nothing that was measured differs."))
    for severity in SEVERITIES:
        entries = [entry for entry in report.entries if entry.severity == severity]
        if entries:
            heading = f"{severity.capitalize()} ({len(entries)})"
            anchor = f"{prefix}-{severity}" if prefix else severity
            section = nodes.section("", nodes.title(heading, heading), ids=[anchor], names=[])
            section += markup.paragraph(f"{MEANING[severity].capitalize()}.", classes=["aside"])
            for entry in entries:
                section += _entry(entry, document)
            blocks.append(section)
    if report.holes:
        blocks.append(_holes(report))
    return blocks


def _entry(entry: Entry, document: str) -> nodes.Node:
    body: list[nodes.Node] = [markup.paragraph(nodes.strong("", "", *markup.prose(headline(entry))))]
    facts: list[tuple[list[markup.Inline], list[nodes.Node]]] = [
        (["Before"], [markup.paragraph(nodes.Text(markup.bounded(entry.before)))]),
        (["After"], [markup.paragraph(nodes.Text(markup.bounded(entry.after)))]),
    ]
    if entry.when.startswith("between"):
        facts.append((["Changed"], [markup.paragraph(nodes.Text(entry.when))]))
    links: list[markup.Inline] = []
    for claim in entry.claims[:MOST_CLAIMS]:
        links += ["; "] if links else []
        links.append(markup.cite("claim", claim.id, document, nodes.inline("", "", *markup.prose(claim.title))))
    if len(entry.claims) > MOST_CLAIMS:
        links.append(f"; and {len(entry.claims) - MOST_CLAIMS} more")
    facts.append((["Claim" if len(entry.claims) == 1 else "Claims"], [markup.paragraph(*links)]))
    body.append(markup.definitions(facts, "facts"))
    body += [markup.paragraph(note, classes=["aside"]) for note in entry.notes[:MOST_CLAIMS]]
    if entry.script:
        body.append(markup.folded("A script that shows it", markup.listing(entry.script)))
    return markup.box(*body, classes=["change", f"verdict-{STYLES[entry.severity]}"])


def _holes(report: Report) -> nodes.Node:
    reasons: dict[str, int] = {}
    for reason in report.holes.values():
        reasons[reason] = reasons.get(reason, 0) + 1
    items: Sequence[list[markup.Inline]] = [
        [nodes.Text(f"{count} claim{'' if count == 1 else 's'}: {reason}")] for reason, count in sorted(reasons.items())
    ]
    return markup.folded(f"{len(report.holes)} claims could not be compared", markup.bullets(items))
