"""Claims on a library that is not torch, in specs outside the corpus."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.tests.own_library import conformance, make_library

#: A claim on `mylib`, which each test spoils in its own way.
GOOD = """\
subject: mylib.flat
claims:
  - id: has-one-dimension
    title: The result has one dimension
    family: values
    sources: [{key: with one dimension}]
    given: {x: tensor()}
    do: |
      import mylib
      y = mylib.flat(x)
    expect: y.ndim == 1
"""
#: What is wrong with a claim, as a replacement in it, and what the run says.
WRONG = {
    "no-such-key": (
        "key: with one",
        "key: with no",
        "no sentence of the docstring of mylib.flat has “with no dimension”",
    ),
    "no-such-name": ("mylib.flat\n", "mylib.flot\n", "there is no mylib.flot here; did you mean 'flat'?"),
    "no-such-package": (
        "mylib.flat\n",
        "mylbi.flat\n",
        "import mylbi raised ModuleNotFoundError: No module named 'mylbi'",
    ),
    "no-such-module": ("import mylib", "import mylib, lost", "import lost raised ModuleNotFoundError: No module named"),
    "no-docstring": ("{key:", "{docs: mylib.plain, key:", "mylib.plain has no docstring"),
    "no-such-docstring": (
        "{key:",
        "{docs: torch.flatted, key:",
        "there is no torch.flatted here; did you mean 'flatten'",
    ),
    "exits": ("import mylib", "import mylib, exits", "import exits raised SystemExit"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of the example, with a claim for each way to spoil one."""
    folder = make_library(tmp_path_factory.mktemp("own"))
    (folder / "wrong").mkdir()
    (folder / "exits.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    with (folder / "mylib.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef plain(x):\n    return x\n")
    (folder / "wrong" / "good.yaml").write_text(GOOD, encoding="utf-8")
    for name, (old, new, _) in WRONG.items():
        assert old in GOOD
        text = GOOD.replace(old, new, 1).replace("has-one-dimension", name)
        (folder / "wrong" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def printed(library: Path) -> str:
    assert conformance(library, "check", "wrong").returncode == 0
    ran = conformance(library, "run", "wrong")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stdout


def test_a_claim_on_a_function_of_ones_own_holds(printed: str) -> None:
    assert f"1 holds, {len(WRONG)} invalid" in printed


@pytest.mark.parametrize("name", WRONG)
def test_what_a_claim_is_about_and_is_not_here_is_an_error_of_the_run(printed: str, name: str) -> None:
    claim = re.search(rf"^  claim    \S+/{name}\n.*?  because  ([^\n]*)", printed, re.MULTILINE | re.DOTALL)
    assert claim is not None
    assert claim[1].startswith(WRONG[name][2])


def test_a_claim_is_chosen_by_its_full_id(library: Path) -> None:
    ran = conformance(library, "run", "wrong", "-k", "mylib.flat/has-one-dimension", "-v")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "wrong/good.yaml::mylib.flat/has-one-dimension[cpu] HOLDS" in ran.stdout
    assert f"{len(WRONG)} deselected" in ran.stdout


def test_what_an_import_changes_is_no_leak_of_the_claim(library: Path) -> None:
    (library / "shaping.py").write_text(
        '"""Shapes."""\n'
        "import builtins, signal, threading, torch\n"
        "builtins.shape_of = lambda x: x.shape\n"
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"
        "LIBRARY = torch.library.Library('shaping', 'DEF')\n"
        "LIBRARY.define('same(Tensor x) -> Tensor')\n"
        'def same(x):\n    """Returns x with one dimension."""\n    return x.reshape(-1)\n',
        encoding="utf-8",
    )
    (library / "shaping").mkdir()
    (library / "shaping" / "same.yaml").write_text(
        GOOD.replace("mylib.flat", "shaping.same").replace("import mylib", "import shaping"), encoding="utf-8"
    )
    ran = conformance(library, "run", "shaping")
    assert ran.returncode == 0, ran.stdout
    assert "1 holds" in ran.stdout


def test_an_impostor_makes_a_function_of_ones_own_wrong(library: Path) -> None:
    ran = conformance(library, "impostors", "claims", "-k", "contiguous-shares-storage")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 of 1 claim killed, 2 of 2 assertions" in ran.stdout
