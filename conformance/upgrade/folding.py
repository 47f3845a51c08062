"""One entry for one cause: names of a module that are deprecated together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from conformance.upgrade.model import AffectedPlace, ReportEntry, in_order
from conformance.usage import Evidence
from conformance.views.releases import listed

_MOST_NAMES = 4


def folded(entries: Sequence[ReportEntry]) -> tuple[ReportEntry, ...]:
    """Return entries in their order, with those of one cause as one where the first of them stands.

    For a person to read: ``--ignore`` and programs know each entry by its own id.
    """
    groups: dict[tuple[object, ...], list[ReportEntry]] = {}
    for entry in entries:
        groups.setdefault(_cause(entry), []).append(entry)
    return tuple(group[0] if len(group) == 1 else _one(group) for group in groups.values())


def _cause(entry: ReportEntry) -> tuple[object, ...]:
    shown = entry.severity, entry.kind, entry.evidence is Evidence.MAYBE, entry.when
    if entry.kind == "deprecated" and entry.id.endswith(":deprecated"):
        return (*shown, _owner(entry), entry.before)
    return (entry.id, entry.severity, entry.what)


def _one(group: Sequence[ReportEntry]) -> ReportEntry:
    first = group[0]
    names = [entry.subject for entry in group]
    how = first.what.partition(" is deprecated ")[2].replace("(its", "(their")
    own = [name[len(_owner(first)) + 1 :] for name in names]
    what = f"{len(names)} names of {_owner(first)} are deprecated {how}: {_some(own)}"
    places: dict[str, AffectedPlace] = {}
    for place in sorted((place for entry in group for place in entry.places), key=lambda place: -place.evidence):
        places.setdefault(str(place.use), place)
    instead = dict.fromkeys(name for entry in group for name in entry.instead.split(" or ") if name)
    notes = dict.fromkeys(note for entry in group for note in entry.notes)
    return replace(
        first,
        what=what,
        places=in_order(places.values()),
        instead=" or ".join(list(instead)[:_MOST_NAMES]),
        notes=tuple(notes),
        announced=tuple(dict.fromkeys(note for entry in group for note in entry.announced)),
    )


def _owner(entry: ReportEntry) -> str:
    return entry.subject.rpartition(".")[0]


def _some(names: Sequence[str]) -> str:
    left = len(names) - _MOST_NAMES
    return f"{', '.join(names[:_MOST_NAMES])} and {left} more" if left > 0 else listed(names)
