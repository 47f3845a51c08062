"""What an annotation says of a value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import Optional

from conformance.usage import torch_results
from conformance.usage.model import Evidence
from conformance.usage.torch_data import words
from conformance.usage.values import (
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Fixed,
    Foreign,
    Instance,
    Items,
    OwnClass,
    Torch,
    Value,
    join,
    weaker,
)

_LONGEST, _DEEPEST = 500, 6
_CONTAINERS = words(
    "List list Set set FrozenSet frozenset Sequence MutableSequence Iterable Iterator Collection Generator Deque"
)
_MAPPINGS = words("Dict dict Mapping MutableMapping OrderedDict DefaultDict defaultdict")
_WRAPPERS = words("Optional Final ClassVar Annotated Required NotRequired ReadOnly")
_PLAIN = words("str int float bool bytes complex slice range type")
_VAGUE = words("Any Callable TypeVar NewType Type Literal Self Protocol Generic NamedTuple")


def read_annotation(node: ast.expr, resolve: Callable[[ast.expr], Value], depth: int = 0) -> Value:
    """Return what a value with an annotation is.

    Parameters
    ----------
    resolve
        Gives what a name, or a chain of attributes, stands for.
    """
    if depth > _DEEPEST:
        return UNKNOWN
    if isinstance(node, ast.Constant):
        if not isinstance(node.value, str):
            return NONE if node.value is None else UNKNOWN
        return parse_annotation(node.value, resolve, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return join(read_annotation(node.left, resolve, depth + 1), read_annotation(node.right, resolve, depth + 1))
    if isinstance(node, ast.Subscript):
        return _subscript(node, resolve, depth)
    return as_object(resolve(node), bare=True)


def parse_annotation(text: str, resolve: Callable[[ast.expr], Value], depth: int = 0) -> Value:
    """Return what the text of an annotation says; nothing where it is no annotation."""
    node = _parsed(text) if len(text) <= _LONGEST else None
    return UNKNOWN if node is None else read_annotation(node, resolve, depth)


@lru_cache(maxsize=1_000)
def _parsed(text: str) -> Optional[ast.expr]:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def as_object(cls: Value, bare: bool = False) -> Value:
    """Return an object of a class; ``bare``: a container without its items may hold anything."""
    if isinstance(cls, Torch):
        return weaker(torch_results.instance(cls.name), cls.evidence) if torch_results.is_class(cls.name) else UNKNOWN
    if isinstance(cls, OwnClass):
        return Instance(cls)
    if isinstance(cls, Foreign):
        package, last = cls.name.partition(".")[0], cls.name.rpartition(".")[2]
        if last in _CONTAINERS | _MAPPINGS | {"tuple", "Tuple"} and bare:
            return Items(UNKNOWN)
        if package == "builtins":
            return OTHER if last in _PLAIN else UNKNOWN
        if package in ("typing", "collections", "typing_extensions", "abc"):
            return UNKNOWN if last in _VAGUE else Items(UNKNOWN) if last[:1].isupper() and last != "Union" else UNKNOWN
        return OTHER if torch_results.is_other_package(package) else UNKNOWN
    return UNKNOWN


def _subscript(node: ast.Subscript, resolve: Callable[[ast.expr], Value], depth: int) -> Value:
    base = resolve(node.value)
    inner = node.slice
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    last = base.name.rpartition(".")[2] if isinstance(base, Foreign) else ""

    def read(part: ast.expr) -> Value:
        return read_annotation(part, resolve, depth + 1)

    if last == "Union":
        found: Value = NOTHING
        for part in parts[:16]:
            found = join(found, read(part))
        return found
    if last in _WRAPPERS:
        return read(parts[0])
    if last in _CONTAINERS:
        return Items(read(parts[0]))
    if last in _MAPPINGS:
        return Items(read(parts[-1]))
    if last in ("Tuple", "tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            return Items(read(parts[0]))
        return Fixed(tuple([read(part) for part in parts]))
    if isinstance(base, Foreign) and last not in _VAGUE:
        return weaker(read(parts[0]), Evidence.LIKELY)  # Such as jaxtyping's Float[Tensor, "batch channels"].
    return as_object(base)
