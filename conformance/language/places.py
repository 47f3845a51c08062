"""How a file is named in messages."""

from __future__ import annotations

import os
from pathlib import Path


def display_path(path: Path) -> str:
    """A path relative to the current directory where it is below that, else absolute; with slashes."""
    full = os.path.abspath(path)
    here = os.getcwd()
    if full.startswith(here.rstrip(os.sep) + os.sep):
        full = os.path.relpath(full, here)
    return full.replace(os.sep, "/")
