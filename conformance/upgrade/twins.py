"""Leaves out what is told twice: of a name or claim and of a measured call, or surely and as a doubt."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import product
from typing import Optional

from conformance.upgrade.model import AffectedPlace, ReportEntry
from conformance.usage import Evidence

#: Kinds of entries that tell of a name, or of a claim, what an entry of this kind tells of a call.
_TOLD_BY = {
    "error": ("gone", "argument", "default", "loud", "crash", "tier"),
    "warning": ("deprecated", "default", "gone"),
    "requires-grad": ("leaf", "history", "silent"),
    "history": ("requires-grad", "leaf", "silent"),
    "value": ("dtype", "observed", "silent", "default"),
    "dtype": ("value", "observed", "silent", "default"),
    "shares": ("view-of", "same", "silent"),
}
#: The last part of a name and a kind of entry.
_Topic = tuple[str, str]


class _Spots:
    """Places by where they are: all of them, and those that are more than a doubt."""

    def __init__(self, places: Sequence[AffectedPlace] = ()) -> None:
        self.all = {place.use.spot for place in places}
        self.sure = {place.use.spot for place in places if place.evidence > Evidence.MAYBE}

    def add(self, others: _Spots) -> None:
        self.all |= others.all
        self.sure |= others.sure

    def tell(self, place: AffectedPlace) -> bool:
        """Return whether a place is told of, and not as a doubt about what is now known to be so."""
        return place.use.spot in (self.all if place.evidence is Evidence.MAYBE else self.sure)


def without_twins(entries: Sequence[ReportEntry], by_calls: Sequence[ReportEntry]) -> list[ReportEntry]:
    """Return entries of names and claims with those of calls, each place where no surer one tells the same."""
    told: defaultdict[_Topic, _Spots] = defaultdict(_Spots)
    for entry in entries:
        # What became true may be that it raises.
        raises = ["error"] if any(claim.expectation.raises for claim in entry.claims) else []
        spots = _Spots(entry.places)
        for topic in product(_last_names(entry), [entry.kind, *raises]):
            told[topic].add(spots)
    added, surer = [], {topic: set(spots.sure) for topic, spots in told.items()}
    for entry in by_calls:
        last = entry.subject.rpartition(".")[2]
        topics = [(last, kind) for kind in (entry.kind, *_TOLD_BY.get(entry.kind, ()))]
        places = tuple(place for place in entry.places if not any(told[topic].tell(place) for topic in topics))
        if places:
            added.append(replace(entry, places=places))
            spots = _Spots(places)
            told[topics[0]].add(spots)
            for topic in topics:
                surer.setdefault(topic, set()).update(spots.sure)
    left = [_without_surer(entry, surer) for entry in entries]
    return [*(entry for entry in left if entry is not None), *added]


def _last_names(entry: ReportEntry) -> set[str]:
    subjects = {entry.subject, *(claim.subject for claim in entry.claims)}
    return {subject.rpartition(".")[2] for subject in subjects}


def _without_surer(entry: ReportEntry, surer: Mapping[_Topic, Set[object]]) -> Optional[ReportEntry]:
    """Return an entry without the doubtful places of which another one is surer; none where no place is left."""
    known = [spots for last in _last_names(entry) if (spots := surer.get((last, entry.kind)))]
    if not known:
        return entry
    places = tuple(
        place
        for place in entry.places
        if place.evidence > Evidence.MAYBE or not any(place.use.spot in spots for spots in known)
    )
    return entry if places == entry.places else replace(entry, places=places) if places else None
