"""One claim on one release, measured in a throwaway environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError
from conformance.base.torch_releases import find_python, old_setuptools
from conformance.language.corpus import default_root
from conformance.language.model import Claim
from conformance.results.model import Entry, Verdict
from conformance.results.recorded import Measured
from conformance.results.store import SUFFIX, load_results

#: What the package needs beside torch and NumPy.
_REQUIREMENTS = (
    "hypothesis>=6.100",
    "pytest>=8",
    "pytest-xdist>=3.5",
    "PyYAML>=6",
    "packaging>=22",
)
_INSTALL_SECONDS, _RUN_SECONDS = 3600, 900
_PACKAGE = Path(__file__).resolve().parent.parent


class Failed(Exception):
    """A release could not be installed or run; the message says why."""


@dataclass(frozen=True)
class Measurement:
    """The verdict of a claim on a release, and the whole entry where there is one."""

    verdict: Verdict
    entry: Optional[Entry] = None


def measure_with_environment(
    claim: Claim, release: str, scratch: Path, recorded: Sequence[Measured] = ()
) -> Measurement:
    """Install a release into an environment of its own, run the claim there, and remove the environment.

    Parameters
    ----------
    scratch
        A folder for the environment and for a copy of this package.
    recorded
        Result files: the nearest release's Python and NumPy are taken from them.

    Raises
    ------
    Failed
        If something can't be installed, or the run gives no verdict.
    """
    python, numpy = _company(release, recorded)
    environment = scratch / f"torch-{release}"
    try:
        interpreter = _create(environment, python)
        _install(interpreter, [f"torch=={release}", numpy, *_REQUIREMENTS, *old_setuptools(release)])
        return _run_claim(claim, interpreter, _copied_package(scratch), environment / "results")
    finally:
        shutil.rmtree(environment, ignore_errors=True)


def _company(release: str, recorded: Sequence[Measured]) -> tuple[str, str]:
    from packaging.version import Version

    version = Version(release)
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    if not recorded:
        return here, "numpy<2" if version < Version("2.3") else "numpy"
    # The release of the same minor version, else the nearest older one, else the oldest.
    older = [measured for measured in recorded if measured.version.release[:2] <= version.release[:2]]
    nearest = (older or list(recorded)[:1])[-1].environment
    return nearest.python, f"numpy=={nearest.numpy}"


def _create(environment: Path, python: str) -> str:
    base, uv = find_python(python), shutil.which("uv")
    if uv is not None:
        # Without one at hand uv brings the Python itself.
        _run([uv, "venv", "--quiet", "--python", base or python, str(environment)], _INSTALL_SECONDS, "uv venv")
    elif base is not None:
        _run([base, "-m", "venv", str(environment)], _INSTALL_SECONDS, "python -m venv")
    else:
        raise Failed(f"Python {python} is not installed; install it, or uv, which brings it")
    folder = "Scripts" if os.name == "nt" else "bin"
    return str(environment / folder / "python")


def _install(interpreter: str, requirements: Sequence[str]) -> None:
    uv = shutil.which("uv")
    if uv is not None:
        command = [uv, "pip", "install", "--quiet", "--python", interpreter, *requirements]
    else:
        command = [interpreter, "-m", "pip", "install", "--quiet", *requirements]
    _run(command, _INSTALL_SECONDS, "the installation")


def _copied_package(scratch: Path) -> Path:
    """Copy the package with its corpus: an environment of another Python must not see the packages beside it."""
    folder = scratch / "package"
    if not folder.exists():
        shutil.copytree(_PACKAGE, folder / "conformance", ignore=shutil.ignore_patterns("__pycache__", "tests"))
        if not (folder / "conformance" / "_corpus" / "spec").is_dir():
            shutil.copytree(default_root(), folder / "spec")
    return folder


def _run_claim(claim: Claim, interpreter: str, package: Path, results: Path) -> Measurement:
    spec = _spec_of(claim, package)
    command = [
        interpreter,
        "-m",
        "conformance",
        "run",
        str(spec),
        "-k",
        claim.slug,
        "--device",
        "cpu",
        f"--results={results}",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    ran = _run(
        command, _RUN_SECONDS, "the run", {**environment, "PYTHONPATH": str(package)}, fails=True, folder=package
    )
    entry = _measured(claim, results)
    if entry is None:
        last = ((ran.stdout + ran.stderr).strip().splitlines() or ["nothing printed"])[-1]
        raise Failed(f"the run gave no verdict: {last[:200]}")
    return Measurement(entry.verdict, entry)


def _spec_of(claim: Claim, package: Path) -> Path:
    root = next(path for path in (package / "conformance" / "_corpus" / "spec", package / "spec") if path.is_dir())
    return root / Path(claim.place.path).resolve().relative_to(default_root().resolve())


def _measured(claim: Claim, folder: Path) -> Optional[Entry]:
    """Read the outcome: a run of less than the whole corpus leaves it among what is unfinished."""
    for path in sorted(folder.rglob(f"torch-*{SUFFIX}")):
        try:
            outcome = load_results(path).claims.get(claim.id)
        except ResultError as error:
            raise Failed(str(error)) from None
        if outcome is not None:
            return outcome
    return None


def _run(
    command: Sequence[str],
    seconds: float,
    what: str,
    environment: Optional[Mapping[str, str]] = None,
    *,
    fails: bool = False,
    folder: Optional[Path] = None,
) -> subprocess.CompletedProcess[str]:
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, check=False, env=environment, cwd=folder
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{what}: {error}") from None
    if ran.returncode != 0 and not fails:
        lines = (ran.stderr.strip() or ran.stdout.strip()).splitlines() or ["no message"]
        told = next((line for line in lines if line.lower().startswith("error")), lines[-1])
        raise Failed(f"{what} ended with {ran.returncode}: {told.strip()[:300]}")
    return ran
