"""Where the recorded results are: in the checkout, or packaged with the wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def recorded_folder() -> Path:
    """Return the folder of the recorded result files."""
    packaged = _PACKAGE / "_corpus" / "results"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "docs" / "results"
