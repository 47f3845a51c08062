"""A verdict does not depend on how Python was started, nor on what the folder of temporary files is called."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

import pytest

from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim
from conformance.run.supervisor import Supervisor

ROOT = Path(__file__).resolve().parents[2]
ASSERTS = "given: {x: tensor()}\ndo: assert x is None\nraises: AssertionError"
PATHS = """
do: |
  import os, tempfile
  torch.load(os.path.join(tempfile.mkdtemp(), "none"))
raises: FileNotFoundError
"""
#: Claims that read where a file is mapped, and one whose source is a docstring of Python.
RECORDED = (
    "torch.StorageBase.from_file/mapped-as-asked",
    "torch.TypedStorage.from_file/mapped-as-asked",
    "torch.UntypedStorage.share_memory_/object-against-file",
    "torch.optim.swa_utils.AveragedModel/copies-the-module",
)


def recorded_claims() -> list[Claim]:
    files = ("StorageBase.from_file", "TypedStorage.from_file", "UntypedStorage.share_memory_")
    paths = [default_root() / "torch" / f"{name}.yaml" for name in files]
    corpus, problems = load_corpus([*paths, default_root() / "optim" / "swa_utils"])
    assert problems == []
    return [claim for claim in corpus.claims if claim.id in RECORDED]


def test_entries_are_the_same_without_asserts_and_with_a_space_in_the_temporary_folder(
    supervisor: Supervisor, read_claim: Callable[[str], Claim], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [read_claim(ASSERTS), read_claim(PATHS), *recorded_claims()]
    assert len(claims) == 2 + len(RECORDED)
    usual = [supervisor.judge(claim, "cpu").entry for claim in claims]
    folder = tmp_path / "a folder"
    folder.mkdir()
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    other = Supervisor(examples=10, seed=0)
    try:
        found = [other.judge(claim, "cpu").entry for claim in claims]
    finally:
        other.close()
    assert [entry.verdict for entry in usual] == ["holds"] * len(claims)
    assert None not in usual[-1].sentences
    assert found == usual


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["check"], 0, "no mistakes"),
        (["census"], 2, "this Python runs with -OO, which leaves out the docstrings to read"),
        (["report-docs", "unsafe-outputs-share-memory-unseen"], 0, "no documentation is quoted"),
    ],
)
def test_a_command_says_what_it_can_do_without_docstrings(arguments: list[str], status: int, told: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-OO", "-m", "conformance", *arguments]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == status, ran.stderr
    assert told in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
