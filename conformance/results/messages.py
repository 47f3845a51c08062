"""The messages of errors and warnings that claims and trials recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.language.model import Message
from conformance.results.model import Facts, Signal
from conformance.results.record import RecordedEntries
from conformance.results.store import Entries, Results
from conformance.results.trials.recorded import RecordedTrials
from conformance.results.wording import is_like


@dataclass(frozen=True)
class Seen:
    """A message on one release: who recorded it, a claim by its id or a trial by its name, and the call."""

    signal: Signal
    by: str
    call: str
    release: str


def seen_in_claims(releases: Iterable[Results]) -> Iterator[Seen]:
    """Yield the errors and warnings of the canonical example of each claim."""
    for results in releases:
        entries = results.claims
        some = entries.naming("raises", "warns") if isinstance(entries, (Entries, RecordedEntries)) else entries.items()
        for claim, entry in some:
            facts = entry.facts or Facts()
            for signal in (*((facts.raises,) if facts.raises else ()), *facts.warns):
                yield Seen(signal, claim, "", results.environment.torch)


def seen_in_trials(trials: RecordedTrials, release: str) -> Iterator[Seen]:
    """Yield the errors and warnings of the trials of every name on a release."""
    for name in trials.each(release):
        for call in name:
            for group in (call.base, *call.other):
                error, message = group.value("error"), group.value("message")
                if error:
                    yield Seen(Signal(error, message), name.name, call.text, name.release)
                for fact in group.facts:
                    if fact.aspect == "warning" and ": " in fact.value:
                        yield Seen(Signal(*fact.value.split(": ", 1)), name.name, call.text, name.release)


def shows(message: Message, seen: Seen) -> bool:
    """Return whether a claim or a trial that a message names recorded it."""
    if seen.by not in (*message.claims, *message.names):
        return False
    return any(is_like(text, seen.signal.message) for text in message.texts)
