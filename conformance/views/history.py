"""Change points: in which release a claim, or something observed about it, became different."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.language.model import Claim
from conformance.results.model import Verdict
from conformance.views.aspects import Aspect, Observation, aspects, same
from conformance.views.recorded import Cell, Measured
from conformance.views.releases import Step, Unknown, gaps_in_words, span, unknown_between
from conformance.views.verdicts import truth

_WORDS = {"true": "true", "false": "false", "crash": "crashes", "open": "left open"}
_SILENT: dict[Verdict, str] = {
    "absent": "lacks the name",
    "inapplicable": "is excluded",
    "invalid": "could not judge it",
}


@dataclass(frozen=True)
class Change:
    """A value that differs between two measured releases.

    ``last`` is the last release that had ``before``, ``first`` the first that has ``after``; ``unknown`` names the
    releases between them, each with why it can't tell. Without any the change came with the minor version of ``first``.
    """

    before: Hashable
    after: Hashable
    last: str
    first: str
    unknown: tuple[Unknown, ...] = ()

    @property
    def step(self) -> Step:
        """The step between two releases in which it changed."""
        return Step(self.last, self.first, self.unknown)

    def when(self) -> str:
        """Return in words when it changed, with no more certainty than was measured."""
        return self.step.when()

    def since(self) -> str:
        """Return since when there is the new value, as `when` does."""
        return self.step.since()


@dataclass(frozen=True)
class Timeline:
    """The observations of one aspect, oldest release first, and the releases that can't tell, with why."""

    aspect: Aspect
    seen: tuple[tuple[str, Observation], ...]
    unknown: tuple[Unknown, ...]

    def changes(self) -> list[Change]:
        """Return where the value became different.

        Two neighbours that were observed on different examples can't be compared, so no change is told between them.
        """
        found: list[Change] = []
        for (last, before), (first, after) in zip(self.seen, self.seen[1:]):
            if comparable(before, after) and not same(self.aspect, before.value, after.value):
                found.append(Change(before.value, after.value, last, first, self._between(last, first)))
        return found

    def _between(self, last: str, first: str) -> tuple[Unknown, ...]:
        return unknown_between(last, first, self.unknown, [release for release, _ in (*self.seen, *self.unknown)])


def comparable(one: Observation, other: Observation) -> bool:
    """Return whether two observations can be compared: they were made on the same example, or hold for all examples."""
    return one.example == other.example


def timelines(claim: Claim, path: Sequence[Measured]) -> dict[Aspect, Timeline]:
    """Follow every aspect of a claim through releases.

    Parameters
    ----------
    path
        Environments of one device, oldest release first.
    """
    known: dict[int, dict[Aspect, Observation]] = {}
    taken = []
    for cell in _cells(claim, path):
        # Releases that gave the same line share the entry.
        if id(cell.entry) not in known:
            known[id(cell.entry)] = {} if cell.entry is None else aspects(claim, cell.entry)
        taken.append((cell, known[id(cell.entry)]))
    names = dict.fromkeys(aspect for _, found in taken for aspect in found)
    return {aspect: _timeline(aspect, ((cell, found.get(aspect)) for cell, found in taken)) for aspect in names}


def truth_timeline(claim: Claim, path: Sequence[Measured]) -> Timeline:
    """Follow whether a claim is ``true``, ``false``, a ``crash`` or ``open``; absent and excluded are unknown."""
    seen: list[tuple[Cell, Optional[Observation]]] = []
    for cell in _cells(claim, path):
        told = None if cell.verdict is None else truth(cell.verdict)
        seen.append((cell, None if told is None else Observation(told)))
    return _timeline(Aspect("truth"), seen)


def since(claim: Claim, path: Sequence[Measured]) -> str:
    """Return in one sentence since when a claim holds, or until when it held."""
    line = truth_timeline(claim, path)
    if not line.seen:
        return "measured in no release"
    releases = [release for release, _ in line.seen]
    changes = line.changes()
    if not changes:
        told = f"{_WORDS[str(line.seen[0][1].value)]} in every release measured"
        return f"{told} ({span(releases)}){f'; {gaps_in_words(line.unknown)}' if line.unknown else ''}"
    later = "; ".join(f"{_WORDS[str(change.after)]} since {change.since()}" for change in changes)
    return f"{_WORDS[str(changes[0].before)]} from {releases[0]}; {later}"


def _cells(claim: Claim, path: Sequence[Measured]) -> list[Cell]:
    return [measured.cell(claim) for measured in path]


def _timeline(aspect: Aspect, found: Iterable[tuple[Cell, Optional[Observation]]]) -> Timeline:
    seen: list[tuple[str, Observation]] = []
    unknown: list[Unknown] = []
    for cell, observation in found:
        if observation is None:
            unknown.append(Unknown(cell.release, _why(cell)))
        else:
            seen.append((cell.release, observation))
    return Timeline(aspect, tuple(seen), tuple(unknown))


def _why(cell: Cell) -> str:
    return cell.gap if cell.verdict is None else _SILENT.get(cell.verdict, "does not tell")
