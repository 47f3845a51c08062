"""What can be run; ``nox --list`` tells, and the page on commands in the reference."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Optional

import nox

nox.options.sessions = ["conformance", "tests"]
nox.needs_version = ">=2023.4"

ROOT = Path(__file__).parent
RESULTS = Path("docs", "results")
#: The versions with which the recorded results were measured, so that the same files come out.
MEASURED_WITH = RESULTS / "constraints.txt"

_NUMPY_1 = ("numpy==1.26.4",)
_NUMPY_2 = (
    "numpy==2.0.2; python_version < '3.10'",
    "numpy==2.2.6; python_version == '3.10'",
    "numpy==2.4.6; python_version > '3.10'",
)
#: Every release that is measured: the last patch of each minor version, with the Pythons that it runs on and its NumPy.
RELEASES: dict[str, tuple[tuple[int, int], tuple[int, int], tuple[str, ...]]] = {
    "1.8.1": ((3, 9), (3, 9), _NUMPY_1),
    "1.9.0": ((3, 9), (3, 9), _NUMPY_1),
    "1.10.2": ((3, 9), (3, 9), _NUMPY_1),
    "1.11.0": ((3, 9), (3, 9), _NUMPY_1),
    "1.12.1": ((3, 9), (3, 9), _NUMPY_1),
    "1.13.1": ((3, 9), (3, 10), _NUMPY_1),
    "2.0.1": ((3, 9), (3, 11), _NUMPY_1),
    "2.1.2": ((3, 9), (3, 11), _NUMPY_1),
    "2.2.2": ((3, 9), (3, 12), _NUMPY_1),
    "2.3.1": ((3, 9), (3, 12), _NUMPY_2),
    "2.4.1": ((3, 9), (3, 12), _NUMPY_2),
    "2.5.1": ((3, 9), (3, 12), _NUMPY_2),
    "2.6.0": ((3, 9), (3, 13), _NUMPY_2),
    "2.7.1": ((3, 9), (3, 13), _NUMPY_2),
    "2.8.0": ((3, 9), (3, 13), _NUMPY_2),
    "2.9.1": ((3, 10), (3, 14), _NUMPY_2),
    "2.10.0": ((3, 10), (3, 14), _NUMPY_2),
    "2.11.0": ((3, 10), (3, 14), _NUMPY_2),
    "2.12.1": ((3, 10), (3, 14), _NUMPY_2),
    "2.13.0": ((3, 10), (3, 14), _NUMPY_2),
    "2.14.1": ((3, 10), (3, 14), _NUMPY_2),
    "2.15.0": ((3, 10), (3, 14), _NUMPY_2),
}
#: What the largest release takes while it is installed, in GB.
LEAST_FREE_GIGABYTES = 16
#: The torch that is measured unless another one is asked for.
DEFAULT_TORCH = "2.13.0"


def _torch_asked(arguments: list[str]) -> tuple[str, list[str]]:
    """Take ``--torch X`` out of the arguments."""
    left = list(arguments)
    for position, argument in enumerate(left):
        if argument.startswith("--torch="):
            return argument.partition("=")[2], left[:position] + left[position + 1 :]
        if argument == "--torch" and position + 1 < len(left):
            return left[position + 1], left[:position] + left[position + 2 :]
    return _default_torch(), left


def _default_torch() -> str:
    """Return the default release, or the newest one that runs on the Python that runs nox."""
    here = sys.version_info[:2]
    runs = [torch for torch, (oldest, newest, _) in RELEASES.items() if oldest <= here <= newest]
    return DEFAULT_TORCH if DEFAULT_TORCH in runs or not runs else runs[-1]


def _python_for(torch: str) -> Optional[str]:
    """Return the Python that a release needs, or None where the one that runs nox will do."""
    minor = torch.split("+")[0].rsplit(".", 1)[0]
    known = [bounds for release, bounds in RELEASES.items() if release.rsplit(".", 1)[0] == minor]
    if not known or known[0][0] <= sys.version_info[:2] <= known[0][1]:
        return None
    return _interpreter("{}.{}".format(*known[0][1]))


def _interpreter(version: str) -> str:
    """Return a Python of that version; one that pyenv has but does not show on the path is found too."""
    kept = sorted(Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser().glob(f"versions/{version}.*/bin/python"))
    return str(kept[-1]) if kept else version


# The Python of a session is fixed when nox reads this file, so the torch asked for is looked up in its own arguments.
_PYTHON = _python_for(_torch_asked(sys.argv)[0])


@nox.session(python=_PYTHON)
def conformance(session: nox.Session) -> None:
    """Check the corpus on a torch: ``-- --torch 1.9.0`` or ``-- --torch installed``; then build the reference."""
    torch, arguments = _torch_asked(session.posargs)
    if torch == "installed":
        _install_into_environment(session)
        session.run(sys.executable, "-m", "conformance", "run", *_results_option(arguments), *arguments, external=True)
    else:
        _install_torch(session, torch)
        session.install("-c", str(MEASURED_WITH), "-e", ".[docs]")
        failed = None
        try:
            session.run("conformance", "run", *_results_option(arguments), *arguments)
        except nox.command.CommandFailed as error:
            failed = error
        _build_reference(session)  # also where a claim failed: the pages show it
        if failed is not None:
            raise failed


@nox.session
def tests(session: nox.Session) -> None:
    """Run the project's own tests."""
    _install_torch(session, _default_torch())
    session.install("-c", str(MEASURED_WITH), "-e", ".[docs]", "nox")
    session.run("pytest", *(session.posargs or ["-q", "-n", "2"]))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the reference from the recorded results; with torch, so that it can quote the documentation."""
    _install_torch(session, _default_torch())
    session.install("-c", str(MEASURED_WITH), "-e", ".[docs]")
    _build_reference(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and the corpus."""
    session.install("ruff==0.17.5", "mypy==2.4.1", "types-PyYAML", "types-docutils", "-e", ".[docs]", "nox")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("conformance", "check")


def _releases() -> list[object]:
    """Return each release with the Python to measure it on: the newest that it runs on and that most systems have."""
    newest_common = (3, 12)
    rows = []
    for torch, (_, newest, _) in RELEASES.items():
        version = "{}.{}".format(*min(newest, newest_common))
        rows.append(nox.param(_interpreter(version), torch, id=torch))
    return rows


@nox.session(default=False)
@nox.parametrize(["python", "torch"], _releases())
def release(session: nox.Session, torch: str) -> None:
    """Measure one release; a CI system makes a job of each (``nox --list --json``) and joins them with merge."""
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("conformance", "run", *_results_option(session.posargs), *session.posargs)


@nox.session
def matrix(session: nox.Session) -> None:
    """Measure every release that has no current result file: one environment at a time is installed, run and removed.

    ``-- 2.4.1 2.5.1`` measures those only, ``-- --again`` also what is measured already.
    """
    session.install("-c", str(MEASURED_WITH), "uv", "-e", ".")
    again = "--again" in session.posargs
    asked = [argument for argument in session.posargs if argument != "--again"] or list(RELEASES)
    failed = []
    for number, torch in enumerate(asked, start=1):
        session.log(f"torch {torch}: {number} of {len(asked)}")
        if not again and _is_current(session, torch):
            session.log(f"torch {torch}: measured already")
        elif not _measure_release(session, torch):
            failed.append(torch)
    if failed:
        session.error(f"could not measure, or not as expected: {', '.join(failed)}")


def _is_current(session: nox.Session, torch: str) -> bool:
    path = RESULTS / f"torch-{torch}-cpu.json"
    if not path.exists():
        return False
    check = ["python", "-m", "conformance.results.staleness", "--only", str(path)]
    return bool(session.run(*check, silent=True, success_codes=[0, 1]) == "")


def _measure_release(session: nox.Session, torch: str) -> bool:
    """Install a release into an environment of its own, measure, and remove it; say whether all went as expected."""
    free = shutil.disk_usage(ROOT).free >> 30
    if free < LEAST_FREE_GIGABYTES:
        session.error(f"{free} GB of disk are free, a release needs {LEAST_FREE_GIGABYTES}; free some and start again")
    oldest, newest, numpy = RELEASES[torch]
    here = sys.version_info[:2]
    python = sys.executable if oldest <= here <= newest else _interpreter(f"{newest[0]}.{newest[1]}")
    setuptools = ["setuptools<70"] if torch.startswith("1.") else []
    with tempfile.TemporaryDirectory(prefix="conformance-matrix-") as folder:
        environment = str(Path(folder, "env"))
        inside = str(Path(environment, "bin", "python"))
        try:
            session.run("uv", "venv", "--quiet", "--python", python, environment)
            install = ["uv", "pip", "install", "--quiet", "--python", inside, "-c", str(MEASURED_WITH)]
            session.run(*install, f"torch=={torch}", *numpy, *setuptools, "-e", ".", env={"UV_LINK_MODE": "copy"})
            session.run(inside, "-m", "conformance", "run", f"--results={RESULTS}", "-n", "2", "-q", external=True)
        except nox.command.CommandFailed:
            return False
        finally:
            # Releases share some of their libraries, so what was downloaded is kept while there is room.
            if shutil.disk_usage(ROOT).free >> 30 < 2 * LEAST_FREE_GIGABYTES:
                session.run("uv", "cache", "clean", "--quiet")
    return True


@nox.session
def upgrade(session: nox.Session) -> None:
    """Compare two releases, ``-- 2.4 2.15``; one that is not recorded is measured first."""
    session.install("-c", str(MEASURED_WITH), "uv", "-e", ".")
    for asked in [argument for argument in session.posargs[:2] if not argument.startswith("-")]:
        known = [torch for torch in RELEASES if torch == asked or torch.rsplit(".", 1)[0] == asked]
        if known and not any((RESULTS / f"torch-{torch}-cpu.json").exists() for torch in known):
            _measure_release(session, known[-1])
    session.run("conformance", "upgrade", *session.posargs)


@nox.session
def fresh(session: nox.Session) -> None:
    """Fail where a recorded result or a generated schema is stale; ``-- DIR`` also compares a run's result files."""
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("python", "-m", "conformance.results.staleness", str(RESULTS), *session.posargs)
    session.run("python", "-m", "conformance.language.schema")
    session.run("python", "-m", "conformance.results.schema")
    session.run("git", "diff", "--exit-code", "--", "spec/schema.json", "docs/results/schema.json", external=True)


@nox.session(python=_PYTHON)
def impostors(session: nox.Session) -> None:
    """Prove that every claim can fail, on wrong torches; fails where one can't."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("conformance", "impostors", *_results_option(arguments), *arguments)


@nox.session(python=_PYTHON)
def bench(session: nox.Session) -> None:
    """Measure how fast the runner is, as ratios, and record them."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("python", "-m", "conformance.bench", f"--write={RESULTS}", *arguments)


@nox.session(python=_PYTHON, default=False)
def determinism(session: nox.Session) -> None:
    """Run the corpus twenty times in other orders, with other processes and threads; fails where a byte differs."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("python", "-m", "conformance.bench.determinism", *arguments)


@nox.session(python=_PYTHON)
def timings(session: nox.Session) -> None:
    """Measure the timing claims on this machine and record their ratios."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("conformance", "run", "--timings", f"--results={RESULTS}", *arguments)


def _install_torch(session: nox.Session, torch: str) -> None:
    """Install a release of torch with a NumPy that it was built for; or a wheel's path, or a nightly.

    A nightly comes from the index that pip is configured with.
    """
    if torch == "nightly":
        session.install("--pre", "torch", "numpy")
        return
    if torch.endswith(".whl"):
        session.install(torch, "numpy")
        return
    minor = torch.split("+")[0].rsplit(".", 1)[0]
    numpy = next(
        (needs for release, (_, _, needs) in RELEASES.items() if release.rsplit(".", 1)[0] == minor), ("numpy",)
    )
    setuptools = ["setuptools<70"] if torch.startswith("1.") else []
    session.install(f"torch=={torch}", *numpy, *setuptools)


def _install_into_environment(session: nox.Session) -> None:
    """Install into the environment that nox itself runs in: the one whose torch is asked about."""
    session.run(sys.executable, "-m", "pip", "install", "-q", "-e", ".", external=True)


def _results_option(arguments: list[str]) -> list[str]:
    return [] if any(argument.startswith("--results") for argument in arguments) else [f"--results={RESULTS}"]


def _build_reference(session: nox.Session) -> None:
    pages = ROOT / "docs" / "_build" / "html"
    session.run("sphinx-build", "-q", "-W", "--keep-going", "-n", "-j", "auto", "-b", "html", "docs", str(pages))
    print(f"reference: {pages / 'index.html'}")
