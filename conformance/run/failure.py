"""The text of a claim that fails the run."""

from __future__ import annotations

from typing import Optional

from conformance.base.text import printable
from conformance.language.model import Claim
from conformance.language.source_words import source_view
from conformance.results.model import Outcome
from conformance.results.verdicts import APPEARANCES
from conformance.run.expected import ExpectedFailure


def failure_text(
    claim: Claim, outcome: Outcome, expected: Optional[ExpectedFailure] = None, *, passes: bool = False
) -> str:
    """Return the title, sources, what was false, the smallest counterexample, and the place in the spec.

    Parameters
    ----------
    expected
        How it was expected to fail; it does not, or fails in another way.
    passes
        It does not fail.
    """
    entry = outcome.entry
    lines = [
        claim.title,
        f"  claim    {claim.id}",
        f"  source   {'; '.join(str(source_view(source)) for source in claim.sources)}",
        f"  spec     {claim.place}",
        f"  verdict  {entry.verdict}: {APPEARANCES[entry.verdict].meaning}",
    ]
    if expected is not None:
        advice = "remove that, since it passes" if passes else "correct that"
        lines.append(f"  expected {expected.verdict} at {expected.place}: {advice} (reason: {expected.reason})")
    if entry.failed is not None:
        lines.append(f"  false    {entry.failed}")
    for number, line in enumerate((entry.detail or "").splitlines()):
        lines.append(f"  {'       ' if number else 'because'}  {line}")
    if outcome.printed:
        lines += ["  last lines printed:", *_indented(outcome.printed)]
    if entry.counterexample is not None:
        lines += ["", "  smallest counterexample:", "", *_indented(entry.counterexample)]
    return "\n".join(printable(line, keep="") for line in lines)


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]
