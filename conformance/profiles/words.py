"""Rules in plain English: the one place where conditions, outcomes and changes are put into words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Optional

from conformance.profiles.compare import VALUE, Change, Difference
from conformance.profiles.model import RETURNS, USUAL, Branch, Condition, Domain, Profile, Rule

_VALUES: Mapping[str, Mapping[str, str]] = {
    "dtype": {
        "floating": "floating-point",
        "floating without float8": "floating-point (not float8)",
        "integral or bool": "integral or bool",
        "floating or complex": "floating-point or complex",
        "half precision": "float16 or bfloat16",
    },
    "layout": {
        "conj": "a conjugate view",
        "neg": "a negative view",
        "conjugate or negative": "a conjugate or negative view",
        "sliced": "sliced with a step",
        "offset": "at an offset in its storage",
        "channels_last": "channels-last",
    },
    "size": {
        "one": "1-d or more with one element",
        "one element": "of one element",
        "several elements": "of several elements",
    },
    "state": {
        "plain": "a tensor that never required grad",
        "leaf": "a leaf that requires grad, no Parameter",
        "nonleaf": "the result of an operation",
        "parameter": "a Parameter",
        "leaf_view": "a view of a leaf that requires grad",
        "detached": "detached",
        "requires grad": "one that requires grad",
        "leaf that requires grad": "a leaf that requires grad",
        "result of an operation": "the result of an operation that requires grad",
    },
}
_REQUIRES_GRAD = "requires grad"
#: What makes a message bold or coloured in a terminal, as some of torch's do.
_STYLE = re.compile(r"\x1b\[[\d;]*m")


def condition_in_words(condition: Condition) -> str:
    """Return a condition as a clause, such as "x is not expanded"."""
    name, axis = condition.input, condition.axis
    if axis == "state" and condition.values == (_REQUIRES_GRAD,):
        return f"{name} does not require grad" if condition.negated else f"{name} requires grad"
    known = _VALUES.get(axis, {})
    said = _either([known.get(value, value) for value in condition.values])
    return f"{name} {'is not' if condition.negated else 'is'} {said}"


def branch_in_words(branch: Branch) -> str:
    """Return the conditions of a branch as one clause."""
    return " and ".join(map(condition_in_words, branch.conditions))


def outcome_in_words(aspect: str, of: str, outcome: str, message: str = "") -> str:
    """Return an outcome of an aspect so that it can stand alone."""
    told = f": {_STYLE.sub('', message)}" if message else ""
    known = _OUTCOMES.get(aspect, {}).get(outcome)
    if known is not None:
        return known.format(of)
    return _OTHERS.get(aspect, f"{aspect}: {{1}}{{2}}").format(of, outcome, told)


_OUTCOMES: Mapping[str, Mapping[str, str]] = {
    "error": {RETURNS: "returns", "crash": "ends the process"},
    "warning": {USUAL["warning"]: "no warning"},
    "memory": {
        "view on record": "view of {0}, on record",
        "shares storage": "shares storage with {0}, no view on record",
        "independent": "independent of {0}",
        "itself": "{0} itself",
    },
    "autograd": {
        "follows the inputs": "non-leaf where an input requires grad, otherwise requires no grad",
        "requires no grad": "requires no grad",
        "leaf that requires grad": "leaf that requires grad",
        "non-leaf": "non-leaf",
    },
    "autograd afterwards": {
        "follows the inputs": "non-leaf where an input requires grad after the call, otherwise requires no grad",
        "requires no grad": "requires no grad",
        "leaf that requires grad": "leaf that requires grad",
        "non-leaf": "non-leaf",
    },
    "writes": {"unchanged": "{0} is not written"},
    "version": {"rises": "the version counter of {0} rises", "same": "the version counter of {0} stays"},
    "input autograd": {"unchanged": "{0} keeps its autograd state"},
    "gradient": {"reaches": "the gradient reaches {0}", "does not reach": "no gradient reaches {0}"},
    "global state": {"unchanged": "no global state changes"},
    "bits": {"none": "no conjugation or negation to be done", "conjugate": "conjugate bit", "negative": "negative bit"},
}
_OTHERS: Mapping[str, str] = {
    "error": "raises {1}{2}",
    "warning": "warns {1}{2}",
    "type": "gives {1}",
    "memory": "{1}",
    "writes": "{0} has other {1}",
    "input autograd": "{0} {1}",
    "autograd": "autograd state {1}",
    "autograd afterwards": "autograd state {1} after the call",
    "gradient": "backward to {0} {1}",
    "strides": "strides {1}",
    "global state": "changes {1}",
    "bits": "conjugate and negative bit {1}",
    "dtype": "dtype {1}",
    "device": "device {1}",
    "shape": "shape {1}",
    "grad_fn": "grad_fn {1}",
}


def finding_clauses(profile: Profile, aspect: str, of: str, rule: Optional[Rule]) -> list[str]:
    """Return what was seen of an aspect as clauses; where there is no rule, how often each outcome was seen."""
    said = "autograd afterwards" if aspect == "autograd" and _changes_autograd(profile) else aspect
    if rule is None:
        rows = profile.tables.get(aspect, {}).get(of, ())
        return [f"{outcome_in_words(said, of, row.outcome, row.message)} ({row.examples})" for row in rows]
    return rule_clauses(said, of, rule)


def _changes_autograd(profile: Profile) -> bool:
    """Return whether a call changes the autograd state of an input: its result is compared with what is left then."""
    return any("input autograd" in findings for findings in (profile.always, profile.rules, profile.tables))


def rule_clauses(aspect: str, of: str, rule: Rule) -> list[str]:
    """Return a rule as clauses: the usual outcome, then each exception."""
    usual = outcome_in_words(aspect, of, rule.otherwise, rule.message)
    exceptions = [
        f"where {branch_in_words(branch)}: {outcome_in_words(aspect, of, branch.then, branch.message)}"
        for branch in rule.branches
    ]
    return [usual, *exceptions]


def change_in_words(change: Change) -> list[str]:
    """Return a sentence for each difference of a change."""
    return [
        f"{_where(difference)}{_before(change, difference)} → {_after(change, difference)}"
        for difference in change.differences
    ]


def news_in_words(change: Change, difference: Difference) -> str:
    """Return one clause on a difference: what happens since, where, and what did before."""
    aspect, before = change.aspect, difference.before.outcome
    told = f"{_before(change, difference)} → {_after(change, difference)}"
    if aspect == "error" and before == RETURNS:
        told = _after(change, difference)
    elif aspect == "error" and difference.after.outcome == RETURNS:
        told = f"no longer {_before(change, difference)}"
    elif aspect == "warning" and before == USUAL["warning"]:
        told = _after(change, difference)
    elif aspect == "warning" and difference.after.outcome == USUAL["warning"]:
        told = f"no longer {_before(change, difference)}"
    elif aspect == VALUE:
        told = f"value {before} → {difference.after.outcome}"
        told += (
            f" for {', '.join(f'{name} = {recipe}' for name, recipe in difference.example.items())}"
            if difference.example
            else ""
        )
    return _where(difference) + told


def _before(change: Change, difference: Difference) -> str:
    return outcome_in_words(change.aspect, change.of, difference.before.outcome, difference.before.message)


def _after(change: Change, difference: Difference) -> str:
    return outcome_in_words(change.aspect, change.of, difference.after.outcome, difference.after.message)


def _where(difference: Difference) -> str:
    where = " or ".join(map(branch_in_words, difference.where))
    unless = " or ".join(map(branch_in_words, difference.unless))
    if where or unless:
        return f"where {where}: " if where else f"unless {unless}: "
    # A printed result is that of an example.
    return "for some inputs: " if difference.reach != "everywhere" and not difference.example else ""


def profile_in_words(profile: Profile, domain: Optional[Domain]) -> list[str]:
    """Return a whole profile as lines of text; what is usual is left out."""
    tried = f"{profile.returned} of {domain.examples} examples return" if domain is not None else "not measured"
    given = ", ".join(f"{name}: {text}" for name, text in profile.given.items())
    lines = [f"{profile.subject}: {profile.call}", f"    {profile.failed or tried}{', ' + given if given else ''}"]
    for aspect, of, rule in profile.findings():
        lines.append(f"    {'; '.join(finding_clauses(profile, aspect, of, rule))}")
    if profile.varies:
        lines.append("    the value varies")
    for recipes, text in zip(domain.printed if domain is not None else (), profile.values):
        if text is not None:
            inputs = ", ".join(f"{name} = {recipe}" for name, recipe in recipes.items())
            lines.append(f"    value {text}{' for ' + inputs if inputs else ''}")
    return lines


def _either(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"
