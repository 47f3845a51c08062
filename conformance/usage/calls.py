"""The arguments of a call, as far as they can be known without running anything."""

from __future__ import annotations

import ast
from typing import Optional

from conformance.usage.model import Argument, Call, TorchName
from conformance.usage.model import Value as Literal
from conformance.usage.values import NONE, Constant, Instance, Torch, Value

_LONGEST_TEXT, _MOST_ITEMS = 200, 16
_UNKNOWN = Argument()
_TENSORS = {is_bool: Argument(type="torch.Tensor", is_bool=is_bool) for is_bool in (None, True, False)}
_TRUTH = Argument(is_bool=True)


class Arguments:
    """The arguments of a call in the source, each with what it stands for."""

    __slots__ = ("_keywords", "_node", "_values")

    def __init__(self, node: ast.Call, values: list[Value], keywords: list[Value]) -> None:
        self._node, self._values, self._keywords = node, values, keywords

    @property
    def values(self) -> list[Value]:
        """What the positional arguments stand for."""
        return self._values

    @property
    def keywords(self) -> list[str]:
        """The names of the keyword arguments."""
        return [keyword.arg for keyword in self._node.keywords if keyword.arg is not None]

    @property
    def torch_names(self) -> frozenset[str]:
        """The names of torch among the arguments, such as `torch.bool`."""
        return frozenset(value.name for value in (*self._values, *self._keywords) if type(value) is Torch)

    def call(self, is_unbound: bool = False) -> Call:
        """Return the call; ``is_unbound`` where the first argument is the object of the method."""
        node = self._node
        positional: list[Argument] = []
        starred = False
        for argument, value in zip(node.args, self._values):
            if type(argument) is ast.Starred:
                starred = True
                break
            positional.append(known(argument, value))
        keywords = tuple(
            (keyword.arg, known(keyword.value, value))
            for keyword, value in zip(node.keywords, self._keywords)
            if keyword.arg is not None
        )
        more = len(keywords) != len(node.keywords)
        return Call(tuple(positional[1:] if is_unbound else positional), keywords, starred, more)


def known(node: ast.expr, value: Value) -> Argument:
    """Return what is known of an argument."""
    kind = type(node)
    if kind is ast.Constant:
        return _argument(_bounded(node.value))  # type: ignore[attr-defined]
    if type(value) is Torch:
        return Argument(True, TorchName(value.name), None)
    if type(value) is Constant:
        return _argument(value)
    if type(value) is Instance:
        cls = value.cls
        if cls == "torch.Tensor":
            return _TENSORS[value.is_bool]
        return Argument(type=cls if isinstance(cls, str) else None)
    if kind is ast.Compare:
        return _TRUTH  # Of unknown objects: a truth value, or a tensor of them.
    if kind in (ast.UnaryOp, ast.Tuple, ast.List):
        return _argument(literal(node))
    return Argument(True, None, "None") if value is NONE else _UNKNOWN


def _argument(constant: Optional[Constant]) -> Argument:
    if constant is None:
        return _UNKNOWN
    return Argument(True, constant.literal, type(constant.literal).__name__)


def literal(node: ast.expr, depth: int = 0) -> Optional[Constant]:
    """Return the value of a literal, negative numbers, tuples and lists (as tuples) included."""
    if isinstance(node, ast.Constant):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return Constant(-number, 0) if isinstance(number, (int, float, complex)) else None
    if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) <= _MOST_ITEMS and depth < 3:
        parts: list[Literal] = []
        for element in node.elts:
            part = literal(element, depth + 1)
            if part is None:
                return None
            parts.append(part.literal)
        return Constant(tuple(parts), 0)
    return None


def _bounded(value: object) -> Optional[Constant]:
    if value is Ellipsis or (isinstance(value, (str, bytes)) and len(value) > _LONGEST_TEXT):
        return None
    if isinstance(value, int) and value.bit_length() > 256:
        return None
    return Constant(value, 0)  # type: ignore[arg-type]
