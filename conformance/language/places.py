"""Where the corpus is, and how a file is named in messages."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def default_root() -> Path:
    """Return the folder of the project's own corpus: an installed package has its own, a checkout its ``spec``."""
    packaged = _PACKAGE / "_corpus" / "spec"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "spec"


def display_path(path: Path) -> str:
    """Write a path relative to the current directory where it is below that, else absolute; with slashes."""
    # Not `resolve`: a link is named as the user named it.
    full = Path(os.path.abspath(path))  # noqa: PTH100
    here = Path.cwd()
    return full.relative_to(here).as_posix() if here in full.parents else full.as_posix()
