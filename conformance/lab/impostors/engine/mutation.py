"""The mutants of one claim, in the order in which they are likely to kill it, run in this process."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Optional

from conformance.inputs.given import Example, InvalidGiven
from conformance.inputs.recipes import Unbuildable
from conformance.lab.impostors.engine.arguments import ArgumentMutants
from conformance.lab.impostors.engine.attempts import Attempts, Mutant
from conformance.lab.impostors.engine.call_sites import Rewritten, rewritten
from conformance.lab.impostors.engine.cases import Case, applicable, cases
from conformance.lab.impostors.engine.examples import Sampler, Unsound
from conformance.lab.impostors.engine.influence import Influence, influence
from conformance.lab.impostors.engine.patch import EVERY, FIRST, LATER
from conformance.lab.impostors.engine.registry import Operator, operators
from conformance.lab.impostors.engine.targets import Origin, Target, call_site_targets, named_targets
from conformance.lab.impostors.outcome import Attempt, MutationOutcome, Part, Request, Status
from conformance.lab.impostors.record import Noticing
from conformance.language.model import Claim
from conformance.results.conditions import admits
from conformance.results.model import Environment
from conformance.run.scripts.program import Plan
from conformance.run.worker.docstrings import exists

#: How many examples each mutant gets at first.
_FEW = 3
_LONGEST_DETAIL = 5000
#: Processes that wait for each other: where a mutant raises in one, the other waits for half a minute.
_OF_PROCESSES = re.compile(r"\binit_process_group\(|\bmultiprocessing\.spawn\(")


def run_mutants(
    request: Request,
    environment: Environment,
    *,
    progress: Callable[[Attempt], None] = lambda attempt: None,
    only: Optional[Iterable[str]] = None,
    recipes: Optional[Mapping[str, str]] = None,
) -> MutationOutcome:
    """Run the mutants of one claim until each part of it is killed.

    Parameters
    ----------
    progress
        Called with every attempt before it is made, so that it is known when torch crashes.
    only
        Names of the operators to use; all of them without it.
    recipes
        The inputs to run on; without them they are drawn.
    """
    claim = request.claim
    status = _not_judged(claim, environment)
    if status is not None:
        return MutationOutcome(status)
    chosen = [item for name, item in operators().items() if only is None or name in set(only)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        attempts = Attempts(environment.device, progress, request.skipped)
        try:
            return _ClaimRun(request, environment, chosen, attempts).outcome(Sampler(claim, environment, recipes))
        except (Unsound, InvalidGiven, Unbuildable) as error:
            return MutationOutcome("unsound", detail=str(error)[:_LONGEST_DETAIL])


def _not_judged(claim: Claim, environment: Environment) -> Optional[Status]:
    if claim.is_timed:
        return "timing"
    if claim.unspecified:
        return "unspecified"
    if claim.do is not None and _OF_PROCESSES.search(claim.do.text):
        return "processes"
    if not admits(claim.applies, environment):
        return "inapplicable"
    return None if exists(claim.subject) else "absent"


class _ClaimRun:
    """The mutation run of one claim: of its own expectation, then of what holds instead where it diverges."""

    def __init__(self, request: Request, environment: Environment, chosen: list[Operator], attempts: Attempts) -> None:
        self._request = request
        self._claim = request.claim
        self._diverging = applicable(request.claim, environment)
        self._cases = list(cases(request.claim, environment))
        self._attempts = attempts
        self._skipping = {item.name for item in chosen if item.skips}
        new = [item for item in chosen if item.name not in request.done]
        self._of_arguments = [item for item in new if item.change is not None]
        # Those made for the claim's family come first.
        others = (item for item in new if item.change is None)
        everyone = sorted(others, key=lambda item: self._claim.family not in item.families)
        killers = [item for item in everyone if request.earlier and item.name in request.earlier.killers]
        # What killed the claim before kills it again, as a rule, and then nothing else is run.
        self._rounds = [killers, everyone] if killers else [everyone]

    def outcome(self, sampler: Sampler) -> MutationOutcome:
        parts: tuple[Part, ...] = ()
        runs: list[_CaseRun] = []
        inputs = Influence()
        for case in self._cases:
            trial_of = partial(self._attempts.trial, case.plan)
            examples = sampler.examples(case, trial_of)
            if examples and case.divergence is None:
                inputs = influence(self._claim, case.plan, examples, trial_of, partial(sampler.admits, case))
            if examples:
                runs.append(self._run_case(case, examples))
            # Where divergences match whatever is drawn, the claim's own expectation is not in force at all.
            if examples or next(sampler.candidates(case), None) is not None:
                parts += case.parts
        if not runs:
            crashes = any(item.instead.crashes and item.where is None for _, item in self._diverging)
            return MutationOutcome("crashing") if crashes else _NOTHING_JUDGED
        arguments = runs[0].noticing(self._of_arguments)
        only_skipped = self._is_killed_only_by_skipping(runs)
        in_assertion = {part for run in runs for part in run.killed["assertion"]}
        off_subject = {part for run in runs if run.uses_subject for part in run.killed["program"]}
        if self._request.done:
            parts = tuple(part for part in parts if part.name in self._request.survivors)
        return MutationOutcome(
            "judged",
            parts,
            {part: tuple(names) for part, names in self._attempts.killed_by.items()},
            only_in_assertion=tuple(part.name for part in parts if part.name in in_assertion),
            only_off_subject=tuple(part.name for part in parts if part.name in off_subject),
            detected_by_error=tuple(sorted(self._attempts.detected_by_error)),
            only_skipped=only_skipped,
            out_of_time=self._attempts.out_of_time,
            moving=inputs.moving,
            idle=inputs.idle,
            arguments=arguments,
        )

    def _run_case(self, case: Case, examples: list[Example]) -> _CaseRun:
        run = _CaseRun(self._claim, case, examples, self._attempts)
        if self._request.done:
            run.survivors &= self._request.survivors
        else:
            run.survivors -= self._request.survivors
        for number, chosen in enumerate(self._rounds):
            if case.plan.expectation.raises is not None:
                # Whatever the family of the claim, what its error is falls to those made for errors.
                chosen = sorted(chosen, key=lambda item: "errors" not in item.families)
            if run.survivors or number == 0:
                run.kill(chosen)
        return run

    def _is_killed_only_by_skipping(self, runs: list[_CaseRun]) -> bool:
        """Return whether mutants that only leave something out are all that kills the claim; more are run to see."""
        killers = {name for names in self._attempts.killed_by.values() for name in names}
        if not killers or killers - self._skipping or self._claim.expectation.raises is not None:
            return False
        others = [item for item in self._rounds[-1] if not item.skips]
        return not any(run.is_killed_by(others) for run in runs)


_NOTHING_JUDGED = MutationOutcome("unsound", detail="no example could be judged")


class _CaseRun:
    """The mutants of one case, run until nothing of it survives.

    Attributes
    ----------
    survivors : set of str
        The parts that are not killed yet.
    killed : dict
        The other parts, by what had to be mutated to kill them.
    """

    def __init__(self, claim: Claim, case: Case, examples: list[Example], attempts: Attempts) -> None:
        self._claim = claim
        self._case = case
        self._few, self._more = examples[:_FEW], examples[_FEW:]
        self._attempts = attempts
        #: Which uses of each target can be mutated.
        self._uses: dict[Target, tuple[str, ...]] = {}
        self._named = self._used(case.plan, named_targets(claim, case.plan))
        self.survivors = {part.name for part in case.parts}
        self.killed: dict[Origin, set[str]] = {"subject": set(), "program": set(), "assertion": set()}

    @property
    def uses_subject(self) -> bool:
        """Whether the program names the subject of the claim."""
        return any(target.origin == "subject" for target in self._named)

    def kill(self, chosen: list[Operator]) -> None:
        """Run mutants as long as a part survives, and each operator made for the claim's family at least once."""
        subject = _of("subject" if self.uses_subject else "program", self._named)
        for operator in chosen:
            if self._claim.family in operator.families:
                tries = ((Mutant(operator, target, EVERY), example) for target in subject for example in self._few)
                self.survivors -= next(filter(None, (self._run(*attempt) for attempt in tries)), set())
        mutants = self._mutants(chosen)
        # The next mutant is looked for only where something survives.
        while self.survivors and not self._attempts.out_of_time and (next_one := next(mutants, None)) is not None:
            mutant, example = next_one
            killed = self._run(mutant, example) & self.survivors
            self.killed[mutant.target.origin] |= killed
            self.survivors -= killed

    def noticing(self, chosen: list[Operator]) -> Noticing:
        """Return which arguments the case notices to be wrong."""
        targets = [target for target in self._named if target.in_program]
        examples = [*self._few, *self._more]
        return ArgumentMutants(self._claim, self._case, targets, examples, self._attempts, chosen).run()

    def is_killed_by(self, chosen: list[Operator]) -> bool:
        """Run mutants until one kills any part."""
        return any(self._run(mutant, example) for mutant, example in self._mutants(chosen))

    def _mutants(self, chosen: list[Operator]) -> Iterator[tuple[Mutant, Example]]:
        """Yield what to run, the cheapest first: as a rule everything is killed early."""
        for targets, uses, examples in self._batches():
            for operator in chosen:
                for target in targets:
                    for use in uses:
                        if use in self._uses[target]:
                            yield from ((Mutant(operator, target, use), example) for example in examples)

    def _batches(self) -> Iterator[tuple[list[Target], tuple[str, ...], list[Example]]]:
        """Yield targets, which uses of them to mutate, and examples."""
        named = [_of("subject", self._named), _of("program", self._named)]
        for some in (self._few[:1], self._few[1:]):
            yield from ((targets, (EVERY,), some) for targets in named)
        # Finding call sites takes a while, and what is killed only in an assertion is worth little.
        sites = self._at_call_sites
        further = [_of("subject", sites), _of("program", sites), _of("assertion", [*self._named, *sites])]
        yield from ((targets, (EVERY,), self._few) for targets in further)
        everything = [*named, *further]
        yield from ((targets, (FIRST, LATER), self._few) for targets in everything)
        yield from ((targets, (EVERY, FIRST, LATER), self._more) for targets in everything)

    def _run(self, mutant: Mutant, example: Example) -> set[str]:
        plan = self._rewritten.plan if mutant.target.site else self._case.plan
        return self._attempts.run(self._case, plan, mutant, example)

    @cached_property
    def _rewritten(self) -> Rewritten:
        return rewritten(self._case.plan, self._claim.do.text if self._claim.do else "")

    @cached_property
    def _at_call_sites(self) -> list[Target]:
        """The targets that no name reaches."""
        reached = {target.name.rpartition(".")[2] for target in self._named}
        targets = call_site_targets(self._claim, self._rewritten)
        # A function of the program that has the name of one of torch's is none: it is found only here.
        new = [item for item in targets if item.name not in reached or (item.site and item.site.kind == "define")]
        return self._used(self._rewritten.plan, new)

    def _used(self, plan: Plan, targets: list[Target]) -> list[Target]:
        """Return the targets that the examples use."""
        counts = {target: self._attempts.uses(plan, target, self._few) for target in targets}
        for target, count in counts.items():
            self._uses[target] = (EVERY, FIRST, LATER) if target.in_program and count > 1 else (EVERY,)
        return [target for target, count in counts.items() if count]


def _of(origin: Origin, targets: list[Target]) -> list[Target]:
    return [target for target in targets if target.origin == origin]
