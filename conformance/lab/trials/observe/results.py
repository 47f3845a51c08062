"""What a result is: memory, autograd, dtype, device, shape, strides, type; said in terms of the inputs where it can be.

An outcome is a tuple of everything true that could be said, best first: the rule that is looked for may use any of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any, Callable, Optional

import numpy as np
import torch

from conformance.checks import NotJudged, originals
from conformance.checks.gradients import grad_fn
from conformance.checks.memory import shares_storage
from conformance.checks.views import is_view_of
from conformance.inputs.device import current_device
from conformance.lab.trials.observe.signals import error_of

Outcome = tuple[str, ...]
#: Of a container so many tensors are looked at.
_MOST_ITEMS = 6
_DEPTH = 3
_RAGGED = re.compile(r"\bj\d+")
_SHOWN = (bool, torch.dtype, torch.layout, torch.device, torch.Size, torch.memory_format)
_REAL = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
_COMPLEX = {real: name for name, real in _REAL.items()}


def tensors_in(result: Any) -> list[Any]:
    """Return the tensors and arrays in a result, at most a few."""
    found: list[Any] = []
    _collect(result, found, _DEPTH)
    return found


def _collect(value: Any, found: list[Any], depth: int) -> None:
    if isinstance(value, (torch.Tensor, np.ndarray)):
        found.append(value)
    elif depth and isinstance(value, (tuple, list, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            if len(found) == _MOST_ITEMS:
                return
            _collect(item, found, depth - 1)


def joined(outcomes: Iterable[Optional[Outcome]]) -> Optional[Outcome]:
    """Return what is true of several items: what can be said of all of them, else one after the other.

    None where an item proves nothing, or where there is none.
    """
    every = list(outcomes)
    if not every or any(outcome is None for outcome in every):
        return None
    first = every[0]
    assert first is not None
    if len(every) == 1:
        return first
    common = tuple(said for said in first if all(said in outcome for outcome in every[1:] if outcome is not None))
    if common:
        return common
    return ("; ".join(outcome[0] for outcome in every if outcome is not None),)


def type_of(result: Any) -> Outcome:
    """Return the class of a result, and of a container those of its items."""
    return (_type_name(result, _DEPTH),)


def value_of(result: Any) -> Optional[Outcome]:
    """Return a result whose value is what one asks for: a truth value, a dtype, a shape and the like."""
    return (str(result),) if isinstance(result, _SHOWN) else None


def _type_name(value: Any, depth: int) -> str:
    name = type(value).__name__
    if value is None:
        return "None"
    if type(value).__module__ == "torch.return_types":
        name = f"return_types.{name}"
    if not depth or not isinstance(value, (tuple, list, Mapping)) or not value:
        return name
    items = value.values() if isinstance(value, Mapping) else value
    names = dict.fromkeys(_type_name(item, depth - 1) for item in items)
    return f"{name} of {' and '.join(list(names)[:4])}"


def memory(item: Any, value: Any) -> Optional[Outcome]:
    """Return how an item of a result and an input lie in memory; None where that proves nothing."""
    if item is value:
        return ("same object",)
    try:
        if not shares(item, value):
            return ("own memory",)
        if isinstance(item, torch.Tensor) and isinstance(value, torch.Tensor) and is_view_of(item, value):
            return ("view",)
    except (NotJudged, TypeError):
        return None
    return ("shares storage",)


def shares(item: Any, value: Any) -> bool:
    """Return whether two values share storage; quick where both are tensors that lie apart."""
    if isinstance(item, torch.Tensor) and isinstance(value, torch.Tensor):
        strided = originals.strided
        if originals.layout(item) is strided and originals.layout(value) is strided:
            (one, end), (other, other_end) = storage_range(item), storage_range(value)
            # Two storages may lie in the same memory: one that another library gave begins where its tensor does.
            if (
                one
                and other
                and (end <= other or other_end <= one)
                and originals.number_of_elements(item)
                and originals.number_of_elements(value)
            ):
                return False
    return shares_storage(item, value)


def storage_range(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the address of the first byte of the storage of a strided tensor, and that behind the last one."""
    storage = originals.storage(tensor)
    size = storage.nbytes() if hasattr(storage, "nbytes") else storage.size() * storage.element_size()
    return storage.data_ptr(), storage.data_ptr() + size


def is_leaf(item: torch.Tensor) -> bool:
    """Return whether no operation that autograd recorded made an item."""
    return originals.grad_fn(item) is None


def node(item: torch.Tensor) -> Optional[Outcome]:
    """Return the class of the node of the graph that made an item, without its number; None for a leaf.

    The number tells overloads apart, and is another one in another release.
    """
    name = grad_fn(item)
    return None if name is None else (name.rstrip("0123456789"),)


def gradients(item: torch.Tensor, inputs: Mapping[str, torch.Tensor]) -> Mapping[str, Outcome]:
    """Return whether a gradient flows from an item to each input, all of which require grad.

    An item that is not strided is made dense first, since there is no tensor of ones in every layout.
    """
    if not inputs:
        return {}
    try:
        with torch.enable_grad():
            dense = item if originals.layout(item) is originals.strided else _dense(item)
        seed = originals.ones_like(originals.detach(dense))
        found = originals.gradients_of([dense], [*inputs.values()], [seed], retain_graph=True, allow_unused=True)
    except Exception as error:
        name, message = error_of(error)
        return dict.fromkeys(inputs, (f"raises {name[0]}: {message[0]}".rstrip(": "),))
    return {name: ("flows" if one is not None else "does not flow",) for name, one in zip(inputs, found)}


def _dense(item: torch.Tensor) -> torch.Tensor:
    if getattr(item, "is_nested", False):
        return torch.cat([part.reshape(-1) for part in item.unbind()])
    return item.to_dense()


def dtype(item: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the dtype of an item."""
    name = _dtype_name(item)
    said = []
    for other, value in inputs.items():
        known = _dtype_name(value)
        if known == name:
            said.append(f"as {other}")
        elif _REAL.get(known) == name:
            said.append(f"real dtype of {other}")
        elif _COMPLEX.get(known) == name:
            said.append(f"complex dtype of {other}")
    return (*said, name)


def _dtype_name(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(value.dtype.name)
    return str(value if isinstance(value, torch.dtype) else originals.dtype(value))[6:]


def device(item: Any) -> Outcome:
    """Return the device of an item; without an index where it is that under test, which was asked for without."""
    name = "cpu" if isinstance(item, np.ndarray) else str(originals.device(item))
    return (current_device() if name == f"{current_device()}:0" else name,)


def shape(item: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the shape of an item."""
    said = _shape(tuple(item.shape), tuple((name, tuple(value.shape)) for name, value in inputs.items()))
    # The number of a ragged dimension counts those of the process.
    return tuple(_RAGGED.sub("j", text) for text in said)


@lru_cache(10_000)
def _shape(sizes: tuple[int, ...], inputs: tuple[tuple[str, tuple[int, ...]], ...]) -> Outcome:
    said = []
    for name, known in inputs:
        said += [text for text, candidate in _SHAPES if candidate(known) == sizes for text in (text.format(name),)]
    return (*said, str(sizes))


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


_SHAPES: list[tuple[str, Callable[[tuple[int, ...]], Any]]] = [
    ("as {}", lambda sizes: sizes),
    ("{} flattened", lambda sizes: (_product(sizes),)),
    ("{} with dimensions reversed", lambda sizes: sizes[::-1]),
    ("{} without its first dimension", lambda sizes: sizes[1:] if sizes else None),
    ("{} without its last dimension", lambda sizes: sizes[:-1] if sizes else None),
    ("{} with a new first dimension", lambda sizes: (1, *sizes)),
    ("{} with a new last dimension", lambda sizes: (*sizes, 1)),
    ("{} without dimensions of size 1", lambda sizes: tuple(size for size in sizes if size != 1)),
    ("{} with its last two dimensions swapped", lambda sizes: (*sizes[:-2], *sizes[-2:][::-1])),
    ("{} with its first dimension doubled", lambda sizes: (2 * sizes[0], *sizes[1:]) if sizes else None),
    ("0-d", lambda sizes: ()),
]


def strides(item: Any, inputs: Mapping[str, Any]) -> Optional[Outcome]:
    """Return the memory layout of an item; None where one element or none is all that it has."""
    if not _is_strided(item):
        return (str(originals.layout(item))[6:],)
    known = tuple((name, tuple(value.shape), _steps(value)) for name, value in inputs.items() if _is_strided(value))
    return _strides(tuple(item.shape), _steps(item), known)


@lru_cache(10_000)
def _strides(
    sizes: tuple[int, ...], steps: tuple[int, ...], inputs: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
) -> Optional[Outcome]:
    # The stride of a dimension of size 1 means nothing, and differs between releases.
    dims = [dim for dim, size in enumerate(sizes) if size != 1]
    if not dims or 0 in sizes:
        return None
    order = sorted(dims, key=lambda dim: -steps[dim])
    dense = all(
        steps[dim] == _product([sizes[inner] for inner in order[place + 1 :]]) for place, dim in enumerate(order)
    )
    said = []
    for name, other_sizes, known in inputs:
        if other_sizes != sizes:
            continue
        if all(steps[dim] == known[dim] for dim in dims):
            said.append(f"as {name}")
        # Where an input leaves the order of two dimensions open, as an expanded one does, it is as the release likes.
        if dense and all(
            steps[one] > steps[other] for one, other in permutations(dims, 2) if known[one] > known[other] > 0
        ):
            said.append(f"in the order of {name}")
    said += ["contiguous"] if dense and order == dims else []
    return tuple(said) or ("neither contiguous nor as an input",)


def _is_strided(value: Any) -> bool:
    return not isinstance(value, torch.Tensor) or originals.layout(value) is originals.strided


def _steps(value: Any) -> tuple[int, ...]:
    """Return strides, counted in elements."""
    if isinstance(value, np.ndarray):
        return tuple(step // value.itemsize for step in value.strides)
    return tuple(originals.stride(value))


def bits(tensor: torch.Tensor) -> Outcome:
    """Return whether conjugation or negation of an item is still to be done."""
    if originals.is_conj(tensor):
        return ("conjugate",)
    return ("negative" if originals.is_neg(tensor) else "none",)
