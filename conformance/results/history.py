"""Change points: in which release a claim became true, false or another thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.base.release_spans import Step, Unknown, gaps_in_words, span, unknown_between
from conformance.language.model import Claim
from conformance.results.model import Verdict
from conformance.results.recorded import Cell, Measured
from conformance.results.verdicts import truth

_WORDS = {"true": "true", "false": "false", "crash": "crashes", "open": "left open"}
_SILENT: dict[Verdict, str] = {
    "absent": "lacks the name",
    "inapplicable": "is excluded",
    "unsupported": "is not supported",
    "invalid": "could not judge it",
}


@dataclass(frozen=True)
class Change:
    """A value that differs between two measured releases.

    ``last`` is the last release that had ``before``, ``first`` the first that has ``after``; ``unknown`` names the
    releases between them, each with why it can't tell. Without any the change came with the minor version of ``first``.
    """

    before: str
    after: str
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
    """Values by release, oldest first, and the releases that can't tell, with why."""

    seen: tuple[tuple[str, str], ...]
    unknown: tuple[Unknown, ...]

    def changes(self) -> list[Change]:
        """Return where the value became different."""
        return [
            Change(before, after, last, first, self._between(last, first))
            for (last, before), (first, after) in zip(self.seen, self.seen[1:])
            if before != after
        ]

    def _between(self, last: str, first: str) -> tuple[Unknown, ...]:
        return unknown_between(last, first, self.unknown, [release for release, _ in (*self.seen, *self.unknown)])


def truth_timeline(claim: Claim, path: Sequence[Measured]) -> Timeline:
    """Follow whether a claim is ``true``, ``false``, a ``crash`` or ``open``; absent and excluded are unknown."""
    seen: list[tuple[str, str]] = []
    unknown: list[Unknown] = []
    for cell in (measured.cell(claim) for measured in path):
        value = None if cell.verdict is None else truth(cell.verdict)
        if value is None:
            unknown.append(Unknown(cell.release, _why(cell)))
        else:
            seen.append((cell.release, value))
    return Timeline(tuple(seen), tuple(unknown))


def since(claim: Claim, path: Sequence[Measured]) -> str:
    """Return in one sentence since when a claim holds, or until when it held."""
    line = truth_timeline(claim, path)
    if not line.seen:
        return "measured in no release"
    releases = [release for release, _ in line.seen]
    changes = line.changes()
    if not changes:
        told = f"{_WORDS[line.seen[0][1]]} in every release measured"
        return f"{told} ({span(releases)}){f'; {gaps_in_words(line.unknown)}' if line.unknown else ''}"
    later = "; ".join(f"{_WORDS[change.after]} since {change.since()}" for change in changes)
    return f"{_WORDS[changes[0].before]} from {releases[0]}; {later}"


def _why(cell: Cell) -> str:
    return cell.gap if cell.verdict is None else _SILENT.get(cell.verdict, "does not tell")
