"""Running one mutant on one example, within limits."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Optional

from conformance.inputs.given import Example
from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.cases import Case
from conformance.lab.impostors.engine.deadline import Deadline
from conformance.lab.impostors.engine.patch import EVERY, Patch
from conformance.lab.impostors.engine.registry import Operator
from conformance.lab.impostors.engine.targets import Target
from conformance.lab.impostors.outcome import CONTROL, Attempt
from conformance.results.model import Device
from conformance.run.scripts.program import Plan
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.torch_state import TorchState
from conformance.run.worker.trial import Trial, run_trial

#: How long one mutant may take, in seconds; it takes less than a thousandth of that as a rule.
_LONGEST = 2.0
#: How many mutants of one target may take longer before it is left out.
_MOST_WAITS = 3
#: How long one claim may take this process, in seconds. Most take a tenth of one; those that compile take long.
_LONGEST_CLAIM = 150.0


@dataclass(frozen=True)
class Mutant:
    """An operator applied to some uses of a target."""

    operator: Operator
    target: Target
    uses: str

    @property
    def attempt(self) -> Attempt:
        """The mutant by names."""
        return Attempt(self.operator.name, str(self.target), self.uses)


_CONTROL = Operator(CONTROL, "does what torch does", frozenset(), Call.run)


class Attempts:
    """Runs the mutants of one claim, one at a time, and keeps what they killed.

    Parameters
    ----------
    device
        The device under test.
    progress
        Called with every attempt before it is made, so that it is known when torch crashes.
    skipped
        The attempts that are not to be made.
    """

    def __init__(self, device: Device, progress: Callable[[Attempt], None], skipped: frozenset[Attempt]) -> None:
        self._device = device
        self._progress = progress
        self._skipped = set(skipped)
        self._waits: Counter[Target] = Counter()
        self._until = time.process_time() + _LONGEST_CLAIM
        self._state = TorchState()
        #: The operators that killed each part, the first one first.
        self.killed_by: dict[str, list[str]] = {}
        #: The operators under which a program raised an error.
        self.detected_by_error: set[str] = set()

    @property
    def out_of_time(self) -> bool:
        """Whether no more mutants can be run."""
        return time.process_time() > self._until

    def run(self, case: Case, plan: Plan, mutant: Mutant, example: Example) -> set[str]:
        """Return the parts of a case that a mutant kills on an example.

        Parameters
        ----------
        plan
            That of the case, or the same rewritten for call sites.
        """
        trial = self.tried(plan, mutant, example)
        if trial is None:
            return set()
        name = mutant.operator.name
        if trial.status == "failed":
            self.detected_by_error.add(name)
        killed = case.false_parts(trial)
        for part in killed:
            names = self.killed_by.setdefault(part, [])
            if name not in names:
                names.append(name)
        return killed

    def tried(self, plan: Plan, mutant: Mutant, example: Example) -> Optional[Trial]:
        """Run a program on an example under a mutant; None where there is no time for it, or torch crashed under it."""
        attempt = mutant.attempt
        if self.out_of_time or attempt in self._skipped or self._waits[mutant.target] >= _MOST_WAITS:
            return None
        self._progress(attempt)
        with Deadline(_LONGEST) as deadline:
            trial = self.trial(plan, example, Patch(mutant.operator.behaviour, mutant.target, mutant.uses))
        if deadline.passed:
            self._skipped.add(attempt)  # the program waits for something that does not happen: once is enough
            self._waits[mutant.target] += 1
        return trial

    def uses(self, plan: Plan, target: Target, examples: list[Example]) -> int:
        """Return how often a program uses a target; 0 where it notices the patch as such."""
        control = Mutant(_CONTROL, target, EVERY)
        if control.attempt in self._skipped:
            return 0
        most = 0
        for example in examples:
            self._progress(control.attempt)
            patch = Patch(control.operator.behaviour, target)
            if self.trial(plan, example, patch).status == "failed":
                return 0
            most = max(most, patch.count)
        return most

    def trial(self, plan: Plan, example: Example, patch: Optional[Patch] = None) -> Trial:
        """Run a program on an example, under a mutant or without one, and judge its expectation."""
        fresh = example_from_recipes(example.recipes, self._device)
        if patch is not None:
            fresh.values.update(patch.names)
        self._state.prepare()
        try:
            return run_trial(plan, fresh, self._device, impostor=patch)
        finally:
            self._state.leaks()  # which puts them right
