"""What a claim expects: that there is something, that it fits together, and that it could fail."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Optional

from conformance.language.drafts import Draft
from conformance.language.expressions import BUILTINS, Code
from conformance.language.model import Expectation
from conformance.text import did_you_mean

_DOTTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+")


def _builtin_classes(base: type) -> frozenset[str]:
    return frozenset(
        name
        for name in BUILTINS
        if isinstance(getattr(builtins, name), type) and issubclass(getattr(builtins, name), base)
    )


EXCEPTIONS = _builtin_classes(BaseException)
WARNINGS = _builtin_classes(Warning)

# Methods that answer yes or no; without their parentheses they are true of every tensor. Not those that are
# attributes of a dtype as well, such as is_complex.
_PREDICATES = {
    "allclose",
    "all",
    "any",
    "equal",
    "is_coalesced",
    "is_conj",
    "is_contiguous",
    "is_inference",
    "is_neg",
    "is_nonzero",
    "is_pinned",
    "is_same_size",
    "is_set_to",
    "is_shared",
}


def check_outcome(draft: Draft) -> None:
    """Check what a claim expects as a whole; each expression is for `check_programs`."""
    if draft.node.damaged:
        return
    entries = draft.entries
    if not any(name in entries for name in ("expect", "raises", "warns")):
        message = "a claim expects something: give `expect` (what is true afterwards), `raises` or `warns`"
        draft.report(None, "E501", message)
    for key in ("raises", "warns"):
        if getattr(draft.claim.expectation, key) is not None and "do" not in entries and "compare" not in entries:
            message = f"`{key}` is about the last statement of `do`, and there is no `do`; add the program"
            draft.report(entries[key], "E502", message)
    check_raises(draft, draft.claim.expectation)
    if draft.claim.unspecified:
        for key in ("raises", "warns", "diverges"):
            if key in entries:
                message = f"`guarantee: unspecified` only records what `expect` says; it goes without `{key}`"
                draft.report_key(key, "E503", message)


def check_raises(draft: Draft, expectation: Expectation) -> None:
    """Check ``raises`` and ``warns`` by themselves."""
    for raises, known, what in (
        (expectation.raises, EXCEPTIONS, "an exception"),
        (expectation.warns, WARNINGS, "a warning"),
    ):
        if raises is None:
            continue
        name = raises.type
        if name is not None and name not in known and not _DOTTED.fullmatch(name):
            in_full = "; one that is not built in is written in full, such as torch.cuda.OutOfMemoryError"
            advice = did_you_mean(name, known) or in_full
            draft.report(draft.value(raises, "type"), "E505", f"'{name}' is not {what} class{advice}")
        wanted = raises.promised
        if wanted in ("type", "message") and getattr(raises, wanted) is None:
            message = f"`promised: {wanted}`, and no {wanted} is given; add it, or promise less"
            draft.report(draft.value(raises, "promised"), "E506", message)


def cannot_fail(code: Code) -> Optional[str]:
    """Why an expression can't be false, or None where it can (as far as its form tells)."""
    tree = code.tree
    return _always_true(tree.body) if isinstance(tree, ast.Expression) else None


def _always_true(node: ast.expr) -> Optional[str]:
    if isinstance(node, ast.Constant):
        return f"it is the constant {node.value!r}"[:60]
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)) and node.elts:
        return "a display of several values is always true; make them entries of the list, or join them with `and`"
    if isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return "a function or generator is always true; call it, or use all(...)"
    if isinstance(node, ast.JoinedStr):
        return "it is text, which is true unless empty"
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return next(
            (f"one side of its `or` is always true: {why}" for why in map(_always_true, node.values) if why), None
        ) or (_opposites(node))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compares_with_itself(node)
    if isinstance(node, ast.Attribute) and node.attr in _PREDICATES:
        return f"'{node.attr}' without parentheses is a method, which is always true; call it"
    return None


def _opposites(node: ast.BoolOp) -> Optional[str]:
    dumped = {ast.dump(value) for value in node.values}
    for value in node.values:
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) and ast.dump(value.operand) in dumped:
            return "it says that something is true or is not"
    return None


def _compares_with_itself(node: ast.Compare) -> Optional[str]:
    left, right = node.left, node.comparators[0]
    if type(left) is not type(right) or not isinstance(node.ops[0], (ast.Is, ast.Eq, ast.LtE, ast.GtE)):
        return None
    # A call may give a new value each time, and then comparing it with itself says something.
    simple = not any(isinstance(part, (ast.Call, ast.Attribute, ast.Subscript)) for part in ast.walk(left))
    if simple and ast.dump(left) == ast.dump(right):
        return "it compares a name with itself"
    return None
