"""The examples on which mutants of a claim are run: those on which the claim decides, and is true without a mutant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Optional

from conformance.inputs.choices import CanonicalChoices, Choices, NoSuchInput, SeededChoices, SweepChoices
from conformance.inputs.given import Example, Given
from conformance.lab.impostors.engine.cases import Case, applicable
from conformance.language.model import Claim
from conformance.results.model import Environment
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.trial import Trial, satisfies

#: How many examples a mutant gets at most.
_MOST_EXAMPLES = 16
_MOST_POSITIONS = 2000
_RANDOM_DRAWS = 200


class Unsound(Exception):
    """A claim is false, or its inputs can't be made, without any mutant; the message says how."""


class Sampler:
    """Finds examples of a claim.

    Parameters
    ----------
    recipes
        The inputs of the only example; without them examples are drawn.
    """

    def __init__(self, claim: Claim, environment: Environment, recipes: Optional[Mapping[str, str]]) -> None:
        self._claim = claim
        self._device = environment.device
        self._diverging = applicable(claim, environment)
        self._recipes = recipes

    def examples(self, case: Case, trial_of: Callable[[Example], Trial]) -> list[Example]:
        """Return examples on which a case is what holds, and is true.

        Raises
        ------
        Unsound
            If it is false on one of them.
        """
        examples: list[Example] = []
        tried: set[tuple[str, ...]] = set()
        for example in self.candidates(case):
            identity = tuple(example.recipes.values())
            if identity in tried:
                continue
            tried.add(identity)
            trial = trial_of(example)
            if trial.status in ("failed", "invalid"):
                reason = trial.reason or (trial.failure and f"{trial.failure.part}; {trial.failure.detail}")
                raise Unsound(f"{case.parts[0].place}: {reason}\n{example.script()}")
            if trial.status == "satisfied":
                examples.append(example)
            if len(examples) >= _MOST_EXAMPLES:
                break
        return examples

    def candidates(self, case: Case) -> Iterator[Example]:
        """Yield examples on which a case is what holds, if it decides on them at all."""
        if self._recipes is not None:
            yield example_from_recipes(dict(self._recipes), self._device)
            return
        if case.divergence is not None:
            pinned = self._claim.diverges[case.divergence].example
            yield example_from_recipes({name: fragment.text.strip() for name, fragment in pinned}, self._device)
        given = Given(self._claim.given, self._device)
        for choices in _spread():
            try:
                example = given.draw(choices)
            except NoSuchInput:
                continue
            if self.admits(case, example):
                yield example
            if not self._claim.given:
                return

    def admits(self, case: Case, example: Example) -> bool:
        """Return whether a case is what holds on an example."""
        if not all(satisfies(text.text, example.values, self._device) for text in self._claim.assume):
            return False
        matching = (
            number
            for number, divergence in self._diverging
            if divergence.where is None or satisfies(divergence.where.text, example.values, self._device)
        )
        return next(matching, None) == case.divergence


def _spread() -> Iterator[Choices]:
    """Yield the canonical choices, positions all over the sweep, and random ones, the same each time."""
    yield CanonicalChoices()
    first = SweepChoices(0)
    yield first
    length = max(first.length, 2)
    for step in range(1, min(length, _MOST_POSITIONS)):
        # Steps of the golden ratio: any few of them lie all over the sweep.
        yield SweepChoices(int(length * (step * 0.6180339887 % 1)))
    generator = Random(0)
    for _ in range(_RANDOM_DRAWS):
        yield SeededChoices(generator)
