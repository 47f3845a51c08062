"""Pipes, devices, links in a circle and names that are not UTF-8: each command refuses them, and waits for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.base.files import Unreadable, Why, read_bounded

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_circle(path: Path) -> None:
    path.symlink_to(path.name)


MAKERS = {"pipe": make_pipe, "device": make_device, "circle": make_circle}
NOT_UTF8 = os.fsdecode(b"\xff")
#: Arguments of a command, with the place of the file, and what makes it look there.
COMMANDS = {
    "check a file": ("check {file}", "spec.yaml"),
    "check a folder": ("check {folder}", "spec.yaml"),
    "run a file": ("run {file}", "spec.yaml"),
    "run a folder": ("run {folder}", "spec.yaml"),
    "impostors": ("impostors {folder}", "spec.yaml"),
    "show": ("show torch.Tensor.detach --results {folder}", "torch-2.1.2-cpu.jsonl"),
    "show what a file is no folder for": ("show torch.Tensor.detach --results {file}", "results"),
    "compare files": ("compare {file} 2.5", "torch-2.1.2-cpu.jsonl"),
    "compare with results": ("compare 2.4 2.5 --results {folder}", "torch-2.1.2-cpu.jsonl"),
    "upgrade with specs": ("upgrade 2.4 2.5 --specs {folder}", "spec.yaml"),
    "upgrade with a baseline": ("upgrade 2.4 2.5 --uses {folder} --baseline {file}", "known.json"),
    "merge a file": ("merge {file} --output {folder}/out", "torch-2.1.2-cpu.jsonl"),
    "merge a folder": ("merge {folder} --output {folder}/out", "torch-2.1.2-cpu.jsonl"),
    "report-docs": ("report-docs --results {folder} --output {folder}/out", "torch-2.1.2-cpu.jsonl"),
}


def conformance(arguments: str, file: Path) -> subprocess.CompletedProcess[bytes]:
    words = [word.format(file=file, folder=file.parent) for word in arguments.split()]
    return subprocess.run(
        [sys.executable, "-m", "conformance", *words],
        cwd=file.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=SECONDS,
    )


def refused(ran: subprocess.CompletedProcess[bytes], name: str) -> None:
    printed = (ran.stdout + ran.stderr).decode("utf-8")
    assert ran.returncode == 2, printed
    assert ascii(name)[1:-1] in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_is_refused(command: str, kind: str, tmp_path: Path) -> None:
    arguments, name = COMMANDS[command]
    MAKERS[kind](tmp_path / name)
    refused(conformance(arguments, tmp_path / name), name)


@pytest.mark.parametrize("command", ["check a folder", "run a folder", "show", "merge a folder"])
def test_a_name_that_is_not_utf8_is_refused(command: str, tmp_path: Path) -> None:
    arguments, name = COMMANDS[command]
    strange = name.replace("spec", NOT_UTF8).replace("2.1.2", NOT_UTF8)
    (tmp_path / strange).write_text("{}", encoding="utf-8")
    refused(conformance(arguments, tmp_path / strange), strange)


def test_the_code_of_a_user_is_read_without_them_and_each_is_told(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("import torch\ntorch.ones(2)\n", encoding="utf-8")
    for kind, make in MAKERS.items():
        make(tmp_path / f"{kind}.py")
    (tmp_path / f"{NOT_UTF8}.py").write_text("import torch\n", encoding="utf-8")
    ran = conformance("upgrade 2.4 2.5 --uses {folder}", tmp_path / "good.py")
    printed = (ran.stdout + ran.stderr).decode("utf-8")
    assert ran.returncode in (0, 3), printed
    assert "(1 file read)" in printed
    for name in ("pipe.py", "device.py", "circle.py", "\\udcff.py"):
        assert name in printed


def test_what_is_read_counts_and_not_what_the_system_says(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(Unreadable) as told:
        read_bounded(path, 4)
    assert told.value.why is Why.LARGE
    assert Path("/proc/self/status").stat().st_size == 0
    with pytest.raises(Unreadable) as told:
        read_bounded(Path("/proc/self/status"), 10)
    assert told.value.why is Why.LARGE


@pytest.mark.parametrize(
    ("name", "why"), [("none", Why.MISSING), ("", Why.SPECIAL), (NOT_UTF8, Why.NAME), ("\0", Why.FAILED)]
)
def test_what_is_not_read_says_why(name: str, why: Why, tmp_path: Path) -> None:
    with pytest.raises(Unreadable) as told:
        read_bounded(tmp_path / name, 10)
    assert told.value.why is why


def test_a_file_is_closed_also_where_it_is_refused(tmp_path: Path) -> None:
    open_files = Path("/proc/self/fd")
    before = len(list(open_files.iterdir()))
    for _ in range(20):
        with pytest.raises(Unreadable):
            read_bounded(tmp_path, 10)
    assert len(list(open_files.iterdir())) == before
