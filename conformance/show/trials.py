"""What calls of a name did on plain inputs, in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Optional

from conformance.base.release_spans import minor
from conformance.results.trials.model import Difference, Fact, Group, NameTrials, Trials
from conformance.results.wording import is_about_machine
from conformance.show.model import CallView, TriedView

_MEMORY = {
    "same object": "{0} itself",
    "view": "view of {0}",
    "shares storage": "shares memory with {0}",
    "own memory": "memory of its own",
}
_YES_OR_NO = {
    ("requires grad", "yes"): "requires grad",
    ("requires grad", "no"): "does not require grad",
    ("leaf", "yes"): "a leaf",
    ("leaf", "no"): "not a leaf",
}
_GRADIENT = {"flows": "the gradient flows to {0}", "does not flow": "no gradient flows to {0}"}
#: What a reader expects of a result, and is not said: a tensor, of the dtype of its input.
_EXPECTED = {("type", "Tensor"), ("dtype", "as x")}
#: What follows from something else that is said.
_FOLLOWS = {("leaf", "no"): ("requires grad", "yes"), ("leaf", "yes"): ("requires grad", "no")}
#: What few readers look at: where only this differs, an input is listed as nearly the same.
_MINOR = ("grad_fn", "strides", "shape", "bits")
_LAYOUTS = "transposed|sliced|offset|offset and sliced|expanded|channels-last|conjugate|negative"
_STATES = "no grad|requires grad|non-leaf|parameter|view of a leaf|detached|with .grad|inference tensor"
#: Kinds of inputs, by their names, which are listed as a whole where all are the same.
_KINDS = {
    "dtypes": re.compile(r"u?int\d+|b?float\d+\w*|complex\d+|bool"),
    "layouts": re.compile(_LAYOUTS),
    "sizes": re.compile(r"\(.*\)|\d-d|square"),
    "autograd states": re.compile(_STATES),
}
_FEWEST_OF_KIND = 3
#: So many calls that changed alike are named; one more than these is named too.
_MOST_CALLS = 3


def tried_view(trials: Optional[NameTrials]) -> Optional[TriedView]:
    """Return what was tried of a name in words; None where nothing was."""
    if trials is None:
        return None
    lacking = tuple(call for call in trials.wrong if is_about_machine(call.base.error))
    wrong = tuple((call.text, call.base.error) for call in trials.wrong if call not in lacking)
    return TriedView(trials.release, tuple(map(_call, trials.usual)), wrong, tuple(call.text for call in lacking))


def _call(trials: Trials) -> CallView:
    groups = differing(trials)
    nearly = [
        group for group in trials.other if group not in groups and all(fact.aspect in _MINOR for fact in group.facts)
    ]
    tried = [*trials.same, *(name for group in trials.other for name in group.inputs)]
    return CallView(
        trials.text,
        tuple(trials.given.items()),
        in_words(plain_facts(trials.base, "grad_fn")),
        tuple((_by_kind(group.inputs, tried), in_words(group.facts)) for group in groups),
        _by_kind(trials.same, tried),
        _by_kind([name for group in nearly for name in group.inputs], tried),
        tuple(dict.fromkeys(fact.aspect for group in nearly for fact in group.facts)),
    )


def differing(trials: Trials) -> list[Group]:
    """Return the inputs on which a call did something else that many readers look at."""
    return [
        group
        for group in trials.other
        if not is_about_machine(group.error) and not all(fact.aspect in _MINOR for fact in group.facts)
    ]


def plain_facts(group: Group, *also: str) -> list[Fact]:
    """Return the facts that many readers look at, and those of some other aspects."""
    return [fact for fact in group.facts if fact.aspect not in _MINOR or fact.aspect in also]


def _by_kind(names: Sequence[str], tried: Sequence[str]) -> tuple[str, ...]:
    """Return the names of inputs; where a whole kind of those that were tried is there, ``all 16 dtypes``."""
    left = list(names)
    whole = []
    for kind, pattern in _KINDS.items():
        members = [name for name in tried if pattern.fullmatch(name)]
        if len(members) >= _FEWEST_OF_KIND and {*members} <= {*left}:
            whole.append(f"all {len(members)} {kind}")
            left = [name for name in left if name not in members]
    return (*whole, *left)


def in_words(facts: Iterable[Fact]) -> str:
    """Return facts in one line, an error alone, and what few readers look at only where there is nothing else."""
    group = Group((), tuple(facts))
    if group.error:
        warned = [_words(fact) for fact in group.facts if fact.aspect == "warning"]
        return "; ".join([group.error, *warned])
    pairs = {(fact.aspect, fact.value) for fact in group.facts}
    said = [
        fact
        for fact in group.facts
        if (fact.aspect, fact.value) not in _EXPECTED and _FOLLOWS.get((fact.aspect, fact.value)) not in pairs
    ]
    return ", ".join(dict.fromkeys(map(_words, said or group.facts)))


def _words(fact: Fact) -> str:
    of = fact.input or "x"
    pair = fact.aspect, fact.value
    # What torch printed may have braces: it is no format.
    if fact.aspect == "memory":
        return _MEMORY[fact.value].format(of) if fact.value in _MEMORY else fact.value
    if fact.aspect == "gradient":
        return _GRADIENT[fact.value].format(of) if fact.value in _GRADIENT else f"the gradient of {of} {fact.value}"
    if pair in _YES_OR_NO:
        return _YES_OR_NO[pair]
    if fact.aspect == "warning":
        return f"warns {fact.value}"
    return f"{fact.aspect}{f' of {fact.input}' if fact.input else ''} {fact.value}"


def changes_of_calls(history: Iterable[Difference]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what changed on inputs that much code has, the newest first, and what else changed.

    Calls that changed in the same way with a release share a line.
    """
    calls: dict[tuple[bool, str, str, str], list[str]] = {}
    for difference in history:
        inputs = ", ".join(name for name in difference.inputs if name != "base")
        where = f" ({inputs})" if inputs and "base" not in difference.inputs else ""
        before, after = in_words(difference.before) or "as usual", in_words(difference.after) or "as usual"
        is_ordinary = difference.is_ordinary and not difference.is_wording
        key = (is_ordinary, minor(difference.new), where, f"{before} → {after}")
        calls.setdefault(key, []).append(difference.call)
    told: dict[bool, list[str]] = {True: [], False: []}
    for (is_ordinary, release, where, what), all_calls in calls.items():
        of = list(dict.fromkeys(all_calls))
        more = f" and {len(of) - _MOST_CALLS} more calls" if len(of) > _MOST_CALLS + 1 else ""
        shown = ", ".join(of[:_MOST_CALLS] if more else of)
        told[is_ordinary].append(f"{release} {shown}{more}{where}: {what}")
    return tuple(told[True]), tuple(told[False])
