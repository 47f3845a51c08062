"""What a result is: memory, autograd, dtype, device, shape, strides, type; said in terms of the inputs where it can be.

An outcome is a tuple of everything true that could be said, best first: the rule that is looked for may use any of it.
"""

from __future__ import annotations

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

Outcome = tuple[str, ...]
#: Of a container so many tensors are looked at.
_MOST_ITEMS = 6
_DEPTH = 3
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


def type_of(result: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the class of a result, and of a container those of its items."""
    said = [f"class of {name}" for name, value in inputs.items() if type(result) is type(value)]
    return (_type_name(result, _DEPTH), *said)


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
        return ("itself",)
    try:
        if not shares(item, value):
            return ("independent",)
        if isinstance(item, torch.Tensor) and isinstance(value, torch.Tensor) and is_view_of(item, value):
            return ("view on record",)
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


def autograd(item: torch.Tensor, inputs: Mapping[str, Any]) -> Outcome:
    """Return whether an item requires grad, and whether it is a leaf."""
    requires_grad = originals.requires_grad(item)
    if originals.grad_fn(item) is None:
        found = "leaf that requires grad" if requires_grad else "requires no grad"
    else:
        found = "non-leaf" if requires_grad else "non-leaf that requires no grad"
    tensors = [value for value in inputs.values() if isinstance(value, torch.Tensor)]
    wanted = "non-leaf" if any(map(originals.requires_grad, tensors)) else "requires no grad"
    said = ["follows the inputs"] if tensors and found == wanted else []
    for name, value in inputs.items():
        if isinstance(value, torch.Tensor) and _known(item) == _known(value):
            said.append(f"as {name}")
    return (*said, found)


def _known(tensor: torch.Tensor) -> tuple[bool, bool]:
    return originals.requires_grad(tensor), originals.grad_fn(tensor) is None


def node(item: torch.Tensor, before: Mapping[str, Any]) -> Optional[Outcome]:
    """Return the name of the node of the graph that made an item; None for a leaf.

    Parameters
    ----------
    before
        The node that had made each input before the call.
    """
    made_by = originals.grad_fn(item)
    name = grad_fn(item)
    if name is None:
        return None
    # The number behind the name tells overloads apart, and is another one in another release.
    name = name.rstrip("0123456789")
    return (*(f"as {other}" for other, known in before.items() if known is made_by), name)


def gradients(item: torch.Tensor, inputs: Mapping[str, torch.Tensor]) -> Mapping[str, Outcome]:
    """Return whether a gradient flows from an item to each input, all of which require grad."""
    if not inputs:
        return {}
    try:
        seed = originals.ones_like(originals.detach(item))
        found = originals.gradients_of([item], [*inputs.values()], [seed], retain_graph=True, allow_unused=True)
    except Exception as error:
        return dict.fromkeys(inputs, (f"raises {type(error).__name__}",))
    return {name: ("reaches" if one is not None else "does not reach",) for name, one in zip(inputs, found)}


def dtype(item: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the dtype of an item."""
    name = _dtype_name(item)
    said = []
    for other, value in inputs.items():
        known = _dtype_name(value)
        if known == name:
            said.append(f"as {other}")
        elif _REAL.get(known) == name:
            said.append(f"real counterpart of {other}'s")
        elif _COMPLEX.get(known) == name:
            said.append(f"complex counterpart of {other}'s")
    if name == str(torch.get_default_dtype())[6:]:
        said.append("default dtype")
    return (*said, name)


def _dtype_name(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return str(value.dtype.name)
    return str(value if isinstance(value, torch.dtype) else originals.dtype(value))[6:]


def device(item: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the device of an item."""
    name = "cpu" if isinstance(item, np.ndarray) else str(originals.device(item))
    if name == "cpu":
        return (name,)
    said = [
        f"as {other}"
        for other, value in inputs.items()
        if isinstance(value, torch.Tensor) and str(originals.device(value)) == name
    ]
    return (name, *said)


def shape(item: Any, inputs: Mapping[str, Any]) -> Outcome:
    """Return the shape of an item."""
    return _shape(tuple(item.shape), tuple((name, tuple(value.shape)) for name, value in inputs.items()))


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
    said = ["contiguous"] if dense and order == dims else []
    for name, other_sizes, known in inputs:
        if other_sizes != sizes:
            continue
        if all(steps[dim] == known[dim] for dim in dims):
            said.append(f"strides of {name}")
        # Where an input leaves the order of two dimensions open, as an expanded one does, it is as the release likes.
        if dense and all(
            steps[one] > steps[other] for one, other in permutations(dims, 2) if known[one] > known[other] > 0
        ):
            said.append(f"memory format of {name}")
    return tuple(said) or ("as no input",)


def _is_strided(value: Any) -> bool:
    return not isinstance(value, torch.Tensor) or originals.layout(value) is originals.strided


def _steps(value: Any) -> tuple[int, ...]:
    """Return strides, counted in elements."""
    if isinstance(value, np.ndarray):
        return tuple(step // value.itemsize for step in value.strides)
    return tuple(originals.stride(value))


def bits(item: torch.Tensor, inputs: Mapping[str, Any]) -> Outcome:
    """Return whether conjugation or negation of an item is still to be done."""
    found = _bits(item)
    said = [f"as {name}" for name, value in inputs.items() if isinstance(value, torch.Tensor) and _bits(value) == found]
    return (found, *said) if found == "none" else (*said, found)


def _bits(tensor: torch.Tensor) -> str:
    if originals.is_conj(tensor):
        return "conjugate"
    return "negative" if originals.is_neg(tensor) else "none"
