"""What changed in the calls of names, in words: a line for a name, and the list of a release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.cache import content_key, kept
from conformance.profiles.compare import VALUE
from conformance.profiles.words import news_in_words
from conformance.text import bounded, count_of
from conformance.upgrade.severity import SHOWN, Severity, rank
from conformance.views.calls import CallChange, CallHistory
from conformance.views.releases import Run, minor, span

_LONGEST_CLAUSE = 150
_LONGEST_LINE = 420
_MOST_FAILURES = 2


@dataclass(frozen=True)
class Told:
    """One change in a clause.

    Attributes
    ----------
    since
        The release that has it, in words.
    aspect
        What changed.
    text
        What happens since, and where.
    calls
        The calls that have it, each with its name.
    """

    since: str
    severity: Severity
    aspect: str
    text: str
    calls: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names whose calls have it."""
        return tuple(dict.fromkeys(name for name, _ in self.calls))


@dataclass(frozen=True)
class ReleaseCalls:
    """What changed in calls between two releases.

    Attributes
    ----------
    compared
        How many calls were measured in both, and do not lack their name in one.
    not_compared
        How many other calls there are.
    told
        The changes that code can meet, the worst first; one that many calls share is one.
    counts
        How many calls have a change of each severity, each call with the worst that it has.
    """

    compared: int
    not_compared: int
    told: tuple[Told, ...]
    counts: Mapping[Severity, int]


def told(changes: Iterable[CallChange]) -> tuple[Told, ...]:
    """Return changes as clauses, the worst first; those that say the same stand together."""
    found: dict[tuple[str, Severity, str, str], list[tuple[str, str]]] = {}
    for changed in changes:
        differences = changed.change.differences
        # Results of further examples say the same again.
        for difference in (changed.worst,) if changed.change.aspect == VALUE else differences:
            since = ", then ".join(step.since() for step in changed.when)
            text = bounded(news_in_words(changed.change, difference), _LONGEST_CLAUSE)
            key = since, changed.severity_of(difference), changed.change.aspect, text
            found.setdefault(key, []).append((changed.name, changed.call))
    clauses = [Told(*key, tuple(dict.fromkeys(calls))) for key, calls in found.items()]
    return tuple(sorted(clauses, key=lambda one: (rank(one.severity), -len(one.calls), one.names[0])))


def changed_in_words(history: CallHistory, name: str) -> str:
    """Return what changed in the calls of a name between the recorded releases, in one line, the worst first.

    Where nothing did, the line says of which releases that is true; it is empty where nothing could be compared.
    """
    clauses = told(history.history(name))
    shown = [one for one in clauses if one.severity in SHOWN]
    shown += [one for one in clauses if one.severity == "improvement" and one.aspect != "warning"]
    calls = history.calls(name)
    if not clauses and not history.failures(name):
        releases = history.told(name)
        return f"no change seen, {span(releases)}" if len(releases) > 1 else ""
    kept = [f"{run.span} {run.value}: {bounded(call, 50)}" for call, run in history.failures(name)[:_MOST_FAILURES]]
    told_of = 0
    for one in shown:
        of = "" if {call for _, call in one.calls} == {*calls} or len(calls) == 1 else f" ({_calls(one)})"
        clause = f"{one.since} {one.text}{of}"
        if kept and len("; ".join([*kept, clause])) > _LONGEST_LINE:
            break
        kept.append(clause)
        told_of += 1
    more = len(clauses) - told_of
    others = (
        f"and {count_of(more, 'more change')}" if kept else f"{count_of(more, 'change')} to corner inputs or wording"
    )
    return "; ".join([*kept, f"{others} (conformance profiles changes {name})"] if more else kept)


def _calls(one: Told) -> str:
    calls = [call for _, call in one.calls]
    return bounded(calls[0], 50) if len(calls) == 1 else f"{len(calls)} calls"


@dataclass(frozen=True)
class ChangedCalls:
    """What changed in all calls.

    Attributes
    ----------
    by_release
        What changed since the release measured before.
    by_name
        What changed in the calls of a name, in one line; see `changed_in_words`.
    """

    by_release: Mapping[str, ReleaseCalls]
    by_name: Mapping[str, str]


def changed_calls(history: CallHistory) -> ChangedCalls:
    """Return what changed in all calls; it is computed once for the same files."""
    key = content_key(history.files(*history.releases), "changed calls")
    return kept(key, ChangedCalls, lambda: _changed_calls(history))


@dataclass
class _Tally:
    """What is counted of one release, name by name."""

    compared: int = 0
    not_compared: int = 0
    changes: list[CallChange] = field(default_factory=list)
    ended: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    worst: dict[tuple[str, str], Severity] = field(default_factory=dict)

    def add(self, history: CallHistory, name: str, old: str, new: str, failed: Iterable[tuple[str, Run[str]]]) -> None:
        """Count the calls of a name, of which some can't be measured in some releases."""
        self.compared += len(history.compared(name, old, new))
        self.not_compared += len(history.gaps(name, old, new))
        for changed in history.changes(name, old, new):
            self.changes.append(changed)
            known = self.worst.setdefault((name, changed.call), changed.severity)
            self.worst[name, changed.call] = min(known, changed.severity, key=rank)
        for call, run in failed:
            if new in run.releases and old not in run.releases:
                self.ended.setdefault(run.value, []).append((name, call))
                self.worst[name, call] = "breaks"

    def result(self, release: str) -> ReleaseCalls:
        shown = tuple(
            Told(minor(release), "breaks", "error", reason, tuple(calls)) for reason, calls in self.ended.items()
        )
        shown += tuple(one for one in told(self.changes) if one.severity in SHOWN)
        return ReleaseCalls(self.compared, self.not_compared, shown, dict(Counter(self.worst.values())))


def _changed_calls(history: CallHistory) -> ChangedCalls:
    tallies = {new: _Tally() for new in history.releases[1:]}
    lines: dict[str, str] = {}
    for name in history.names:  # the outer loop, since a history keeps what it looked up of one name
        failures = history.failures(name)
        for old, new in zip(history.releases, history.releases[1:]):
            tallies[new].add(history, name, old, new, failures)
        lines[name] = changed_in_words(history, name)
    return ChangedCalls({release: tally.result(release) for release, tally in tallies.items()}, lines)
