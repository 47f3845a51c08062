"""Folders without permission, and those whose path is too long: each command names them and goes on without them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from conformance.base.files import NotEntered, files_below, files_in, why_missing
from conformance.tests.closed_folders import cannot_obey, deep_folder, obey_permissions

ROOT = Path(__file__).resolve().parents[2]
SPEC = """
subject: torch.Tensor.detach
claims:
  - id: shares-memory
    title: The result shares memory with the input
    given: {x: tensor()}
    do: y = x.detach()
    expect: shares_storage(y, x)
    family: sharing
    sources: [{key: shares the same storage, says: states}]
"""
#: Arguments of a command, its exit status, and what it says of the rest.
COMMANDS = {
    "check": ("check {folder}", 2, "1 claim, no mistakes in what was read"),
    "run": ("run {folder}", 2, "1 holds"),
    "run in two processes": ("run {folder} -n 2", 2, "1 holds"),
    "impostors": ("impostors {folder} -n 1", 2, "1 of 1 claim killed"),
    "census": ("census --corpus {folder} --left 1", 0, "to do"),
    "upgrade with code": ("upgrade 2.5 2.6 --uses {folder} --all", 3, "(1 file read)"),
    "upgrade with specs": ("upgrade 2.5 2.6 --specs {folder} --results {folder}", 0, "torch 2.5 is not recorded"),
    "merge": ("merge {folder} --output {folder}/out", 2, "no results in this folder"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Make a tree with a file of each kind, a folder that nobody may enter, and one with a path that is too long."""
    folder = tmp_path_factory.mktemp("tree")
    files = {"spec.yaml": SPEC, "code.py": "import torch\ntorch.ones(2)\n"}
    (folder / "closed").mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
        (folder / "closed" / name).write_text("broken: (")
    (folder / "closed").chmod(0)
    with deep_folder(folder, "d" * 250, 20, files):
        yield folder
    (folder / "closed").chmod(0o700)


@cache
def printed(command: str, folder: Path) -> tuple[int, str]:
    """Run a command as somebody who may not enter every folder, where that can be had."""
    arguments = COMMANDS[command][0].format(folder=folder).split()
    ran = subprocess.run(
        [sys.executable, "-m", "conformance", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=300,
        preexec_fn=None if cannot_obey() else obey_permissions,
    )
    return ran.returncode, (ran.stdout + ran.stderr).decode()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_path_that_is_too_long_is_named(command: str, tree: Path) -> None:
    _, status, rest = COMMANDS[command]
    found, text = printed(command, tree)
    assert "Traceback" not in text
    assert f"{tree}/ddddd" in text
    assert rest in text
    if cannot_obey() is None:
        assert found == status, text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_without_permission_is_named(command: str, tree: Path) -> None:
    why = cannot_obey()
    if why is not None:
        pytest.skip(why)
    _, text = printed(command, tree)
    assert f"{tree}/closed" in text


@pytest.mark.parametrize(
    "command", ["check", "run", "run --results", "impostors", "upgrade 2.5 2.6 --baseline", "upgrade 2.5 2.6 --uses"]
)
def test_a_path_on_the_command_line_that_is_too_long_is_refused(command: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "conformance", *command.split(), "d" * 5000],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
    )
    assert ran.returncode == 2
    assert b"File name too long" in ran.stderr
    assert b"Traceback" not in ran.stderr


def test_files_come_in_order_and_links_to_folders_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b/c.txt", "b/a.txt", "a/x.txt", "c.txt", ".hidden/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "a" / "around").symlink_to(tmp_path)
    (tmp_path / "circle").symlink_to("circle")
    not_entered: list[NotEntered] = []
    found = files_below(tmp_path, not_entered, lambda folder: not folder.endswith("hidden"))
    names = [os.path.relpath(file, tmp_path) for file in found]
    assert names == ["c.txt", "circle", "a/x.txt", "b/a.txt", "b/c.txt"]
    assert not not_entered
    monkeypatch.chdir(tmp_path / "b")
    assert list(files_below(Path(), not_entered)) == ["a.txt", "c.txt"]
    assert files_in(tmp_path / "b", "*.txt") == [tmp_path / "b" / "a.txt", tmp_path / "b" / "c.txt"]
    assert files_in(tmp_path / "none", "*") == []


def test_it_is_known_why_there_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    assert why_missing(tmp_path / "circle") is None
    assert why_missing(tmp_path / "none") == "no such file or folder"
    assert why_missing(tmp_path / ("d" * 300)) == "can't be reached (File name too long)"
    assert why_missing(Path("\0")) is not None
