"""The report in the words of the people who looked at what changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Optional

from conformance.base.release_spans import as_version, minor
from conformance.language.addresses import release_page
from conformance.language.corpus import Corpus
from conformance.language.model import Change
from conformance.names.lookup import Names
from conformance.names.model import NotYet
from conformance.results.conditions import admits_release
from conformance.run.scripts.observation import observing_script
from conformance.upgrade.harm import SHOWN, rank
from conformance.upgrade.matching import concern, names_of
from conformance.upgrade.model import AffectedPlace, Report, ReportEntry, places_of
from conformance.usage import Evidence, Kind, UseGroup


def with_changes(report: Report, corpus: Corpus, groups: Optional[Sequence[UseGroup]], names: Names) -> Report:
    """Return a report with an entry for each change between its releases that concerns the code.

    What was measured of the same name at the same places makes way.

    Parameters
    ----------
    groups
        The uses in the code; None for every change, whoever it concerns.
    """
    by_name = None if groups is None else _by_name(groups)
    between = [change for change in corpus.changes if is_between(change.release, report) and _differs(change, report)]
    written = [
        (entry, change)
        for change in between
        if (entry := _entry(change, by_name, names, corpus, report.old)) is not None
    ]
    # A warning says nothing more where another release refuses the same call, or warned of it before.
    worst = [
        (entry, change)
        for entry, change in written
        if not any(_outweighs(worse, its, entry, change) and not _other_places(entry, worse) for worse, its in written)
    ]
    measured, entries = list(report.entries), []
    for entry, change in worst:
        about = {match.name for match in change.match}
        harms = SHOWN[rank(entry.severity) :]
        shared = [
            other
            for other in measured
            # That a default is None, or was, says less than what somebody wrote of it.
            if (other.severity in harms or other.kind == "default")
            and any(f"{other.subject}.".startswith(f"{name}.") for name in about)
            and _speaks_of(entry, other)
            and (by_name is None or other.kind == "default" or _other_places(other, entry) != other.places)
        ]
        joined = {place.use.spot: place for other in shared for place in _joining(other, entry)}
        rest = [
            replace(other, places=places)
            for other in shared
            if (places := tuple(place for place in _other_places(other, entry) if place.use.spot not in joined))
        ]
        measured = [*(other for other in measured if other not in shared), *rest]
        announced = dict.fromkeys(note for one in (entry, *shared) for note in one.announced)
        entries.append(replace(entry, announced=tuple(announced), places=(*entry.places, *joined.values())))
    return replace(report, entries=tuple(sorted([*entries, *measured], key=ReportEntry.order)))


def is_between(release: str, report: Report) -> bool:
    """Return whether a release is newer than the old one of a report, and no newer than its new one."""
    old, new = as_version(minor(report.old)), as_version(minor(report.new))
    return old < as_version(release) <= new


def _differs(change: Change, report: Report) -> bool:
    """Return whether a change, and what it takes back, make the old and the new release differ.

    The new release has to be as the change left it, by the releases that its example is about.
    """
    if change.undoes and as_version(minor(report.old)) < as_version(change.undoes):
        return False
    asked = change.examples[-1].applies.torch if change.examples else None
    return asked is None or admits_release(asked, report.new)


def _by_name(groups: Iterable[UseGroup]) -> Mapping[str, list[UseGroup]]:
    """Return uses by what they may be uses of: a name of theirs, or what that belongs to."""
    found: dict[str, list[UseGroup]] = {}
    for group in groups:
        owners: dict[str, None] = {}
        for name in names_of(group.use):
            while name:
                owners[name] = None
                name = name.rpartition(".")[0]
        for owner in owners:
            found.setdefault(owner, []).append(group)
    return found


def _entry(
    change: Change, by_name: Optional[Mapping[str, list[UseGroup]]], names: Names, corpus: Corpus, old: str
) -> Optional[ReportEntry]:
    sure = Evidence.CERTAIN
    if change.condition:
        sure = Evidence.LIKELY if change.reach == "common" else Evidence.MAYBE
    # What a name does otherwise is nothing new for code that can't have had the name.
    matches = (
        match
        for match in change.match
        if change.harm != "changes" or not isinstance(names.lookup(match.name, minor(old)), NotYet)
    )
    groups = (group for match in matches for group in (by_name or {}).get(match.name, ()))
    placed = [(group, min(sure, found)) for group in groups if (found := concern(change, group.use, names))]
    if by_name is not None and not placed:
        return None
    full = next((release for release in names.releases if minor(release) == change.release), "")
    announced = (note for notes in corpus.notes for note in notes.notes if note.by == change.release)
    return ReportEntry(
        id=f"{change.release}/{change.id}",
        severity=next(harm for harm in SHOWN if harm == change.harm),
        kind="change",
        what=change.title.replace("`", ""),
        before=change.before,
        after=change.after,
        when=f"since {change.release}",
        script=observing_script(change.examples[-1], {}, "judged") if change.examples else "",
        instead=change.instead,
        condition=change.condition,
        page=release_page(full, change.id) if full else "",
        subject=change.match[0].name,
        places=places_of(placed) if change.harm == "breaks" else _where_used(places_of(placed)),
        fixes=change.fixes,
        announced=tuple(note for note in announced if note.id in change.notes),
    )


def _where_used(places: Sequence[AffectedPlace]) -> tuple[AffectedPlace, ...]:
    """Return the places without imports, if there are others: the warning or change comes where the name is used."""
    uses = tuple(place for place in places if place.use.kind is not Kind.IMPORT)
    return uses or tuple(places)


def _speaks_of(written: ReportEntry, measured: ReportEntry) -> bool:
    """Return whether an entry is about the argument that differs, or the whole name does."""
    argument = measured.id.rpartition(":")[2]
    words = f"{written.what} {written.before} {written.after} {written.instead}"
    return measured.kind in ("gone", "deprecated") or re.search(rf"\b{re.escape(argument)}\b", words) is not None


def _outweighs(one: ReportEntry, its: Change, other: ReportEntry, change: Change) -> bool:
    """Whether one refuses what another warns of or changes, or both warn of the same code and it is the earlier.

    One with a condition may hold for other inputs than another, so it has to match the same code.
    """
    is_same = any(match in its.match for match in change.match)
    if one.severity == other.severity == "warns":
        return is_same and as_version(its.release) < as_version(change.release)
    is_about = other.subject in {match.name for match in its.match}
    refuses = one.severity == "breaks" and other.severity != "breaks"
    return refuses and (is_same or (is_about and not its.condition))


def _joining(default: ReportEntry, written: ReportEntry) -> Iterator[AffectedPlace]:
    """Yield the places that only may have a default of which somebody wrote: one entry tells all of them."""
    spots = {place.use.spot for place in written.places}
    if default.kind == "default":
        yield from (
            place for place in default.places if place.evidence is Evidence.MAYBE and place.use.spot not in spots
        )


def _other_places(one: ReportEntry, other: ReportEntry) -> tuple[AffectedPlace, ...]:
    """Return the places of an entry that another does not have.

    What is shown never makes way for a maybe, but for a default: that it may matter was reviewed.
    """
    others = {place.use.spot: place.evidence for place in other.places}
    least = Evidence.MAYBE if one.kind == "default" else Evidence.LIKELY
    return tuple(
        place
        for place in one.places
        if place.use.spot not in others or others[place.use.spot] < min(place.evidence, least)
    )
