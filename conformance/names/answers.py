"""What ``show`` and ``upgrade`` say of a name: one line of status, and what differs between two releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.base.release_spans import minor
from conformance.names.lookup import Names, Span
from conformance.names.model import Answer, Found, Gone, NameRecord, Never, NotMeasured, NotYet


@dataclass(frozen=True)
class NameDifference:
    """One thing that differs for a name between two releases.

    Parameters
    ----------
    what
        ``gone``, ``new``, ``warns`` (each call warns of a deprecation now), ``deprecated`` (its documentation says so),
        or ``unknown`` where one of the releases can't be judged.
    since
        The first release in which it is so, such as ``2.0``.
    message
        What torch says, or why nothing can be said.
    """

    name: str
    what: str
    since: str
    message: str = ""
    replacements: tuple[str, ...] = ()


def describe(answer: Answer) -> str:
    """Return an answer as one line without the name, such as ``gone since 2.0; use torch.linalg.eigh``."""
    if isinstance(answer, Gone):
        return f"gone since {answer.since}{_use(answer.replacements)}"
    if isinstance(answer, NotYet):
        return f"new in {answer.since}"
    if isinstance(answer, Never):
        return "in no recorded release"
    if isinstance(answer, NotMeasured):
        return f"not known: {answer.reason}"
    return _kind(answer.record)


def differences(names: Names, name: str, old: str, new: str) -> tuple[NameDifference, ...]:
    """Return what differs for a name between two recorded releases; nothing where it is in neither.

    Raises
    ------
    UnknownRelease
        If one of the releases is not recorded.
    """
    before, after = names.lookup(name, old), names.lookup(name, new)
    for answer in (before, after):
        if isinstance(answer, NotMeasured):
            return (NameDifference(name, "unknown", minor(new), answer.reason),)
    if isinstance(before, Found) and isinstance(after, Gone):
        return (NameDifference(name, "gone", after.since, after.message, after.replacements),)
    if isinstance(before, (NotYet, Gone)) and isinstance(after, Found):
        since = before.since if isinstance(before, NotYet) else minor(new)
        return (NameDifference(name, "new", since),)
    if not isinstance(before, Found) or not isinstance(after, Found):
        return ()
    for what in ("warns", "deprecated"):
        if getattr(after.record, what) and not getattr(before.record, what):
            message = after.record.deprecated
            replacements = names.replacements(message, name, new)
            return (NameDifference(name, what, _since(names, name, (old, new), what), message, replacements),)
    return ()


def _since(names: Names, name: str, releases: tuple[str, str], what: str) -> str:
    """Return the first release after the older one from which on a name warns, or is deprecated, up to the newer."""
    minors = [minor(release) for release in names.releases]
    between = minors[minors.index(minor(releases[0])) + 1 : minors.index(minor(releases[1])) + 1]
    first = between[-1]
    for release in reversed(between):
        answer = names.lookup(name, release)
        if not isinstance(answer, Found) or not getattr(answer.record, what):
            break
        first = release
    return first


def deprecation(names: Names, spans: Sequence[Span]) -> str:
    """Return since when a name is deprecated that is so in the last release that has it, and what to use instead."""
    found = [(span.releases, span.answer) for span in spans if isinstance(span.answer, Found)]
    releases, last = found[-1]
    first = next(since[0] for since, answer in found if answer.record.deprecated)
    told = "each call warns" if last.record.warns else "its documentation says so"
    uses = _use(names.replacements(last.record.deprecated, last.name, releases[-1]))
    return f"deprecated, seen since {minor(first)} ({told}){uses}"


def _kind(record: NameRecord) -> str:
    described = {"builtin": "builtin function", "external": f"not torch's own: {record.target}"}
    return described.get(record.kind, record.kind)


def _use(replacements: tuple[str, ...]) -> str:
    return f"; use {' or '.join(replacements[:3])}" if replacements else ""
