"""What classes of torch inherit from Python's own classes, such as ``torch.Size`` from ``tuple``."""

from __future__ import annotations

import importlib
from typing import Optional

#: Modules whose classes are the same in every Python that torch runs on, as far as anybody uses them.
_KNOWN = ("builtins", "enum", "collections", "collections.abc", "abc", "contextlib", "typing", "threading", "pickle")


def is_inherited(base: str, member: str) -> Optional[bool]:
    """Return whether a class outside torch has a member; None where the class is not looked at."""
    module, _, name = base.rpartition(".")
    if module not in _KNOWN:
        return None
    found = getattr(importlib.import_module(module), name, None)
    return None if found is None else hasattr(found, member)
