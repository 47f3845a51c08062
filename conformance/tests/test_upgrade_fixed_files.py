"""`conformance upgrade --fix --write` never harms a file, whatever its form, its names or the disk it is on."""

from __future__ import annotations

import ast
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.__main__ import main
from conformance.language.model import Fix
from conformance.tests.closed_folders import cannot_obey, obey_permissions
from conformance.upgrade.fixes import Fixes, fix
from conformance.upgrade.model import AffectedPlace, Report, ReportEntry
from conformance.usage import read_project

ROOT = Path(__file__).resolve().parents[2]
CODE = "import torch\ndef f(path):\n    return torch.load(path)\n"
FIXED = "import torch\ndef f(path):\n    return torch.load(path, weights_only=False)\n"
_ADDED = re.compile(rb"(?:, )?weights_only=False")


def write(folder: Path) -> int:
    return main(["upgrade", "2.5", "2.6", "--uses", str(folder), "--fix", "--write"])


#: Forms of a file, as bytes around the code.
FORMS = {
    "BOM": lambda code: b"\xef\xbb\xbf" + code,
    "CRLF": lambda code: code.replace(b"\n", b"\r\n"),
    "CR": lambda code: code.replace(b"\n", b"\r"),
    "mixed line ends": lambda code: code.replace(b"\n", b"\r\n", 1),
    "form feed": lambda code: b"\x0c\n" + code.replace(b"def", b"\x0cdef"),
    "latin-1": lambda code: b"# coding: latin-1\n'\xe9'\n" + code,
    "latin-1 before it": lambda code: b"# coding: latin-1\n" + code.replace(b"return", b"'\xe9\xe9'; return"),
    "emacs cookie": lambda code: b"#!/usr/bin/python\n# -*- coding: cp1252 -*-\n'\x80'\n" + code,
    "euc-jp": lambda code: b"# coding: euc-jp\n'\xa4\xa2'\n" + code,
    "BOM and CRLF": lambda code: b"\xef\xbb\xbf" + code.replace(b"\n", b"\r\n"),
    "no line end at the end": lambda code: code.rstrip(b"\n"),
    "tabs": lambda code: code.replace(b"    ", b"\t"),
    "other line separators": lambda code: "'\x0b\x1c\u2028'  # \x85\n".encode() + code,
    "wide characters": lambda code: code.replace(b"return", "'é𝔸'; return".encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_file_keeps_its_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_bytes(FORMS[form](CODE.encode()))
    assert write(tmp_path) == 0
    assert path.read_bytes() == FORMS[form](FIXED.encode())


#: Code in which the file itself may replace what is called.
REPLACED = [
    "torch.load = f",
    "t = torch\nt.load = f",
    "torch.load: object = f",
    "torch.load, x = f, 1",
    "for torch.load in fs: pass",
    "with x as torch.load: pass",
    "del torch.load",
    "setattr(torch, 'load', f)",
    "monkeypatch.setattr('torch.load', f)",
    "monkeypatch.setattr(torch, 'load', f)",
    "with mock.patch('torch.load'): pass",
    "with mock.patch.object(torch, 'load', f): pass",
    "@patch('torch.load')\ndef g(): pass",
    "mocker.patch.multiple(torch, load=f)",
    "torch.__dict__['load'] = f",
    "vars(torch)['load'] = f",
    "vars(torch).update(load=f)",
    "mock.patch.dict(sys.modules, {'torch': f})",
    "sys.modules['torch'] = f",
]
KEPT = [
    "self.load = f",
    "x = {'load': f}",
    "x['load'] = f",
    "x = torch.load",
    "def load(): pass",
    "f(load=f)",
    "f('load')",
]


@pytest.mark.parametrize("replaced", REPLACED)
def test_a_name_that_the_file_replaces_is_left(
    replaced: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"{CODE}{replaced}\n")
    assert write(tmp_path) == 0
    assert path.read_text() == f"{CODE}{replaced}\n"
    assert f"left as it is: {path}:3:12 torch.load: the file replaces" in capsys.readouterr().err


@pytest.mark.parametrize("kept", KEPT)
def test_another_object_of_the_same_name_matters_not(kept: str, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(f"{CODE}{kept}\n")
    write(tmp_path)
    assert (tmp_path / "code.py").read_text() == f"{FIXED}{kept}\n"


def test_what_is_left_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text("from torch.cuda.amp import autocast\n\nwith autocast():\n    pass\n")
    (tmp_path / "b.py").write_text("import torch\ntry:\n    torch.cuda.amp.autocast()\nexcept AttributeError: pass\n")
    (tmp_path / "c.py").write_text(
        "import torch\nf'{torch.cuda.amp.autocast()}'\n@torch.cuda.amp.autocast()\ndef f(): pass\n"
    )
    (tmp_path / "d.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": "import torch\\ntorch.cuda.amp.autocast()"}]}'
    )
    assert main(["upgrade", "2.3", "2.4", "--uses", str(tmp_path), "--fix"]) == 0
    told = capsys.readouterr()
    assert "+@torch.amp.autocast(" in told.out
    assert sorted(line.removeprefix(f"left as it is: {tmp_path}/") for line in told.err.splitlines()) == [
        "a.py:3:6 torch.cuda.amp.autocast: it is called by another name, and the file has no `import torch`",
        "b.py:3:5 torch.cuda.amp.autocast: the code expects that it may be missing",
        "c.py:2:4 torch.cuda.amp.autocast: it is in an f-string",
        "d.ipynb:cell 1:2:1 torch.cuda.amp.autocast: it is in a notebook",
    ]


def test_an_edit_that_does_not_parse_drops_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    text = "import torch\ntorch.load('a')\ntorch.load('b')\n"
    path.write_text(text)
    entries = [entry("weights_only=False"), entry("map_location=False"), entry("weights_only=None")]
    fixes = fixed(tmp_path, *entries)
    assert path.read_text() == text.replace("')", "', map_location=False, weights_only=False)")
    assert [(one.place, one.why) for one in fixes.left] == [
        (f"{path}:{line}:1", "it would be no Python any more") for line in (2, 3)
    ]


# Names of files, and the disk


def test_a_file_keeps_its_mode_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(CODE)
    path.chmod(0o750)
    write(tmp_path)
    assert path.stat().st_mode & 0o7777 == 0o750
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_that_leads_out_of_the_tree_is_not_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("in", "out"):
        (tmp_path / folder).mkdir()
    (tmp_path / "out" / "code.py").write_text(CODE)
    (tmp_path / "in" / "a.py").symlink_to("../out/code.py")
    assert write(tmp_path / "in") == 0
    assert (tmp_path / "out" / "code.py").read_text() == CODE
    assert "in/a.py:3:12 torch.load: it is a link to a file outside of what was read" in capsys.readouterr().err
    (tmp_path / "in" / "b.py").write_text(CODE)
    (tmp_path / "in" / "c.py").symlink_to("b.py")
    write(tmp_path / "in")
    assert (tmp_path / "in" / "b.py").read_text() == FIXED
    assert (tmp_path / "in" / "c.py").is_symlink()


def test_a_file_with_two_names_is_written_once_and_keeps_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "a.py", tmp_path / "b.py"
    one.write_text(CODE)
    os.link(one, other)
    assert write(tmp_path) == 0
    assert capsys.readouterr().out.count("+++ ") == 1
    assert one.read_text() == FIXED
    assert one.samefile(other)
    assert sorted(tmp_path.iterdir()) == [one, other]


def test_a_file_with_a_name_elsewhere_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.py").write_text(CODE)
    os.link(tmp_path / "in" / "a.py", tmp_path / "copy.py")
    assert write(tmp_path / "in") == 0
    assert (tmp_path / "copy.py").read_text() == CODE
    assert "a.py:3:12 torch.load: it has another name (a hard link) outside" in capsys.readouterr().err


def test_a_read_only_file_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "a.py").chmod(0o444)
    assert write(tmp_path) == 0
    assert (tmp_path / "a.py").read_text() == CODE
    assert "a.py:3:12 torch.load: it is read-only" in capsys.readouterr().err


def test_a_full_disk_leaves_the_file_as_it_was_and_the_others_are_written(tmp_path: Path) -> None:
    large = f"{CODE}# {'x' * 20_000}\n"
    (tmp_path / "a.py").write_text(large)
    (tmp_path / "b.py").write_text(CODE)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    ran = run(tmp_path, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limit[1])))
    assert ran.returncode == 1
    assert f"{tmp_path}/a.py: not written (File too large)" in ran.stderr
    assert (tmp_path / "a.py").read_text() == large
    assert (tmp_path / "b.py").read_text() == FIXED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.py", "b.py"]
    assert "a.py" not in ran.stdout


@pytest.mark.skipif(cannot_obey() is not None, reason=cannot_obey() or "")
def test_a_folder_that_is_read_only_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "a.py").write_text(CODE)
    (tmp_path / "b.py").write_text(CODE)
    (tmp_path / "closed").chmod(0o555)
    ran = run(tmp_path, obey_permissions)
    (tmp_path / "closed").chmod(0o755)
    assert ran.returncode == 1
    assert "closed/a.py: not written (Permission denied)" in ran.stderr
    assert (tmp_path / "closed" / "a.py").read_text() == CODE
    assert (tmp_path / "b.py").read_text() == FIXED


def run(folder: Path, before: Callable[[], object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "conformance", "upgrade", "2.5", "2.6", "--uses", str(folder), "--fix", "--write"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        preexec_fn=before,
    )


# Any file


def entry(instead: str) -> ReportEntry:
    fixes = (Fix("torch.load", keyword=instead),)
    return ReportEntry("x", "breaks", "default", instead, "", "", "", subject="torch.load", fixes=fixes)


def fixed(folder: Path, *entries: ReportEntry) -> Fixes:
    """Rewrite each call of `torch.load` in a folder, as a report with these entries does."""
    calls = [use for use in read_project([folder]).uses() if use.names == ("torch.load",) and use.call is not None]
    places = tuple(AffectedPlace(use, use.evidence) for use in calls)
    placed = [ReportEntry(**{**vars(one), "places": places}) for one in entries]
    return fix(Report("2.5", "2.6", entries=tuple(placed)), [folder], write=True)


_STATEMENTS = st.sampled_from(
    [
        "torch.load(p)",
        "x = [torch.load(p), torch.load(\n    p,  # é\n)]",
        "def f():\n\ttorch.load(p, 'cpu')",
        "if x:\f\n    y = torch.load(p)['é']; torch.load(p)",
        "'é\u2028\x0b'; torch.load(p)",
        "@torch.load(\n  p)\ndef f(): pass",
        "torch.load(torch.load(p))",
        "torch.load(p) ; torch.load()",
        "torch.load((p))",
        "torch.load(p, weights_only=True)",
        "f'{torch.load(p)}'",
        'f"""{\n  torch.load(p)}"""',
        "torch . load(p)",
        "torch.load(*p)",
        "torch.load(p \\\n  )",
        "\f",
        "# é\x85",
        "",
        "x = '''\ntorch.load(p)\n'''",
        "lambda: torch.load(p)",
    ]
)
_FORMS = st.tuples(
    st.sampled_from(
        [
            ("utf-8", ""),
            ("utf-8-sig", ""),
            ("latin-1", "# coding: latin-1\n"),
            ("cp1252", "# vim: fileencoding=cp1252\n"),
        ]
    ),
    st.lists(_STATEMENTS, max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(form=_FORMS)
def test_only_what_is_meant_changes(
    form: tuple[tuple[str, str], list[str], str, bool, bool],
) -> None:
    (encoding, cookie), statements, end, is_mixed, is_ended = form
    text = f"{cookie}import torch\n" + "\n".join(statements) + ("\n" if is_ended else "")
    if is_mixed:
        text = text.replace("\n", "\r\n", 1)
    content = text.replace("\n", end).encode(encoding, "replace")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "code.py")
        path.write_bytes(content)
        fixes = fixed(Path(folder), entry("weights_only=False"))
        after = path.read_bytes()
    assert _ADDED.sub(b"", after) == content
    assert not fixes.failed
    before_tree, tree = ast.parse(content), ast.parse(after)
    calls = [call for call in ast.walk(tree) if isinstance(call, ast.Call)]
    changed = 0
    for call in calls:
        if any(word.arg == "weights_only" and ast.unparse(word.value) == "False" for word in call.keywords):
            assert ast.unparse(call.func) == "torch.load"
            del call.keywords[-1]
            changed += 1
    assert ast.dump(tree) == ast.dump(before_tree)
    assert changed == len(_ADDED.findall(after))
