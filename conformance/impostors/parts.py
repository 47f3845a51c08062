"""The parts of a claim's expectation, each of which some impostor must make false."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional

from conformance.impostors.finding import Part
from conformance.language.model import Claim, Divergence, Expectation, Raises
from conformance.runner.environment import admits
from conformance.runner.program import Plan, plan
from conformance.runner.trial import Trial

_TIERS = ("error", "type", "message")


@dataclass(frozen=True)
class Case:
    """A program with one expectation, and the examples on which it is what holds.

    Attributes
    ----------
    plan : Plan
        The program with the claim's own expectation, or with what a divergence says holds instead.
    divergence : int or None
        The number of the divergence, or None for the claim's own expectation.
    parts : tuple of Part
        What must be true on these examples.
    """

    plan: Plan
    divergence: Optional[int]
    parts: tuple[Part, ...]

    def false_parts(self, trial: Trial) -> set[str]:
        """Return the names of the parts that a trial showed to be false."""
        prefix = _prefix(self.divergence)
        false = {f"{prefix}expect[{number}]" for number, truth in enumerate(trial.observed) if truth is False}
        kind = "raises" if self.plan.expectation.raises is not None else "warns"
        # An error that is missing has no class, and one of another class no message: the first tier counts.
        missed = [tier for tier in _TIERS if not trial.tiers.get(tier, True)]
        false |= {f"{prefix}{kind} {tier}" for tier in missed[:1]}
        names = {part.name for part in self.parts}
        return false & names


def applicable(claim: Claim, environment: dict[str, str]) -> list[tuple[int, Divergence]]:
    """Return the divergences that apply in an environment, with their numbers."""
    return [(number, item) for number, item in enumerate(claim.diverges) if admits(item.when, environment)]


def cases(claim: Claim, environment: dict[str, str]) -> list[Case]:
    """Return the claim's own case and one for each divergence that applies; one without examples has no case."""
    found = []
    diverging = applicable(claim, environment)
    if all(divergence.where is not None for _, divergence in diverging):
        found.append(Case(plan(claim), None, tuple(_parts(claim.expectation, None))))
    for number, divergence in diverging:
        if not divergence.instead.crashes:
            instead = plan(claim, divergence.instead)
            found.append(Case(instead, number, tuple(_parts(divergence.instead, number))))
    return found


def _parts(expectation: Expectation, divergence: Optional[int]) -> Iterator[Part]:
    prefix = _prefix(divergence)
    for kind, asked in (("raises", expectation.raises), ("warns", expectation.warns)):
        if asked is not None and not (kind == "warns" and expectation.raises is not None):
            for tier in _promised(asked):
                yield Part(f"{prefix}{kind} {tier}", _asked(asked, tier), str(asked.place))
    for number, fragment in enumerate(expectation.expect):
        yield Part(f"{prefix}expect[{number}]", fragment.text.strip(), str(fragment.place))


def _promised(asked: Raises) -> list[str]:
    stated = {"error": True, "type": asked.type is not None, "message": asked.message is not None}
    return [tier for tier in _TIERS[: _TIERS.index(asked.promised) + 1] if stated[tier]]


def _asked(asked: Raises, tier: str) -> str:
    return {"error": "any", "type": asked.type or "", "message": asked.message or ""}[tier]


def _prefix(divergence: Optional[int]) -> str:
    return "" if divergence is None else f"diverges[{divergence}] "
