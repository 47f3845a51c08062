"""`conformance upgrade --fix`: what is rewritten, and what is left as it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Optional

import pytest

from conformance.__main__ import main
from conformance.upgrade.floor import Floor, find_floor

_HEAD = "import torch\n\ndef f(path: str, x: torch.Tensor):\n"
_LOAD = "weights_only=False"

REWRITTEN = [
    ("1.13", "2.15", "torch.cholesky(x)", "torch.linalg.cholesky(x)"),
    ("1.13", "2.15", "torch.cholesky(x, upper=True)", "torch.linalg.cholesky(x, upper=True)"),
    ("2.5", "2.6", "torch.load(path)", f"torch.load(path, {_LOAD})"),
    ("2.5", "2.6", "torch.load(path, 'cpu')['model']", f"torch.load(path, 'cpu', {_LOAD})['model']"),
    ("2.5", "2.6", "print('é'); torch.load(path)", f"print('é'); torch.load(path, {_LOAD})"),
    (
        "2.5",
        "2.6",
        "torch.load(\n        path,  # where\n        map_location='cpu',\n    )",
        f"torch.load(\n        path,  # where\n        map_location='cpu', {_LOAD},\n    )",
    ),
    ("2.3", "2.4", "torch.cuda.amp.autocast()  # half", 'torch.amp.autocast("cuda")  # half'),
    ("2.3", "2.4", "torch.cuda.amp.autocast(enabled=True)", 'torch.amp.autocast("cuda", enabled=True)'),
    ("1.13", "2.15", "torch.qr(x)", "torch.linalg.qr(x)"),
    ("1.9", "1.10", "torch.meshgrid(x, x)", "torch.meshgrid(x, x, indexing='ij')"),
    ("2.3", "2.4", "torch.set_autocast_gpu_dtype(torch.half)", 'torch.set_autocast_dtype("cuda", torch.half)'),
    ("2.8", "2.9", "torch.onnx.export(m, x, 'f')", "torch.onnx.export(m, x, 'f', dynamo=False)"),
    ("2.3", "2.4", "torch.cuda.amp.GradScaler( )", 'torch.amp.GradScaler("cuda" )'),
]
#: The name of a call, where the file has another one for it.
NAMED = [
    ("from torch.cuda.amp import autocast", "autocast()", 'torch.amp.autocast("cuda")'),
    ("from torch.cuda import amp as a", "a.autocast(enabled=x)", 'torch.amp.autocast("cuda", enabled=x)'),
    ("import torch.cuda.amp as amp", "amp.GradScaler()", 'torch.amp.GradScaler("cuda")'),
    ("from torch.cuda.amp import autocast", "f = autocast; f()", None),
    ("from torch.cuda.amp import autocast\n\ndef g(torch):\n    pass", "autocast()", None),
]
LEFT = [
    ("1.13", "2.15", "torch.qr(x, some=False)"),
    ("1.13", "2.15", "torch.cholesky(x, True)"),
    ("1.13", "2.15", "torch.cholesky(*x)"),
    ("2.3", "2.4", "torch.cuda.amp.autocast(False)"),
    ("2.5", "2.6", "torch.load(path, weights_only=True)"),
    ("2.5", "2.6", "torch.load(path, **x)"),
    ("2.5", "2.6", "torch.load((path))"),
    ("2.5", "2.6", "try:\n        torch.load(path)\n    except Exception:\n        pass"),
    ("2.5", "2.6", "try:\n        torch.cholesky(x)\n    except AttributeError:\n        pass"),
]


def _run(folder: Path, old: str, new: str, line: str, *more: str) -> tuple[int, Path]:
    file = folder / "code.py"
    file.write_text(f"{_HEAD}    {line}\n", encoding="utf-8")
    return main(["upgrade", old, new, "--uses", str(file), "--fix", *more]), file


@pytest.mark.parametrize(("old", "new", "before", "after"), REWRITTEN)
def test_certain_and_small_rewrites_are_made(old: str, new: str, before: str, after: str, tmp_path: Path) -> None:
    status, file = _run(tmp_path, old, new, before, "--write")
    assert status == 0
    assert file.read_text(encoding="utf-8") == f"{_HEAD}    {after}\n"


@pytest.mark.parametrize(("head", "before", "after"), NAMED)
def test_a_call_by_another_name_gets_the_new_one_in_full(
    head: str, before: str, after: Optional[str], tmp_path: Path
) -> None:
    file = tmp_path / "code.py"
    file.write_text(f"import torch\n{head}\n\n{before}\n", encoding="utf-8")
    assert main(["upgrade", "2.3", "2.4", "--uses", str(file), "--fix", "--write"]) == 0
    assert file.read_text(encoding="utf-8") == f"import torch\n{head}\n\n{after or before}\n"


FLOORS = [
    ("pyproject.toml", '[project]\nname = "x"\ndependencies = ["numpy", "torch>=1.8,!=2.0"]\n'),
    ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^1.8"\n'),
    ("setup.cfg", "[options]\ninstall_requires =\n    numpy\n    torch >= 1.8  # the oldest\n"),
    ("setup.py", "from setuptools import setup\nsetup(install_requires=['torch~=1.8.0'])\n"),
    ("requirements.txt", "numpy\ntorch==1.8.1\n"),
]


@pytest.mark.parametrize(("name", "text"), FLOORS)
def test_what_the_oldest_torch_of_the_project_lacks_is_left(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    _, file = _run(tmp_path, "2.5", "2.6", "torch.load(path)", "--write")
    assert "weights_only" not in file.read_text(encoding="utf-8")
    assert re.search(rf"torch\.load of torch 1\.8\S* has no weights_only \({name}\)", capsys.readouterr().err)


@pytest.mark.parametrize("release", ["1.13", "2.0"])
def test_what_the_oldest_torch_has_is_written(release: str, tmp_path: Path) -> None:
    _, file = _run(tmp_path, "2.5", "2.6", "torch.load(path)", "--write", "--floor", release)
    assert "torch.load(path, weights_only=False)" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["project = 1\n", "[project]\ndependencies = 3\n", "[tool]\npoetry = []\n", "[\n"])
def test_requirements_that_can_not_be_read_say_nothing(text: str, tmp_path: Path) -> None:
    assert find_floor([tmp_path]) is None
    (tmp_path / "setup.cfg").write_text("[options\n", encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("torch>=1.9\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    assert find_floor([tmp_path]) == Floor("1.9", "requirements.txt")


def test_a_floor_that_is_no_release_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, "2.5", "2.6", "torch.load(path)", "--floor", "old")[0] == 2
    assert "--floor is a release, such as 1.13, and not 'old'" in capsys.readouterr().err


def test_the_option_goes_before_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "requirements.txt").write_text("torch>=2.3\n", encoding="utf-8")
    line = "torch.cuda.amp.GradScaler()"
    assert 'torch.amp.GradScaler("cuda")' in _run(tmp_path, "2.3", "2.4", line, "--write")[1].read_text("utf-8")
    assert line in _run(tmp_path, "2.3", "2.4", line, "--write", "--floor", "2.2")[1].read_text("utf-8")
    assert "torch 2.2 has no torch.amp.GradScaler (--floor)" in capsys.readouterr().err


@pytest.mark.parametrize(("old", "new", "line"), LEFT)
def test_what_is_not_certain_is_left(
    old: str, new: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, file = _run(tmp_path, old, new, line, "--write")
    assert status == 0
    assert capsys.readouterr().out == ""
    assert file.read_text(encoding="utf-8") == f"{_HEAD}    {line}\n"


def test_a_place_that_only_may_be_concerned_is_left(tmp_path: Path) -> None:
    _, file = _run(tmp_path, "2.5", "2.6", "torch.load(path); torch.load(path, **x)", "--write")
    assert file.read_text(encoding="utf-8") == f"{_HEAD}    torch.load(path, {_LOAD}); torch.load(path, **x)\n"


def test_a_diff_is_printed_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, file = _run(tmp_path, "2.5", "2.6", "torch.load(path)  # a\x0bb")
    assert file.read_text(encoding="utf-8").endswith("torch.load(path)  # a\x0bb\n")
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"--- a/{str(file).lstrip('/')}"
    assert [line[:1] for line in told[3:]] == [" ", " ", " ", "-", "+"]
    assert told[-1].startswith(f"+    torch.load(path, {_LOAD})  # a")


def test_writing_needs_fix_and_fix_needs_uses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "2.5", "2.6", "--fix"]) == 2
    assert main(["upgrade", "2.5", "2.6", "--uses", str(tmp_path), "--write"]) == 2
    assert "--write needs --fix" in capsys.readouterr().err


def test_what_a_person_must_look_at_is_left_without_unsafe(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "torch.nn.utils.weight_norm(x)"
    assert line in _run(tmp_path, "2.0", "2.1", line, "--write")[1].read_text("utf-8")
    assert "a person must look at it (--unsafe rewrites it)" in capsys.readouterr().err
    text = _run(tmp_path, "2.0", "2.1", line, "--write", "--unsafe")[1].read_text("utf-8")
    assert "torch.nn.utils.parametrizations.weight_norm(x)" in text
