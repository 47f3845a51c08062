"""Which packages may import torch, and that the others work where there is none."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
#: Each imports those before it; the command line names those of the lab, and imports the one that is asked for.
ORDER = (
    "base",
    "names",
    "language",
    "inputs",
    "checks",
    "results",
    "run",
    "plugin",
    "show",
    "usage",
    "upgrade",
    "__main__",
    "lab",
)
#: What runs where torch is, and may import it; all else must not import these, except where it is told below.
WITH_TORCH = (
    "inputs",
    "checks",
    "run.worker",
    "lab.bench",
    "lab.census",
    "lab.impostors",
    "lab.names.walk",
    "lab.trials.observe",
    "tests",
)
#: Modules without torch that import one of these packages: by a command that says that it needs torch, or asks for it.
EXCEPTIONS = {
    ("__main__.py", "conformance.lab.census.command"),
    ("__main__.py", "conformance.lab.impostors.command"),
    ("lab/trials/__main__.py", "conformance.lab.trials"),
    ("lab/reporting/command.py", "conformance.run.worker.docstrings"),
}
#: Modules of these packages that need no torch, and may be imported by all.
WITHOUT_TORCH = (
    "conformance.lab.census.families",
    "conformance.lab.census.record",
    "conformance.lab.impostors.record",
    "conformance.lab.impostors.outcome",
)


def modules() -> list[Path]:
    found = [path for path in sorted(PACKAGE.rglob("*.py")) if not needs_torch(dotted(path))]
    assert len(found) > 50
    return found


def imported(path: Path) -> Iterator[str]:
    """Yield what a module imports, also inside of functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def dotted(path: Path) -> str:
    return ".".join(("conformance", *path.relative_to(PACKAGE).with_suffix("").parts))


def needs_torch(name: str) -> bool:
    if name.startswith(WITHOUT_TORCH):
        return False
    return f"{name}.".startswith(("torch.", *(f"conformance.{package}." for package in WITH_TORCH)))


def test_only_some_packages_import_torch() -> None:
    wrong = [
        (str(path.relative_to(PACKAGE)), name)
        for path in modules()
        for name in imported(path)
        if needs_torch(name)
        and not any(str(path.relative_to(PACKAGE)) == module and name.startswith(known) for module, known in EXCEPTIONS)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "arguments", [["check"], ["show", "torch.Tensor.detach"], ["upgrade", "2.4", "2.5"], ["run", "--help"]]
)
def test_a_command_that_measures_nothing_needs_no_torch(arguments: list[str], tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules['torch'] = None; from conformance.__main__ import main; sys.exit(main({arguments}))"
    )
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_packages_import_those_below_them_only() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir()} <= {*ORDER, "tests", "_corpus", "__pycache__"}
    wrong = [
        (str(path.relative_to(PACKAGE)), name)
        for path in sorted(PACKAGE.rglob("*.py"))
        if "tests" not in path.parts
        for name in imported(path)
        if name.startswith("conformance.") and level(dotted(path)) < level(name)
    ]
    assert wrong == []


def level(name: str) -> int:
    """Return the place of a module's package; a name that is none, such as ``__version__``, stands below all."""
    part = name.split(".")[1]
    return ORDER.index(part) if part in ORDER else -1
