"""Which inputs of a claim have an influence on what its expectation looks at, found by varying each alone."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from torch.nn import Module

from conformance.checks import vocabulary
from conformance.inputs.given import Example
from conformance.inputs.recipes import Unbuildable
from conformance.lab.impostors.engine.observed import digest
from conformance.language.expressions import BUILTINS
from conformance.language.model import Claim
from conformance.language.rules.context import ALWAYS
from conformance.run.scripts.program import Plan
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.trial import Trial

#: Names that every program has.
_LANGUAGE = ALWAYS | BUILTINS | vocabulary().keys()
#: From how many examples each input is varied, how often at most, and how often before it is said to be idle.
_STARTS, _MOST, _ENOUGH = 8, 25, 3
#: How long one claim may take, in seconds of the processor.
_LONGEST = 10.0


class Influence(NamedTuple):
    """The inputs that change something that is looked at, and those that don't; of others nothing is known."""

    moving: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()


def influence(
    claim: Claim,
    plan: Plan,
    examples: Sequence[Example],
    trial_of: Callable[[Example], Trial],
    admits: Callable[[Example], bool],
) -> Influence:
    """Return which inputs change something that an expectation looks at.

    Where only an error or a warning is looked at, an input is idle if no statement connects it with the last one.

    Parameters
    ----------
    examples
        Examples on which the claim is true.
    trial_of
        Runs the program on an example.
    admits
        Whether the claim is about an example.
    """
    names = [name for name, _ in claim.given]
    if not plan.expressions:
        connected = _connected_with_the_last(claim)
        return Influence((), tuple(name for name in names if name not in connected))
    until = time.process_time() + _LONGEST
    starts = [(example, _looked_at(plan, trial_of(example))) for example in examples[:_STARTS]]
    moving, idle = [], []
    for name in names:
        same = 0
        for seen, other in _varied(name, starts, examples, admits):
            trial = trial_of(other)
            if trial.status not in ("satisfied", "failed"):
                continue
            if _looked_at(plan, trial) != seen:
                moving.append(name)
                break
            same += 1
            if same == _MOST or time.process_time() > until:
                break
        if name not in moving and same >= _ENOUGH:
            idle.append(name)
    return Influence(tuple(moving), tuple(idle))


def _varied(
    name: str,
    starts: Sequence[tuple[Example, object]],
    examples: Sequence[Example],
    admits: Callable[[Example], bool],
) -> Iterator[tuple[object, Example]]:
    """Yield examples that differ from one of the first in a single input, with what was looked at before."""
    for start, seen in starts:
        for recipe in dict.fromkeys(example.recipes[name] for example in examples):
            if recipe == start.recipes[name]:
                continue
            try:
                other = example_from_recipes({**start.recipes, name: recipe}, "cpu")
            except Unbuildable:
                continue
            if admits(other):
                yield seen, other


def _looked_at(plan: Plan, trial: Trial) -> str:
    """Return what an expectation can see of a trial: the values of its names, the error and the warnings."""
    names = {name for expression in plan.expressions for name in expression.names}
    values = {name: trial.namespace[name] for name in sorted(names & trial.namespace.keys() - _LANGUAGE)}
    seen = [(name, digest(value)) for name, value in values.items() if isinstance(value, Module) or not callable(value)]
    return repr((seen, digest(trial.error), trial.warned))


def _connected_with_the_last(claim: Claim) -> set[str]:
    """Return the names in the last statement of a program, and those that share a statement or an input with one."""
    tree = ast.parse(claim.do.text if claim.do else "")
    groups = [_names(statement) for statement in tree.body]
    groups += [{name, *_names(ast.parse(text.text.strip(), mode="eval"))} for name, text in claim.given]
    connected = groups[len(tree.body) - 1] if tree.body else set()
    while new := {name for group in groups if group & connected for name in group} - connected:
        connected |= new
    return connected


def _names(tree: ast.AST) -> set[str]:
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _LANGUAGE | defined
