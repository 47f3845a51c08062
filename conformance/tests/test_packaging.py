"""What is installed: what it needs, its commands, and how it gets on with others of its name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.tests.own_library import ROOT, make_library
from conformance.tests.test_packages import PACKAGE, imported

#: Distributions whose module has another name, and one that pytest finds by itself.
MODULES = {"PyYAML": "yaml"}
PLUGINS = ("pytest-xdist",)


@pytest.fixture(scope="module")
def project() -> Any:
    tomllib = pytest.importorskip("tomllib", reason="Python 3.11 reads TOML")
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_what_is_installed_with_the_package_is_imported_by_it(project: Any) -> None:
    used = {
        name.partition(".")[0] for path in PACKAGE.rglob("*.py") if "tests" not in path.parts for name in imported(path)
    }
    named = [re.split(r"[<>=]", requirement)[0] for requirement in project["dependencies"]]
    assert len(named) > 4
    assert [name for name in named if MODULES.get(name, name) not in used and name not in PLUGINS] == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "conformance" / "py.typed").is_file()


def test_a_command_is_named_as_the_distribution_so_that_pipx_finds_it(project: Any) -> None:
    assert project["scripts"][project["name"]] == project["scripts"]["conformance"] == "conformance.__main__:main"


def run(folder: Path, script: str, *arguments: str, path: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run an installed command: its folder stands first in ``sys.path``, and not the one where it is run."""
    code = (
        "import sys; sys.path[:1] = []; sys.argv = sys.argv[1:]; import conformance.__main__ as c; sys.exit(c.main())"
    )
    command = [sys.executable, "-c", code, script, *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, path)))}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_another_command_of_the_same_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "other" / "conformance_cli").mkdir(parents=True)
    both = run(tmp_path, "/bin/conformance", "--version", path=tmp_path / "other")
    assert both.returncode == 0
    assert both.stderr == (
        "conformance: the distribution 'conformance' is installed here too, and its command has the same name as this "
        "one; torch-conformance is always this one\n"
    )
    assert run(tmp_path, "/bin/torch-conformance", "--version", path=tmp_path / "other").stderr == ""
    assert run(tmp_path, "/bin/conformance", "--version").stderr == ""


def test_a_folder_called_as_the_package_does_not_take_its_place(tmp_path: Path) -> None:
    library = make_library(tmp_path)
    (library / "conformance").mkdir()
    (library / "conformance" / "__init__.py").write_text("raise ImportError('the tests of mylib')\n", encoding="utf-8")
    ran = run(library, "/bin/conformance", "run", "claims", "-k", "contiguous")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 holds" in ran.stdout
