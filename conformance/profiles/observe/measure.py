"""One call on all its examples, and what explains them."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Optional

import torch

from conformance.inputs.given import build_all
from conformance.inputs.recipes import Unbuildable
from conformance.profiles.calls import Call, given_texts
from conformance.profiles.model import ASPECTS, PRINTING, RETURNS, USUAL, MeasuredCall, Outcome, Profile, Row, Rule
from conformance.profiles.observe.examples import Sample, sample
from conformance.profiles.observe.observation import Observation, Run, every_warning, observe
from conformance.profiles.observe.printing import printed
from conformance.profiles.observe.program import Program, program
from conformance.profiles.rules import explain, table
from conformance.results.model import Signal
from conformance.worker.torch_state import TorchState

#: Called with the recipes of each example before it is tried.
Begin = Callable[[int], None]
_MOST_BRANCHES_WITH_MESSAGES = 6
#: What may read memory that nothing has written; it is not even tried whether its result varies.
_UNWRITTEN = re.compile(r"empty|resize|Storage\(|Tensor\(\s*[\d*]|\bnew\(")
#: How large results are, in bytes, and how many of each size are filled before one is printed.
_USUAL_SIZES = (16, 24, 32, 48, 64, 96, 128, 256)
_FILLED = 2
#: How many objects are made before results are printed a second time.
_OCCUPIED = 16
#: Two bytes that make other numbers of every dtype.
_BYTES = (90, 0)
# What glibc's ``mallopt`` calls the byte with which it fills memory.
_PERTURB = -6
#: Many calls do the same.
_explained = lru_cache(2_000)(explain)


def measure(
    call: Call, deadly: Mapping[int, str] = MappingProxyType({}), begin: Begin = lambda number: None
) -> MeasuredCall:
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
    code = program(call.text)
    observations = observe_all(code.run, examples, deadly, begin)
    always, rules, tables = explain_all(observations, examples)
    values: tuple[Optional[str], ...] = ()
    varies = False
    if call.values and not deadly and not _UNWRITTEN.search(call.text):
        begin(PRINTING)
        values, varies = _print_results(code, examples.domain.printed)
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
    return MeasuredCall(profile, examples.domain)


def observe_all(
    run: Run, examples: Sample, deadly: Mapping[int, str] = MappingProxyType({}), begin: Begin = lambda number: None
) -> list[Observation]:
    """Observe a call on every example; the parameters are those of `measure`."""
    observations: list[Observation] = []
    certain = False
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
            if not certain and seen["global state", ""] != (USUAL["global state"],):
                # Torch imports parts of itself when they are first used: what that changes is no work of the call.
                seen = observe(run, build_all(recipes), state, caught)
                certain = True
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
            outcomes = tuple(seen.get((aspect, of)) for seen in observations)
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


def _explain(aspect: str, outcomes: tuple[Optional[Sequence[Outcome]], ...], examples: Sample) -> Optional[Rule]:
    """Return the smallest rule; of errors and warnings without their messages, where these make it long."""
    rule = _explained(examples.space, outcomes)
    if aspect not in ("error", "warning") or (rule is not None and len(rule.branches) <= _MOST_BRANCHES_WITH_MESSAGES):
        return rule
    classes = tuple(said and tuple(Signal(one.type) for one in said if isinstance(one, Signal)) for said in outcomes)
    return _explained(examples.space, classes) or rule


def _print_results(code: Program, examples: tuple[Mapping[str, str], ...]) -> tuple[tuple[Optional[str], ...], bool]:
    """Return the printed result of some examples, and whether any varies; then there is none.

    A result varies that is another one with another seed, or where fresh memory holds other bytes. Of a call without
    a result the inputs are printed as it left them.
    """
    first = _printed_results(code, examples, 0)
    if all(text is None for text in first):
        return (), False
    return (first, False) if _printed_results(code, examples, 1) == first else ((), True)


def _printed_results(code: Program, examples: tuple[Mapping[str, str], ...], seed: int) -> tuple[Optional[str], ...]:
    with every_warning():
        state = TorchState(seed)
        # With the second seed these lie where objects lay with the first one, so that an address is another one too.
        occupied = [(object(), torch.empty(0)) for _ in range(_OCCUPIED * seed)]
        printed_results = tuple(_printed_result(code, recipes, seed, state) for recipes in examples)
        del occupied
        return printed_results


def _printed_result(code: Program, recipes: Mapping[str, str], seed: int, state: TorchState) -> Optional[str]:
    state.prepare()
    try:
        inputs = build_all(dict(recipes))
        with fresh_memory(seed):
            result = code.run(inputs)
        return printed(result if code.has_result else tuple(inputs.values()))
    except BaseException:  # an error is seen as one among the examples
        return None
    finally:
        state.leaks()


@contextmanager
def fresh_memory(seed: int) -> Iterator[None]:
    """Give tensors that are made inside memory with other bytes for each of two seeds.

    The C library fills what it takes from its heap. It does not fill what was freed just now and lies ready, so such
    blocks are filled here; as their first bytes then hold an address, other blocks lie ready with the second seed.
    """
    _perturb(_BYTES[seed] ^ 0xFF)  # it fills with the complement
    blocks = [torch.empty(size, dtype=torch.uint8) for size in _USUAL_SIZES for _ in range(_FILLED)]
    for block in blocks:
        block.fill_(_BYTES[seed])
    del block, blocks[seed :: 1 + seed]  # all of them, or every second one
    try:
        yield
    finally:
        _perturb(0)


@cache
def _mallopt() -> Callable[[int, int], object]:
    try:
        return ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return lambda option, value: None


def _perturb(byte: int) -> None:
    _mallopt()(_PERTURB, byte)
