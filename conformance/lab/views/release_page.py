"""A release: what it changed, measured against the release before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.base.release_spans import minor, span, unmeasured_minors
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Text, code, joined, linked, text_of
from conformance.lab.views.verdict_chips import Chip
from conformance.results.recorded import Measured
from conformance.upgrade.compare.differences import RecordDifference, claim_differences, other_differences
from conformance.upgrade.harm import HARMS, MEANING, SHOWN, Harm

#: The style of each severity.
STYLES = {
    "breaks": "bad",
    "changes": "known",
    "warns": "known",
    "wording": "none",
    "improvement": "good",
}


@dataclass(frozen=True)
class DeviceView:
    """What a release changed on one device.

    Attributes
    ----------
    scope : str
        What was compared.
    others : str
        What else was different; empty where nothing was.
    sections : mapping
        The claims that came out otherwise, by harm, the worst first.
    gaps : mapping
        Why the other claims could not be compared, with their numbers.
    """

    device: str
    scope: str
    others: str
    sections: Mapping[Harm, Sequence[RecordDifference]]
    gaps: Mapping[str, int]


def release_devices(release: str, content: Content) -> list[DeviceView]:
    """Return what a release changed on each device, compared with the release before it on the same device."""
    pairs = [pair for path in content.recorded.by_device.values() for pair in zip(path, path[1:])]
    return [_device(older, newer, content) for older, newer in pairs if newer.torch == release]


def release_before(release: str, content: Content) -> Optional[str]:
    """Return the release on which calls were tried before; None where one of the two was not measured."""
    measured = content.trials.releases
    return dict(zip(measured[1:], measured)).get(release)


def change_heading(change: RecordDifference) -> Text:
    """Return the subject of a claim that came out otherwise, and its title as a link."""
    return text_of(code(change.subject), ": ", linked(change.title, "claim", change.id))


def release_rows(content: Content) -> Iterator[tuple[Text, str, list[Chip]]]:
    """Yield the releases, newest first, the one that each is compared with, and how many changes for code it has."""
    counts = Counter((change.release, change.harm) for change in content.corpus.changes)
    older = dict(zip(content.releases[1:], content.releases))
    for release in reversed(content.releases):
        chips = [severity_chip(harm, count) for harm in HARMS if (count := counts[minor(release), harm])]
        yield linked(release, "release", release), older.get(release, ""), chips


def severity_legend() -> tuple[tuple[Chip, str], ...]:
    """Return what each severity means."""
    return tuple((severity_chip(severity), f"{MEANING[severity]}.") for severity in SHOWN)


def severity_chip(severity: str, count: int = 0) -> Chip:
    """Return a severity as a chip, with how many changes have it."""
    return Chip(str(count) if count else "", severity, STYLES[severity])


def neighbours(release: str, content: Content) -> Text:
    """Return the links to the release before and the one after."""
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
    return DeviceView(
        device=newer.device,
        scope=f"Compared with {older.torch}, the release measured before it, on {newer.device}: "
        f"{len(claims) - len(not_compared):,} claims were measured on both.{between}",
        others=other_differences(older.environment, newer.environment),
        sections={harm: of_harm for harm in HARMS if (of_harm := [one for one in found if one.harm == harm])},
        gaps=dict(sorted(Counter(not_compared.values()).items())),
    )
