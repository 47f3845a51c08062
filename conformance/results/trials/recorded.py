"""Recorded trials: of one name in a few milliseconds, since only its own part of a file is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError, read_recorded
from conformance.base.recorded_folder import TRIALS
from conformance.base.release_spans import minor
from conformance.names.store import expand, split_sections
from conformance.results.trials.model import BASE, Difference, Fact, Group, NameTrials, Trials
from conformance.results.trials.rows import UNTRIED, CallRows, Row, file_name, read_section

#: The file that lists the releases, and how each input is made.
INPUTS = "inputs.txt"
RELEASES = "# releases: "


def trials_folder(results: Path, device: str = "cpu") -> Path:
    """Return where a folder of results has its trials; those of another device than the CPU have a folder inside."""
    folder = results / TRIALS
    return folder if device == "cpu" else folder / device.replace(":", "-")


class RecordedTrials:
    """The trials in a folder.

    Parameters
    ----------
    folder
        The folder ``trials`` of recorded results; one that is not there, and None, has no releases.
    """

    def __init__(self, folder: Optional[Path] = None) -> None:
        self._folder = folder or Path("no", "trials")
        self._rows: dict[str, list[CallRows]] = {}
        self._files: dict[str, dict[str, str]] = {}

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """The releases that were measured, oldest first."""
        return read_trial_releases(self._folder)

    @cached_property
    def expressions(self) -> Mapping[str, str]:
        """How each input is made, by its name: an expression over ``x`` of the base trial."""
        return {name: line.expression for name, line in self._inputs.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name with trials, sorted."""
        files = self._folder.glob("torch*.txt")
        return tuple(sorted(name for path in files for name in self._sections(path.name)))

    def of(self, name: str, release: Optional[str] = None) -> Optional[NameTrials]:
        """Return the trials of a name; None where none was measured.

        Parameters
        ----------
        release
            A release, such as ``2.13.0`` or ``2.13``; the newest on which a call of the name was measured if not given.
        """
        calls = self._calls(name)
        for torch in reversed(self.releases) if release is None else [self._release(release)]:
            measured = [trials for call in calls if (trials := self._trials(name, call, torch)) is not None]
            if measured:
                usual = tuple(sorted((trials for trials in measured if trials.returns), key=_builds_its_inputs))
                return NameTrials(name, torch, usual, tuple(trials for trials in measured if not trials.returns))
        return None

    def measured(self, name: str, call: str) -> tuple[str, ...]:
        """Return the releases on which a call was tried, oldest first.

        Parameters
        ----------
        call
            Its statements, as `Trials.text` has them.
        """
        rows = [known.rows for known in self._calls(name) if "; ".join(filter(None, (known.setup, known.call))) == call]
        return tuple(torch for torch in self.releases if rows and minor(torch) in rows[0])

    def differences(self, name: str, old: str, new: str) -> tuple[Difference, ...]:
        """Return what the calls of a name did on one release and not on another, input by input.

        Only calls and inputs that were measured on both are compared.
        """
        old, new = self._release(old), self._release(new)
        return tuple(difference for call in self._calls(name) for difference in self._differences(name, call, old, new))

    def history(self, name: str) -> tuple[Difference, ...]:
        """Return what changed in the calls of a name, newest first; a release without a call is passed over."""
        found = []
        for call in self._calls(name):
            measured = [torch for torch in self.releases if minor(torch) in call.rows]
            for old, new in zip(measured, measured[1:]):
                found += self._differences(name, call, old, new)
        order = {torch: place for place, torch in enumerate(self.releases)}
        return tuple(sorted(found, key=lambda difference: -order[difference.new]))

    def each(self, release: Optional[str] = None) -> Iterator[NameTrials]:
        """Yield the trials of every name; see `of`."""
        for name in self.names:
            trials = self.of(name, release)
            if trials is not None:
                yield trials

    def _release(self, release: str) -> str:
        return next((torch for torch in self.releases if release in (torch, minor(torch))), release)

    @cached_property
    def _minors(self) -> tuple[str, ...]:
        return tuple(map(minor, self.releases))

    @cached_property
    def _inputs(self) -> Mapping[str, InputLine]:
        return {input.name: input for input in read_inputs(self._folder, self._minors)}

    def _calls(self, name: str) -> list[CallRows]:
        if name not in self._rows:
            file = file_name(name)
            try:
                self._rows[name] = read_section(self._sections(file).get(name, ""), self._minors)
            except (ValueError, IndexError):
                place = f"{self._folder / file}: {name}"
                raise ResultError(f"{place}: a line can't be read; take the file from git again") from None
        return self._rows[name]

    def _sections(self, file: str) -> dict[str, str]:
        if file not in self._files:
            self._files[file] = split_sections(read_recorded(self._folder / file))
        return self._files[file]

    def _trials(self, name: str, call: CallRows, torch: str) -> Optional[Trials]:
        rows = call.rows.get(minor(torch))
        if rows is None:
            return None
        base = next(row for row in rows if row.is_base)
        other = tuple(Group(row.inputs, row.facts) for row in rows if not row.is_base and row.inputs[0] != UNTRIED)
        differing = {name for row in rows for name in row.inputs}
        same = tuple(name for name in self._tried(base, torch) if name not in differing)
        return Trials(name, call.setup, call.call, dict(base.given), Group((BASE,), base.facts), other, same)

    def _tried(self, base: Row, torch: str) -> list[str]:
        lines = self._inputs.values()
        return [line.name for line in lines if line.set in base.tried and minor(torch) in line.releases]

    def _differences(self, name: str, call: CallRows, old: str, new: str) -> list[Difference]:
        if call.rows.get(minor(old)) == call.rows.get(minor(new)):
            return []  # as on most pairs of neighbouring releases
        before, after = self._trials(name, call, old), self._trials(name, call, new)
        return [] if before is None or after is None else differences_of(name, before, after, old, new)


def differences_of(name: str, before: Trials, after: Trials, old: str, new: str) -> list[Difference]:
    """Return what one call did otherwise on two releases, a difference for all inputs that share it."""
    if before.given != after.given:
        return [Difference(name, after.text, old, new, (BASE,), *_bases(before, after), after.given)]
    groups: dict[tuple[tuple[Fact, ...], tuple[Fact, ...]], list[str]] = {}
    on_old, on_new = before.observations(), after.observations()
    for input in (name for name in on_old if name in on_new):
        pair = _changed(on_old[input], on_new[input])
        if pair is not None:
            groups.setdefault(pair, []).append(input)
    return [Difference(name, after.text, old, new, tuple(on), *pair, after.given) for pair, on in groups.items()]


@dataclass(frozen=True)
class InputLine:
    """How an input is made from that of the base trial.

    Attributes
    ----------
    set
        What it is a change of: ``tensor`` or ``array`` (``x`` is one), ``y``, or ``modes``.
    releases
        The minor releases that can make it.
    """

    set: str
    releases: frozenset[str]
    name: str
    expression: str


def read_inputs(folder: Path, minors: tuple[str, ...]) -> list[InputLine]:
    """Return the inputs that calls are tried on, in the order in which they are shown."""
    path = folder / INPUTS
    lines = [line.split("\t") for line in read_recorded(path).splitlines() if line and not line.startswith("#")]
    try:
        return [InputLine(kind, frozenset(expand(ranges, minors)), name, made) for kind, ranges, name, made in lines]
    except (ValueError, IndexError):
        raise ResultError(f"{path}: a line can't be read; take the file from git again") from None


def read_trial_releases(folder: Path) -> tuple[str, ...]:
    """Return the releases that a folder of trials has, oldest first."""
    first = read_recorded(folder / INPUTS).partition("\n")[0]
    return tuple(first[len(RELEASES) :].split()) if first.startswith(RELEASES) else ()


def _builds_its_inputs(trials: Trials) -> bool:
    """Whether a call has no inputs of its own but those that it builds, so that nothing is varied."""
    return not trials.given.keys() - {"out"}


def _changed(before: Iterable[Fact], after: Iterable[Fact]) -> Optional[tuple[tuple[Fact, ...], tuple[Fact, ...]]]:
    """Return the facts of each side that the other lacks; where one side raised, of the other only what it returned."""
    old, new = tuple(before), tuple(after)
    if old == new:
        return None
    old_raised, new_raised = (any(fact.aspect == "error" for fact in side) for side in (old, new))
    if old_raised != new_raised:
        shown = {"error", "message", "type"}
        pair = tuple(fact for fact in old if fact.aspect in shown), tuple(fact for fact in new if fact.aspect in shown)
    else:
        pair = tuple(fact for fact in old if fact not in new), tuple(fact for fact in new if fact not in old)
    return pair if any(pair) else None


def _bases(before: Trials, after: Trials) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Return what the base inputs were, where an earlier one that was tried first returns on one side only."""
    return tuple(
        tuple(Fact("base input", name, text) for name, text in side.given.items() if other.given.get(name) != text)
        for side, other in ((before, after), (after, before))
    )  # type: ignore[return-value]
