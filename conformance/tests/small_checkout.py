"""A checkout with a small corpus, since a result file is only written for the whole of one; and runs in it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[2]
NAME = "detach"


def make_checkout(folder: Path) -> Path:
    """Copy the package and one file of claims into a folder."""
    shutil.copytree(ROOT / "conformance", folder / "conformance", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    (folder / "spec" / "tensor").mkdir(parents=True)
    shutil.copy(ROOT / "spec" / "sources.yaml", folder / "spec")
    shutil.copy(ROOT / "spec" / "tensor" / f"{NAME}.yaml", folder / "spec" / "tensor")
    return folder


def environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "120"}


def run(
    checkout: Path,
    results: Path,
    *more: str,
    before: Optional[Callable[[], Any]] = None,
    variables: Optional[dict[str, str]] = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        _command(results, *more),
        cwd=checkout,
        env={**environment(checkout), **(variables or {})},
        preexec_fn=before,
        capture_output=True,
        text=True,
        timeout=300,
    )


def start(checkout: Path, results: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        _command(results, *more),
        cwd=checkout,
        env=environment(checkout),
        preexec_fn=_heed_interrupts,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _command(results: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "conformance", "run", f"--results={results}", *more]


def _heed_interrupts() -> None:
    """Undo what a background job or nohup hands down: Ctrl-C ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
