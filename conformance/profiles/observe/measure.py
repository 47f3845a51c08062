"""One call on all its examples, and what explains them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Optional

import numpy as np
import torch

from conformance.inputs.given import build_all
from conformance.inputs.recipes import Unbuildable
from conformance.profiles.calls import Call, given_texts
from conformance.profiles.model import ASPECTS, PRINTING, RETURNS, USUAL, Measured, Outcome, Profile, Row, Rule
from conformance.profiles.observe.examples import Sample, sample
from conformance.profiles.observe.observation import Observation, Run, every_warning, observe
from conformance.profiles.observe.printing import printed
from conformance.profiles.observe.program import program
from conformance.profiles.rules import explain, table
from conformance.results.model import Signal
from conformance.worker.generators import seed_generators
from conformance.worker.torch_state import TorchState

#: Called with the recipes of each example before it is tried.
Begin = Callable[[int], None]
_MOST_BRANCHES_WITH_MESSAGES = 6
# What glibc's ``mallopt`` calls the byte with which it fills memory that it hands out.
_PERTURB = -6
_BYTES = (165, 90)


def measure(
    call: Call, deadly: Mapping[int, str] = MappingProxyType({}), begin: Begin = lambda number: None
) -> Measured:
    """Return what a call does on every example.

    Parameters
    ----------
    deadly
        How the process ended on earlier tries, by the number of the example; these are not tried again, and then no
        result is printed.
    begin
        Called with the number of each example before it is tried.
    """
    given = tuple(given_texts(call).items())
    examples = sample(given)
    run = program(call.text).run
    observations = observe_all(run, examples, deadly, begin)
    always, rules, tables = explain_all(observations, examples)
    values: tuple[Optional[str], ...] = ()
    varies = False
    if call.values and not deadly:
        begin(PRINTING)
        values, varies = _print_results(run, examples.domain.printed)
    profile = Profile(
        subject=call.subject,
        call=call.text,
        given=dict(given),
        returned=sum(seen.get(("error", "")) == (Signal(RETURNS),) for seen in observations),
        always=always,
        rules=rules,
        tables=tables,
        values=values,
        varies=varies,
    )
    return Measured(profile, examples.domain)


def observe_all(
    run: Run, examples: Sample, deadly: Mapping[int, str] = MappingProxyType({}), begin: Begin = lambda number: None
) -> list[Observation]:
    """Observe a call on every example; the parameters are those of `measure`."""
    observations: list[Observation] = []
    seed_generators()
    with every_warning() as caught:
        state = TorchState()
        for number, recipes in enumerate(examples.recipes):
            if number in deadly:
                observations.append({("error", ""): (Signal("crash", deadly[number]),)})
                continue
            begin(number)
            try:
                inputs = build_all(recipes)
            except Unbuildable:  # an earlier example left something that can't be put back
                observations.append({})
                continue
            seen = observe(run, inputs, state, caught)
            if seen["global state", ""] != (USUAL["global state"],):
                # Torch imports parts of itself when they are first used: what that changes is no work of the call.
                seen = observe(run, build_all(recipes), state, caught)
            observations.append(seen)
    return observations


def explain_all(
    observations: list[Observation], examples: Sample
) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, Rule]], dict[str, dict[str, tuple[Row, ...]]]]:
    """Return the aspects that are always the same, those with a rule, and those without."""
    always: dict[str, dict[str, str]] = {}
    rules: dict[str, dict[str, Rule]] = {}
    tables: dict[str, dict[str, tuple[Row, ...]]] = {}
    for aspect, of_inputs in ASPECTS.items():
        for of in examples.domain.given if of_inputs else ("",):
            outcomes = [seen.get((aspect, of)) for seen in observations]
            if all(outcome is None for outcome in outcomes):
                continue
            rule = _explain(aspect, outcomes, examples)
            if rule is None:
                tables.setdefault(aspect, {})[of] = table(outcomes)
            elif rule.branches or rule.message or rule.also:
                rules.setdefault(aspect, {})[of] = rule
            elif rule.otherwise != USUAL.get(aspect):
                always.setdefault(aspect, {})[of] = rule.otherwise
    return always, rules, tables


def _explain(aspect: str, outcomes: list[Optional[Sequence[Outcome]]], examples: Sample) -> Optional[Rule]:
    """Return the smallest rule; of errors and warnings without their messages, where these make it long."""
    rule = explain(examples.space, outcomes)
    if aspect not in ("error", "warning") or (rule is not None and len(rule.branches) <= _MOST_BRANCHES_WITH_MESSAGES):
        return rule
    classes = [said and [Signal(one.type) for one in said if isinstance(one, Signal)] for said in outcomes]
    return explain(examples.space, classes) or rule


def _print_results(run: Run, examples: tuple[Mapping[str, str], ...]) -> tuple[tuple[Optional[str], ...], bool]:
    """Return the printed result of some examples, and whether any varies; then there is none.

    A result varies that is another one with another seed, or where fresh memory holds other bytes. Of a call without
    a result the inputs are printed as it left them.
    """
    first, second = ([_printed_result(run, recipes, seed) for recipes in examples] for seed in (0, 1))
    _fill_fresh_memory(0)
    if first != second:
        return (), True
    return (() if all(text is None for text in first) else tuple(first)), False


def _printed_result(run: Run, recipes: Mapping[str, str], seed: int) -> Optional[str]:
    seed_generators()
    with every_warning():
        state = TorchState()
        try:
            inputs = build_all(dict(recipes))
            torch.manual_seed(seed)
            np.random.seed(seed)
            _fill_fresh_memory(seed)
            result = run(inputs)
            return printed(tuple(inputs.values()) if result is None else result)
        except BaseException:  # an error is seen as one among the examples
            return None
        finally:
            state.leaks()


def _fill_fresh_memory(seed: int) -> None:
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(_PERTURB, _BYTES[seed])
