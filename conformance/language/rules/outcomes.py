"""What a claim expects: that there is something, that it fits together, and that it could fail."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Optional

from conformance.language.documents import did_you_mean
from conformance.language.drafts import ClaimDraft, ExpectationDraft, RaisesDraft
from conformance.language.expressions import BUILTINS, Code
from conformance.language.model import Place
from conformance.language.problems import Problems
from conformance.language.rules.context import report

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


def check_outcome(draft: ClaimDraft, problems: Problems) -> None:
    """Check what a claim expects as a whole; each expression is for `check_programs`."""
    if draft.node.damaged:
        return
    expectation = draft.expectation
    entries = draft.node.entries
    given_any = any(name in entries for name in ("expect", "raises", "warns"))
    if not given_any:
        problems.add(
            draft.place,
            "E501",
            "a claim expects something: give `expect` (what is true afterwards), `raises` or `warns`",
        )
    for key, raises in (("raises", expectation.raises), ("warns", expectation.warns)):
        if raises is None:
            continue
        if "do" not in entries and "compare" not in entries:
            problems.add(
                raises.place,
                "E502",
                f"`{key}` is about the last statement of `do`, and there is no `do`; add the program",
            )
        check_raises(raises, key, problems)
    if draft.unspecified:
        for key in ("raises", "warns", "diverges"):
            if key in entries:
                problems.add(
                    draft.document.place(draft.node.keys[key]),
                    "E503",
                    f"`guarantee: unspecified` only records what `expect` says; it goes without `{key}`",
                )


def check_raises(raises: RaisesDraft, key: str, problems: Problems) -> None:
    """Check ``raises`` or ``warns`` by itself."""
    known = EXCEPTIONS if key == "raises" else WARNINGS
    what = "an exception" if key == "raises" else "a warning"
    if raises.type is not None:
        name = raises.type.text
        if name not in known and not _DOTTED.fullmatch(name):
            advice = (
                did_you_mean(name, known)
                or "; one that is not built in is written in full, such as torch.cuda.OutOfMemoryError"
            )
            report(raises.type, 0, "E505", f"'{name}' is not {what} class{advice}", problems)
    wanted = raises.promised if raises.promised in ("type", "message") else None
    if wanted is not None and getattr(raises, wanted) is None and raises.promised_node is not None:
        place = Place(raises.place.path, raises.promised_node.line, raises.promised_node.column)
        problems.add(place, "E506", f"`promised: {wanted}`, and no {wanted} is given; add it, or promise less")


def check_together(expectation: ExpectationDraft, place: Place, problems: Problems) -> None:
    """Check that what happens instead fits together."""
    if expectation.crashes and (expectation.expect or expectation.raises or expectation.warns):
        problems.add(place, "E107", "after a crash nothing else can be seen; keep `crashes` alone")


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
