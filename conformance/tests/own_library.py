"""A reader's own library and claims: those of the page about it, in a folder of the test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "own"


def make_library(folder: Path) -> Path:
    """Copy the library and its claims into a folder, where commands are to run."""
    return Path(shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True))


def conformance(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    command = [sys.executable, "-m", "conformance", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
