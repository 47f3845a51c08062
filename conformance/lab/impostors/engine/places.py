"""Where a name of torch can be replaced: the attributes of modules and classes that stand for it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator, Sequence
from functools import cache
from types import ModuleType
from typing import Any, Optional

import numpy as np
import torch

#: A module or class, and the name of an attribute of it.
Place = tuple[Any, str]

#: Modules apart from torch whose functions hand tensors and arrays on.
_OTHERS = ("copy", "numpy", "pickle")
#: The flag of classes that were made by Python code (Py_TPFLAGS_HEAPTYPE).
_CHANGEABLE = 1 << 9
_UNTOUCHABLE = frozenset(("__class__", "__dict__", "__torch_function__", "__torch_dispatch__", "__init__"))
#: Classes of which the programs make no objects; the scalar types of NumPy serve as names of dtypes.
_NAMES = (np.generic, np.ndarray, BaseException, torch.Size, torch.device, torch.dtype)


def on_classes(*names: str) -> tuple[Place, ...]:
    """Return where any class that programs use the objects of defines one of the names."""
    found = [_definition(owner, name) for name in names for owner in _classes()]
    return tuple(dict.fromkeys(place for place in found if place is not None))


def of_path(path: Sequence[str]) -> Iterator[tuple[str, tuple[Place, ...]]]:
    """Yield the short name and the places of a dotted name such as ``torch.autograd.grad``.

    What follows an object that is no module and no class is looked for on all classes.
    """
    if path[0] not in ("torch", *_OTHERS):
        return
    holder: Any = importlib.import_module(path[0])
    for position, name in enumerate(path[1:], 1):
        value = _member(holder, name)
        if value is None:
            yield name, on_classes(name)
            return
        if not isinstance(value, ModuleType) and (not isinstance(value, type) or position + 1 == len(path)):
            if _replaceable(holder, name):
                yield ".".join(path[1 if path[0] == "torch" else 0 : position + 1]), ((holder, name),)
            return
        holder = value


@cache
def _classes() -> tuple[type, ...]:
    """Return the classes whose methods a program may call on a value."""
    optimizers = [value for value in vars(torch.optim).values() if isinstance(value, type)]
    storages = [getattr(torch, name) for name in ("UntypedStorage", "TypedStorage") if hasattr(torch, name)]
    return (torch.Tensor, torch.nn.Parameter, torch.nn.Module, *optimizers, *storages, torch.autograd.Function)


def _member(holder: Any, name: str) -> Any:
    value = getattr(holder, name, None)
    if value is None and isinstance(holder, ModuleType):
        try:
            return importlib.import_module(f"{holder.__name__}.{name}")
        except ImportError:
            return None
    return value


def _replaceable(holder: Any, name: str) -> bool:
    """Return whether an attribute is a function, a method, a property or a class that can be replaced."""
    if name in _UNTOUCHABLE:
        return False
    value = inspect.getattr_static(holder, name, None)
    if isinstance(holder, ModuleType):
        return not issubclass(value, _NAMES) if isinstance(value, type) else callable(value)
    return callable(value) or isinstance(value, (staticmethod, classmethod)) or hasattr(type(value), "__get__")


def _definition(owner: type, name: str) -> Optional[Place]:
    if name in _UNTOUCHABLE or not hasattr(owner, name):
        return None
    holder = next((base for base in owner.__mro__ if name in vars(base)), None)
    if holder is None or holder is object:
        return None
    if not holder.__flags__ & _CHANGEABLE:
        # A class written in C; a name on the last class below it that can be changed hides its own.
        below = [base for base in owner.__mro__ if issubclass(base, holder) and base.__flags__ & _CHANGEABLE]
        holder = below[-1] if below else None
    return (holder, name) if holder is not None and _replaceable(holder, name) else None
