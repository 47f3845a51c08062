"""The arguments of a call, as far as they can be known without running anything."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Optional

from conformance.usage.model import Argument, Call, TorchName
from conformance.usage.model import Value as Literal
from conformance.usage.values import NONE, Constant, Instance, Items, Torch, Value

_LONGEST_TEXT, _MOST_ITEMS = 200, 16
_UNKNOWN = Argument()
_TRUTH = Argument(dtype="bool")
_DISPLAYS = {
    **dict.fromkeys((ast.List, ast.ListComp), "list"),
    **dict.fromkeys((ast.Dict, ast.DictComp), "dict"),
    **dict.fromkeys((ast.Set, ast.SetComp), "set"),
    ast.Tuple: "tuple",
    ast.JoinedStr: "str",
}


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

    def dtype_of_data(self, function: str) -> Optional[str]:
        """Return the kind of dtype of what `torch.tensor` makes of literals."""
        most = {"torch.tensor": 1, "torch.as_tensor": 1, "torch.arange": 3}.get(function, 0)
        data = self._node.args[:most]
        kinds = {kind for node in data for kind in _kinds(literal(node))}
        return next((kind for kind in ("", "float", "integer", "bool") if kind in kinds), None) or None

    def flag(self, name: str, is_first: bool) -> Optional[bool]:
        """Return the truth value that a keyword argument, or the first one, is given."""
        given = [keyword.value for keyword in self._node.keywords if keyword.arg == name]
        given += self._node.args[:1] if is_first else []
        value = given[0].value if given and isinstance(given[0], ast.Constant) else None
        return value if isinstance(value, bool) else None

    def call(self, is_unbound: bool = False, receiver: Optional[Argument] = None) -> Call:
        """Return the call on an object; ``is_unbound`` where the first argument is the object of the method."""
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
        if is_unbound and positional:
            receiver = positional.pop(0)
        return Call(tuple(positional), keywords, starred, more, receiver)


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
        return tensor_argument(value)
    if kind is ast.Compare:
        return _TRUTH  # Of unknown objects: a truth value, or a tensor of them.
    if kind is ast.UnaryOp:
        return _argument(literal(node))
    if kind in _DISPLAYS:
        return _argument(literal(node))._replace(type=_DISPLAYS[kind])
    if kind is ast.Call and type(value) is Items and getattr(node.func, "id", "") in ("set", "frozenset"):  # type: ignore[attr-defined]
        return Argument(type="set")
    return Argument(True, None, "None") if value is NONE else _UNKNOWN


@lru_cache(maxsize=1_000)
def _instance(cls: str, dtype: Optional[str], requires_grad: Optional[bool]) -> Argument:
    return Argument(False, None, cls, dtype, requires_grad)


def tensor_argument(value: Instance) -> Argument:
    """Return what is known of an object of torch."""
    return _instance(value.cls, value.dtype, value.requires_grad) if isinstance(value.cls, str) else _UNKNOWN


def _argument(constant: Optional[Constant]) -> Argument:
    if constant is None:
        return _UNKNOWN
    return Argument(True, constant.literal, type(constant.literal).__name__)


def _kinds(constant: Optional[Constant]) -> set[str]:
    """Return the kinds of the numbers in a literal; an empty text where there are others."""
    if constant is None:
        return {""}
    if isinstance(constant.literal, tuple):
        return {kind for part in constant.literal for kind in _kinds(Constant(part, 0))}
    return {{bool: "bool", int: "integer", float: "float"}.get(type(constant.literal), "")}


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
