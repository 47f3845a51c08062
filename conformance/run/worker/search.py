"""The search for an example on which a claim is false: a sweep over a covering set, then Hypothesis.

A draw is what costs, so the sweep takes its decisions in a plain loop; Hypothesis draws what no table holds, and
shrinks. Both are deterministic for a seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from random import Random
from typing import Any, Callable, Optional

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky

from conformance.inputs.choices import (
    CanonicalChoices,
    Choices,
    NarrowedChoices,
    RecordedChoices,
    SeededChoices,
    SweepChoices,
    simpler,
    simpler_together,
)
from conformance.inputs.given import Example, Given, InvalidGiven, NoSuchInput
from conformance.inputs.recipes import Unbuildable
from conformance.language.model import Claim
from conformance.results.model import FailedPart, Tier, WeakEvidence
from conformance.run.scripts.program import Plan
from conformance.run.worker.device_use import has_part_on, names_device
from conformance.run.worker.generators import Generator, example_seed, seeding
from conformance.run.worker.once_only import see_every_warning
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.torch_state import TorchState
from conformance.run.worker.trial import MissingKernel, Status, Trial, run_trial, satisfies
from conformance.run.worker.weak_evidence import FEWEST_EXAMPLES, EvidenceMonitor

_SHRINK_EXAMPLES = 300
_SIMPLER_EXAMPLES = 1000
_SIMPLER_TOGETHER = 200
_LONGEST_SWEEP = 2000
# An example of Hypothesis costs as much as twenty of ours, so it draws a seed for several of them.
_EXAMPLES_PER_DRAW = 10
_SEEDS = st.binary(min_size=8, max_size=8)
# From how many random states a claim that draws is tried at least, and a failure once more.
_RANDOM_STATES = 50
# What a program may put the generators back with, so that its draws do not show in them.
_PUTS_BACK = re.compile(r"fork_rng|preserve_rng_state|get_rng_state|get_?state")

#: Chooses the plan for an example; None leaves the example out.
PlanFor = Callable[[Example], Optional[Plan]]


class _Falsified(Exception):
    """Raised inside a Hypothesis test so that it shrinks."""


@dataclass
class Attempt:
    """An example and what it showed.

    ``seed`` is what the random generators started from, where the claim draws from one; ``repetition`` is how often
    the example was tried before, from other seeds.
    """

    example: Example
    trial: Trial
    seed: Optional[int] = None
    repetition: int = 0


@dataclass(frozen=True)
class Chance:
    """How far the outcome of an example depends on chance.

    ``otherwise`` counts the random states that give another outcome; if there are any, ``seeding`` are the statements
    that bring this one about.
    """

    otherwise: int = 0
    seeding: tuple[str, ...] = ()

    @property
    def weak_evidence(self) -> tuple[WeakEvidence, ...]:
        """What to say of it."""
        if not self.otherwise:
            return ()
        told = f"the verdict depends on chance: {self.otherwise} of {_RANDOM_STATES} random states give another one"
        return (WeakEvidence("V004", f"{told} on the same example"),)


@dataclass
class Evidence:
    """What a search saw.

    ``judged`` counts distinct examples that decided something, ``failures`` holds the first failing ones; ``covered``
    is what the judged examples chose, by input, and ``domains`` what there was to choose from; ``first`` is the first
    judged example; ``repeated`` counts the examples that came again; ``again`` holds the first judged ones, to be tried
    from other random states; ``weak_evidence`` are the ways in which the search proves too little. ``lacking`` says why
    even the simplest example can't be drawn here, such as a dtype that this torch does not have. ``touched`` says
    whether any example had something on the device under test, and ``unsupported`` why none could be tried there.
    """

    judged: int = 0
    failed: int = 0
    failures: list[Attempt] = field(default_factory=list)
    covered: dict[str, set[Any]] = field(default_factory=dict)
    domains: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    failed_covered: dict[str, set[Any]] = field(default_factory=dict)
    passed_covered: dict[str, set[Any]] = field(default_factory=dict)
    missing_kernels: set[MissingKernel] = field(default_factory=set)
    observed: dict[int, set[Optional[bool]]] = field(default_factory=dict)
    tiers: dict[Tier, set[bool]] = field(default_factory=dict)
    invalid: Optional[str] = None
    lacking: Optional[str] = None
    first: Optional[Attempt] = None
    seen: set[tuple[str, ...]] = field(default_factory=set)
    discarded: int = 0
    repeated: int = 0
    again: list[Example] = field(default_factory=list)
    weak_evidence: tuple[WeakEvidence, ...] = ()
    touched: bool = False
    unsupported: str = ""


class Search:
    """One claim's search on one device."""

    def __init__(
        self,
        claim: Claim,
        plan_for: PlanFor,
        device: str,
        *,
        examples: int,
        random_seed: int,
        progress: Callable[[Example], None],
    ) -> None:
        self._claim = claim
        self._plan_for = plan_for
        self._device = device
        self._examples = examples
        self._seed = int(hashlib.sha256(f"{random_seed}:{claim.id}".encode()).hexdigest()[:15], 16)
        self._progress = progress
        self._monitor = EvidenceMonitor(claim)
        self._given = Given(claim.given, device)
        self._assume = [fragment.text for fragment in claim.assume]
        self._state = TorchState(device=device)
        texts = [claim.do.text] if claim.do else []
        texts += [fragment.text for fragment in claim.expectation.expect]
        self._draws = any(map(_PUTS_BACK.search, texts))
        # Where the program does not say it, each example is looked at until one has something on the device.
        named = device == "cpu" or claim.applies.device is not None
        self._touches_device = named or (claim.do is not None and names_device(device, claim.do.text))

    def run(self) -> Evidence:
        """Try the canonical example, sweep, then let Hypothesis look."""
        evidence = Evidence(touched=self._touches_device)
        try:
            try:
                self._given.draw(CanonicalChoices())
            except NoSuchInput as reason:
                evidence.lacking = str(reason)
            for choices in self._swept():
                self._try(choices, evidence)
                if evidence.invalid is not None:
                    break
            if self._claim.given and evidence.invalid is None and not evidence.failed:
                self._explore(evidence)
        except (InvalidGiven, Unbuildable) as error:
            if self._device != "cpu" and isinstance(error, Unbuildable):
                evidence.unsupported, evidence.touched = str(error), True
            else:
                evidence.invalid = f"given: {error}"
        exhausted = evidence.repeated >= max(evidence.discarded, self._examples // 3)
        if self._draws and evidence.again and evidence.invalid is None and not evidence.failed:
            self._draw_more(evidence)
        # A search that was asked for less than usual, or stopped at a failure, says nothing about the claim itself.
        if self._examples >= FEWEST_EXAMPLES and evidence.judged and not evidence.failed:
            evidence.weak_evidence = self._monitor.weak_evidence(evidence.judged, exhausted)
        return evidence

    def smallest(self, failure: Attempt) -> Attempt:
        """Shrink a failing example with Hypothesis, then until no decision, and no two, can be made simpler.

        What stays the same is the part of the expectation that is false.
        """
        part = failure.trial.failure.part if failure.trial.failure else None
        smallest = failure

        def narrowed(data: st.DataObject) -> None:
            nonlocal smallest
            found = self._attempt(NarrowedChoices(data.draw, failure.example.made), failure.repetition)
            if found is not None and found.trial.failure is not None and found.trial.failure.part == part:
                smallest = found
                raise _Falsified

        self._hypothesis(narrowed, _SHRINK_EXAMPLES, (Phase.generate, Phase.shrink))
        left = _SIMPLER_EXAMPLES
        while left > 0:
            simplified, tried = self._simplified(smallest, part)
            left -= tried
            if simplified is None:
                break
            smallest = simplified
        return smallest

    def _simplified(self, failure: Attempt, part: Optional[FailedPart]) -> tuple[Optional[Attempt], int]:
        """Make one decision simpler, or two; return the failure, None if there is none, and how many were tried."""
        tried = 0
        choices = failure.example.choices
        if choices is None:
            return None, tried
        for made in chain(simpler(choices), islice(simpler_together(choices), _SIMPLER_TOGETHER)):
            found = self._attempt(RecordedChoices(made), failure.repetition)
            tried += 1
            if found is not None and found.trial.failure is not None and found.trial.failure.part == part:
                return found, tried
        return None, tried

    def attempt(self, example: Example, plan: Plan, *, record_warnings: bool = False, repetition: int = 0) -> Attempt:
        """Run one given example outside the search."""
        see_every_warning()
        found = self._run(example, partial(run_trial, plan, record_warnings=record_warnings), repetition)
        self._state.leaks()
        return found

    def chance(self, found: Attempt, plan: Plan) -> Chance:
        """Try the same example from other random states."""
        if found.seed is None:
            return Chance()
        drawn: list[Generator] = []
        otherwise = 0
        for repetition in range(_RANDOM_STATES):
            trial = self.attempt(self._rebuilt(found.example), plan, repetition=repetition).trial
            otherwise += _outcome(trial) != _outcome(found.trial)
            drawn = drawn or self._state.generators.drawn()
        return Chance(otherwise, seeding(found.seed, drawn)) if otherwise else Chance()

    def _swept(self) -> Iterator[Choices]:
        """Yield the choices of the canonical example, then of the sweep, each after the one before was tried."""
        yield CanonicalChoices()
        position, length = 0, 1
        while position < min(length, _LONGEST_SWEEP):
            choices = SweepChoices(position)
            yield choices
            length = max(length, choices.length)
            position += 1

    def _explore(self, evidence: Evidence) -> None:
        each = min(self._examples, _EXAMPLES_PER_DRAW)

        def explored(data: st.DataObject) -> None:
            stream = Random(b"%d:%b" % (self._seed, data.draw(_SEEDS)))
            for _ in range(each):
                self._try(SeededChoices(stream), evidence)
                if evidence.failed:
                    raise _Falsified

        # Shrinking is a step of its own, and only for a failure that nobody has explained.
        self._hypothesis(explored, -(-self._examples // each), (Phase.generate,))

    def _hypothesis(self, body: Callable[[st.DataObject], None], examples: int, phases: tuple[Phase, ...]) -> None:
        # A fresh function for each claim: one that is reused for many fails deep inside Hypothesis.
        test = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=phases,
            report_multiple_bugs=False,
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )(seed(self._seed)(given(data=st.data())(lambda data: body(data))))
        # Where chance decides whether an example fails, Hypothesis may find that it does not fail again.
        with suppress(_Falsified, Flaky):
            test()

    def _try(self, choices: Choices, evidence: Evidence) -> None:
        """Draw an example and try it, unless there is none or it came before."""
        drawn = self._drawn(choices)
        if drawn is None:
            evidence.discarded += 1
            return
        identity = tuple(drawn[0].recipes.values())
        if identity in evidence.seen:
            evidence.repeated += 1
            return
        evidence.seen.add(identity)
        self._record(self._tried(*drawn), evidence)

    def _record(self, found: Attempt, evidence: Evidence) -> None:
        trial = found.trial
        evidence.touched = evidence.touched or has_part_on(self._device, trial.namespace)
        if self._state.leaks() and (leaked := self._leaks_again(found)):
            evidence.invalid = "it leaks global state: " + ", ".join(leaked)
            return
        if trial.missing_kernel is not None:
            evidence.missing_kernels.add(trial.missing_kernel)
            return
        if trial.status == "invalid":
            evidence.invalid = trial.reason
            return
        if trial.status == "not-judged":
            evidence.discarded += 1
            if trial.out_of_memory:
                evidence.unsupported = trial.reason
            return
        self._count(found, evidence)

    def _leaks_again(self, found: Attempt) -> list[str]:
        # What torch sets up at the first use of a module, such as a warning filter, is no leak of the claim.
        fresh = self._rebuilt(found.example)
        plan = self._plan_for(fresh)
        if plan is not None:
            see_every_warning()
            self._run(fresh, partial(run_trial, plan), found.repetition)
        return self._state.leaks()

    def _draw_more(self, evidence: Evidence) -> None:
        """Try examples again from other random states, so that few examples are enough to see chance at work."""
        for number in range(len(evidence.again), _RANDOM_STATES):
            repetition, position = divmod(number, len(evidence.again))
            example = self._rebuilt(evidence.again[position])
            chosen = self._plan_for(example)
            if chosen is not None:
                self._record(self._tried(example, chosen, repetition), evidence)
            if evidence.failed or evidence.invalid is not None:
                break

    def _count(self, found: Attempt, evidence: Evidence) -> None:
        trial = found.trial
        made = {label: found.example.made[label] for label in found.example.domains}
        if not found.repetition:
            evidence.judged += 1
            if len(evidence.again) < _RANDOM_STATES:
                evidence.again.append(replace(found.example, values={}, choices=None))
        if evidence.first is None:
            evidence.first = found
            evidence.domains = found.example.domains
        _add(evidence.covered, made)
        for position, truth in enumerate(trial.observed):
            evidence.observed.setdefault(position, set()).add(truth)
        for tier, met in trial.tiers.items():
            evidence.tiers.setdefault(tier, set()).add(met)
        if trial.status == "failed":
            evidence.failed += 1
            _add(evidence.failed_covered, made)
            if len(evidence.failures) < 5:
                evidence.failures.append(found)
        else:
            _add(evidence.passed_covered, made)
            trial.namespace = {} if evidence.first is not found else trial.namespace

    def _attempt(self, choices: Choices, repetition: int) -> Optional[Attempt]:
        drawn = self._drawn(choices)
        return None if drawn is None else self._tried(*drawn, repetition)

    def _drawn(self, choices: Choices) -> Optional[tuple[Example, Plan]]:
        see_every_warning()
        try:
            example = self._given.draw(choices)
        except NoSuchInput:
            return None
        if not all(satisfies(text, example.values, self._device) for text in self._assume):
            return None
        chosen = self._plan_for(example)
        return None if chosen is None else (example, chosen)

    def _tried(self, example: Example, chosen: Plan, repetition: int = 0) -> Attempt:
        self._progress(example)
        return self._run(example, partial(self._monitor.run, chosen), repetition)

    def _run(self, example: Example, trial_of: Callable[[Example, str], Trial], repetition: int) -> Attempt:
        """Run a trial; one that draws random numbers starts from the seed of its example."""
        if not self._draws:
            trial = trial_of(example, self._device)
            if self._claim.is_timed or not self._state.generators.drawn():
                return Attempt(example, trial)
            # All examples had started from one state so far, which made no difference: this is the first to draw.
            self._draws = True
            example = self._rebuilt(example)
        seed = example_seed(self._seed, example.recipes, repetition)
        self._state.generators.seed(seed)
        return Attempt(example, trial_of(example, self._device), seed, repetition)

    def _rebuilt(self, example: Example) -> Example:
        return replace(example, values=example_from_recipes(example.recipes, self._device).values)


def _outcome(trial: Trial) -> tuple[Status, Optional[FailedPart]]:
    return trial.status, trial.failure.part if trial.failure else None


def _add(covered: dict[str, set[Any]], made: Mapping[str, Any]) -> None:
    for label, chosen in made.items():
        covered.setdefault(label, set()).add(chosen)
