"""Claims and profiles that speak of the same aspect of the same call: a profile must not contradict a claim.

Only what can be told without running anything is compared: a claim whose program is the call itself, and that has no
recorded divergence and no condition on the environment. A claim may be about fewer inputs than the profile, so a
contradiction is an aspect of which the profile knows no outcome that the claim admits.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Optional

from conformance.language.model import Claim, Conditions
from conformance.profiles.model import RETURNS, Profile

_SHARED = frozenset(("itself", "view on record", "shares storage"))
_MEMORY = _SHARED | {"independent"}
#: For a check of a result and an input: the outcomes of ``memory`` where it is true, and those where it may be false.
_CHECKS = {
    "same_object": (frozenset(("itself",)), _MEMORY - {"itself"}),
    "shares_storage": (_SHARED, frozenset(("independent",))),
    "sees_writes": (_SHARED, _MEMORY),
    "is_view_of": (frozenset(("view on record", "itself")), _MEMORY - {"view on record"}),
}
_AUTOGRAD = frozenset(("requires no grad", "leaf that requires grad", "non-leaf", "non-leaf that requires no grad"))
#: For an attribute of the result: the outcomes of ``autograd`` where it is true.
_ATTRIBUTES = {
    "requires_grad": frozenset(("leaf that requires grad", "non-leaf")),
    "is_leaf": frozenset(("requires no grad", "leaf that requires grad")),
}


@dataclass(frozen=True)
class Contradiction:
    """An aspect of which a claim promises what no outcome of the profile fits."""

    claim: Claim
    profile: Profile
    aspect: str
    of: str
    promised: str
    seen: tuple[str, ...]


@dataclass(frozen=True)
class Promise:
    """What a claim says of an aspect: one of these outcomes."""

    aspect: str
    of: str
    admitted: frozenset[str]
    text: str


def compared(claims: Iterable[Claim], profiles: Iterable[Profile]) -> Iterator[tuple[Claim, Profile, Promise]]:
    """Yield what a claim and a profile both speak of."""
    calls: dict[str, list[Profile]] = {}
    for profile in profiles:
        calls.setdefault(_normal(profile.call) or profile.call, []).append(profile)
    for claim in claims:
        program = _program(claim)
        if program is None or claim.diverges or claim.unspecified or claim.applies != Conditions():
            continue
        call, result = program
        for profile in calls.get(call, ()):
            for promise in _promises(claim, result):
                rule = profile.rule(promise.aspect, promise.of)
                if rule is not None and (promise.aspect == "error" or promise.of in {"", *profile.given}):
                    yield claim, profile, promise


def contradictions(claims: Iterable[Claim], profiles: Iterable[Profile]) -> Iterator[Contradiction]:
    """Yield each aspect of which a profile knows no outcome that a claim admits."""
    for claim, profile, promise in compared(claims, profiles):
        rule = profile.rule(promise.aspect, promise.of)
        assert rule is not None
        # What is said in terms of the inputs may be anything.
        known = _MEMORY | _AUTOGRAD | {RETURNS} if promise.aspect != "error" else None
        said = [frozenset((rule.otherwise, *rule.also))]
        said += [frozenset((branch.then, *branch.also)) for branch in rule.branches]
        if not any(one & promise.admitted or (known is not None and one - known) for one in said):
            yield Contradiction(claim, profile, promise.aspect, promise.of, promise.text, rule.outcomes)


def _normal(text: str) -> Optional[str]:
    """Return an expression as Python writes it; None for anything else."""
    try:
        body = ast.parse(text.strip()).body
    except SyntaxError:
        return None
    return ast.unparse(body[0].value) if len(body) == 1 and isinstance(body[0], ast.Expr) else None


def _program(claim: Claim) -> Optional[tuple[str, str]]:
    """Return the call that a claim's program is, and the name that it gives to the result."""
    if claim.do is None:
        return None
    body = ast.parse(claim.do.text.strip()).body
    last = body[0] if len(body) == 1 else None
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return ast.unparse(last.value), last.targets[0].id
    return (ast.unparse(last.value), "") if isinstance(last, ast.Expr) else None


def _promises(claim: Claim, result: str) -> Iterator[Promise]:
    if claim.expectation.raises is None and not claim.expectation.crashes:
        yield Promise("error", "", frozenset((RETURNS,)), "returns")
    for fragment in claim.expectation.expect:
        tree = ast.parse(fragment.text.strip(), mode="eval").body
        negated = isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)
        tree = tree.operand if isinstance(tree, ast.UnaryOp) else tree
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in _CHECKS:
            names = [item.id for item in tree.args if isinstance(item, ast.Name)]
            others = [name for name in names if name != result]
            if len(names) == 2 and len(others) == 1:
                yield Promise("memory", others[0], _CHECKS[tree.func.id][negated], fragment.text)
        elif isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name) and tree.value.id == result:
            admitted = _ATTRIBUTES.get(tree.attr)
            if admitted is not None:
                yield Promise("autograd", "", _AUTOGRAD - admitted if negated else admitted, fragment.text)
