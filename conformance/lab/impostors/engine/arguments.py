"""Whether a claim notices that an argument of a call in its program is got wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from conformance.inputs.given import Example
from conformance.lab.impostors.engine.attempts import Attempts, Mutant
from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.cases import Case
from conformance.lab.impostors.engine.observed import digest
from conformance.lab.impostors.engine.parameters import MISSING, arguments_of, is_plain, same
from conformance.lab.impostors.engine.registry import Operator
from conformance.lab.impostors.engine.targets import Target
from conformance.lab.impostors.outcome import Noticing
from conformance.language.model import Claim
from conformance.run.worker.trial import Trial

#: On how many examples calls are recorded, and on how many each mutant runs.
_RECORDED, _TRIED = 10, 8
#: Larger integers are taken for addresses.
_LARGEST = 2**20
#: Parameters with a name that a sentence has for other things too; it is about them only in a call of the subject.
_COMMON = {"self", "input", "other", "value", "size", "name", "data", "key", "file", "end", "start", "tensors"}
#: Kinds of values of which there are few, most of them for other tensors than those that are drawn.
_FEW_VALUES = (torch.device, torch.layout, torch.memory_format)
#: What compares elements in an expectation.
_COMPARES = re.compile(r"\b(equal|same_values|allclose|tolist|item)\(")
#: What says that a function does as another one, which makes the claim one about all of its arguments.
_AS_ANOTHER = re.compile(r"in-place version|out-of-place version|alias (for|of)|\bsee torch|equivalent|same as", re.I)


@dataclass
class _Slot:
    """One argument of one target, over all examples.

    Attributes
    ----------
    first : object
        The first value with which the call ran; `MISSING` where it never did.
    acting : dict
        The numbers of the examples in which an operator makes a difference to a call, by the operator's name.
    values : list
        The plain values that it had.
    is_tensor, has_elements : bool
        Whether it was a tensor in some call, and one with several elements.
    """

    target: Target
    parameter: str
    first: Any = MISSING
    acting: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    values: list[Any] = field(default_factory=list)
    is_tensor: bool = False
    has_elements: bool = False

    def __str__(self) -> str:
        return f"{self.target.name.rpartition('.')[2]}({self.parameter})"


class ArgumentMutants:
    """The mutants of the arguments in one case of a claim.

    Parameters
    ----------
    targets
        What the program calls.
    examples
        Those on which the case is true.
    chosen
        The operators that get arguments wrong.
    """

    def __init__(
        self,
        claim: Claim,
        case: Case,
        targets: Sequence[Target],
        examples: Sequence[Example],
        attempts: Attempts,
        chosen: Sequence[Operator],
    ) -> None:
        self._claim = claim
        self._case = case
        self._targets = targets
        self._examples = examples[:_RECORDED]
        self._attempts = attempts
        self._chosen = chosen
        self._sentences = " ".join([claim.title, *(source.key or "" for source in claim.sources)])
        self._words = set(re.findall(r"\w+", self._sentences))
        self._seen: dict[int, str] = {}

    def run(self) -> Noticing:
        """Run each operator on each argument until the claim notices."""
        noticed: dict[str, list[str]] = defaultdict(list)
        missed: dict[str, list[str]] = defaultdict(list)
        for slot in self._slots():
            for operator in self._chosen:
                found = self._tried(operator, slot)
                if found is True:
                    noticed[operator.name].append(str(slot))
                elif found is False and self._is_about(slot):
                    missed[operator.name].append(str(slot))
        return Noticing(
            {name: tuple(dict.fromkeys(found)) for name, found in noticed.items()},
            {name: tuple(dict.fromkeys(found)) for name, found in missed.items()},
        )

    def _slots(self) -> Iterator[_Slot]:
        for target in self._targets:
            slots: dict[str, _Slot] = {}
            for number, example in enumerate(self._examples):
                self._record(target, slots, number, example)
            yield from slots.values()

    def _record(self, target: Target, slots: dict[str, _Slot], number: int, example: Example) -> None:
        def behaviour(call: Call) -> Any:
            arguments = arguments_of(call.function, call.args, call.kwargs) if call.kind == "call" else []
            wanted = [one for one in arguments if target.is_subject or one.name in self._words - _COMMON]
            slot_of = {one.name: slots.setdefault(one.name, _Slot(target, one.name)) for one in wanted}
            acting = []
            for one in wanted:
                slot = slot_of[one.name]
                if isinstance(one.value, torch.Tensor):
                    # The operators read strided memory alone.
                    several = one.value.layout is torch.strided and one.value.numel() > 1
                    slot.is_tensor, slot.has_elements = True, slot.has_elements or several
                if is_plain(one.value):
                    slot.values += [] if any(same(one.value, value) for value in slot.values) else [one.value]
                first = one.value if slot.first is MISSING else slot.first
                acting += [
                    (slot, operator.name)
                    for operator in self._chosen
                    if operator.change is not None and operator.change(one, arguments, first) is not None
                ]
            result = call.run()
            for one in wanted:
                slot = slot_of[one.name]
                if slot.first is MISSING:
                    slot.first = one.value
            for slot, name in acting:
                if number not in slot.acting[name]:
                    slot.acting[name].append(number)
            return result

        recording = Operator("records", "", frozenset(), behaviour)
        self._attempts.tried(self._case.plan, Mutant(recording, target, "every"), example)

    def _tried(self, operator: Operator, slot: _Slot) -> bool | None:
        """Return whether a claim notices; None where the mutant is the real torch on all examples."""
        assert operator.change is not None
        change = operator.change

        def behaviour(call: Call) -> Any:
            arguments = arguments_of(call.function, call.args, call.kwargs) if call.kind == "call" else []
            for one in arguments:
                if one.name == slot.parameter:
                    instead = change(one, arguments, slot.first)
                    return call.run() if instead is None else instead(call)
            return call.run()

        mutant = Mutant(replace(operator, behaviour=behaviour), slot.target, str(slot))
        differs = operator.needs_several and self._has_one_value(slot, operator)
        for number in slot.acting[operator.name][:_TRIED]:
            example = self._examples[number]
            trial = self._attempts.tried(self._case.plan, mutant, example)
            if trial is None:
                continue
            if trial.status in ("failed", "invalid") or self._case.false_parts(trial):
                return True
            differs = differs or self._seen_of(trial) != self._seen_of_torch(number)
        return False if differs else None

    def _has_one_value(self, slot: _Slot, operator: Operator) -> bool:
        """Return whether an argument always has the same value, or a tensor the same elements, of a kind that has many.

        A value that the claim itself names is what the claim is about.
        """
        if slot.has_elements or operator.needs_several == "elements":
            return operator.needs_several == "elements" and slot.has_elements and not slot.acting[operator.name]
        value = slot.values[0] if len(slot.values) == 1 else None
        if value is None or isinstance(value, (bool, *_FEW_VALUES)) or value in ("cpu", "meta"):
            return False
        return not set(re.findall(r"\w+", repr(value))) <= self._words

    def _seen_of_torch(self, number: int) -> str:
        if number not in self._seen:
            self._seen[number] = self._seen_of(self._attempts.trial(self._case.plan, self._examples[number]))
        return self._seen[number]

    def _is_about(self, slot: _Slot) -> bool:
        """Return whether the claim's sentence is about an argument; ``docs/impostors.rst`` says when."""
        expectation = self._claim.expectation
        compares = any(_COMPARES.search(fragment.text) for fragment in expectation.expect)
        is_whole = self._claim.family == "values" or _AS_ANOTHER.search(self._sentences) is not None
        if slot.target.is_subject and compares and expectation.raises is None and is_whole:
            return True
        if slot.is_tensor:
            return False
        return slot.parameter in self._words or (
            slot.parameter in ("dim", "dims") and bool(self._words & {"dimension", "dimensions"})
        )

    def _seen_of(self, trial: Trial) -> str:
        """Return what can be seen of the inputs and of what the program assigned."""
        names = [*(name for name, _ in self._claim.given), *self._case.plan.program.assigned]
        values = [(name, trial.namespace[name]) for name in names if name in trial.namespace]
        seen = [(name, digest(value)) for name, value in values if not _is_of_the_run(value)]
        return repr((seen, digest(trial.error), trial.warned))


def _is_of_the_run(value: Any) -> bool:
    """Return whether a value is a function, or an address: another one in each run."""
    return (isinstance(value, int) and value > _LARGEST) or (callable(value) and not isinstance(value, torch.nn.Module))
