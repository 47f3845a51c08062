"""Which releases of torch the package index offers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence

_SECONDS = 300


class NoReleases(Exception):
    """The releases can't be listed, or there are too few; the message says why."""


def list_releases() -> list[str]:
    """Ask pip which releases of torch there are.

    pip tells those that have a wheel for a Python; every Python that some release since 1.8 needs is asked about.

    Raises
    ------
    NoReleases
        If neither pip nor uv is there, or the index can't be read.
    """
    found: dict[str, None] = {}
    errors: list[str] = []
    for python in ("3.9", "3.10", "3.12", "3.13"):
        try:
            listed = _asked([*_pip(), "index", "versions", "torch", "--python-version", python, "--only-binary=:all:"])
        except NoReleases as error:
            errors.append(str(error))
            continue
        found.update(dict.fromkeys(listed))
    if not found:
        raise NoReleases(f"the releases of torch can't be listed: {errors[-1]}; give them with --releases")
    return list(found)


def parse_versions(text: str) -> list[str]:
    """Read the versions that ``pip index versions`` prints."""
    match = re.search(r"^\s*Available versions:\s*(.+)$", text, re.MULTILINE)
    return [part.strip() for part in match.group(1).split(",") if part.strip()] if match else []


def _pip() -> list[str]:
    probe = [sys.executable, "-m", "pip", "--version"]
    if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        return [sys.executable, "-m", "pip"]
    uv = shutil.which("uv")
    if uv is None:
        raise NoReleases("there is neither pip nor uv; give them with --releases")
    return [uv, "tool", "run", "pip"]


def _asked(command: Sequence[str]) -> list[str]:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoReleases(f"pip could not be asked: {error}") from None
    found = parse_versions(ran.stdout)
    if ran.returncode != 0 or not found:
        last = (ran.stderr.strip().splitlines() or ["pip printed no versions"])[-1]
        raise NoReleases(last[:300])
    return found
