"""One claim against the impostors, in this process."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any, Optional

from conformance.census.docstrings import exists
from conformance.impostors.operations import Operation, operations
from conformance.impostors.parts import Case, Part, applicable, cases
from conformance.impostors.presence import OCCASIONS, Presence
from conformance.impostors.registry import Impostor, impostors
from conformance.inputs.choices import CanonicalChoices, Choices, NoSuchInput, SweepChoices
from conformance.inputs.given import Example, Given, InvalidGiven
from conformance.inputs.recipes import Unbuildable
from conformance.language.model import Claim
from conformance.runner.environment import admits
from conformance.runner.pinned import example_from_recipes
from conformance.runner.state import GlobalState
from conformance.runner.trial import run_trial, satisfies

#: How many examples each impostor gets at first, and how many are tried where a part still stands.
FIRST_EXAMPLES = 3
MOST_EXAMPLES = 24
_MOST_DRAWS = 600


@dataclass
class Finding:
    """What the impostors did to one claim.

    Attributes
    ----------
    status : str
        ``judged``, or why there is nothing to judge: ``absent``, ``inapplicable``, ``unspecified``, ``timing``, or
        ``unsound`` for a claim that is false without any impostor.
    parts : tuple of Part
        What must be true.
    killed : dict
        For each part that was made false, the impostor that did it first.
    killers : list of str
        The impostors that made some part false, or let torch crash.
    deceived : list of str
        The parts that could be made false only by answering an expression wrong, and not by what the program does.
    never_ran : list of str
        Statements of the program that no example reached.
    """

    status: str
    parts: tuple[Part, ...] = ()
    killed: dict[str, str] = field(default_factory=dict)
    killers: list[str] = field(default_factory=list)
    deceived: list[str] = field(default_factory=list)
    never_ran: list[str] = field(default_factory=list)
    detail: str = ""


@dataclass(frozen=True)
class _Attempt:
    """One impostor in the place of one operation, at some of its uses."""

    impostor: Impostor
    operation: Operation
    occasion: str

    @property
    def name(self) -> str:
        return f"{self.impostor.name} {self.operation.name} {self.occasion}"


def confront(
    claim: Claim,
    environment: dict[str, str],
    *,
    note: Callable[[str], None] = lambda attempt: None,
    skip: frozenset[str] = frozenset(),
    only: Optional[frozenset[str]] = None,
) -> Finding:
    """Confront one claim with the impostors.

    Parameters
    ----------
    note
        Called with the name of every attempt before it is made, so that a crash can be told.
    skip
        Names of attempts that are not to be made, since torch crashed or hung on them.
    only
        Names of the impostors to use; all of them without it.
    """
    reason = _not_judged(claim, environment)
    if reason:
        return Finding(reason)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Confrontation(claim, environment, note, skip, only).finding()


def _not_judged(claim: Claim, environment: dict[str, str]) -> Optional[str]:
    if claim.compare is not None:
        return "timing"
    if claim.unspecified:
        return "unspecified"
    if not admits(claim.applies, environment):
        return "inapplicable"
    return None if exists(claim.subject) else "absent"


class _Confrontation:
    def __init__(
        self,
        claim: Claim,
        environment: dict[str, str],
        note: Callable[[str], None],
        skip: frozenset[str],
        only: Optional[frozenset[str]],
    ) -> None:
        self._claim = claim
        self._device = environment["device"]
        self._environment = environment
        self._note = note
        self._skip = skip
        self._impostors = [item for name, item in impostors().items() if only is None or name in only]
        self._state = GlobalState()
        self._killers: set[str] = {name.partition(" ")[0] for name in skip if not name.endswith(" hung")}
        self._finding = Finding("judged")
        self._weakly: set[str] = set()

    def finding(self) -> Finding:
        """Confront the claim's own expectation, then what holds where it diverges."""
        finding = self._finding
        found = cases(self._claim, self._environment)
        finding.parts = tuple(part for case in found for part in case.parts)
        try:
            for case in found:
                examples = self._examples(case)
                if not examples:
                    continue
                self._confront(case, examples)
        except (InvalidGiven, Unbuildable) as error:
            return Finding("unsound", detail=str(error))
        if finding.status == "judged" and not any(self._sound):
            finding.status = "unsound"
        finding.killers = [item.name for item in self._impostors if item.name in self._killers]
        finding.deceived = [part.name for part in finding.parts if part.name in self._weakly]
        finding.never_ran = self._never_ran()
        return finding

    # Examples

    def _examples(self, case: Case) -> list[Example]:
        """Return examples on which a case is what holds, and is true without an impostor."""
        found: list[Example] = []
        seen: set[tuple[str, ...]] = set()
        for example in self._candidates(case):
            identity = tuple(example.recipes.values())
            if identity in seen:
                continue
            seen.add(identity)
            trial = run_trial(case.plan, example, self._device)
            self._settle()
            if trial.status == "failed":
                self._finding.detail = f"false without an impostor: {trial.failure}"
                continue
            if trial.status == "satisfied":
                found.append(example)
            if len(found) == MOST_EXAMPLES:
                break
        self._sound.append(bool(found))
        return found

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
            if all(satisfies(text.text, example.values, self._device) for text in self._claim.assume) and (
                self._matching(example) == case.divergence
            ):
                yield example
            if not self._claim.given:
                return

    def _matching(self, example: Example) -> Optional[int]:
        for number, divergence in applicable(self._claim, self._environment):
            if divergence.where is None or satisfies(divergence.where.text, example.values, self._device):
                return number
        return None
