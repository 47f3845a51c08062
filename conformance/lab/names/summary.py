"""What is known of a name in all recorded releases: what ``conformance names show`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from conformance.base.release_spans import minor, runs
from conformance.names.answers import deprecation, describe
from conformance.names.lookup import Names, Span
from conformance.names.model import Found, Gone, Never, NotMeasured


@dataclass(frozen=True)
class NameSummary:
    """What is known of a name in all recorded releases.

    Parameters
    ----------
    status
        One line: ``gone since 2.0; use torch.linalg.eigh``, ``function, since 2.0``.
    signatures
        Each run of releases with the signatures that the callable has there, oldest first.
    """

    name: str
    canonical: str
    status: str
    signatures: tuple[tuple[str, tuple[str, ...]], ...]


def summarize(names: Names, name: str) -> Optional[NameSummary]:
    """Return what is known of a name, None where every recorded release was looked at and none has it."""
    spans = names.history(name)
    if all(isinstance(span.answer, Never) for span in spans):
        return None
    found = [span for span in spans if isinstance(span.answer, Found)]
    if not found:
        newest = spans[-1].answer
        return NameSummary(newest.name, newest.name, describe(newest), ())
    last = found[-1].answer
    assert isinstance(last, Found)
    there = ((minor(release), span.answer) for span in found for release in span.releases)
    by_release = ((release, answer.record.signatures) for release, answer in there if isinstance(answer, Found))
    signatures = tuple((run.span, run.value) for run in runs(by_release) if run.value)
    return NameSummary(last.name, last.canonical, _status(names, spans, found), signatures)


def _status(names: Names, spans: tuple[Span, ...], found: list[Span]) -> str:
    newest = spans[-1].answer
    if isinstance(newest, Gone):
        return describe(newest)
    last = found[-1].answer
    assert isinstance(last, Found)
    status = describe(last)
    position = spans.index(found[0])
    if position and not isinstance(spans[position - 1].answer, NotMeasured):
        status += f", since {minor(found[0].releases[0])}"
    if last.record.deprecated:
        status += f"; {deprecation(names, spans)}"
    return status if newest is last else f"{status}; in {minor(spans[-1].releases[-1])} {describe(newest)}"
