"""The text of a claim that fails the run."""

from __future__ import annotations

from conformance.base.text import printable
from conformance.language.model import Claim
from conformance.language.source_words import source_view
from conformance.results.model import Outcome
from conformance.results.verdicts import APPEARANCES


def failure_text(claim: Claim, outcome: Outcome, reason: str = "") -> str:
    """Return the title, sources, what was false, the smallest counterexample, and the place in the spec.

    Parameters
    ----------
    reason
        Why it was expected to fail, where it does not.
    """
    entry = outcome.entry
    lines = [
        claim.title,
        f"  claim    {claim.id}",
        f"  source   {'; '.join(str(source_view(source)) for source in claim.sources)}",
        f"  spec     {claim.place}",
        f"  verdict  {entry.verdict}: {APPEARANCES[entry.verdict].meaning}",
    ]
    if reason:
        lines.append(f"  expected to fail, and does not: remove it from the file of --expected (reason: {reason})")
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
