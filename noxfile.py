"""Sessions of nox; ``nox --list`` shows them, and the page on commands describes them."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import nox

sys.path.insert(0, str(Path(__file__).parent))  # the package need not be installed
from conformance.base.processes.ending import EndSignals
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.torch_releases import RELEASES, default_torch, old_setuptools, pyenv_pythons, release_of

nox.options.sessions = ["conformance", "tests"]
nox.needs_version = ">=2023.4"

ROOT = Path(__file__).parent
#: The committed results, which the pages show.
RESULTS = Path("docs", "results")
#: What this machine measured; git ignores it.
MEASURED = Path("measured")
#: The versions with which the recorded results were measured, so that the same files come out.
MEASURED_WITH = RESULTS / "constraints.txt"

#: What compiles the stand-in device of the tests, besides a C++ compiler.
COMPILING = ("ninja", "setuptools")

#: How long the pages take, as it is said before they are built.
PAGES_TIME = "about a minute on two cores"

#: What the largest release takes while it is installed, in GB.
LEAST_FREE_GIGABYTES = 16

#: A run that is asked to end has its processes to end and its results to write.
_MEASURING: dict[str, Any] = {"external": True, "terminate_timeout": 60}

LINTERS = ("ruff==0.17.5", "mypy==2.4.1", "types-PyYAML", "types-docutils")


def _torch_asked(arguments: list[str]) -> tuple[str, list[str]]:
    """Take ``--torch X`` out of the arguments."""
    left = list(arguments)
    for position, argument in enumerate(left):
        if argument.startswith("--torch="):
            return argument.partition("=")[2], left[:position] + left[position + 1 :]
        if argument == "--torch" and position + 1 < len(left):
            return left[position + 1], left[:position] + left[position + 2 :]
    return default_torch(), left


def _python_for(torch: str) -> Optional[str]:
    """Return the Python that a release needs, or None where the one that runs nox will do."""
    known = release_of(torch)
    return None if known is None or known.runs_here else _python("{}.{}".format(*known.newest))


def _python(version: str) -> str:
    """Return a Python of pyenv, else the version, for nox or a CI system to find one."""
    return next(iter(pyenv_pythons(version)), version)


# The Python of a session is fixed when nox reads this file, so the torch asked for is looked up in its own arguments.
_PYTHON = _python_for(_torch_asked(sys.argv)[0])


@nox.session(python=_PYTHON)
def conformance(session: nox.Session) -> None:
    """Check the corpus on a torch: ``-- --torch 1.9.0`` or ``-- --torch installed``; then build the reference.

    ``-- --no-pages`` builds none. ``-- --record`` extends the committed results.
    """
    torch, arguments = _torch_asked([argument for argument in session.posargs if argument != "--no-pages"])
    folder = RESULTS if "--record" in arguments else MEASURED
    arguments = [*_results_option(arguments, folder), *arguments]
    if torch == "installed":
        _install_into_environment(session)
        session.run(sys.executable, "-m", "conformance", "run", *arguments, external=True)
    else:
        _install_torch(session, torch)
        session.install("-c", str(MEASURED_WITH), "-e", ".[docs]")
        failed = None
        try:
            session.run("conformance", "run", *arguments)
        except nox.command.CommandFailed as error:
            failed = error
        if "--no-pages" not in session.posargs:
            _build_reference(session)  # also where a claim failed: with --record, the pages show it
        if failed is not None:
            raise failed


@nox.session(python=_PYTHON)
def tests(session: nox.Session) -> None:
    """Run the project's own tests: ``-- --torch 1.9.0`` on a release; further arguments go to pytest."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".[docs,tests]", "nox", *COMPILING)
    # The slowest tests stand together, and would leave the other process idle.
    session.run("pytest", *(arguments or ["-q", "-n", "2", "--dist", "worksteal"]))


@nox.session(python=_PYTHON)
def standin(session: nox.Session) -> None:
    """Run the corpus on the stand-in device of the tests; a verdict that is not the CPU's has to be written down there.

    ``-- spec/tensor -n 2`` runs a part. Without a compiler it is skipped, and the message says so.
    """
    _install_torch(session, default_torch())
    session.install("-c", str(MEASURED_WITH), "-e", ".", *COMPILING)
    lacking = "from conformance.tests.standin import why_not; print(why_not())"
    if why := str(session.run("python", "-c", lacking, silent=True)).strip():
        session.skip(why)
    device = ("--import=conformance.tests.standin.backend", "--device=cpu", "--device=standin")
    expected = "--expected=conformance/tests/standin/expected-failures.yaml"
    session.run("python", "-m", "conformance", "run", *device, expected, *session.posargs)


@nox.session
def wheel(session: nox.Session) -> None:
    """Build the wheel, install it alone and use it from another folder; ``-- --output=DIR`` keeps it."""
    arguments = argparse.ArgumentParser(prog="nox -s wheel --")
    arguments.add_argument("--output", type=Path, metavar="DIR")
    output = arguments.parse_args(session.posargs).output
    with tempfile.TemporaryDirectory(prefix="conformance-wheel-") as elsewhere:
        folder = output.resolve() if output else Path(elsewhere, "dist")
        session.run("python", "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}", ".")
        built = max(folder.glob("torch_conformance-*.whl"), key=lambda path: path.stat().st_mtime)
        session.install(str(built), "pipx")
        with session.chdir(elsewhere):
            session.run("python", "-c", "import importlib.util as found; assert found.find_spec('torch') is None")
            session.run("conformance", "--version")
            session.run("conformance", "check")
            session.run("conformance", "show", "detach")
            of_pipx = {"PIPX_HOME": elsewhere, "PIPX_BIN_DIR": str(Path(elsewhere, "bin"))}
            session.run("pipx", "run", "--spec", str(built), "torch-conformance", "show", "detach", env=of_pipx)


@nox.session(venv_backend="none")
def develop(session: nox.Session) -> None:
    """Install what the sessions need where nox runs; ``nox --no-venv --no-install -s tests`` and the like use that."""
    install = [sys.executable, "-m", "pip", "install", "--quiet"]
    session.run(*install, *_torch_requirements(default_torch()), external=True)
    session.run(*install, "-c", str(MEASURED_WITH), "-e", ".[docs,tests]", "nox", *LINTERS, *COMPILING, external=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the reference from the recorded results; with torch, so that it can quote the documentation."""
    _install_torch(session, default_torch())
    session.install("-c", str(MEASURED_WITH), "-e", ".[docs]")
    _build_reference(session)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and the corpus."""
    session.install(*LINTERS, "-e", ".[docs]", "nox")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("conformance", "check")


def _releases() -> list[object]:
    return [nox.param(_python(release.python), torch, id=torch) for torch, release in RELEASES.items()]


@nox.session(default=False)
@nox.parametrize(["python", "torch"], _releases())
def release(session: nox.Session, torch: str) -> None:
    """Measure one release; a CI system makes a job of each (``nox --list --json``) and joins them with merge."""
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    own = _results_option(session.posargs)
    session.run("conformance", "run", *own, *(["--record"] if own else []), *session.posargs)


@nox.session
def matrix(session: nox.Session) -> None:
    """Measure what is not recorded yet, release by release: an environment is installed, run and removed.

    ``-- 2.4.1 2.5.1`` measures those releases only, ``-- --again`` all claims, also what is measured already.
    ``-- --keep DIR`` keeps the environments in a folder, for the next time.
    """
    session.install("-c", str(MEASURED_WITH), "uv", "-e", ".")
    parser = argparse.ArgumentParser(prog="nox -s matrix --")
    parser.add_argument("releases", nargs="*", metavar="RELEASE")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    options = parser.parse_args(session.posargs)
    asked = options.releases or list(RELEASES)
    if unknown := [torch for torch in asked if torch not in RELEASES]:
        session.error(f"not among the releases that are measured: {', '.join(unknown)}; they are {', '.join(RELEASES)}")
    failed = []
    with _ended_by_sigterm():
        for number, torch in enumerate(asked, start=1):
            session.log(f"torch {torch}: {number} of {len(asked)}")
            if not options.again and _is_current(session, torch):
                session.log(f"torch {torch}: measured already")
            elif not _measure_release(session, torch, again=options.again, keep=options.keep):
                failed.append(torch)
    if failed:
        session.error(f"could not measure, or not as expected: {', '.join(failed)}")


@contextlib.contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the command that runs, which writes what it measured, and then this session, with status 143."""
    signals = EndSignals()
    try:
        with signals:
            yield
    except KeyboardInterrupt:
        raise SystemExit(signals.status(130)) from None


def _is_current(session: nox.Session, torch: str) -> bool:
    if not _is_tried(torch):
        return False
    check = ["python", "-m", "conformance.results.staleness", "--only", f"torch-{torch}-cpu", str(RESULTS)]
    return bool(session.run(*check, silent=True, success_codes=[0, 1]) == "")


def _measure_release(session: nox.Session, torch: str, *, again: bool = False, keep: Optional[Path] = None) -> bool:
    """Measure the claims of a release, its names, and its calls; return whether all went as expected.

    Names depend on the release alone, and calls hardly change: they are left where claims are all that is new.
    """
    more = ["--again"] if again else []
    named = not again and _is_tried(torch)
    try:
        with _environment_of(session, torch, keep) as (inside, folder):
            session.run(
                inside, "-m", "conformance", "run", f"--results={RESULTS}", "--record", "-q", *more, **_MEASURING
            )
            if not named:
                _measure_names_and_trials(session, torch, inside, folder / "names.json")
    except nox.command.CommandFailed:
        return False
    return True


@contextlib.contextmanager
def _environment_of(session: nox.Session, torch: str, keep: Optional[Path] = None) -> Iterator[tuple[str, Path]]:
    """Install a release into an environment of its own; yield its Python and a folder, and remove both.

    Parameters
    ----------
    keep
        The folder in which the environment stays, or is already.
    """
    free = shutil.disk_usage(ROOT).free >> 30
    if free < LEAST_FREE_GIGABYTES:
        session.error(f"{free} GB of disk are free, a release needs {LEAST_FREE_GIGABYTES}; free some and start again")
    release = RELEASES[torch]
    python = _python_for(torch) or sys.executable
    with ScratchFolder() as folder:
        environment = str(folder / "env" if keep is None else keep.resolve() / f"torch-{torch}")
        inside = str(Path(environment, "bin", "python"))
        try:
            if not Path(inside).exists():
                session.run("uv", "venv", "--quiet", "--python", python, environment)
            install = ["uv", "pip", "install", "--quiet", "--python", inside, "-c", str(MEASURED_WITH)]
            session.run(*install, f"torch=={torch}", *release.requirements, "-e", ".", env={"UV_LINK_MODE": "copy"})
            yield inside, folder
        finally:
            # Releases share some of their libraries, so what was downloaded is kept while there is room.
            if shutil.disk_usage(ROOT).free >> 30 < 2 * LEAST_FREE_GIGABYTES:
                session.run("uv", "cache", "clean", "--quiet")


def _is_tried(torch: str) -> bool:
    """Return whether calls were tried on a release."""
    inputs = RESULTS / "trials" / "inputs.txt"
    return inputs.exists() and torch in inputs.read_text(encoding="utf-8").partition("\n")[0].split()


def _measure_names_and_trials(session: nox.Session, torch: str, inside: str, output: Path) -> None:
    """Try calls on a release and record what they did; walk its modules and record its names."""
    session.run(inside, "-m", "conformance.lab.trials", "measure", "-n", "2", f"--results={RESULTS}", external=True)
    requirements = RELEASES[torch].imported
    session.run("uv", "pip", "install", "--quiet", "--python", inside, *requirements)
    session.run(inside, "-m", "conformance.lab.names", "measure", f"--output={output}", external=True)
    session.run("python", "-m", "conformance.lab.names", "record", str(output))


@nox.session
def names(session: nox.Session) -> None:
    """Measure the names of releases and try calls on them, ``-- 2.4.1 2.5.1``, or all; claims are left alone."""
    session.install("-c", str(MEASURED_WITH), "uv", "-e", ".")
    for torch in session.posargs or RELEASES:
        with _environment_of(session, torch) as (inside, folder):
            _measure_names_and_trials(session, torch, inside, folder / "names.json")


@nox.session
def upgrade(session: nox.Session) -> None:
    """List what changes for your code between two recorded releases, ``-- 2.4 2.15 --uses DIR``."""
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("conformance", "upgrade", *session.posargs)


@nox.session
def fresh(session: nox.Session) -> None:
    """Fail where a result, an answer, the census or a schema is stale; ``-- DIR`` also compares a run's files."""
    _install_torch(session, default_torch())
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("python", "-m", "conformance.results.staleness", str(RESULTS), *session.posargs)
    session.run("python", "-m", "conformance.results.proofs", str(RESULTS))
    session.run("python", "-m", "conformance.language.schema")
    session.run("python", "-m", "conformance.results.schema")
    session.run("conformance", "census", "--strict", "--left=1", f"--results={RESULTS}")
    generated = ("spec/schema.json", "docs/results/schema.json", "docs/results/census")
    session.run("git", "diff", "--exit-code", "--", *generated, external=True)


@nox.session(python=_PYTHON)
def impostors(session: nox.Session) -> None:
    """Prove that claims which are new or changed can fail, on wrong torches, or ``-- --again`` all; else it fails."""
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
    session.run("python", "-m", "conformance.lab.bench", f"--write={RESULTS}", *arguments)


@nox.session(python=_PYTHON, default=False)
def determinism(session: nox.Session) -> None:
    """Run the corpus twenty times in other orders, with other processes and threads; fails where a byte differs."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("python", "-m", "conformance.lab.bench.determinism", *arguments)


@nox.session(python=_PYTHON)
def timings(session: nox.Session) -> None:
    """Measure the timing claims on this machine and record their ratios."""
    torch, arguments = _torch_asked(session.posargs)
    _install_torch(session, torch)
    session.install("-c", str(MEASURED_WITH), "-e", ".")
    session.run("conformance", "run", "--timings", f"--results={RESULTS}", "--record", *arguments)


def _install_torch(session: nox.Session, torch: str) -> None:
    session.install(*_torch_requirements(torch))


def _torch_requirements(torch: str) -> tuple[str, ...]:
    """Return a release of torch with a NumPy that it was built for; or a wheel's path, or a nightly.

    A nightly comes from the index that pip is configured with.
    """
    if torch == "nightly":
        return ("--pre", "torch", "numpy")
    if torch.endswith(".whl"):
        return (torch, "numpy")
    known = release_of(torch)
    return (f"torch=={torch}", *(known.requirements if known else ("numpy", *old_setuptools(torch))))


def _install_into_environment(session: nox.Session) -> None:
    """Install into the environment that nox itself runs in: the one whose torch is asked about."""
    session.run(sys.executable, "-m", "pip", "install", "-q", "-e", ".", external=True)


def _results_option(arguments: list[str], folder: Path = RESULTS) -> list[str]:
    return [] if any(argument.startswith("--results") for argument in arguments) else [f"--results={folder}"]


def _build_reference(session: nox.Session) -> None:
    session.log(f"building the pages from {RESULTS}, {PAGES_TIME}")
    pages = ROOT / "docs" / "_build" / "html"
    session.run("sphinx-build", "-q", "-W", "--keep-going", "-n", "-j", "auto", "-b", "html", "docs", str(pages))
    print(f"reference: {pages / 'index.html'}")
