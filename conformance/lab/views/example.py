"""An example to copy: what a call does on a plain input, and on one where it does something else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Optional

from conformance.base.text import bounded
from conformance.results.trials.model import ORDINARY, Group, NameTrials, Trials
from conformance.show.trials import differing, in_words, plain_facts

_LONGEST_COMMENT = 90
_MODULES = ("copy", "gc", "io", "math", "operator", "os", "pickle", "tempfile")
#: Inputs that take no gradient, or whose expression says whether they do.
_AS_MADE = re.compile(
    r"u?int\d+|bool|float[48]\w*|(y )?(no grad|requires grad)|(non-|view of a )(leaf)|parameter|detached|with .grad"
    r"|inference tensor|array .*"
)


def example_of(tried: NameTrials, expressions: Mapping[str, str]) -> str:
    """Return a script that can be pasted: the first call of a name on its base input, then on one that differs.

    Parameters
    ----------
    expressions
        How each input is made of the base input, by its name.
    """
    call = next(iter(tried))
    group = _exception(call, expressions)
    text = "\n".join([*_usual(call), *(["", *_other(call, group, expressions)] if group else [])])
    imports = ["import torch"] + [f"import {name}" for name in _MODULES if re.search(rf"\b{name}\.", text)]
    imports += ["import numpy as np"] if re.search(r"\bnp\.", text) else []
    return "\n".join([*sorted(imports), "", text, ""])


def _exception(call: Trials, expressions: Mapping[str, str]) -> Optional[Group]:
    """Return the inputs that are the exception: if possible other memory, and inputs that much code has."""
    groups = [
        Group(tuple(sorted(known, key=lambda name: name not in ORDINARY)), group.facts)
        for group in differing(call)
        if (known := [name for name in group.inputs if name in expressions])
    ]
    return min(
        groups,
        key=lambda it: (not any(fact.aspect == "memory" for fact in it.facts), ORDINARY.isdisjoint(it.inputs)),
        default=None,
    )


def _usual(call: Trials) -> Iterator[str]:
    yield from (f"{name} = {text}" for name, text in call.given.items())
    yield from filter(None, call.setup.split("; "))
    yield f"{call.call}  # {_comment(call.base) or 'returns None'}"


def _other(call: Trials, group: Group, expressions: Mapping[str, str]) -> Iterator[str]:
    name = group.inputs[0]
    expression, comment = expressions[name], f"  # {name}: {_comment(group)}"
    setup = list(filter(None, call.setup.split("; ")))
    if name.endswith("()"):
        yield from setup
        yield f"with {expression}:"
        yield f"    {call.call}{comment}"
        return
    changed = "y" if name.startswith("y ") else "a" if name.startswith("array ") else "x"
    for input, text in call.given.items():
        yield f"{input} = {text}"
        if input == changed:
            wants_grad = "requires_grad" in text and not _AS_MADE.fullmatch(name)
            yield from [f"{input} = {input}.detach()"] if input != "a" and "requires_grad" in text else []
            yield f"{input} = {expression}"
            yield from [f"{input}.requires_grad_()"] if wants_grad else []
    yield from setup
    yield f"{call.call}{comment}"


def _comment(group: Group) -> str:
    return bounded(in_words(plain_facts(group)), _LONGEST_COMMENT)
