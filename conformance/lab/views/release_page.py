"""A release: what it changed, measured against the release before it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Optional

from conformance.base.release_spans import minor, span, unmeasured_minors
from conformance.lab.views.content import Content
from conformance.lab.views.pieces import Text, code, joined, linked, prose, text_of
from conformance.lab.views.strip import Chip
from conformance.lab.views.trial_changes import Shared, shared_changes
from conformance.results.recorded import Measured
from conformance.upgrade.compare.differences import RecordDifference, claim_differences, other_differences
from conformance.upgrade.harm import HARMS, MEANING, SHOWN

_MOST_CALLS = 4
_MOST_CALL_CHANGES = 60
_STYLES = {
    "breaks": "bad",
    "changes": "known",
    "warns": "known",
    "wording": "none",
    "improvement": "good",
}


@dataclass(frozen=True)
class ChangeView:
    """A claim that came out otherwise: each thing that differs, what was before, and what is now."""

    style: str
    claim: Text
    parts: tuple[tuple[str, Text, Text], ...]
    script: str


@dataclass(frozen=True)
class Section:
    """The changes of one severity."""

    severity: str
    meaning: str
    changes: tuple[ChangeView, ...]


@dataclass(frozen=True)
class DeviceView:
    """What a release changed on one device.

    Attributes
    ----------
    scope : str
        What was compared.
    others : str
        What else was different; empty where nothing was.
    gaps : tuple of str
        Why the other claims could not be compared, with their numbers.
    """

    device: str
    old: str
    new: str
    scope: str
    others: str
    sections: tuple[Section, ...]
    not_compared: int
    gaps: tuple[str, ...]


@dataclass(frozen=True)
class CallRow:
    """A change of what calls do: what happens since, and the calls that have it, as code; ``more`` counts others."""

    chip: Chip
    text: str
    calls: tuple[Text, ...]
    more: int


@dataclass(frozen=True)
class CallsView:
    """What a release changed in calls, apart from what is promised.

    Attributes
    ----------
    scope : str
        What was compared.
    more : int
        How many changes are left out.
    """

    scope: str
    rows: tuple[CallRow, ...]
    more: int


@dataclass(frozen=True)
class ReleaseView:
    """A release with its neighbours."""

    release: str
    neighbours: Text
    devices: tuple[DeviceView, ...]
    calls: Optional[CallsView]


@dataclass(frozen=True)
class ReleaseRow:
    """A release in the list of all: the one it is compared with, and how many changes of each severity it brought."""

    name: Text
    since: str
    chips: tuple[Chip, ...]


def release_view(release: str, content: Content) -> ReleaseView:
    """Return what a release changed on each device."""
    pairs = [pair for pair in _pairs(content) if pair[1].torch == release]
    devices = tuple(_device(older, newer, content) for older, newer in pairs)
    return ReleaseView(release, _neighbours(release, content), devices, _calls(release, content))


def _calls(release: str, content: Content) -> Optional[CallsView]:
    """Return what changed in calls since the release measured before; None where one of the two was not measured."""
    measured = content.trials.releases
    if release not in measured or measured.index(release) == 0:
        return None
    older = measured[measured.index(release) - 1]
    scope = f"Calls of torch were tried in {older} and in {release}. On ordinary inputs these did something else:"
    rows = tuple(map(_call_row, shared_changes(content.trial_changes.get(release, ()))))
    return CallsView(scope, rows[:_MOST_CALL_CHANGES], max(len(rows) - _MOST_CALL_CHANGES, 0))


def _call_row(shared: Shared) -> CallRow:
    calls = tuple(code(call) for call in shared.calls[:_MOST_CALLS])
    return CallRow(severity_chip(shared.harm), shared.text, calls, len(shared.calls) - len(calls))


def release_rows(content: Content) -> tuple[ReleaseRow, ...]:
    """Return the releases, newest first, with how many changes for code each has."""
    counts = Counter((change.release, change.harm) for change in content.corpus.changes)
    older = dict(zip(content.releases[1:], content.releases))
    return tuple(
        ReleaseRow(
            linked(release, "release", release),
            older.get(release, ""),
            tuple(severity_chip(harm, count) for harm in HARMS if (count := counts[minor(release), harm])),
        )
        for release in reversed(content.releases)
    )


def severity_legend() -> tuple[tuple[Chip, str], ...]:
    """Return what each severity means."""
    return tuple((severity_chip(severity), f"{MEANING[severity]}.") for severity in SHOWN)


def severity_chip(severity: str, count: int = 0) -> Chip:
    """Return a severity as a chip, with how many changes have it."""
    return Chip(str(count) if count else "", severity, _STYLES[severity])


def _pairs(content: Content) -> list[tuple[Measured, Measured]]:
    """Return every environment with the one of the release before it on the same device."""
    return [pair for path in content.recorded.by_device.values() for pair in zip(path, path[1:])]


def _neighbours(release: str, content: Content) -> Text:
    position = content.releases.index(release)
    around = ((position - 1, "Older: "), (position + 1, "Newer: "))
    named = [
        text_of(word, linked(content.releases[at], "release", content.releases[at]), ".")
        for at, word in around
        if 0 <= at < len(content.releases)
    ]
    return joined(named, " ")


def _device(older: Measured, newer: Measured, content: Content) -> DeviceView:
    missing = unmeasured_minors(older.torch, newer.torch)
    between = (
        f" Between the two, {span(missing)} was not measured: what differs may have changed there." if missing else ""
    )
    claims = content.corpus.without_examples().claims
    found, not_compared = claim_differences(claims, older, newer)
    reasons = Counter(not_compared.values())
    return DeviceView(
        device=newer.device,
        old=older.torch,
        new=newer.torch,
        scope=f"Compared with {older.torch}, the release measured before it, on {newer.device}: "
        f"{len(claims) - len(not_compared):,} claims were measured on both.{between}",
        others=other_differences(older.environment, newer.environment),
        sections=tuple(
            Section(harm, f"{MEANING[harm].capitalize()}.", tuple(map(_change, of_harm)))
            for harm in HARMS
            if (of_harm := [one for one in found if one.harm == harm])
        ),
        not_compared=len(not_compared),
        gaps=tuple(f"{count} claim{'' if count == 1 else 's'}: {why}" for why, count in sorted(reasons.items())),
    )


def _change(one: RecordDifference) -> ChangeView:
    parts = tuple((part.what, prose(part.before), prose(part.after)) for part in one.parts)
    named = text_of(code(one.subject), ": ", linked(one.title, "claim", one.id))
    return ChangeView(_STYLES[one.harm], named, parts, one.script)
