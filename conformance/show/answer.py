"""An answer with the releases on which each of its lines was shown to be true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.base.release_spans import minor, runs
from conformance.language.model import Answer, AnswerLine, Claim
from conformance.results.proofs import Standing, is_about, needs_gpu, standing_of
from conformance.results.recorded import Cell, Measured, Recorded
from conformance.show.model import AnswerView, Chip, LineView, Truth
from conformance.show.tried import kinds_tried, on_kinds


def answer_view(answer: Answer, claims: Mapping[str, Claim], recorded: Recorded) -> AnswerView:
    """Return an answer with what recorded releases say of its lines, on the CPU and on devices that they are about.

    Parameters
    ----------
    claims
        The claims of the corpus by id.
    """
    proofs = [claims[name] for line in answer.lines for name in line.claims if name in claims]
    return AnswerView(
        answer.subject,
        tuple(_line(line, claims, recorded) for line in answer.lines),
        answer.see,
        answer.asked,
        on_kinds(kind for claim in proofs if not claim.unspecified for kind in kinds_tried(claim)),
    )


def _line(line: AnswerLine, claims: Mapping[str, Claim], recorded: Recorded) -> LineView:
    proofs = [claims[name] for name in line.claims if name in claims]
    on_gpu = [claim for claim in proofs if needs_gpu(claim)]
    elsewhere = [
        chip
        for device, path in recorded.by_device.items()
        if on_gpu and device != "cpu"
        for chip in _chips(line, on_gpu, path, device)
        if chip.truth != "unknown"
    ]
    return LineView(
        line.says,
        line.exception,
        line.claims,
        _chips(line, [claim for claim in proofs if claim not in on_gpu], recorded.by_device.get("cpu", ()), "cpu"),
        tuple(elsewhere) or ((Chip("unknown", (), ""),) if on_gpu else ()),
    )


def _chips(line: AnswerLine, claims: Sequence[Claim], releases: Sequence[Measured], device: str) -> tuple[Chip, ...]:
    """Return what releases say of a line, the newest first."""
    found = [Chip(run.value, tuple(map(minor, run.releases)), device) for run in runs(_truths(line, claims, releases))]
    return tuple(reversed(found))


def _truths(line: AnswerLine, claims: Sequence[Claim], releases: Sequence[Measured]) -> Iterator[tuple[str, Truth]]:
    """Yield the truth of a line on each release that it is about and that has its subject."""
    about = [measured for measured in releases if is_about(line, measured.torch)]
    for measured in about:
        standings = {claim: standing_of(measured.cell(claim).entry) for claim in claims}
        if set(standings.values()) == {"absent"}:
            continue
        false = [claim for claim, standing in standings.items() if standing == "false"]
        excepted = bool(line.exception) and all(_as_recorded(measured.cell(it), about[-1].cell(it)) for it in false)
        yield measured.torch, _worst(set(standings.values()), excepted)


def _as_recorded(cell: Cell, newest: Cell) -> bool:
    """Return whether a claim is false in no other way than on the newest release."""
    return cell.verdict == "diverges" and {*cell.divergences} <= {*newest.divergences}


def _worst(standings: set[Standing], excepted: bool) -> Truth:
    if "sometimes" in standings or ("false" in standings and not excepted):
        return "false"
    if standings & {"unmeasured", "absent"} or not standings:
        return "unknown"
    return "except" if "false" in standings else "true"
