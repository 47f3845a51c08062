"""A checkout with a small corpus, since a result file is only written for the whole of one; and runs in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Optional

ROOT = Path(__file__).resolve().parents[2]
NAME = "detach"
#: Claims that are left out of it, since they take longest and add nothing to what a run does.
SLOW = (
    "element-write-shows-in-source",
    "freezes-source",
    "same-address",
    "no-history",
    "no-forward-gradient",
    "same-device",
    "same-dtype",
    "follows-optimizer",
    "keeps-shape",
    "nothing-where-no-grad",
    "takes-memory-as-clone",
    "takes-no-memory",
    "then-clone-takes-one-copy",
    "zeroed-sparse-source-shows",
)


def make_checkout(folder: Path) -> Path:
    """Copy the package, compiled as it is, and most of a file of claims into a folder."""
    shutil.copytree(ROOT / "conformance", folder / "conformance", ignore=shutil.ignore_patterns("tests"))
    (folder / "spec" / "tensor").mkdir(parents=True)
    shutil.copy(ROOT / "spec" / "sources.yaml", folder / "spec")
    head, *claims = (ROOT / "spec" / "tensor" / f"{NAME}.yaml").read_text(encoding="utf-8").split("\n  - id: ")
    subject = head.partition("\n")[0]  # its answers name claims that are left out, and those of other files
    quick = [claim for claim in claims if not claim.startswith(SLOW)]
    assert len(quick) == len(claims) - len(SLOW)
    (folder / "spec" / "tensor" / f"{NAME}.yaml").write_text(
        "\n  - id: ".join([f"{subject}\nclaims:", *quick]), encoding="utf-8"
    )
    _write_causes(folder / "spec" / "causes", set(re.findall(r"\bcause: (\S+)", "".join(quick))))
    return folder


def _write_causes(folder: Path, named: set[str]) -> None:
    """Write the causes that are named; one that no claim names is a mistake."""
    files = (ROOT / "spec" / "causes").glob("*.yaml")
    causes = [cause for path in files for cause in path.read_text(encoding="utf-8").split("\n  - id: ")[1:]]
    kept = [cause.rstrip("\n") for cause in causes if cause.partition("\n")[0] in named]
    assert len(kept) == len(named)
    folder.mkdir()
    (folder / "small.yaml").write_text("\n  - id: ".join(["causes:", *kept]) + "\n", encoding="utf-8")


def environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "120"}


def printed_by(checkout: Path, module: str, *arguments: str, **variables: str) -> str:
    """Return what a program prints in a checkout; one that fails is a failure of the test."""
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=checkout,
        env={**environment(checkout), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def run(
    checkout: Path,
    results: Optional[Path],
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


def _command(results: Optional[Path], *more: str) -> list[str]:
    alone = [] if "-n" in more else ["-n", "0"]  # each process more would import torch once more
    written = [] if results is None else [f"--results={results}"]
    return [sys.executable, "-m", "conformance", "run", *written, *alone, *more]


def _heed_interrupts() -> None:
    """Undo what a background job or nohup hands down: Ctrl-C ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
