"""Change points: in which release a claim, or something observed about it, became different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from conformance.language.model import Claim
from conformance.results.aspects import Aspect, Observation, aspects, same, truth
from conformance.results.cells import Cell, cell, unmeasured_minors
from conformance.results.store import Results

_SHOWN_GAPS = 4


@dataclass(frozen=True)
class Change:
    """A value that differs between two measured releases.

    ``last`` is the last release that had ``before``, ``first`` the first that has ``after``; ``unknown`` names the
    releases between them, each with why it can't tell. Without any the change came with the minor version of ``first``.
    """

    before: Any
    after: Any
    last: str
    first: str
    unknown: tuple[tuple[str, str], ...] = ()

    def when(self) -> str:
        """Say in words when it changed, with no more certainty than was measured."""
        if not self.unknown:
            minor = ".".join(self.first.split(".")[:2])
            known = minor if minor != ".".join(self.last.split(".")[:2]) else self.first
            return f"in {known} ({self.last} → {self.first})"
        return f"between {self.last} and {self.first} ({told_gaps(self.unknown)})"


@dataclass(frozen=True)
class Timeline:
    """The observations of one aspect, oldest release first, and the releases that can't tell, with why."""

    aspect: Aspect
    seen: tuple[tuple[str, Observation], ...]
    unknown: tuple[tuple[str, str], ...]

    def changes(self) -> list[Change]:
        """Return where the value became different.

        Two neighbours that were observed on different examples can't be compared, so no change is told between them.
        """
        found: list[Change] = []
        for (last, before), (first, after) in zip(self.seen, self.seen[1:]):
            if comparable(before, after) and not same(self.aspect, before.value, after.value):
                found.append(Change(before.value, after.value, last, first, self._between(last, first)))
        return found

    def _between(self, last: str, first: str) -> tuple[tuple[str, str], ...]:
        order = [release for release, _ in (*self.seen, *self.unknown)]
        between = [item for item in self.unknown if _lies_between(item[0], last, first)]
        named = {".".join(release.split(".")[:2]) for release in order}
        missing = [(minor, "not measured") for minor in unmeasured_minors(last, first) if minor not in named]
        return tuple(sorted((*between, *missing), key=lambda item: _number(item[0])))


def comparable(one: Observation, other: Observation) -> bool:
    """Say whether two observations can be compared: they were made on the same example, or hold for all examples."""
    return one.example == other.example


def told_gaps(unknown: Sequence[tuple[str, str]]) -> str:
    """Tell which releases can't tell and why; neighbours with the same reason are told together."""
    runs = [(why, [release for release, _ in group]) for why, group in groupby(unknown, key=lambda item: item[1])]
    told = [f"{run[0]} {why}" if len(run) == 1 else f"{run[0]} to {run[-1]} {why}" for why, run in runs]
    more = len(told) - _SHOWN_GAPS
    return ", ".join(told[:_SHOWN_GAPS]) + (f" and {more} gaps more" if more > 0 else "")


def timelines(claim: Claim, columns: Sequence[Results]) -> dict[Aspect, Timeline]:
    """Follow every aspect of a claim through releases.

    Parameters
    ----------
    columns
        Result files of one device, oldest release first.
    """
    cells = [cell(claim, results) for results in columns]
    taken = [(item, {} if item.entry is None else aspects(claim, item.entry)) for item in cells]
    names = dict.fromkeys(aspect for _, found in taken for aspect in found)
    return {
        aspect: Timeline(
            aspect,
            tuple((item.release, found[aspect]) for item, found in taken if aspect in found),
            tuple((item.release, _why(item)) for item, found in taken if aspect not in found),
        )
        for aspect in names
    }


def truth_timeline(claim: Claim, columns: Sequence[Results]) -> Timeline:
    """Follow whether a claim is ``true``, ``false``, a ``crash`` or ``open``; absent and excluded are unknown."""
    seen: list[tuple[str, Observation]] = []
    unknown: list[tuple[str, str]] = []
    for results in columns:
        item = cell(claim, results)
        stands = None if item.entry is None else truth(item.entry["verdict"])
        if stands is None:
            unknown.append((item.release, _why(item)))
        else:
            seen.append((item.release, Observation(stands)))
    return Timeline(Aspect("truth"), tuple(seen), tuple(unknown))


def since(claim: Claim, columns: Sequence[Results]) -> str:
    """Say in one sentence since when a claim holds, or until when it held."""
    line = truth_timeline(claim, columns)
    if not line.seen:
        return "measured in no release"
    first, last = line.seen[0][0], line.seen[-1][0]
    span = f"{first} to {last}" if first != last else first
    changes = line.changes()
    if not changes:
        return f"{_WORDS[str(line.seen[0][1].value)]} in every release measured ({span}){_gaps(line)}"
    told = "; ".join(f"{_WORDS[str(change.after)]} since {_since(change)}" for change in changes)
    return f"{_WORDS[str(changes[0].before)]} from {first}; {told}"


_WORDS = {"true": "true", "false": "false", "crash": "crashes", "open": "left open"}


def _since(change: Change) -> str:
    return (
        change.when().split(" ")[1]
        if not change.unknown
        else change.when().replace("between", "some release between", 1)
    )


def _gaps(line: Timeline) -> str:
    return f"; {told_gaps(line.unknown)}" if line.unknown else ""


def _why(item: Cell) -> str:
    if item.entry is None:
        return item.hole
    verdict = item.entry["verdict"]
    words = {"absent": "lacks the name", "inapplicable": "is excluded", "invalid": "could not judge it"}
    return words.get(verdict, "does not tell")


def _lies_between(release: str, last: str, first: str) -> bool:
    low, high = sorted((_number(last), _number(first)))
    return low < _number(release) < high


def _number(release: str) -> tuple[int, ...]:
    parts: list[int] = []
    for part in release.split("."):
        digits = "".join(character for character in part if character.isdecimal())
        parts.append(int(digits) if digits else 0)
    return tuple(parts)
