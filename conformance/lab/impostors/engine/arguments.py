"""Whether a claim notices that an argument of a call in its program is got wrong."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Optional

import torch

from conformance.inputs.given import Example
from conformance.lab.impostors.engine.attempts import Attempts, Mutant
from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.cases import Case
from conformance.lab.impostors.engine.observed import digest
from conformance.lab.impostors.engine.parameters import MISSING, arguments_of, is_plain, same
from conformance.lab.impostors.engine.registry import Operator
from conformance.lab.impostors.engine.targets import Target
from conformance.lab.impostors.record import Noticing
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

    def add(self, value: Any) -> None:
        """Take in a value of the argument, before the call runs."""
        if isinstance(value, torch.Tensor):
            # The operators read strided memory alone.
            several = value.layout is torch.strided and value.numel() > 1
            self.is_tensor, self.has_elements = True, self.has_elements or several
        if is_plain(value) and not any(same(value, other) for other in self.values):
            self.values.append(value)


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
        self._real: dict[int, str] = {}

    def run(self) -> Noticing:
        """Run each operator on each argument until the claim notices."""
        noticed: dict[str, list[str]] = defaultdict(list)
        missed: dict[str, list[str]] = defaultdict(list)
        for slot in (slot for target in self._targets for slot in self._slots(target)):
            for operator in self._chosen:
                notices = self._notices(operator, slot)
                if notices:
                    noticed[operator.name].append(str(slot))
                elif notices is False and self._is_about(slot):
                    missed[operator.name].append(str(slot))
        return Noticing(
            {name: tuple(dict.fromkeys(slots)) for name, slots in noticed.items()},
            {name: tuple(dict.fromkeys(slots)) for name, slots in missed.items()},
        )

    def _slots(self, target: Target) -> Iterator[_Slot]:
        """Run the real torch on each example, and yield the arguments with which it calls a target."""
        slots: dict[str, _Slot] = {}
        for number, example in enumerate(self._examples):

            def behaviour(call: Call, number: int = number) -> Any:
                arguments = arguments_of(call.function, call.args, call.kwargs) if call.kind == "call" else []
                wanted = [item for item in arguments if target.is_subject or item.name in self._words - _COMMON]
                acting = []
                for argument in wanted:
                    slot = slots.setdefault(argument.name, _Slot(target, argument.name))
                    slot.add(argument.value)
                    first = argument.value if slot.first is MISSING else slot.first
                    changes = ((item.name, item.change) for item in self._chosen if item.change is not None)
                    acting += [slot.acting[name] for name, change in changes if change(argument, arguments, first)]
                result = call.run()
                for argument in wanted:
                    if slots[argument.name].first is MISSING:
                        slots[argument.name].first = argument.value
                for numbers in acting:
                    if number not in numbers:
                        numbers.append(number)
                return result

            recording = Operator("records", "", frozenset(), behaviour)
            self._attempts.tried(self._case.plan, Mutant(recording, target, "every"), example)
        yield from slots.values()

    def _notices(self, operator: Operator, slot: _Slot) -> Optional[bool]:
        """Return whether a claim notices; None where the mutant is the real torch on all examples."""
        change = operator.change
        assert change is not None

        def behaviour(call: Call) -> Any:
            arguments = arguments_of(call.function, call.args, call.kwargs) if call.kind == "call" else []
            for argument in arguments:
                if argument.name == slot.parameter:
                    instead = change(argument, arguments, slot.first)
                    return call.run() if instead is None else instead(call)
            return call.run()

        mutant = Mutant(replace(operator, behaviour=behaviour), slot.target, str(slot))
        differs = bool(operator.needs_several) and self._has_one_value(slot, operator)
        for number in slot.acting[operator.name][:_TRIED]:
            example = self._examples[number]
            trial = self._attempts.tried(self._case.plan, mutant, example)
            if trial is None:
                continue
            if trial.status in ("failed", "invalid") or self._case.false_parts(trial):
                return True
            if number not in self._real:
                self._real[number] = self._visible(self._attempts.trial(self._case.plan, example))
            differs = differs or self._visible(trial) != self._real[number]
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

    def _visible(self, trial: Trial) -> str:
        """Return what can be seen of the inputs and of what the program assigned."""
        names = [*(name for name, _ in self._claim.given), *self._case.plan.program.assigned]
        values = [(name, trial.namespace[name]) for name in names if name in trial.namespace]
        digests = [(name, digest(value)) for name, value in values if not _is_of_the_run(value)]
        return repr((digests, digest(trial.error), trial.warned))


def _is_of_the_run(value: Any) -> bool:
    """Return whether a value is a function, or an address: another one in each run."""
    return (isinstance(value, int) and value > _LARGEST) or (callable(value) and not isinstance(value, torch.nn.Module))
