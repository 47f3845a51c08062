"""Which files of a project are read, and why others are not."""

from __future__ import annotations

import inspect
import os
import sys
import time
from pathlib import Path

import pytest

from conformance.tests.closed_folders import deep_folder
from conformance.usage import Cause, Project, project, read_project

CODE = "import torch\ntorch.zeros(3)\n"


def causes(read: Project) -> list[Cause]:
    return [why.cause for why in read.not_read()]


UNREADABLE = [
    ("a.py", b"import torch\nprint 'x'\n", Cause.PYTHON_2),
    ("a.py", b"try:\n    pass\nexcept E, e:\n    pass\n", Cause.PYTHON_2),
    ("a.py", b"def f(:\n", Cause.SYNTAX),
    ("a.py", b"x = '\xff'\n", Cause.ENCODING),
    ("a.py", b"# coding: nonsense\n", Cause.ENCODING),
    ("a.py", b"x = 1\0\n", Cause.SYNTAX),
    ("a.py", b"x = 1\n" * 500_000, Cause.TOO_LARGE),
    ("a.py", b"x = " + b"-" * 50_000 + b"1\n", Cause.TOO_DEEP),
    ("a.ipynb", b"{}", Cause.NO_NOTEBOOK),
    ("a.ipynb", b"[" * 100_000, Cause.NO_NOTEBOOK),
    ("a.ipynb", b'{"cells": [1]}', Cause.NO_NOTEBOOK),
]


@pytest.mark.parametrize(("name", "content", "cause"), UNREADABLE)
def test_a_file_that_is_not_read_says_why(name: str, content: bytes, cause: Cause, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / "b.py").write_text(CODE)
    read = read_project([tmp_path])
    assert causes(read) == [cause]
    assert read.read == 1
    assert [use.names for use in read.uses()] == [("torch.zeros",)]


def test_a_syntax_error_has_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ndef f(:\n")
    (why,) = read_project([tmp_path]).not_read()
    assert (why.line, why.path) == (2, str(tmp_path / "a.py"))


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    (tmp_path / "b.py").symlink_to("b.py")
    (tmp_path / "c.py").symlink_to("/dev/zero")
    read = read_project([tmp_path, tmp_path / "missing.py"])
    assert causes(read) == [Cause.NO_FILE, Cause.LINK, Cause.NO_FILE, Cause.UNREADABLE]
    assert read.read == 0


def test_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (inside / "a.py").write_text(CODE)
    (inside / "loop").symlink_to(inside)
    (inside / "out").symlink_to(tmp_path)
    (inside / "build").mkdir()
    (inside / "build" / "a.txt").write_text("")
    (inside / "lib").symlink_to("build")
    (inside / "empty").mkdir()
    (inside / "same").symlink_to("empty")
    read = read_project([inside])
    assert read.read == 1
    assert [(why.path, why.cause) for why in read.not_read()] == [
        (str(inside / "lib"), Cause.LINK),
        (str(inside / "out"), Cause.LINK),
    ]


def test_a_folder_that_cannot_be_entered_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(CODE)
    with deep_folder(tmp_path, "d" * 250, 20, {"a.py": CODE}) as deep:
        read = read_project([tmp_path])
    assert [use.path for use in read.uses()] == [str(tmp_path / "b.py")]
    (why,) = read.not_read()
    assert (why.cause, why.detail) == (Cause.FOLDER, "File name too long")
    assert deep.startswith(why.path)


def test_a_folder_may_be_nested_deeper_than_functions_may(tmp_path: Path) -> None:
    limit = sys.getrecursionlimit()
    with deep_folder(tmp_path, "d", 300, {"a.py": CODE}):
        sys.setrecursionlimit(len(inspect.stack(0)) + 200)
        try:
            read = read_project([tmp_path])
        finally:
            sys.setrecursionlimit(limit)
    assert (read.read, causes(read)) == (1, [])


def test_folders_without_code_of_the_project_are_skipped(tmp_path: Path) -> None:
    for name in ("src", ".git", "env", "conda", "node_modules", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(CODE)
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    (tmp_path / "conda" / "conda-meta").mkdir()
    (tmp_path / "src" / "old.py").write_text(CODE)
    read = read_project([tmp_path], exclude=["tests", "ol?.py"])
    assert [file.path for file in read.files] == [str(tmp_path / "src" / "a.py")]
    assert sorted(Path(path).name for path in read.skipped) == [".git", "conda", "env", "node_modules", "tests"]


#: A file, and why it is not read; empty where it is.
LEFT_OUT = {
    "build/a.py": "build",
    "dist/deep/a.py": "dist",
    "venv/a.ipynb": "venv",
    ".github/scripts/a.py": ".github",
    "build/a.txt": "",
    ".cache/env/pyvenv.cfg": "",
    "a.pyx": "a.pyx",
    "A.PXD": "A.PXD",
    "a.ipy": "a.ipy",
}


@pytest.mark.parametrize("file", LEFT_OUT)
def test_what_may_be_code_of_the_project_is_named(file: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(CODE)
    read = read_project([tmp_path])
    named = [why.path for why in read.not_read()]
    assert named == ([str(tmp_path / LEFT_OUT[file])] if LEFT_OUT[file] else [])
    assert not list(read.uses())


def test_a_folder_is_read_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "a.py").write_text(CODE)
    read = read_project([tmp_path / "build"])
    assert (read.read, causes(read)) == (1, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("A.PY", CODE),
        ("a.Pyw", CODE),
        ("train", f"#!/usr/bin/env python3\n{CODE}"),
        ("train.cgi", f"#! /usr/bin/python -u\n{CODE}"),
    ],
)
def test_a_script_is_read(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / name).chmod(0o755)
    assert [use.names for use in read_project([tmp_path]).uses()] == [("torch.zeros",)]


@pytest.mark.parametrize("text", ["#!/bin/sh\npython x.py\n", "python\n", "", f"# python\n{CODE}"])
def test_other_files_are_not_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "train").write_text(text)
    (tmp_path / "a.pyx").write_text("cdef int x\n")
    os.mkfifo(tmp_path / "pipe")
    assert not read_project([tmp_path]).files


def test_stubs_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.pyi").write_text("import torch\ndef f(x: torch.LongTensor) -> None: ...\n")
    assert [use.names for use in read_project([tmp_path]).uses()] == [("torch.LongTensor",)]


def test_a_source_in_another_encoding_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes("# coding: latin-1\nimport torch\n'é'; torch.zeros(3)\r\n".encode("latin-1"))
    (tmp_path / "b.py").write_bytes(b"\xef\xbb\xbf" + CODE.encode())
    assert [use.column for use in read_project([tmp_path]).uses()] == [6, 1]


def test_two_processes_read_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "common.py").write_text("import torch\n")
    for number in range(6):
        (tmp_path / f"m{number}.py").write_text(f"from common import torch\ntorch.zeros({number})\n")
    one = read_project([tmp_path])
    monkeypatch.setattr(project, "_LARGE", 0)
    assert read_project([tmp_path]) == one
    assert len(list(one.uses())) == 6


def test_nothing_is_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import b\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    (tmp_path / "b.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    read_project([tmp_path])
    assert not (tmp_path / "ran").exists()


HOSTILE = [
    "x = torch\n" + "x = x.y\n" * 5_000 + "x()",
    "x = (1, torch.zeros(1))\n" + "x = (x, x)\n" * 2_000 + "if y: x = (x, x)\nx.z",
    "x = []\n" + "x = [x, x]\n" * 2_000,
    "x = torch.zeros(1)\n" + "if y: x = x + 1\n" * 5_000,
    "\n".join(f"a{number} = {number}\nif y: b = a{number}" for number in range(5_000)),
    "\n".join(f"def f{number}(): return f{number + 1}()" for number in range(3_000)) + "\nf0()",
    "def f(): return f()\nf()",
    "class A(A): pass\nA().x\nclass B(B): pass\nB().step()",
    "class A:\n    def f(self): self.x = self.x + (self.x, self.x)\n" + "A().f()\n" * 1_000,
    "x = " + " + ".join(["torch.zeros(1)"] * 2_000),
    "from a import *\nfrom a import x\nx.y()",
    "import a.a.a.a\na.a.a.a.a()",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_hostile_code_takes_no_long_time(source: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import torch\n{source}\n")
    start = time.process_time()
    read = read_project([tmp_path])
    assert time.process_time() - start < 5
    assert set(causes(read)) <= {Cause.TOO_DEEP}
