"""What is known of a name in all recorded releases: what ``conformance names show`` prints."""

from __future__ import annotations

from conformance.base.release_spans import minor, runs
from conformance.names.answers import deprecation, describe
from conformance.names.lookup import Names, Span
from conformance.names.model import Found, Gone, Never, NotMeasured


def summary_lines(names: Names, name: str) -> list[str]:
    """Return what is known of a name in all releases: its status, where it is defined, and its signatures.

    There is none where every recorded release was looked at and none has it.
    """
    spans = names.history(name)
    if all(isinstance(span.answer, Never) for span in spans):
        return []
    found = [span for span in spans if isinstance(span.answer, Found)]
    if not found:
        newest = spans[-1].answer
        return [f"{newest.name}: {describe(newest)}"]
    last = found[-1].answer
    assert isinstance(last, Found)
    there = ((minor(release), span.answer) for span in found for release in span.releases)
    by_release = ((release, answer.record.signatures) for release, answer in there if isinstance(answer, Found))
    return [
        f"{last.name}: {_status(names, spans, found)}",
        *([f"  defined as {last.canonical}"] if last.canonical != last.name else []),
        *(f"  {run.span:12} {signature}" for run in runs(by_release) for signature in run.value),
    ]


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
