"""``conformance upgrade`` as it is called: which releases it finds, and its exit status."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.language.corpus import Corpus
from conformance.tests.result_files import SIMPLE, entry, make_corpus, release, save
from conformance.upgrade.command import add_upgrade

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return make_corpus(tmp_path / "specs", SIMPLE)


@pytest.fixture
def recorded(tmp_path: Path, corpus: Corpus) -> Path:
    """Four releases; the claim is false from 2.5 on, and 2.10 is void."""
    [claim] = corpus.claims
    columns = [release(torch, {claim.id: entry(claim)}) for torch in ("2.4.0", "2.4.1")]
    columns += [release(torch, {claim.id: entry(claim, "refuted")}) for torch in ("2.5.1", "2.6.0")]
    columns.append(release("2.10.0", {claim.id: entry(claim)}, void="a smoke claim failed"))
    return save(tmp_path / "results", *columns)


@pytest.fixture
def upgrade(tmp_path: Path, recorded: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        add_upgrade(parser.add_subparsers())
        fixed = ["--results", str(recorded), "--specs", str(tmp_path / "specs")]
        options = parser.parse_args(["upgrade", *map(str, arguments), *fixed])
        status = int(options.function(options))
        written = capsys.readouterr()
        return status, written.out, written.err

    return run


def test_a_minor_version_is_its_last_measured_patch(upgrade: Any) -> None:
    status, told, _ = upgrade("2.4", "2.6")
    assert status == 0
    assert told.startswith("torch 2.4.1 → 2.6.0 on cpu")
    assert "in 2.5 (2.4.1 → 2.5.1)" in told


def test_a_whole_version_is_that_release(upgrade: Any) -> None:
    assert upgrade("2.4.0", "2.5.1")[1].startswith("torch 2.4.0 → 2.5.1")


def test_a_version_that_is_not_recorded_gives_the_command_that_measures_it(upgrade: Any) -> None:
    status, told, error = upgrade("2.3", "2.6")
    assert (status, told) == (2, "")
    assert "torch 2.3 is not recorded on cpu (recorded: 2.4.0, 2.4.1, 2.5.1, 2.6.0, 2.10.0)" in error
    assert "nox -s conformance -- --torch '2.3.*'" in error
    assert "--torch '2.4.2'" in upgrade("2.4.2", "2.6")[2]


def test_2_1_is_not_2_10(upgrade: Any) -> None:
    assert "torch 2.1 is not recorded" in upgrade("2.1", "2.6")[2]


def test_a_void_release_is_refused(upgrade: Any) -> None:
    status, _, error = upgrade("2.4", "2.10")
    assert status == 2
    assert "void: a smoke claim failed" in error


@pytest.mark.parametrize("text", ["yesterday", "", "2.x"])
def test_what_is_no_version_is_refused(upgrade: Any, text: str) -> None:
    status, _, error = upgrade(text, "2.6")
    assert status == 2
    assert "neither a version nor a result file" in error


def test_result_files_may_be_given(upgrade: Any, recorded: Path) -> None:
    _, told, _ = upgrade(recorded / "torch-2.4.0-cpu.json", recorded / "torch-2.6.0-cpu.json")
    assert told.startswith("torch 2.4.0 → 2.6.0")
    assert "releases between that were measured: 2.4.1, 2.5.1" in told


def test_a_result_file_that_is_none_is_refused(upgrade: Any, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    status, _, error = upgrade(tmp_path / "x.json", "2.6")
    assert status == 2
    assert "x.json: format None" in error
    assert upgrade(tmp_path / "missing.json", "2.6")[0] == 2


@pytest.mark.parametrize(("severity", "status"), [("breaking", 1), ("improvement", 1)])
def test_fail_on(upgrade: Any, severity: str, status: int) -> None:
    assert upgrade("2.4", "2.6", "--fail-on", severity)[0] == status
    assert upgrade("2.5", "2.6", "--fail-on", severity)[0] == 0
    assert upgrade("2.6", "2.4", "--fail-on", severity)[0] == (1 if severity == "improvement" else 0)


def test_uses_leaves_out_what_the_code_does_not_use(upgrade: Any, tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.ones(1).clone()\n", encoding="utf-8")
    status, told, _ = upgrade("2.4", "2.6", "--uses", code, "--fail-on", "improvement")
    assert status == 0
    assert "Nothing that was measured differs" in told
    code.write_text("import torch\ntorch.ones(1).detach()\n", encoding="utf-8")
    status, told, _ = upgrade("2.4", "2.6", "--uses", code, "--fail-on", "improvement")
    assert status == 1
    assert "code.py:2 .detach" in told


def test_a_path_that_is_not_there_is_refused(upgrade: Any, tmp_path: Path) -> None:
    assert upgrade("2.4", "2.6", "--uses", tmp_path / "missing")[0] == 2


@pytest.mark.parametrize("chosen", ["text", "markdown", "json", "github"])
def test_every_format_is_written(upgrade: Any, chosen: str) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--format", chosen)
    assert status == 0
    assert "no longer true" in told
    if chosen == "json":
        assert json.loads(told)["counts"]["breaking"] == 1


def test_it_works_without_torch(recorded: Path, tmp_path: Path) -> None:
    program = (
        "import sys\nsys.modules['torch'] = sys.modules['numpy'] = None\nimport argparse\n"
        "from conformance.upgrade.command import add_upgrade\nfrom conformance.upgrade import bisection\n"
        "from conformance.results import merge\n"
        "parser = argparse.ArgumentParser()\nadd_upgrade(parser.add_subparsers())\n"
        "options = parser.parse_args(sys.argv[1:])\nsys.exit(options.function(options))\n"
    )
    arguments = ["upgrade", "2.4", "2.6", "--results", str(recorded), "--specs", str(tmp_path / "specs")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "no longer true" in ran.stdout
