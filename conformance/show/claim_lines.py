"""Claims in a list: how each stands on the recorded releases, in a few words."""

from __future__ import annotations

from conformance.base.release_spans import runs
from conformance.base.text import one_line
from conformance.language.condition_words import divergence_in_words
from conformance.language.model import HARMS, Claim
from conformance.results.recorded import NOT_PROMISED, Recorded
from conformance.results.verdicts import NOT_MEASURED
from conformance.show.model import FALSE_MARKS, ClaimLine


def claim_line(claim: Claim, recorded: Recorded) -> ClaimLine:
    """Return a claim with its marks on all releases and devices, and what happens instead where it is false."""
    marks = claim_marks(claim, recorded)
    harms = [HARMS.index(it.cause.harm) for it in claim.diverges if it.cause is not None and it.cause.harm]
    return ClaimLine(
        claim.id,
        claim.title,
        claim.family,
        tuple(marks),
        _newest(claim, recorded),
        (*happens_in_words(claim, recorded), *instead_in_words(claim)),
        min(harms, default=len(HARMS)),
    )


def claim_marks(claim: Claim, recorded: Recorded) -> list[tuple[str, str]]:
    """Return the marks of a claim, each with its releases and device, such as ``1.10.2 to 2.15.0 cpu``."""
    return [
        (run.value, f"{run.span} {device}")
        for device, path in recorded.by_device.items()
        for run in runs((measured.torch, measured.cell(claim).look.mark) for measured in path)
    ] or [(NOT_MEASURED.mark, "")]


def _newest(claim: Claim, recorded: Recorded) -> str:
    """Return the mark of the newest release on the CPU, or of a device on which it is false and not on the CPU."""
    on_cpu = {measured.torch: measured.cell(claim).look.mark for measured in recorded.by_device.get("cpu", ())}
    newest = [(path[-1], path[-1].cell(claim).look.mark) for path in recorded.by_device.values()]
    false = [
        mark
        for measured, mark in newest
        if mark in FALSE_MARKS and (measured.device == "cpu" or on_cpu.get(measured.torch) not in FALSE_MARKS)
    ]
    judged = [mark for _, mark in newest if mark not in (NOT_MEASURED.mark, "n/a")]
    return next(iter([*false, *judged, *(mark for _, mark in newest)]), NOT_MEASURED.mark)


def happens_in_words(claim: Claim, recorded: Recorded) -> list[str]:
    """Return what happens where an error or a warning is not promised, with releases and device."""
    return [
        f"{NOT_PROMISED} {run.value} ({run.span} {device})"
        for device, path in recorded.by_device.items()
        for run in runs((measured.torch, measured.cell(claim).happens) for measured in path)
        if run.value
    ]


def instead_in_words(claim: Claim) -> list[str]:
    """Return, for each divergence, where it applies and what happens there."""
    told = ((divergence_in_words(divergence), one_line(divergence.note)) for divergence in claim.diverges)
    return [f"instead{f' ({where})' if where else ''}: {note}" for where, note in told]
