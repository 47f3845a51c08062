"""The axes along which inputs differ, and the classes of their values, in which rules are said where they can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Callable

#: Of each axis the values whose every combination is tried; of an axis that has none of them, the first three.
CORE = frozenset(
    (
        *("float32", "int64", "complex64"),
        *("contiguous", "transposed", "expanded", "conj"),
        *("2-d", "0-d", "empty"),
        *("plain", "leaf", "nonleaf", "leaf_view"),
        *("writable", "read-only"),
    )
)
#: Of each axis the values that much code has.
ORDINARY: Mapping[str, frozenset[str]] = {
    "dtype": frozenset(("float32", "float64", "int64", "int32", "uint8", "bool")),
    "layout": frozenset(("contiguous", "transposed")),
    "size": frozenset(("1-d", "2-d", "3-d", "4-d")),
    "state": frozenset(("plain", "leaf", "nonleaf", "parameter")),
    "memory": frozenset(("writable",)),
}
REQUIRING_GRAD = frozenset(("leaf", "nonleaf", "parameter", "leaf_view", "with_grad", "hooked"))
_NO_GRADIENTS = frozenset(("integral or bool",))
_WITH_GRADIENTS = REQUIRING_GRAD | {"detached"}
#: The sizes that a tensor of a layout can't have.
_UNFIT: Mapping[str, frozenset[str]] = {
    "transposed": frozenset(("0-d", "1-d", "one")),
    "permuted": frozenset(("0-d", "1-d", "2-d", "one", "empty")),
    "channels_last": frozenset(("0-d", "1-d", "2-d", "3-d", "one", "empty")),
    "sliced": frozenset(("0-d",)),
    "expanded": frozenset(("0-d", "one")),
}
_NOT_COMPLEX = frozenset(("floating", "integral or bool"))
_WITHOUT_PARTS = frozenset(("integral or bool", "complex", "float8", "bfloat16"))

_UNSIGNED = frozenset(("uint16", "uint32", "uint64"))


def _is_float8(name: str) -> bool:
    return name.startswith("float8")


def _is_floating(name: str) -> bool:
    return name.startswith(("float", "bfloat"))


def _is_complex(name: str) -> bool:
    return name.startswith("complex")


def _is_integral(name: str) -> bool:
    return name.startswith(("int", "uint"))


_MEMBERS: dict[str, dict[str, Callable[[str], bool]]] = {
    "dtype": {
        "floating": _is_floating,
        "complex": _is_complex,
        "integral": _is_integral,
        "integral or bool": lambda name: _is_integral(name) or name == "bool",
        "floating or complex": lambda name: _is_floating(name) or _is_complex(name),
        "float8": _is_float8,
        "floating without float8": lambda name: _is_floating(name) and not _is_float8(name),
        "half precision": lambda name: name in ("float16", "bfloat16"),
        "uint16, uint32 or uint64": lambda name: name in _UNSIGNED,
    },
    "layout": {
        "conjugate or negative": lambda name: name in ("conj", "neg"),
    },
    "size": {
        "one element": lambda name: name in ("one", "0-d"),
        "at least 2-d": lambda name: name in ("2-d", "3-d", "4-d"),
        "at least 3-d": lambda name: name in ("3-d", "4-d"),
        "several elements": lambda name: name[:1] in "1234",
    },
    "state": {
        "requires grad": lambda name: name in ("leaf", "nonleaf", "parameter", "leaf_view"),
        "leaf that requires grad": lambda name: name in ("leaf", "parameter"),
        "result of an operation": lambda name: name in ("nonleaf", "leaf_view"),
    },
    "memory": {
        "not writable": lambda name: "read-only" in name,
        "of the other byte order": lambda name: "swapped" in name,
    },
}


def classes(axis: str, values: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the classes of some values of an axis that hold more than one of them and not all, by name."""
    found = {}
    for name, holds in _MEMBERS.get(axis, {}).items():
        members = frozenset(value for value in values if holds(value))
        if 1 < len(members) < len(values):
            found[name] = members
    return found


def is_member(axis: str, value: str, name: str) -> bool:
    """Return whether a value is a class of an axis or in it."""
    if value == name:
        return True
    holds = _MEMBERS.get(axis, {}).get(name)
    return holds is not None and holds(value)


def impossible_pairs(one: str, other: str) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield values, or classes of them, of two axes of a tensor that no tensor has both."""
    if (one, other) == ("dtype", "state"):
        yield _NO_GRADIENTS, _WITH_GRADIENTS
    elif (one, other) == ("dtype", "layout"):
        yield _NOT_COMPLEX, frozenset(("conj",))
        yield _WITHOUT_PARTS, frozenset(("neg",))
    elif (one, other) == ("layout", "size"):
        for layout, sizes in _UNFIT.items():
            yield frozenset((layout,)), sizes
