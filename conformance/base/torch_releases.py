"""The releases of torch that are measured, what each one needs beside it, and where a Python for it is.

It needs the standard library alone, since nox reads it where nothing of this project is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from conformance.base.release_spans import minor

_Python = tuple[int, int]
_NUMPY_1 = ("numpy==1.26.4",)
_NUMPY_2 = (
    "numpy==2.0.2; python_version < '3.10'",
    "numpy==2.2.6; python_version == '3.10'",
    "numpy==2.4.6; python_version > '3.10'",
)
#: The torch that is measured unless another one is asked for.
DEFAULT_TORCH = "2.13.0"
#: The newest Python that most systems have.
_COMMON_PYTHON = (3, 12)


@dataclass(frozen=True)
class Release:
    """One release: its version, the Pythons that it runs on, and the NumPy that it is measured with."""

    torch: str
    oldest: _Python
    newest: _Python
    numpy: tuple[str, ...]

    @property
    def minor(self) -> str:
        """The version without the patch."""
        return minor(self.torch)

    @property
    def python(self) -> str:
        """The Python to measure it on: the newest that it runs on and that most systems have."""
        return _dotted(min(self.newest, _COMMON_PYTHON))

    @property
    def runs_here(self) -> bool:
        """Whether it runs on the present Python."""
        return self.oldest <= sys.version_info[:2] <= self.newest

    @property
    def requirements(self) -> tuple[str, ...]:
        """What to install beside it."""
        return (*self.numpy, *old_setuptools(self.torch))

    @property
    def imported(self) -> tuple[str, ...]:
        """What some of its modules import and torch does not install; without it their names stay unknown."""
        # Old modules import distutils.version, or pkg_resources.packaging, which later versions of setuptools dropped.
        limit = 59.6 if self.torch.startswith("1.") else 70 if self.numpy == _NUMPY_1 else 81
        return ("tensorboard", "six", "expecttest", f"setuptools<{limit}")


#: Every release that is measured: the last patch of each minor version.
RELEASES = {
    release.torch: release
    for release in (
        Release("1.8.1", (3, 9), (3, 9), _NUMPY_1),
        Release("1.9.0", (3, 9), (3, 9), _NUMPY_1),
        Release("1.10.2", (3, 9), (3, 9), _NUMPY_1),
        Release("1.11.0", (3, 9), (3, 9), _NUMPY_1),
        Release("1.12.1", (3, 9), (3, 9), _NUMPY_1),
        Release("1.13.1", (3, 9), (3, 10), _NUMPY_1),
        Release("2.0.1", (3, 9), (3, 11), _NUMPY_1),
        Release("2.1.2", (3, 9), (3, 11), _NUMPY_1),
        Release("2.2.2", (3, 9), (3, 12), _NUMPY_1),
        Release("2.3.1", (3, 9), (3, 12), _NUMPY_2),
        Release("2.4.1", (3, 9), (3, 12), _NUMPY_2),
        Release("2.5.1", (3, 9), (3, 12), _NUMPY_2),
        Release("2.6.0", (3, 9), (3, 13), _NUMPY_2),
        Release("2.7.1", (3, 9), (3, 13), _NUMPY_2),
        Release("2.8.0", (3, 9), (3, 13), _NUMPY_2),
        Release("2.9.1", (3, 10), (3, 14), _NUMPY_2),
        Release("2.10.0", (3, 10), (3, 14), _NUMPY_2),
        Release("2.11.0", (3, 10), (3, 14), _NUMPY_2),
        Release("2.12.1", (3, 10), (3, 14), _NUMPY_2),
        Release("2.13.0", (3, 10), (3, 14), _NUMPY_2),
        Release("2.14.1", (3, 10), (3, 14), _NUMPY_2),
        Release("2.15.0", (3, 10), (3, 14), _NUMPY_2),
    )
}


def release_of(torch: str) -> Optional[Release]:
    """Return what is known of the minor version that a torch belongs to."""
    return next((release for release in RELEASES.values() if release.minor == minor(torch)), None)


def default_torch() -> str:
    """Return the default release, or the newest one that runs on the present Python."""
    runs = [release.torch for release in RELEASES.values() if release.runs_here]
    return DEFAULT_TORCH if DEFAULT_TORCH in runs or not runs else runs[-1]


def old_setuptools(torch: str) -> tuple[str, ...]:
    """Return the requirement of releases before 2.0: they need parts of setuptools that later ones dropped."""
    return ("setuptools<70",) if torch.startswith("1.") else ()


def pyenv_pythons(version: str) -> list[str]:
    """Return the Pythons of a version that pyenv keeps, the newest first; it need not show them on the path."""
    kept = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*/bin/python")
    return sorted(map(str, kept), reverse=True)


def find_python(version: str) -> Optional[str]:
    """Return a Python of a version that starts: pyenv has a command for versions too that it does not have."""
    here = sys.executable if version == _dotted(sys.version_info[:2]) else None
    for found in (here, shutil.which(f"python{version}"), *pyenv_pythons(version)):
        if found is not None and _starts(found):
            return found
    return None


def _starts(interpreter: str) -> bool:
    try:
        return subprocess.run([interpreter, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _dotted(python: _Python) -> str:
    return f"{python[0]}.{python[1]}"
