"""The dtypes, layouts and autograd states that inputs can have, and the words that stand for many of them.

``without="expanded"`` stands for every other layout, ``writable=True`` for the autograd states in which a tensor can be
written to in place. `resolved` writes such words out, so that a claim measures the same however its domain is spelled.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from typing import Optional

FLOATING = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
INTEGRAL = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128", "complex32")
BOOLEAN = ("bool",)

DTYPES = (*FLOATING[:4], *INTEGRAL[:5], *BOOLEAN, *COMPLEX, *INTEGRAL[5:], *FLOATING[4:])
"""Every dtype an input may have where torch has it, simplest first."""

NUMPY_DTYPES = tuple(name for name in DTYPES if name not in ("bfloat16", "complex32") and "float8" not in name)
"""The dtypes that NumPy has under the same name, simplest first."""

FOREIGN_DTYPES = ("str", "bytes", "object", "datetime64", "timedelta64", "longdouble", "clongdouble", "record")
"""The dtypes of arrays that no torch takes."""

MEMBERS: dict[str, tuple[str, ...]] = {
    "floating": FLOATING,
    "complex": COMPLEX,
    "integral": INTEGRAL,
    "boolean": BOOLEAN,
    "differentiable": (*FLOATING, *COMPLEX),
    "numeric": (*FLOATING, *INTEGRAL, *COMPLEX),
    "numpy_compatible": NUMPY_DTYPES,
}
"""The dtypes of each class."""

MOST_NDIM = 6
"""The most dimensions that a domain can ask for."""

TENSOR_LAYOUTS = (
    "contiguous",
    "transposed",
    "sliced",
    "offset",
    "expanded",
    "permuted",
    "conj",
    "neg",
    "channels_last",
)
"""The names of the layouts of tensors, simplest first; permanent, since results show them."""

ARRAY_LAYOUTS = ("contiguous", "fortran", "reversed", "sliced", "offset", "broadcast")
"""The names of the layouts of arrays, simplest first; permanent, since results show them."""

STATES = ("plain", "leaf", "nonleaf", "parameter", "leaf_view", "detached")
"""The names of the autograd states, simplest first; permanent, since results show them.

``plain`` never required grad; ``leaf`` is a leaf that requires grad; ``nonleaf`` came out of an operation;
``parameter`` is a ``torch.nn.Parameter``; ``leaf_view`` is a view of a leaf that requires grad, or of a leaf's parts;
``detached`` is what ``detach()`` of a tensor that requires grad returned.
"""

STATES_IF_NAMED = ("inference", "with_grad", "hooked", "subclass")
"""The names of the states that only a domain has which names them; permanent, since results show them.

``inference`` is a tensor made in inference mode; ``with_grad`` is a leaf that requires grad and has a ``.grad``;
``hooked`` is a leaf that requires grad and has a hook that changes nothing; ``subclass`` is of a subclass of
``torch.Tensor`` and never required grad.
"""

WRITABLE = frozenset(("plain", "nonleaf", "detached", "subclass"))
"""The states in which autograd admits a write in place: neither a leaf that requires grad nor a view of one."""

_LAYOUTS = {
    "tensor": TENSOR_LAYOUTS,
    "tensor_like": TENSOR_LAYOUTS,
    "broadcastable_with": TENSOR_LAYOUTS,
    "array": ARRAY_LAYOUTS,
}


_NARROWING = re.compile(r"\b(?:dtype|layout|without|state|writable)=")


def layouts_without(names: Iterable[str], layouts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the layouts that are not among some names."""
    left_out = {names} if isinstance(names, str) else set(names)
    return tuple(layout for layout in layouts if layout not in left_out)


def states_writable(writable: Optional[bool], states: tuple[str, ...]) -> tuple[str, ...]:
    """Return the states that admit a write in place, or with False those that refuse it; all of them for None."""
    return tuple(state for state in states if writable in (None, state in WRITABLE))


def narrows(text: str) -> bool:
    """Return whether a call of an input kind lists the dtypes, layouts or autograd states that it draws."""
    return _NARROWING.search(text) is not None


def resolved(text: str) -> str:
    """Return a call of an input kind with ``without`` and ``writable`` written out as lists of layouts and states."""
    if "without=" not in text and "writable=" not in text:
        return text
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in _LAYOUTS:
        return text
    written_out = text
    for keyword in call.keywords:
        lists = _written_out(call.func.id, keyword)
        if lists is not None:
            word = f"{keyword.arg}={ast.get_source_segment(text, keyword.value)}"
            written_out = written_out.replace(word, lists, 1)
    return written_out


def _written_out(kind: str, keyword: ast.keyword) -> Optional[str]:
    if keyword.arg == "without":
        try:
            return f"layout={json.dumps(layouts_without(ast.literal_eval(keyword.value), _LAYOUTS[kind]))}"
        except (ValueError, TypeError):
            return None
    # An array has a parameter of that name.
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    if keyword.arg == "writable" and kind != "array" and isinstance(value, bool):
        return f"state={json.dumps(states_writable(value, STATES))}"
    return None
