"""The values that an input kind is given, where they are literals; what others are shows when the claim runs."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Optional

from conformance.base.text import did_you_mean, listed
from conformance.language.expressions import BUILTINS
from conformance.language.input_domains import (
    ARRAY_LAYOUTS,
    DTYPES,
    FOREIGN_DTYPES,
    MEMBERS,
    MOST_NDIM,
    NUMPY_DTYPES,
    STATES,
    STATES_IF_NAMED,
    TENSOR_LAYOUTS,
)
from conformance.language.vocabulary import Word
from conformance.names.signatures import default_of, is_positional

_TENSORS = ("tensor", "tensor_like", "broadcastable_with")
_BOOLEANS = (
    *("requires_grad", "leaf", "writable", "finite", "denormal", "into"),
    *("negative", "infer", "keep", "parameters", "buffers"),
)
_NDIMS = ("ndim", "min_ndim", "max_ndim")
_NUMBERS = ("integral", "floating", "boolean", "complex")
#: Other names of dtypes in torch.
_ALIASES = ("float", "double", "half", "long", "int", "short", "cfloat", "cdouble", "chalf")
_OF_PYTHON = ("bool", "int", "float", "str", "bytes", "object")
_WORDS = {
    "order": ("C", "F"),
    "byte_order": ("native", "swapped"),
    "layout": TENSOR_LAYOUTS,
    "without": TENSOR_LAYOUTS,
    "state": (*STATES, *STATES_IF_NAMED),
}
#: What an input of a kind is like, for arguments that are an earlier input.
_LIKE: dict[str, Any] = {
    **dict.fromkeys(("integer", "dim_of"), 1),
    **dict.fromkeys(("shape", "shape_with_numel", "expanded_shape_of", "dims_of", "permutation_of"), (1,)),
    "boolean": True,
}
#: What of torch and NumPy has a ``repr`` that gives it back: numbers, dtypes, layouts, memory formats, schemes.
_GIVEN_BACK = {
    "torch": re.compile(
        rf"{'|'.join(_ALIASES)}|bool|pi|e|(u?int|qu?int|b?float|complex|bits)[0-9]\w*|strided|jagged|sparse_\w{{3}}|"
        r"(contiguous|preserve)_format|channels_last(_3d)?|per_(tensor|channel)_\w+"
    ),
    "np": re.compile("pi|e|euler_gamma|newaxis"),
}


@dataclass(frozen=True, repr=False)
class _Named:
    """What a name stands for: ``torch.float32``, ``np.int8``, an input or, without an owner, ``float``."""

    owner: str
    name: str

    def __repr__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner in ("torch", "np") else self.name


class _NoLiteral(Exception):
    """What the value is can't be told without running it."""


def argument_mistakes(call: ast.Call, kind: Word, drawn: Mapping[str, str]) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield each argument that an input kind does not take, with a code and the reason.

    Parameters
    ----------
    drawn
        The kind of each earlier input, by name.
    """
    taken = [parameter for parameter in kind.parameters if is_positional(parameter)]
    passed = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    others: list[ast.expr] = []
    if not any(isinstance(argument, ast.Starred) for argument in call.args):
        passed.update({parameter.name: argument for parameter, argument in zip(taken, call.args)})
        others = call.args[len(taken) :]
    for name, node in passed.items():
        if wanted := _unlike(kind, name, node, drawn):
            yield node, "E216", f"{name}={ast.unparse(node)}: {wanted}"
    for node in others:
        if kind.name == "one_of":
            if not _is_given_back(node, drawn):
                advice = "use values such as 1, 'sum' or torch.int8"
                yield node, "E216", f"the repr of {ast.unparse(node)} does not give it back; {advice}"
        elif wanted := _unlike_a_class(kind.name, node, drawn):
            yield node, "E206", f"{ast.unparse(node)} {wanted}"
    yield from _contradiction(kind, passed, drawn)


def _unlike(kind: Word, name: str, node: ast.expr, drawn: Mapping[str, str]) -> str:
    """Return what the value of a parameter must be where it is something else."""
    if name == "x":
        return _unlike_a_tensor(kind.name, node, drawn)
    try:
        value = _value(node, drawn)
    except _NoLiteral:
        return ""
    default = next((default_of(parameter) for parameter in kind.parameters if parameter.name == name), None)
    if value is None and default == "None":
        return ""
    if name in _BOOLEANS:
        return "" if isinstance(value, bool) else "it is True or False"
    if name in ("min", "max"):
        return "" if _is_whole(value) else "it is a whole number"
    if name in ("min_size", "max_size"):
        return "" if _is_whole(value, 0) else "it is a whole number from 0 on"
    if name in _NDIMS:
        return "" if _is_whole(value, 0, MOST_NDIM) else f"it is a whole number from 0 to {MOST_NDIM}"
    if name == "shape":
        fits = isinstance(value, (tuple, list)) and all(_is_whole(item, 0) for item in value)
        return "" if fits else "it is a tuple of whole numbers from 0 on"
    if name == "device":
        fits = isinstance(value, str) and re.fullmatch(r"[a-z][a-z0-9_]*(:[0-9]+)?", value) is not None
        return "" if fits else "it is the name of a device, such as 'cpu', 'cuda' or 'meta'"
    if name == "dtype":
        return next(filter(None, (_unlike_a_dtype(kind.name, item) for item in _items(value))), "")
    if name not in _WORDS:
        return ""
    words = _WORDS[name]
    if name in ("layout", "without"):
        words = ARRAY_LAYOUTS if kind.name == "array" else TENSOR_LAYOUTS
    items = [value] if name in ("order", "byte_order") else _items(value)
    return next((_not_among(item, words) for item in items if item not in words), "")


def _not_among(value: Any, words: tuple[str, ...]) -> str:
    near = did_you_mean(value, words) if isinstance(value, str) else ""
    return f"{value!r} is none of {listed(words)}{near}"


def _unlike_a_dtype(kind: str, item: Any) -> str:
    if isinstance(item, _Named):
        owners = {"torch": (*DTYPES, *_ALIASES)} if kind != "array" else {"": _OF_PYTHON}
        if item.name in owners.get(item.owner, ()) or (
            kind == "array" and item.owner == "np" and _is_of_array(item.name)
        ):
            return ""
    names = (*NUMPY_DTYPES, *FOREIGN_DTYPES) if kind == "array" else DTYPES
    if isinstance(item, str) and item in names:
        return ""
    near = did_you_mean(item, names) if isinstance(item, str) else ""
    owner = "an array is np" if kind == "array" else "a tensor is torch"
    return f"a dtype of {owner}.float32, 'float32' or the like{near}"


def _is_of_array(name: str) -> bool:
    """Return whether NumPy has a dtype of a name that arrays can have."""
    if name in NUMPY_DTYPES:
        return True
    import numpy

    try:
        return numpy.dtype(getattr(numpy, name)).name in (*NUMPY_DTYPES, *FOREIGN_DTYPES)
    except (AttributeError, TypeError):
        return False


def _unlike_a_class(kind: str, node: ast.expr, drawn: Mapping[str, str]) -> str:
    """Return why an argument is no class of dtypes that the kind takes; what class a name is, is checked elsewhere."""
    try:
        value = _value(node, drawn)
    except _NoLiteral:
        return ""
    if isinstance(node, ast.Attribute) and isinstance(value, _Named) and value.owner == "torch" and kind in _TENSORS:
        return f"is not a class of dtypes; write dtype=torch.{value.name}"
    name = value.name if isinstance(value, _Named) and not value.owner else value
    if not isinstance(name, str) or (isinstance(value, str) and name not in (*MEMBERS, "unsupported")):
        return f"is not a class of dtypes; they are {listed((*MEMBERS, 'unsupported'))}"
    if kind in ("number", "numbers"):
        members = set(MEMBERS.get(name, ()))
        return "" if any(set(MEMBERS[one]) <= members for one in _NUMBERS) else "has no class of Python's numbers"
    return "is a class of arrays alone" if name == "unsupported" and kind != "array" else ""


def _unlike_a_tensor(kind: str, node: ast.expr, drawn: Mapping[str, str]) -> str:
    wanted = _TENSORS if kind in _TENSORS else (*_TENSORS, "array")
    if isinstance(node, ast.Name) and node.id in drawn:
        return "" if drawn[node.id] in wanted else f"it is an earlier input of {listed(wanted)}"
    try:
        _value(node, drawn)
    except _NoLiteral:
        return ""
    return f"it is an earlier input of {listed(wanted)}"


def _is_given_back(node: ast.expr, drawn: Mapping[str, str]) -> bool:
    """Return whether the ``repr`` of a value gives it back, as far as that can be told."""
    if isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return False
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return all(_is_given_back(item, drawn) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(_is_given_back(item, drawn) for item in (*filter(None, node.keys), *node.values))
    if isinstance(node, ast.Name) and node.id in drawn:
        return drawn[node.id] not in (*_TENSORS, "array", "module")
    try:
        value = _value(node, drawn)
    except _NoLiteral:
        return True
    if isinstance(value, _Named):
        return value.owner in _GIVEN_BACK and _GIVEN_BACK[value.owner].fullmatch(value.name) is not None
    return not isinstance(value, (float, complex)) or math.isfinite(abs(value))


def _contradiction(
    kind: Word, passed: Mapping[str, ast.expr], drawn: Mapping[str, str]
) -> Iterator[tuple[ast.expr, str, str]]:
    """Yield a lower bound that is above the upper one; a bound that is not given has its default."""
    bounds = ("min", "max") if kind.name == "integer" else ("min_ndim", "max_ndim")
    given = [passed[name] for name in bounds if name in passed]
    if (
        not given
        or any(isinstance(node, ast.Name) for node in given)
        or any(name in passed and not _is_none(passed[name]) for name in ("ndim", "shape"))
    ):
        return
    defaults = {parameter.name: default_of(parameter) for parameter in kind.parameters}
    try:
        least, most = (
            _value(passed[name], drawn) if name in passed else int(defaults.get(name) or 0) for name in bounds
        )
    except _NoLiteral:
        return
    if _is_whole(least) and _is_whole(most) and least > most:
        yield given[0], "E216", f"{bounds[0]} is {least}, and {bounds[1]} is only {most}"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_whole(value: Any, least: Optional[int] = None, most: Optional[int] = None) -> bool:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return is_number and (least is None or value >= least) and (most is None or value <= most)


def _items(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _value(node: ast.expr, drawn: Mapping[str, str]) -> Any:
    """Return what a literal or a name is, or what it is like; raises `_NoLiteral`."""
    if isinstance(node, ast.Name):
        kind = drawn.get(node.id, "")
        if node.id == "device":
            return "cpu"
        if kind in _LIKE:
            return _LIKE[kind]
        if kind in ("", *_TENSORS, "array", "module"):
            return _Named(kind and "an input", node.id)
        if kind == "dtype":
            return _Named("torch", "float32")
    is_input = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in BUILTINS
    if is_input or isinstance(node, (ast.Lambda, ast.Dict)):
        return _Named("an expression", ast.unparse(node))
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("torch", "np"):
        return _Named(node.value.id, node.attr)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(_value(item, drawn) for item in node.elts)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise _NoLiteral from None
