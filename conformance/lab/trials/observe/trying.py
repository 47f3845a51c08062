"""One call on all its inputs: the base input, those that differ from it in one thing, and the modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import cache, partial
from types import MappingProxyType
from typing import Any, Optional

import numpy as np
import torch

from conformance.inputs.device import current_device
from conformance.inputs.recipes import Namespace
from conformance.lab.trials import inputs
from conformance.lab.trials.calls import Call
from conformance.lab.trials.inputs import CHANGES, FURTHER_SETS, MODE, SETS, Change
from conformance.lab.trials.observe.outcome import Observation, Warned, every_warning, observe
from conformance.lab.trials.observe.program import Program, make
from conformance.results.trials.model import BASE, USUAL, Fact
from conformance.results.trials.rows import UNTRIED, Row
from conformance.run.worker.docstrings import resolve
from conformance.run.worker.torch_state import TorchState

#: Called with the number of each trial before it is begun.
Begin = Callable[[int], None]
Given = Mapping[str, str]
_NO_MODE: Callable[[], Any] = nullcontext


def try_call(
    call: Call, deadly: Mapping[int, str] = MappingProxyType({}), begin: Begin = lambda number: None
) -> list[Row]:
    """Return what a call does: the base trial first, then groups of inputs on which it does something else.

    There is nothing to return where this torch lacks the name, or where the inputs of the call can't be made.

    Parameters
    ----------
    deadly
        How the process ended in earlier trials, by their number; these are not tried again.
    begin
        Called with the number of each trial before it is begun.
    """
    if not _exists(call.subject):
        return []
    with every_warning() as caught:
        trials = _Trials(call, deadly, begin, caught)
        tried = trials.base()
        if tried is None:
            return []
        given, base = tried
        row = Row((BASE,), _facts(base), tuple(given.items()), trials.sets(given) if _returns(base) else ())
        if not row.tried:
            return [row]
        untried: list[str] = []
        groups: dict[tuple[Fact, ...], list[str]] = {}
        for change in _buildable_changes():
            if change.set not in row.tried:
                continue
            observed = trials.changed(given, change)
            if observed is None:
                untried.append(change.name)
            elif different := _differences(base, observed):
                groups.setdefault(different, []).append(change.name)
        rows = [row, *(Row(tuple(names), facts) for facts, names in groups.items())]
        return [*rows, Row((UNTRIED, *untried))] if untried else rows


class Unmade(Exception):
    """An input can't be made."""


class _Trials:
    """The trials of one call, numbered as they are begun."""

    def __init__(self, call: Call, deadly: Mapping[int, str], begin: Begin, caught: Warned) -> None:
        self._call = call
        self._program = Program(call.setup, call.text)
        self._deadly = deadly
        self._begin = begin
        self._caught = caught
        self._state = TorchState(device=current_device())
        self._number = -1
        self._imported = False

    def base(self) -> Optional[tuple[Given, Observation]]:
        """Return the first base input on which the call returns, and what it does there; else the very first.

        None where its inputs can't be made, or its setup raises.
        """
        first: Optional[tuple[Given, Observation]] = None
        for given in self._candidates():
            observed = self._observe(partial(_made, given))
            if observed is not None:
                if _returns(observed):
                    return given, observed
                first = first or (given, observed)
        return first

    def sets(self, given: Given) -> tuple[str, ...]:
        """Return the sets of inputs that the call is tried on: of the plainest call of a name all that there are."""
        values = _made(given)
        sets = SETS if self._call.is_plainest else FURTHER_SETS
        kinds = {"x": torch.Tensor, "y": torch.Tensor, "a": np.ndarray}
        there = [name for name, kind in kinds.items() if isinstance(values.get(name), kind)]
        return (*(name for input in there for name in sets[input]), MODE) if there else ()

    def changed(self, given: Given, change: Change) -> Optional[Observation]:
        """Return what the call does on a changed input; None where that can't be made or the setup raises."""
        if change.set == MODE:
            return self._observe(lambda: _made(given), lambda: make(change.expression, {}))
        return self._observe(lambda: _made(given, change))

    def _candidates(self) -> Iterator[Given]:
        call = self._call
        others = {name: text for name, text in call.given.items() if name != "x"}
        if "y" in call.names and "y" not in others:
            others = {"y": inputs.OTHER, **others}
        if "a" in call.names and "a" not in others:
            others = {"a": inputs.ARRAY_BASE, **others}
        if "x" in call.given:
            for text in (inputs.REQUIRING_GRAD.format(call.given["x"]), call.given["x"]):
                yield {"x": text, **others}
        elif "x" in call.names or "y" in call.names:
            for text in inputs.BASES:
                yield {"x": text, **others}
        else:
            yield others

    def _observe(self, values: Callable[[], Namespace], mode: Callable[[], Any] = _NO_MODE) -> Optional[Observation]:
        """Return what the call does; None where its inputs can't be made."""
        self._number += 1
        if self._number in self._deadly:
            return {("error", ""): ("crash",), ("message", ""): (self._deadly[self._number],)}
        self._begin(self._number)
        try:
            observed = observe(self._program, values(), self._state, self._caught, mode)
            if not self._imported and observed and observed["global state", ""] != (USUAL["global state"],):
                # Torch imports parts of itself when they are first used: what that changes is no work of the call.
                self._imported = True
                observed = observe(self._program, values(), self._state, self._caught, mode)
        except Unmade:
            return None
        return observed


@cache
def _exists(name: str) -> bool:
    """Return whether this torch has a name; an operator that is called through another one, such as `+`, may be so."""
    try:
        resolve(name)
    except LookupError:
        return False
    return True


def _made(given: Given, change: Optional[Change] = None) -> Namespace:
    """Return the inputs; of the one that is changed, what the expression makes of it; `Unmade` where one can't be."""
    values: Namespace = {}
    for input, text in given.items():
        try:
            value = make(text, values)
            if change is not None and input == change.input:
                value = _changed(value, change)
        except Exception as error:
            raise Unmade from error
        values[input] = value
    return values


def _changed(base: Any, change: Change) -> Any:
    """Return the input that a change makes of a base input; it is no view, unless the change is of autograd."""
    if not isinstance(base, torch.Tensor):
        return make(change.expression, {change.input: base.copy()})
    made = make(change.expression, {change.input: base.detach().clone()})
    if change.is_of_autograd:
        return made
    made = made.detach()
    can_require_grad = made.dtype.is_floating_point or made.dtype.is_complex
    return made.requires_grad_() if base.requires_grad and can_require_grad else made


@cache
def _buildable_changes() -> tuple[Change, ...]:
    """Return the changes that this torch can make of a plain input."""
    plain: Namespace = {name: torch.ones(2, 3, device=current_device()) for name in ("x", "y")}
    plain["a"] = np.ones((2, 3), np.float32)
    found = []
    for change in CHANGES:
        try:
            make(change.expression, dict(plain))
        except Exception:
            continue
        found.append(change)
    return tuple(found)


def buildable_inputs() -> list[str]:
    """Return the names of the changes that this torch can make."""
    return [change.name for change in _buildable_changes()]


def _returns(observed: Observation) -> bool:
    return observed["error", ""] == ("",)


def _facts(observed: Observation) -> tuple[Fact, ...]:
    """Return the first of what can be said of each aspect, but not what is usual."""
    return tuple(
        Fact(aspect, of, said[0])
        for (aspect, of), said in observed.items()
        if said and said[0] and said[0] != _usual(aspect)
    )


def _differences(base: Observation, observed: Observation) -> tuple[Fact, ...]:
    """Return what is not as in the base trial; what could not be observed is no difference."""
    raised = not _returns(observed)
    facts = []
    for key, said in observed.items():
        if not said:
            continue
        usual = _usual(key[0])
        known = base.get(key) or (usual,)
        if raised and known[0] != usual and said[0] == usual:
            continue  # that a call that raised wrote nothing is no news
        if key[0] == "shape" and known[0].startswith("(") and said[0].startswith("("):
            continue  # two shapes that are no relation to the input's: of an input of another shape, no news
        if known[0] not in said:
            facts.append(Fact(*key, said[0] or "none"))
    return tuple(facts)


def _usual(aspect: str) -> str:
    """Return what is not recorded of an aspect: that a result is on the device under test, and the like."""
    return current_device() if aspect == "device" else USUAL.get(aspect, "")
