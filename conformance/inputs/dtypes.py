"""The dtypes of this torch, and the classes of dtypes that inputs are narrowed by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from conformance.base.text import did_you_mean
from conformance.language.input_domains import DTYPES, MEMBERS

DTYPE_CLASSES: dict[str, str] = {
    "floating": "real floating-point dtypes, down to the 8-bit ones",
    "complex": "complex dtypes",
    "integral": "signed and unsigned integer dtypes, without bool",
    "boolean": "torch.bool",
    "differentiable": "dtypes that can require grad: floating and complex",
    "numeric": "every dtype but torch.bool",
    "numpy_compatible": "dtypes that NumPy has too",
    "unsupported": "NumPy dtypes that this torch cannot take; for arrays only",
}
"""What each class of dtypes contains."""

DIFFERENTIABLE = frozenset(MEMBERS["differentiable"])


class DtypeClass:
    """A class of dtypes, as ``given`` names it.

    Parameters
    ----------
    name
        A key of `DTYPE_CLASSES`.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __repr__(self) -> str:
        return self.__name__


def class_name(item: object) -> str:
    """Return the name of a class of dtypes given as such, as a string, or as the input kind of the same name.

    Parameters
    ----------
    item
        What ``given`` passed.
    """
    name = item if isinstance(item, str) else getattr(item, "__name__", None)
    if name not in DTYPE_CLASSES:
        shown = item if isinstance(item, str) else repr(item)
        raise ValueError(f"{shown} is not a class of dtypes{near_or_all(str(shown), DTYPE_CLASSES)}")
    return str(name)


def dtype_name(item: object) -> str:
    """Return the name of a dtype given as a string or as a ``torch.dtype``.

    Parameters
    ----------
    item
        What ``given`` passed.
    """
    name = str(item)[len("torch.") :] if isinstance(item, torch.dtype) else str(item)
    if name not in DTYPES:
        raise ValueError(f"{name!r} is not a dtype that inputs can have{near_or_all(name, DTYPES)}")
    return name


def select_dtypes(classes: Sequence[object], dtype: object) -> tuple[str, ...]:
    """Return the names of the dtypes in any of the classes and among ``dtype``, simplest first.

    Parameters
    ----------
    classes
        Classes of dtypes; every dtype without one.
    dtype
        One dtype, a list of them, or None for no restriction.
    """
    names: Iterable[str] = DTYPES
    if classes:
        members = {member for item in classes for member in _members(class_name(item))}
        names = [name for name in names if name in members]
    if dtype is not None:
        wanted = {dtype_name(item) for item in as_list(dtype)}
        names = [name for name in names if name in wanted]
    return tuple(name for name in names if hasattr(torch, name))


def _members(name: str) -> tuple[str, ...]:
    if name not in MEMBERS:
        raise ValueError(f"{name} is a class of array dtypes; a tensor cannot have them")
    return MEMBERS[name]


def as_list(item: Any) -> list[Any]:
    """Return a list, tuple or set as a list, and anything else as a list of itself.

    Parameters
    ----------
    item
        One value or several.
    """
    return list(item) if isinstance(item, (list, tuple, set, frozenset)) else [item]


def select_names(what: str, wanted: object, known: Sequence[str]) -> tuple[str, ...]:
    """Return the wanted ones of some known names, in their order; all of them for None.

    Parameters
    ----------
    what
        What the names name, for the error message.
    wanted
        A name, a list of names, or None.
    known
        The names there are.
    """
    if wanted is None:
        return tuple(known)
    names = as_list(wanted)
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is not a {what}{near_or_all(str(name), known)}")
    return tuple(name for name in known if name in names)


def near_or_all(name: str, known: Iterable[str]) -> str:
    """Return what to add to an error message about an unknown name: a near one, or all that there are.

    Parameters
    ----------
    name
        What was written.
    known
        What could have been written.
    """
    known = list(known)
    return did_you_mean(name, known) or f"; there are {', '.join(known)}"
