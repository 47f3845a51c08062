"""Which values of the axes of an input a claim surely admits, read from its ``given`` without torch."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

from conformance.profiles.axes import REQUIRING_GRAD, is_member

_KINDS = ("tensor", "tensor_like", "broadcastable_with")
_CLASSES: Mapping[str, Callable[[str], bool]] = {
    "floating": lambda name: is_member("dtype", name, "floating"),
    "complex": lambda name: is_member("dtype", name, "complex"),
    "integral": lambda name: is_member("dtype", name, "integral"),
    "boolean": lambda name: name == "bool",
    "differentiable": lambda name: is_member("dtype", name, "floating or complex"),
    "numeric": lambda name: name != "bool",
}
_LEAVES = frozenset(("plain", "leaf", "parameter", "detached"))
_WRITABLE = frozenset(("plain", "nonleaf", "detached"))
#: The sizes of which the number of dimensions and elements is known.
_NDIM = {"0-d": 0, "1-d": 1, "2-d": 2, "3-d": 3, "4-d": 4}
#: What narrows nothing that has an axis.
_VALUES = frozenset(("finite", "denormal"))


def admitted_values(text: str, axes: Mapping[str, Sequence[str]]) -> Optional[dict[str, list[str]]]:
    """Return the values of some axes of a tensor that are surely admitted; None where the text is not understood.

    Parameters
    ----------
    text
        The expression of the input, such as ``tensor(floating, min_size=1)``.
    axes
        The axes with the values to choose from.
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in _KINDS:
        return None
    classes = call.args if call.func.id == "tensor" else call.args[1:]
    found = {axis: list(values) for axis, values in axes.items()}
    named = [item.id for item in classes if isinstance(item, ast.Name) and item.id in _CLASSES]
    if len(named) < len(classes):
        return None
    if named:
        _keep(found, "dtype", lambda name: any(_CLASSES[one](name) for one in named))
    for keyword in call.keywords:
        value = _value(keyword.value)
        keep = _NARROWING.get(keyword.arg or "")
        if keyword.arg in _VALUES:
            continue
        if keep is None or value is None:
            return None
        axis, admits = keep
        _keep(found, axis, lambda name, admits=admits, value=value: admits(name, value))  # type: ignore[misc]
    return found


def _keep(found: dict[str, list[str]], axis: str, admits: Callable[[str], bool]) -> None:
    if axis in found:
        found[axis] = [value for value in found[axis] if admits(value)]


def _value(node: ast.expr) -> Any:
    """Return a constant, a list of them, or the name of a dtype."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.value if isinstance(node, ast.Constant) else None


def _among(name: str, value: Any) -> bool:
    return name in (value if isinstance(value, list) else [value])


def _elements(name: str) -> int:
    """Return the fewest elements of a size."""
    return {"empty": 0, "one": 1, "0-d": 1}.get(name, 2)


_NARROWING: Mapping[str, tuple[str, Callable[[str, Any], bool]]] = {
    "dtype": ("dtype", _among),
    "layout": ("layout", _among),
    "without": ("layout", lambda name, value: not _among(name, value)),
    "state": ("state", _among),
    "requires_grad": ("state", lambda name, value: (name in REQUIRING_GRAD) == value),
    "leaf": ("state", lambda name, value: (name in _LEAVES) == value),
    "writable": ("state", lambda name, value: (name in _WRITABLE) == value),
    "min_size": ("size", lambda name, value: _elements(name) >= value),
    "ndim": ("size", lambda name, value: _NDIM.get(name) == value),
    "min_ndim": ("size", lambda name, value: _NDIM.get(name, -1) >= value),
    "max_ndim": ("size", lambda name, value: _NDIM.get(name, 9) <= value),
    # Larger ones are drawn too, but which sizes have so few elements is known of these only.
    "max_size": ("size", lambda name, value: name == "empty" or (name in ("one", "0-d") and value >= 1)),
}
