"""The objects and docstrings of the torch at hand, by public name."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Optional

from conformance.language.sentences import find_sentences, sentence_hash


def resolve(name: str) -> Any:
    """Return the object behind a public dotted name.

    Raises
    ------
    LookupError
        If this torch has no such object.
    """
    parts = name.split(".")
    # An attribute hides a module of the same name: torch.autograd.gradcheck is the function.
    for length in range(len(parts) - 1, 0, -1):
        try:
            return _attribute(importlib.import_module(".".join(parts[:length])), parts[length:])
        except (ImportError, LookupError):
            continue
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LookupError(name) from None


def _attribute(holder: Any, path: list[str]) -> Any:
    for part in path:
        # getattr_static first: a descriptor such as Tensor.grad must not be called on the class
        try:
            found = inspect.getattr_static(holder, part)
        except AttributeError:
            try:
                found = getattr(holder, part)
            except AttributeError:
                raise LookupError(part) from None
        if isinstance(found, (staticmethod, classmethod)):
            found = getattr(holder, part)
        holder = found
    return holder


def exists(name: str) -> bool:
    """Say whether this torch has a public object of that name; pages of notes and changes always count as there."""
    if "/" in name:
        return True
    try:
        resolve(name)
    except LookupError:
        return False
    return True


def docstring(name: str) -> Optional[str]:
    """Return the docstring of a public name, or None where there is none."""
    try:
        text = getattr(resolve(name), "__doc__", None)
    except LookupError:
        return None
    return text if isinstance(text, str) else None


def key_hash(name: str, key: str) -> Optional[str]:
    """Return the hash of the first sentence of an object's docstring that contains a key, or None."""
    found = find_sentences(docstring(name), key)
    return sentence_hash(found[0]) if found else None
