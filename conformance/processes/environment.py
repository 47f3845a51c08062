"""The environment of a process that reads docstrings or runs claims."""

from __future__ import annotations

import os


def unoptimised() -> dict[str, str]:
    """Return this environment without what strips asserts and docstrings, as ``python -OO`` does: both matter."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONOPTIMIZE"}
