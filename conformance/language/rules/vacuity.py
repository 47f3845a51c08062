"""What can be told of a piece of Python without running it: that it is always true, never true, or never reached."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional, Union

from conformance.language.expressions import Code

# Methods that answer yes or no; without their parentheses they are true of every tensor. Not those that are
# attributes of a dtype as well, such as is_complex.
_PREDICATES = frozenset(
    ["all", "allclose", "any", "equal", "is_coalesced", "is_conj", "is_contiguous", "is_inference", "is_neg"]
) | {"is_nonzero", "is_pinned", "is_same_size", "is_set_to", "is_shared"}
#: What counts something, and so is never negative.
_COUNTING_METHODS = frozenset(["numel", "nelement", "dim", "ndimension", "element_size", "storage_offset", "__len__"])
_COUNTING_ATTRIBUTES = frozenset(("ndim", "nbytes", "itemsize"))
#: Functions and methods that give the same answer each time. Not `item` or `tolist`: nan differs from itself.
_SAME_EACH_TIME = (
    _COUNTING_METHODS
    | {"len", "size", "stride", "str", "repr", "tuple", "list", "type", "id", "version"}
    | {"data_ptr", "is_contiguous", "is_conj", "is_neg", "get_device"}
)
#: Functions and methods of torch and NumPy that compare two things.
_COMPARING = frozenset(["equal", "allclose", "is_set_to", "is_same_size", "array_equal"])

# Programs that need not be parsed once more have none of these.
_ANOTHER_NAME = re.compile(r"^\w+ *=.*= *\w+ *$|^\w+ *= *\w+ *$", re.MULTILINE)
_BRANCHES = re.compile(r"^ *(if|elif|while|for)\b", re.MULTILINE)

#: For names that are another name for the same object, that one.
Aliases = Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """The truth of an expression that does not depend on its inputs, and why."""

    truth: bool
    why: str


def truth(node: ast.expr) -> Optional[Known]:
    """Return the truth of an expression that is the same whatever its names stand for, as far as its form tells."""
    if isinstance(node, ast.Constant):
        return Known(bool(node.value), f"it is the constant {node.value!r}"[:60])
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        several = "a display of several values is always true; make them entries of the list, or join them with `and`"
        return Known(True, several) if node.elts else Known(False, "it is an empty display")
    if isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return Known(True, "a function or generator is always true; call it, or use all(...)")
    if isinstance(node, ast.JoinedStr):
        return Known(True, "it is text, which is true unless empty")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        known = truth(node.operand)
        return Known(not known.truth, known.why) if known else None
    if isinstance(node, ast.BoolOp):
        return _joined(node)
    if isinstance(node, ast.IfExp):
        return _chosen(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _compared(node.left, node.ops[0], node.comparators[0])
    if isinstance(node, ast.Attribute) and node.attr in _PREDICATES:
        return Known(True, f"'{node.attr}' without parentheses is a method, which is always true; call it")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        return _called(node.func.id, node.args)
    return None


def _joined(node: ast.BoolOp) -> Optional[Known]:
    decisive = isinstance(node.op, ast.Or)  # `or` is true if one side is, `and` is false if one side is
    known = [truth(value) for value in node.values]
    for side in known:
        if side is not None and side.truth is decisive:
            word, always = ("or", "always") if decisive else ("and", "never")
            return Known(decisive, f"one side of its `{word}` is {always} true: {side.why}")
    dumped = {ast.dump(value) for value in node.values}
    for value in node.values:
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not) and ast.dump(value.operand) in dumped:
            return Known(decisive, f"it says that something is true {'or' if decisive else 'and'} is not")
    sides = [side for side in known if side is not None]
    return sides[0] if len(sides) == len(known) else None


def _chosen(node: ast.IfExp) -> Optional[Known]:
    test, yes, no = truth(node.test), truth(node.body), truth(node.orelse)
    if test is not None:
        return yes if test.truth else no
    return yes if yes is not None and no is not None and yes.truth == no.truth else None


def _compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Optional[Known]:
    if _counts(right):
        swapped = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}.get(type(operator))
        left, operator, right = right, swapped() if swapped else operator, left
    bound = _number(right)
    if bound is None or not _counts(left) or bound > 0:
        return None
    why = "what counts something is never negative"
    if isinstance(operator, ast.GtE) or (bound < 0 and isinstance(operator, (ast.Gt, ast.NotEq))):
        return Known(True, why)
    if isinstance(operator, ast.Lt) or (bound < 0 and isinstance(operator, (ast.LtE, ast.Eq))):
        return Known(False, why)
    return None


def _counts(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("len", "version")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _COUNTING_METHODS
    return isinstance(node, ast.Attribute) and node.attr in _COUNTING_ATTRIBUTES


def _number(node: ast.expr) -> Union[int, float, None]:
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    value = node.operand if isinstance(node, ast.UnaryOp) and negative else node
    if not isinstance(value, ast.Constant) or not isinstance(value.value, (int, float)):
        return None
    return -value.value if negative else value.value


def _called(name: str, arguments: list[ast.expr]) -> Optional[Known]:
    first = arguments[0]
    if name == "bool" and not isinstance(first, (ast.Compare, ast.Name)):
        return truth(first)
    if name in ("all", "any") and isinstance(first, (ast.GeneratorExp, ast.ListComp)):
        nothing = any(_is_nothing(loop.iter) for loop in first.generators)
        return Known(name == "all", "it goes through nothing") if nothing else None
    if name == "isinstance" and isinstance(arguments[-1], ast.Name) and arguments[-1].id == "object":
        return Known(True, "everything is an object")
    return None


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, (ast.Tuple, ast.List, ast.Set)) and not node.elts


def idle(code: Code) -> Optional[str]:
    """Return why an expectation, or a part of it that `and` joins, can't be false; None where it can."""
    tree = code.tree
    if not isinstance(tree, ast.Expression):
        return None
    known = [side for side in map(truth, _joined_by_and(tree.body)) if side is not None]
    return next((side.why for side in known if side.truth), None)


def never_true(code: Code) -> Optional[str]:
    """Return why a filter can't be true; None where it can."""
    known = truth(code.tree.body) if isinstance(code.tree, ast.Expression) else None
    return known.why if known is not None and not known.truth else None


def _joined_by_and(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        for value in node.values:
            yield from _joined_by_and(value)
    else:
        yield node


@lru_cache(maxsize=1024)
def aliases(program: str) -> Aliases:
    """Return the names of a program that are another name for the same object throughout, as ``y`` after ``y = x``."""
    found: dict[str, str] = {}
    if not _ANOTHER_NAME.search(program):
        return found
    tree = ast.parse(program)
    stored = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )
    for statement in tree.body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
            continue
        source = statement.value.id
        for target in statement.targets:
            if isinstance(target, ast.Name) and stored[target.id] == 1 and stored[source] <= 1:
                found[target.id] = found.get(source, source)
    return found


def compares_with_itself(code: Code, checks: Container[str], names: Aliases) -> Optional[str]:
    """Return the part of an expectation that compares a thing with itself.

    Parameters
    ----------
    checks
        The names of the functions that compare their first two arguments.
    names
        For names that are another name for the same object: that one; see `aliases`.
    """
    if not isinstance(code.tree, ast.Expression):
        return None
    for node in _truths(code.tree.body):
        pair = _pair(node, checks)
        if pair is not None and _is_same(*pair, names, of_identity=_asks_identity(node)):
            return ast.unparse(node)
    return None


def _truths(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts of an expression whose truth it joins."""
    if isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _truths(value)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _truths(node.operand)
    elif isinstance(node, ast.IfExp):
        yield from _truths(node.body)
        yield from _truths(node.orelse)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        inner = node.args[0]
        if node.func.id in ("all", "any") and isinstance(inner, (ast.GeneratorExp, ast.ListComp)):
            yield from _truths(inner.elt)
        elif node.func.id == "bool" and not isinstance(inner, ast.Compare):
            yield from _truths(inner)
    else:
        yield node


def _pair(node: ast.expr, checks: Container[str]) -> Optional[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        itself = isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.Eq, ast.LtE, ast.GtE))
        return (node.left, node.comparators[0]) if itself else None
    if not isinstance(node, ast.Call) or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    if isinstance(node.func, ast.Name):
        return (node.args[0], node.args[1]) if node.func.id in checks and len(node.args) > 1 else None
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _COMPARING:
        return None
    if len(node.args) > 1:
        return node.args[0], node.args[1]
    return (node.func.value, node.args[0]) if node.args else None


def _asks_identity(node: ast.expr) -> bool:
    if isinstance(node, ast.Compare):
        return isinstance(node.ops[0], (ast.Is, ast.IsNot))
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "same_object"


def _is_same(left: ast.expr, right: ast.expr, names: Aliases, *, of_identity: bool) -> bool:
    if type(left) is not type(right) or _shown(left, names) != _shown(right, names):
        return False
    for part in ast.walk(left):
        if isinstance(part, ast.Call):
            # A call may give another value each time, and then comparing it with itself says something.
            name = part.func.attr if isinstance(part.func, ast.Attribute) else getattr(part.func, "id", "")
            if name not in _SAME_EACH_TIME:
                return False
        elif of_identity and isinstance(part, (ast.Attribute, ast.Subscript)):
            # Whether an attribute is the same object each time is a question, unless what is compared is its value.
            return False
    return True


def _shown(node: ast.expr, names: Aliases) -> str:
    shown = ast.dump(node)
    for name, other in names.items():
        shown = shown.replace(f"Name(id={name!r},", f"Name(id={other!r},")
    return shown


def unreached(program: str) -> dict[int, str]:
    """Return line and text of the statements that a condition without names keeps from ever running."""
    if not _BRANCHES.search(program):
        return {}
    dead = (statement for node in ast.walk(ast.parse(program)) for statement in _dead_below(node))
    return {statement.lineno: ast.unparse(statement).splitlines()[0] for statement in dead}


def _dead_below(node: ast.AST) -> list[ast.stmt]:
    if isinstance(node, ast.For) and _is_nothing(node.iter):
        return node.body[:1]
    if not isinstance(node, (ast.If, ast.While)):
        return []
    chosen = _folded(node.test)
    if chosen is None:
        return []
    return node.orelse[:1] if chosen else node.body[:1]


def _folded(test: ast.expr) -> Optional[bool]:
    """Return the truth of a condition that is made of constants alone."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _folded(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        sides = [_folded(value) for value in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in sides else None if None in sides else not decisive
    try:
        if not isinstance(test, ast.Compare):
            return bool(ast.literal_eval(test))
        if len(test.ops) != 1:
            return None
        left, right = ast.literal_eval(test.left), ast.literal_eval(test.comparators[0])
        operator = test.ops[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return (left == right) is isinstance(operator, ast.Eq)
        if isinstance(operator, (ast.In, ast.NotIn)):
            return (left in right) is isinstance(operator, ast.In)
    except (ValueError, TypeError):
        pass
    return None
