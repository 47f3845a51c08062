"""What a claim promises of the calls in its program, read from its expectations without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

from conformance.language.model import Claim
from conformance.profiles.compare import still_caught
from conformance.profiles.model import RETURNS

_SHARED = frozenset(("itself", "view on record", "shares storage"))
_MEMORY = _SHARED | {"independent"}
#: For a check of a result and an input: the outcomes of ``memory`` where it is true, and those where it may be false.
_CHECKS = {
    "same_object": (frozenset(("itself",)), _MEMORY - {"itself"}),
    "shares_storage": (_SHARED, frozenset(("independent",))),
    "sees_writes": (_SHARED, _MEMORY),
    "independent": (frozenset(("independent",)), _SHARED),
    "is_view_of": (frozenset(("view on record", "itself")), _MEMORY - {"view on record"}),
}
_WITH_GRAD = frozenset(("leaf that requires grad", "non-leaf"))
_LEAVES = frozenset(("requires no grad", "leaf that requires grad"))
_AUTOGRAD = _WITH_GRAD | _LEAVES | {"non-leaf that requires no grad"}
#: For an attribute of the result: the outcomes of ``autograd`` where it is true.
_ATTRIBUTES = {"requires_grad": _WITH_GRAD, "is_leaf": _LEAVES}
#: What may change a tensor, or what follows does not tell: then nothing is said of what was made before.
_CHANGES = re.compile(r"\w_\(|backward|\.data\b|\.set_|requires_grad|__i\w+__|out=|\.grad\b|del ")
_SIMPLE = (ast.Assign, ast.Expr, ast.Import, ast.ImportFrom)
_TENSORS = frozenset(("tensor", "tensor_like", "broadcastable_with"))


@dataclass(frozen=True)
class Promise:
    """What a claim says of an aspect.

    Attributes
    ----------
    aspect, of
        The aspect, and the input that it is about, by its place among the inputs of the call; None for the result.
    admitted
        What may be said of it: one of these. Of an error a class, or nothing for any error.
    text
        The expectation.
    """

    aspect: str
    of: Optional[int]
    admitted: frozenset[str]
    text: str

    def fits(self, said: frozenset[str]) -> bool:
        """Return whether what is seen is what is promised."""
        if self.aspect != "error" or RETURNS in self.admitted:
            return bool(self.admitted & said)
        return RETURNS not in said and all(still_caught(error, one) for error in self.admitted for one in said)


@dataclass(frozen=True)
class Called:
    """A call, whatever its inputs are named.

    Attributes
    ----------
    text
        The call, with each input named by its place.
    kinds
        What each input is: a tensor, or what exactly.
    """

    text: str
    kinds: tuple[str, ...]


def called(text: str, given: Mapping[str, str]) -> Optional[tuple[Called, tuple[str, ...]]]:
    """Return a call apart from the names of its inputs, and these names; None for what is no expression."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return None
    names = tuple(dict.fromkeys(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in given))
    places = {name: f"_{place}" for place, name in enumerate(names)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = places.get(node.id, node.id)
    return Called(ast.unparse(tree), tuple(_kind(given[name]) for name in names)), names


def _kind(text: str) -> str:
    name = text.strip().partition("(")[0]
    return "tensor" if name in _TENSORS else text.strip()


@dataclass(frozen=True)
class Spoken:
    """What a claim promises of one call: the call, the names that the claim has for its inputs, and each promise."""

    call: Called
    names: tuple[str, ...]
    promises: tuple[Promise, ...]


@lru_cache(10_000)
def spoken_of(claim: Claim) -> tuple[Spoken, ...]:
    """Return each call that a claim makes on inputs as they are given, with what is promised of it."""
    return tuple(_spoken_of(claim))


def _spoken_of(claim: Claim) -> Iterator[Spoken]:
    if claim.do is None:
        return
    given = {name: fragment.text for name, fragment in claim.given}
    body = ast.parse(claim.do.text.strip()).body
    simple = [isinstance(one, _SIMPLE) and not _CHANGES.search(ast.unparse(one)) for one in body]
    for number, statement in enumerate(body):
        if not all(simple[:number]):
            return
        text, result = _parts(statement)
        found = called(text, given) if text is not None else None
        if found is None:
            continue
        call, names = found
        rebound = {name for one in body[:number] for name in _assigned(one)}
        if rebound & {*names, *_names(text or "")}:
            continue
        later = [name for one in body[number + 1 :] for name in _assigned(one)]
        told_after = all(simple[number + 1 :]) and result not in later
        promises = tuple(_promises(claim, names, result if told_after else None, alone=len(body) == 1))
        if promises:
            yield Spoken(call, names, promises)


def _parts(statement: ast.stmt) -> tuple[Optional[str], str]:
    """Return the expression of a statement, and the name that it gives to the result."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return ast.unparse(statement.value), statement.targets[0].id
    return (ast.unparse(statement.value), "") if isinstance(statement, ast.Expr) else (None, "")


def _assigned(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


def _promises(claim: Claim, names: Sequence[str], result: Optional[str], alone: bool) -> Iterator[Promise]:
    expected = claim.expectation
    if expected.raises is None and not expected.crashes:
        yield Promise("error", None, frozenset((RETURNS,)), "returns")
    elif expected.raises is not None and alone:
        error = expected.raises.type
        yield Promise("error", None, frozenset((error,) if error else ()), f"raises {error or 'an error'}")
    if expected.warns is not None and alone and expected.warns.type is not None:
        yield Promise("warning", None, frozenset((expected.warns.type,)), f"warns {expected.warns.type}")
    if result:
        for fragment in expected.expect:
            found = _of_expectation(ast.parse(fragment.text.strip(), mode="eval").body, names, result)
            if found is not None:
                yield Promise(*found, fragment.text)


_Said = Optional[tuple[str, Optional[int], frozenset[str]]]


def _of_expectation(tree: ast.expr, names: Sequence[str], result: str) -> _Said:
    """Return the aspect that an expectation is about, the place of the input, and the outcomes that it admits."""
    negated = isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)
    tree = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    if isinstance(tree, ast.Compare) and len(tree.ops) == 1:
        return _of_comparison(tree, names, result)
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
        return _of_check(tree.func.id, [ast.unparse(item) for item in tree.args], names, result, negated)
    if ast.unparse(tree) == f"{result}.{getattr(tree, 'attr', '')}" and isinstance(tree, ast.Attribute):
        admitted = _ATTRIBUTES.get(tree.attr)
        if admitted is not None:
            return "autograd", None, _AUTOGRAD - admitted if negated else admitted
    return None


def _of_check(name: str, items: Sequence[str], names: Sequence[str], result: str, negated: bool) -> _Said:
    others = [item for item in items if item != result]
    if len(items) != 2 or len(others) != 1 or others[0] not in names:
        return None
    if name in _CHECKS:
        return "memory", names.index(others[0]), _CHECKS[name][negated]
    if name == "reaches" and items[0] == result:
        return "gradient", names.index(others[0]), frozenset(("does not reach",) if negated else ("reaches",))
    return None


def _of_comparison(tree: ast.Compare, names: Sequence[str], result: str) -> _Said:
    left, right, operator = ast.unparse(tree.left), ast.unparse(tree.comparators[0]), tree.ops[0]
    same = isinstance(operator, (ast.Eq, ast.Is))
    if not same and not isinstance(operator, (ast.NotEq, ast.IsNot)):
        return None
    if left in (f"grad_fn({result})", f"{result}.grad_fn") and right == "None":
        return "autograd", None, _LEAVES if same else _AUTOGRAD - _LEAVES
    attribute = left[len(result) + 1 :] if left.startswith(f"{result}.") else ""
    if attribute in _ATTRIBUTES and right in ("True", "False"):
        admitted = _ATTRIBUTES[attribute]
        return "autograd", None, admitted if same == (right == "True") else _AUTOGRAD - admitted
    if attribute not in ("dtype", "shape") or not same:
        return None
    owner, _, other = right.rpartition(".")
    if owner in names and other == attribute:
        return attribute, None, frozenset((f"as _{names.index(owner)}",))
    if attribute == "dtype" and right == "torch.get_default_dtype()":
        return attribute, None, frozenset(("default dtype",))
    return (attribute, None, frozenset((other,))) if attribute == "dtype" and owner == "torch" else None
