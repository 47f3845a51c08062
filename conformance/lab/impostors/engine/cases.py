"""The cases of a claim: its own expectation and what holds instead, each with the parts that must be killed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Optional, get_args

from conformance.lab.impostors.outcome import Part
from conformance.language.model import PROMISES, Claim, Divergence, Expectation, Raises
from conformance.results.conditions import admits
from conformance.results.model import Environment, Tier
from conformance.run.scripts.program import Plan, plan
from conformance.run.worker.trial import Trial

_TIERS: tuple[Tier, ...] = get_args(Tier)


@dataclass(frozen=True)
class Case:
    """A program with one expectation.

    Attributes
    ----------
    plan : Plan
        The program with the claim's own expectation, or with what a divergence says holds instead.
    divergence : int, optional
        The number of the divergence; None for the claim's own expectation.
    parts : tuple of Part
        What must be true.
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
        return false & {part.name for part in self.parts}


def applicable(claim: Claim, environment: Environment) -> list[tuple[int, Divergence]]:
    """Return the divergences that apply in an environment, with their numbers."""
    return [(number, item) for number, item in enumerate(claim.diverges) if admits(item.when, environment)]


def cases(claim: Claim, environment: Environment) -> Iterator[Case]:
    """Yield the claim's own case and one for each divergence that applies; one without examples has no case."""
    diverging = applicable(claim, environment)
    if all(divergence.where is not None for _, divergence in diverging):
        yield Case(plan(claim), None, tuple(_parts(claim.expectation, None)))
    for number, divergence in diverging:
        if not divergence.instead.crashes:
            yield Case(plan(claim, divergence.instead), number, tuple(_parts(divergence.instead, number)))


def _parts(expectation: Expectation, divergence: Optional[int]) -> Iterator[Part]:
    prefix = _prefix(divergence)
    if expectation.raises is not None:
        yield from _tiers(f"{prefix}raises", expectation.raises)
    elif expectation.warns is not None:
        yield from _tiers(f"{prefix}warns", expectation.warns)
    for number, fragment in enumerate(expectation.expect):
        yield Part(f"{prefix}expect[{number}]", fragment.text.strip(), str(fragment.place))


def _tiers(kind: str, asked: Raises) -> Iterator[Part]:
    stated = {"error": "any", "type": asked.type, "message": asked.message}
    for tier in PROMISES[: PROMISES.index(asked.promised) + 1]:
        text = stated[tier]
        if text is not None:
            yield Part(f"{kind} {tier}", text, str(asked.place))


def _prefix(divergence: Optional[int]) -> str:
    return "" if divergence is None else f"diverges[{divergence}] "
