"""One claim against the impostors, in this process."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Optional

from conformance.census.docstrings import exists
from conformance.impostors.call import Call
from conformance.impostors.deadline import Deadline
from conformance.impostors.finding import HONEST, NO_HINT, Finding, Hint, Part
from conformance.impostors.operations import Operation, operations, operations_at_sites
from conformance.impostors.parts import Case, applicable, cases
from conformance.impostors.presence import OCCASIONS, Presence
from conformance.impostors.registry import Impostor, impostors
from conformance.impostors.settle import leave_everything
from conformance.impostors.sites import rewritten
from conformance.inputs.choices import CanonicalChoices, Choices, NoSuchInput, SeededChoices, SweepChoices
from conformance.inputs.given import Example, Given, InvalidGiven
from conformance.inputs.recipes import Unbuildable
from conformance.language.model import Claim
from conformance.runner.environment import admits
from conformance.runner.pinned import example_from_recipes
from conformance.runner.program import Plan
from conformance.runner.state import GlobalState
from conformance.runner.trial import Trial, run_trial, satisfies

#: How many examples each impostor gets at first, and how many where a part still stands.
FIRST_EXAMPLES = 3
MOST_EXAMPLES = 16
_MOST_POSITIONS = 2000
_RANDOM_DRAWS = 200
#: How long one attempt may take, in seconds; it takes less than a thousandth of that as a rule.
_LONGEST = 2.0
#: How many attempts at one operation may take longer before it is left out.
_MOST_WAITS = 3
#: How long one claim may take this process, in seconds. Most fall within a tenth of one; those that compile take long.
_LONGEST_CLAIM = 150.0


def confront(
    claim: Claim,
    environment: dict[str, str],
    *,
    note: Callable[[str], None] = lambda attempt: None,
    skip: frozenset[str] = frozenset(),
    crashed: frozenset[str] = frozenset(),
    only: Optional[Iterable[str]] = None,
    hint: Optional[Hint] = None,
) -> Finding:
    """Confront one claim with the impostors.

    Parameters
    ----------
    note
        Called with the name of every attempt before it is made, so that a crash can be told.
    skip
        Names of attempts that are not to be made again, since torch crashed or hung on them.
    crashed
        Names of impostors under which torch crashed.
    only
        Names of the impostors to use; all of them without it.
    hint
        What an earlier campaign showed for this very claim.
    """
    reason = _not_judged(claim, environment)
    if reason:
        return Finding(reason)
    chosen = [item for name, item in impostors().items() if only is None or name in set(only)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Confrontation(claim, environment, chosen, note, skip, crashed, hint or NO_HINT).finding()


def _not_judged(claim: Claim, environment: dict[str, str]) -> Optional[str]:
    if claim.compare is not None:
        return "timing"
    if claim.unspecified:
        return "unspecified"
    if not admits(claim.applies, environment):
        return "inapplicable"
    return None if exists(claim.subject) else "absent"


@dataclass(frozen=True)
class _Used:
    """An operation that the examples use, and on which occasions it can be wrong."""

    operation: Operation
    occasions: tuple[str, ...]


class _Confrontation:
    """The steps of confronting one claim."""

    def __init__(
        self,
        claim: Claim,
        environment: dict[str, str],
        chosen: list[Impostor],
        note: Callable[[str], None],
        skip: frozenset[str],
        crashed: frozenset[str],
        hint: Hint,
    ) -> None:
        self._claim = claim
        self._environment = environment
        self._device = environment["device"]
        # Those made for the claim's family come first.
        everyone = sorted(chosen, key=lambda item: claim.family not in item.families)
        recorded = [item for item in everyone if item.name in hint.killers]
        # What killed it before kills it again, as a rule, and then nothing else is tried.
        self._rounds = [recorded, everyone] if recorded else [everyone]
        self._known_to_stand = hint.standing
        self._note = note
        self._skip = skip
        self._killers = set(crashed)
        self._stoppers: set[str] = set()
        self._killed: dict[str, str] = {}
        self._elsewhere_only: set[str] = set()
        self._answers_only: set[str] = set()
        self._rewritten: Optional[Plan] = None
        self._waits: Counter[str] = Counter()
        self._state = GlobalState()
        self._until = time.process_time() + _LONGEST_CLAIM
        self._gave_up = False

    def finding(self) -> Finding:
        """Confront the claim's own expectation, then what holds instead where it diverges."""
        found = cases(self._claim, self._environment)
        sound, detail = False, ""
        parts: tuple[Part, ...] = ()
        try:
            for case in found:
                examples, failure = self._examples(case)
                sound, detail = sound or bool(examples), detail or failure
                if examples:
                    self._confront(case, examples)
                # Where divergences match whatever is drawn, the claim's own expectation is not in force at all.
                if examples or failure or next(self._candidates(case), None) is not None:
                    parts += case.parts
        except (InvalidGiven, Unbuildable) as error:
            sound, detail = False, str(error)
        if not detail and not sound and self._only_crashes():
            return Finding("crashing")
        if detail or not sound:
            return Finding("unsound", parts, detail=detail or "no example could be judged")
        return Finding(
            "judged",
            parts,
            self._killed,
            sorted(self._killers),
            answers_only=[part.name for part in parts if part.name in self._answers_only],
            elsewhere_only=[part.name for part in parts if part.name in self._elsewhere_only],
            stoppers=sorted(self._stoppers - self._killers),
            gave_up=self._gave_up,
        )

    def _only_crashes(self) -> bool:
        crashing = [divergence for _, divergence in applicable(self._claim, self._environment)]
        return any(divergence.instead.crashes and divergence.where is None for divergence in crashing)

    def _examples(self, case: Case) -> tuple[list[Example], str]:
        """Return examples on which a case is what holds and is true without an impostor; and how it is not."""
        found: list[Example] = []
        seen: set[tuple[str, ...]] = set()
        for example in self._candidates(case):
            identity = tuple(example.recipes.values())
            if identity in seen:
                continue
            seen.add(identity)
            trial = run_trial(case.plan, example, self._device)
            self._settle()
            if trial.status in ("failed", "invalid"):
                return [], f"{case.parts[0].place}: {trial.reason or trial.failure}\n{example.script()}"
            if trial.status == "satisfied":
                found.append(example)
            if len(found) >= MOST_EXAMPLES:
                break
        return found, ""

    def _candidates(self, case: Case) -> Iterator[Example]:
        if case.divergence is not None:
            pinned = self._claim.diverges[case.divergence].example
            yield example_from_recipes({name: fragment.text.strip() for name, fragment in pinned}, self._device)
        given = Given(self._claim.given, self._device)
        for choices in _spread():
            try:
                example = given.draw(choices)
            except NoSuchInput:
                continue
            admitted = all(satisfies(text.text, example.values, self._device) for text in self._claim.assume)
            if admitted and self._matching(example) == case.divergence:
                yield example
            if not self._claim.given:
                return

    def _matching(self, example: Example) -> Optional[int]:
        for number, divergence in applicable(self._claim, self._environment):
            if divergence.where is None or satisfies(divergence.where.text, example.values, self._device):
                return number
        return None

    def _confront(self, case: Case, examples: list[Example]) -> None:
        """Try the impostors that are likely to kill the claim, then all, as long as some part stands."""
        standing = {part.name for part in case.parts} - self._known_to_stand
        used = self._used(case, examples, operations(self._claim, case.plan))
        for number, chosen in enumerate(self._rounds):
            if case.plan.expectation.raises is not None:
                # Whatever family the claim is of, what its error is falls to those made for errors.
                chosen = sorted(chosen, key=lambda item: "errors" not in item.families)
            if standing or number == 0:
                standing = self._round(case, examples, used, chosen, standing)

    def _round(
        self, case: Case, examples: list[Example], used: list[_Used], chosen: list[Impostor], standing: set[str]
    ) -> set[str]:
        """Be wrong at the claim's subject, then at what else the program uses, then in what the expressions ask.

        Returns
        -------
        set of str
            The parts that stand.
        """
        acting = [item for item in used if item.operation.in_program]
        own = [item for item in acting if item.operation.is_subject]
        others = [item for item in acting if not item.operation.is_subject]
        asked = [item for item in used if not item.operation.in_program]
        for impostor in chosen:
            if self._claim.family in impostor.families:
                standing -= self._first_kill(case, impostor, own or acting, examples[:FIRST_EXAMPLES])
        fallen: dict[str, set[str]] = {"own": set(), "others": set(), "asked": set()}
        groups = [("own", own), ("others", others)]
        at_sites: Optional[list[_Used]] = None
        # The cheapest first: most parts fall at once, and only for those that don't everything is worth its time.
        for occasions, some in (
            (OCCASIONS[:1], examples[:1]),
            (OCCASIONS[:1], examples[1:FIRST_EXAMPLES]),
            (OCCASIONS[1:], examples[:FIRST_EXAMPLES]),
            (OCCASIONS, examples[FIRST_EXAMPLES:]),
        ):
            if standing and at_sites is None and occasions != OCCASIONS[:1]:
                at_sites = self._at_sites(case, examples, {item.operation.name.rpartition(".")[2] for item in used})
                there = [item for item in at_sites if item.operation.in_program]
                groups += [("own", [item for item in there if item.operation.is_subject])]
                groups += [("others", [item for item in there if not item.operation.is_subject])]
                asked += [item for item in at_sites if not item.operation.in_program]
                for kind, group in (*groups[2:], ("asked", asked)):
                    fallen[kind] |= self._exhaust(
                        case, chosen, standing, group, examples[:FIRST_EXAMPLES], OCCASIONS[:1]
                    )
                    standing -= fallen[kind]
            for kind, group in (*groups, ("asked", asked)) if at_sites is not None else groups:
                fallen[kind] |= self._exhaust(case, chosen, standing, group, some, occasions)
                standing -= fallen[kind]
        if own:
            self._elsewhere_only |= fallen["others"]
        self._answers_only |= fallen["asked"]
        return standing

    def _at_sites(self, case: Case, examples: list[Example], reached: set[str]) -> list[_Used]:
        """Return the uses that a rewritten program shows, where a name alone does not reach."""
        text = self._claim.do.text if self._claim.do else ""
        found = rewritten(case.plan, text)
        self._rewritten = found.plan
        named = operations_at_sites(self._claim, found)
        # A function of the program that has the name of an operation is none: only here it is found.
        new = [item for item in named if item.name not in reached or (item.site and item.site.kind == "define")]
        return self._used(case, examples, new)

    def _first_kill(self, case: Case, impostor: Impostor, used: list[_Used], examples: list[Example]) -> set[str]:
        """Try one impostor until it makes some part false; return the parts."""
        for item in used:
            for occasion in item.occasions[:1]:
                for example in examples:
                    false = self._attempt(case, impostor, item.operation, occasion, example)
                    if false:
                        return false
        return set()

    def _exhaust(
        self,
        case: Case,
        chosen: list[Impostor],
        standing: set[str],
        used: list[_Used],
        examples: list[Example],
        occasions: tuple[str, ...],
    ) -> set[str]:
        """Try every chosen impostor on every example as long as some part stands; return the parts that fell."""
        left = set(standing)
        if not left:
            return set()
        for impostor in chosen:
            for item in used:
                for occasion in [name for name in item.occasions if name in occasions]:
                    for example in examples:
                        if not left:
                            return set(standing)
                        left -= self._attempt(case, impostor, item.operation, occasion, example)
        return standing - left

    def _used(self, case: Case, examples: list[Example], named: list[Operation]) -> list[_Used]:
        """Return the operations that an example uses at all; one whose mere replacement is noticed is left out."""
        found = []
        for operation in named:
            most, unnoticed = 0, True
            name = f"{HONEST} {operation}"
            if name in self._skip:
                continue
            for example in examples[:FIRST_EXAMPLES]:
                self._note(name)
                presence = Presence(_HONEST, operation)
                trial = self._trial(case, example, presence)
                if trial.status == "failed":
                    unnoticed = False
                most = max(most, presence.uses)
            if most and unnoticed:
                several = operation.in_program and most > 1
                found.append(_Used(operation, OCCASIONS if several else OCCASIONS[:1]))
        return found

    def _attempt(
        self, case: Case, impostor: Impostor, operation: Operation, occasion: str, example: Example
    ) -> set[str]:
        """Return the parts that one impostor makes false on one example."""
        if time.process_time() > self._until:
            self._gave_up = True
            return set()
        name = f"{impostor.name} {operation} {occasion}"
        if name in self._skip or self._waits[str(operation)] >= _MOST_WAITS:
            return set()
        self._note(name)
        with Deadline(_LONGEST) as deadline:
            trial = self._trial(case, example, Presence(impostor, operation, occasion))
        if deadline.passed:
            self._skip |= {name}  # the program waits for something that does not happen: once is enough
            self._waits[str(operation)] += 1
        false = case.false_parts(trial)
        if trial.status == "failed":
            self._stoppers.add(impostor.name)
        if false:
            self._killers.add(impostor.name)
            for part in false:
                self._killed.setdefault(part, impostor.name)
        return false

    def _trial(self, case: Case, example: Example, presence: Presence) -> Trial:
        fresh = example_from_recipes(example.recipes, self._device)
        fresh.values.update(presence.names)
        chosen = self._rewritten if presence.names and self._rewritten else case.plan
        try:
            return run_trial(chosen, fresh, self._device, impostor=presence)
        finally:
            self._settle()

    def _settle(self) -> None:
        leave_everything()
        self._state.leaks()


def _honest(call: Call) -> object:
    return call.run()


_HONEST = Impostor(HONEST, "Does what torch does", frozenset(), _honest)


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
