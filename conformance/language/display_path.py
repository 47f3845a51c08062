"""How a file is named in messages."""

from __future__ import annotations

import os
from pathlib import Path


def display_path(path: Path) -> str:
    """Write a path relative to the current directory where it is below that, else absolute; with slashes."""
    # Not `resolve`: a link is named as the user named it.
    full = Path(os.path.abspath(path))  # noqa: PTH100
    here = Path.cwd()
    return full.relative_to(here).as_posix() if here in full.parents else full.as_posix()
