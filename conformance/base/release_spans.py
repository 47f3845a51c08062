"""Releases in order, and in words: spans, ranges and gaps."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Generic, NamedTuple, Optional, TypeVar

if TYPE_CHECKING:
    from packaging.version import Version


Value = TypeVar("Value", bound=Hashable)
#: The last minor version of a series, so that what follows it is known to be its neighbour.
_LAST_MINOR = {0: 4, 1: 13}
_MOST_MINORS = 100
_SHOWN_GAPS = 4
#: Why a release can't tell that has no measurement.
MISSING = "not measured"


class Unknown(NamedTuple):
    """A release that can't tell, and why."""

    release: str
    why: str


@dataclass(frozen=True)
class Step:
    """Two releases between which something changed; ``unknown`` names those between them, each with why it can't tell.

    Without any it changed with the minor version of ``first``.
    """

    last: str
    first: str
    unknown: tuple[Unknown, ...] = ()

    def when(self) -> str:
        """Return in words when it changed, with no more certainty than was measured."""
        return f"between {self._span}" if self.unknown else f"in {self.release} ({self.last} → {self.first})"

    def since(self) -> str:
        """Return since when it is so, as `when` does."""
        return f"some release between {self._span}" if self.unknown else self.release

    @property
    def release(self) -> str:
        """The release that has the change: a minor version, where that tells."""
        return minor(self.first) if minor(self.first) != minor(self.last) else self.first

    @property
    def _span(self) -> str:
        return f"{self.last} and {self.first} ({gaps_in_words(self.unknown)})"


@dataclass(frozen=True)
class Run(Generic[Value]):
    """Neighbouring releases with the same value."""

    value: Value
    releases: tuple[str, ...]

    @property
    def span(self) -> str:
        """The releases in words, such as ``2.0.1 to 2.4.1``."""
        return span(self.releases)


@lru_cache(1000)
def as_version(release: str) -> Version:
    """Read a release as a version; what is none counts as the oldest of all."""
    from packaging.version import InvalidVersion, Version  # `torch_releases` is read where it is not installed

    try:
        return Version(release)
    except InvalidVersion:
        return Version("0")


@lru_cache(1000)
def minor(release: str) -> str:
    """Return ``2.4`` of ``2.4.1`` and of ``2.4.1+cpu``: each minor release is measured once, so it names them."""
    return ".".join(release.split("+")[0].split(".")[:2])


def unmeasured_minors(older: str, newer: str) -> tuple[str, ...]:
    """Return the minor versions that lie between two releases: what neither of the two can speak for."""
    first, last = sorted((as_version(older), as_version(newer)))
    minors: list[str] = []
    major, number = first.major, first.minor
    while (major, number) < (last.major, last.minor):
        if number >= _LAST_MINOR.get(major, 10**6):
            major, number = major + 1, 0
        else:
            number += 1
        if (major, number) >= (last.major, last.minor) or len(minors) >= _MOST_MINORS:
            break
        minors.append(f"{major}.{number}")
    return tuple(minors)


def unknown_between(last: str, first: str, unknown: Iterable[Unknown], named: Iterable[str]) -> tuple[Unknown, ...]:
    """Return the releases between two that can't tell, those included of which nothing was measured.

    Parameters
    ----------
    unknown
        Releases that can't tell, and why.
    named
        The releases of which something is known, be it why they can't tell.
    """
    low, high = sorted((as_version(last), as_version(first)))
    minors = {minor(release) for release in named}
    missing = [Unknown(one, MISSING) for one in unmeasured_minors(last, first) if one not in minors]
    between = [item for item in unknown if low < as_version(item.release) < high]
    return tuple(sorted((*between, *missing), key=lambda item: as_version(item.release)))


def span(releases: Sequence[str]) -> str:
    """Name neighbouring releases, such as ``2.0.1 to 2.4.1``."""
    return releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"


def listed(words: Sequence[str]) -> str:
    """Join words, such as ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def runs(values: Iterable[tuple[str, Value]]) -> list[Run[Value]]:
    """Group neighbouring releases that have the same value.

    Parameters
    ----------
    values
        Releases in order, each with its value.
    """
    return [
        Run(value, tuple(release for release, _ in group)) for value, group in groupby(values, key=lambda item: item[1])
    ]


def in_ranges(values: Sequence[tuple[str, Optional[Value]]]) -> dict[Value, str]:
    """Return where each value was seen, such as ``1.8.1 to 1.9.0 and since 2.0.1``.

    Parameters
    ----------
    values
        Releases, oldest first, each with its value; `None` where there is nothing to tell.

    Returns
    -------
    dict
        Value → its releases in words, in the order in which the values came up.
    """
    found: dict[Value, list[tuple[str, ...]]] = {}
    for run in runs(values):
        if run.value is not None:
            found.setdefault(run.value, []).append(run.releases)
    releases = [release for release, _ in values]
    return {value: _ranges(spans, releases) for value, spans in found.items()}


def _ranges(spans: Sequence[tuple[str, ...]], releases: Sequence[str]) -> str:
    if len(spans) == 1 and len(spans[0]) == len(releases):
        return f"in all {len(releases)} releases, {span(releases)}" if len(releases) > 1 else releases[0]
    return listed([f"since {one[0]}" if one[-1] == releases[-1] else span(one) for one in spans])


def gaps_in_words(unknown: Sequence[Unknown]) -> str:
    """Name the releases that can't tell, with why; neighbours with the same reason are named together."""
    told = [f"{run.span} {run.value}" for run in runs((item.release, item.why) for item in unknown)]
    more = len(told) - _SHOWN_GAPS
    return ", ".join(told[:_SHOWN_GAPS]) + (f" and {more} gaps more" if more > 0 else "")
