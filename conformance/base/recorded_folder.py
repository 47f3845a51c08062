"""Where the corpus and the recorded results are: in the checkout, or packaged with the wheel."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError

_PACKAGE = Path(__file__).resolve().parent.parent
#: The folder below the results that holds the ratios of timing claims.
TIMINGS = "timings"
#: The folder below the results that holds what calls did when they were tried.
TRIALS = "trials"
#: The folder below the results that holds the names of each release.
NAMES = "names"


def default_root() -> Path:
    """Return the folder of the project's own corpus."""
    packaged = _PACKAGE / "_corpus" / "spec"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "spec"


def recorded_folder(given: Optional[Path] = None) -> Path:
    """Return the folder of the recorded result files, or the one that a user gives.

    Raises
    ------
    ResultError
        If that is no folder, or can't be listed: nothing would have been looked at.
    """
    if given is not None:
        try:
            os.scandir(given).close()
        except OSError as error:
            raise ResultError(f"{given}: {error.strerror}; give a folder with result files") from None
        return given
    packaged = _PACKAGE / "_corpus" / "results"
    return packaged if packaged.is_dir() else _PACKAGE.parent / "docs" / "results"
