"""Whether what the notes of a release announce came true, in that release or in another one.

Everything that a note gives is followed through the measured releases: in each it is so, is not so, or nothing can be
said. That a call differs is told by comparing each release with the one before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Optional

from conformance.base.release_spans import minor
from conformance.language.model import Claim
from conformance.language.release_notes import Argument, CallAspect, Measures, ReleaseNote, ReleaseNotes
from conformance.names.lookup import Names
from conformance.names.model import Answer, Found, Gone, NameRecord, Never, NotYet
from conformance.names.signatures import default_of, parse_signature
from conformance.results.history import truth_timeline
from conformance.results.recorded import Measured
from conformance.results.trials.recorded import RecordedTrials

#: What can have become of a note, and what each means.
OUTCOMES: Mapping[str, str] = {
    "came true": "it came with the release that announced it, or for which it was announced",
    "true": "it is true in that release, and nothing was measured of the one before",
    "earlier": "an earlier release had it already",
    "later": "it came with a later release",
    "never came": "it is true in no measured release",
    "not measured": "the release or the one before was not measured",
    "not tried": "no CPU can try it, or nothing tries it yet",
}
CAME_TRUE, IS_TRUE, EARLIER, LATER, NEVER, NOT_MEASURED, UNTESTED = OUTCOMES
#: Outcomes of notes that did not come true as they were written, the worst first.
UNTRUE = (NEVER, LATER, EARLIER)

#: In each release, oldest first, whether something is true; None where that is not known.
States = Sequence[tuple[str, Optional[bool]]]


@dataclass(frozen=True)
class Finding:
    """What was measured of one thing that a note announces.

    Attributes
    ----------
    about : str
        The name, the call or the id of the claim.
    announced : str
        What the note says of it, such as ``gone``.
    outcome : str
        One of `OUTCOMES`.
    since : str
        The minor release in which it came; empty where it did not, or where the oldest release had it already.
    """

    about: str
    announced: str
    outcome: str
    since: str = ""


@dataclass(frozen=True)
class Judged:
    """A note with what was measured of it."""

    note: ReleaseNote
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> str:
        """The outcome of all findings; where they differ, the worst that was measured."""
        if self.note.untested:
            return UNTESTED
        found = {finding.outcome for finding in self.findings}
        return next(outcome for outcome in (*UNTRUE, CAME_TRUE, IS_TRUE, NOT_MEASURED) if outcome in found)


class Measurements:
    """All that notes are compared with.

    Parameters
    ----------
    path
        The results of one device, oldest release first.
    trials
        What calls did when they were tried.
    """

    def __init__(self, names: Names, claims: Iterable[Claim], path: Sequence[Measured], trials: RecordedTrials) -> None:
        self._names = names
        self._claims = {claim.id: claim for claim in claims}
        self._path = path
        self._trials = trials
        self.minors = tuple(minor(release) for release in names.releases)

    def judge(self, notes: ReleaseNotes) -> tuple[Judged, ...]:
        """Return the notes of a release, each with what was measured of it."""
        return tuple(Judged(note, tuple(self._findings(note.measures, note.by))) for note in notes.notes)

    def _findings(self, measures: Measures, release: str) -> Iterator[Finding]:
        for announced, names in (("gone", measures.gone), ("new", measures.new), ("deprecated", measures.deprecated)):
            for name in names:
                yield _finding(name, announced, self._of_name(name, announced), release)
        for argument in measures.arguments:
            yield _finding(argument.callable, _announced(argument), self._of_argument(argument), release)
        for claim in measures.claims:
            yield _finding(claim, "true", self._of_claim(claim), release)
        for call in measures.calls:
            yield self._of_call(call, release)

    def _of_name(self, name: str, announced: str) -> States:
        of_answer = {"gone": _is_gone, "new": _is_there, "deprecated": _is_deprecated}[announced]
        return [(release, of_answer(self._names.lookup(name, release))) for release in self.minors]

    def _of_argument(self, argument: Argument) -> States:
        answers = ((release, self._names.lookup(argument.callable, release)) for release in self.minors)
        return [
            (release, _has_change(answer.record, argument) if isinstance(answer, Found) else None)
            for release, answer in answers
        ]

    def _of_claim(self, identity: str) -> States:
        claim = self._claims.get(identity)
        if claim is None:
            return [(release, None) for release in self.minors]
        seen = {minor(release): value for release, value in truth_timeline(claim, self._path).seen}
        lacking = {minor(measured.torch) for measured in self._path if measured.cell(claim).verdict == "absent"}
        truths = {"true": True, "false": False, "crash": False}
        return [
            (release, False if release in lacking else truths.get(str(seen.get(release)))) for release in self.minors
        ]

    def _of_call(self, call: CallAspect, release: str) -> Finding:
        """Return whether an aspect of a call differs from the release before; if not, the nearest where it does."""
        told = f"{call.aspect} differs"
        changed = dict(self._changes(call))
        if changed.get(release):
            return Finding(call.call, told, CAME_TRUE, release)
        if release not in changed:
            return Finding(call.call, told, NOT_MEASURED)
        at = self.minors.index(release)
        where = [(abs(self.minors.index(one) - at), one) for one, differs in changed.items() if differs]
        if not where:
            return Finding(call.call, told, NEVER)
        nearest = min(where)[1]
        return Finding(call.call, told, EARLIER if self.minors.index(nearest) < at else LATER, nearest)

    def _changes(self, call: CallAspect) -> Iterator[tuple[str, bool]]:
        """Yield each release on which the call was tried, as on the one before, and whether the aspect differs."""
        measured = {minor(torch) for torch in self._trials.measured(call.subject, call.call)}
        for older, newer in zip(self.minors, self.minors[1:]):
            if older in measured and newer in measured:
                differences = self._trials.differences(call.subject, older, newer)
                yield newer, any(one.call == call.call and one.concerns(call.aspect) for one in differences)


def notes_by_topic(all_notes: Iterable[ReleaseNotes]) -> dict[str, list[ReleaseNote]]:
    """Return the notes about each name and each claim."""
    found: dict[str, list[ReleaseNote]] = {}
    for note in (note for notes in all_notes for note in notes.notes):
        for topic in (*note.measures.names, *note.measures.claims):
            found.setdefault(topic, []).append(note)
    return found


def _announced(argument: Argument) -> str:
    if argument.change == "default":
        return f"{argument.name}={argument.default} by default"
    return f"{argument.name} {argument.change}"


def _finding(about: str, announced: str, states: States, release: str) -> Finding:
    outcome, since = _outcome(states, release)
    return Finding(about, announced, outcome, since)


def _outcome(states: States, release: str) -> tuple[str, str]:
    """Return when something that is announced for a release came, as an outcome and the release."""
    releases = [name for name, _ in states]
    if release not in releases:
        return NOT_MEASURED, ""
    at = releases.index(release)
    state = states[at][1]
    if state is None:
        return NOT_MEASURED, ""
    if not state:
        later = next((name for name, value in states[at:] if value), "")
        return (LATER if later else NEVER), later
    first = at
    while first and states[first - 1][1]:
        first -= 1
    if first < at:
        return EARLIER, releases[first] if first else ""
    return (CAME_TRUE if at and states[at - 1][1] is False else IS_TRUE), release


def _is_gone(answer: Answer) -> Optional[bool]:
    return isinstance(answer, Gone) if isinstance(answer, (Found, Gone)) else None


def _is_there(answer: Answer) -> Optional[bool]:
    return isinstance(answer, Found) if isinstance(answer, (Found, Gone, NotYet, Never)) else None


def _is_deprecated(answer: Answer) -> Optional[bool]:
    return bool(answer.record.deprecated) if isinstance(answer, Found) else None


def _has_change(record: NameRecord, argument: Argument) -> Optional[bool]:
    """Return whether a signature has an argument as it is announced; None where it is not known."""
    parsed = [parse_signature(signature) for signature in record.signatures]
    if not parsed or None in parsed:
        return None
    takes = [signature.parameters for signature in parsed if signature is not None]
    found = [parameters[argument.name] for parameters in takes if argument.name in parameters]
    if argument.change == "removed":
        return not found and not any(
            one.kind is Parameter.VAR_KEYWORD for parameters in takes for one in parameters.values()
        )
    if not found:
        return False
    if argument.change == "required":
        return all(one.default is Parameter.empty for one in found) and len(found) == len(takes)
    if argument.change == "keyword-only":
        return all(one.kind is Parameter.KEYWORD_ONLY for one in found)
    return argument.change == "added" or any(default_of(one) == argument.default for one in found)
