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

from conformance.__main__ import main
from conformance.base.recorded_folder import recorded_folder
from conformance.lab.names.record import record
from conformance.names.model import MeasuredNames, NameRecord, Section
from conformance.upgrade.command import add_upgrade

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return a folder with the names of three releases."""
    measured = [MeasuredNames(torch, "3.11", names_of(torch)) for torch in ("2.4.1", "2.5.1", "2.6.0")]
    record(measured, tmp_path / "results/names")
    return tmp_path / "results"


def names_of(torch: str) -> dict[str, Section]:
    """Make the names of a release: in 2.5 a function is gone, another one new, and a third has lost an argument."""
    is_old = torch < "2.5"
    module, tensor = NameRecord("module"), NameRecord("class")
    removed = "" if is_old else "torch.cholesky is removed; use torch.linalg.cholesky."
    names: Section = {
        "": module,
        "Tensor": tensor,
        **({"Tensor.detach": NameRecord("method", signatures=("(self)",), origin="stub")} if is_old else {}),
        "Tensor.clone": NameRecord("method", signatures=("(self)",), origin="stub"),
        "cholesky": NameRecord("builtin", signatures=("(input)",), origin="stub", removed=removed),
        "ones": NameRecord("builtin", signatures=("(size, *, old=None)" if is_old else "(size)",), origin="stub"),
    }
    linalg: Section = {"": module, "cholesky": NameRecord("builtin", signatures=("(A)",), origin="stub")}
    return {"torch": names if is_old else {**names, "young": NameRecord("function")}, "torch.linalg": linalg}


@pytest.fixture
def upgrade(recorded: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: object) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        add_upgrade(parser.add_subparsers())
        options = parser.parse_args(["upgrade", *map(str, arguments), "--results", str(recorded)])
        status = int(options.function(options))
        written = capsys.readouterr()
        return status, written.out, written.err

    return run


def test_a_minor_version_is_its_recorded_patch(upgrade: Any) -> None:
    status, told, _ = upgrade("2.4", "2.6")
    assert status == 0
    assert told.startswith("torch 2.4.1 → 2.6.0: ")


@pytest.mark.parametrize("text", ["torch==2.4.*", "==2.4.1", "v2.4.1", "2.4", "2.4.1+cpu"])
def test_what_people_write_of_a_version_is_understood(upgrade: Any, text: str) -> None:
    assert upgrade(text, "2.6")[1].startswith("torch 2.4.1 → 2.6.0")


def test_latest_is_the_last_release(upgrade: Any) -> None:
    assert upgrade("2.4", "latest")[1].startswith("torch 2.4.1 → 2.6.0")


def test_installed_is_the_release_that_pip_knows(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.upgrade.choices.version", lambda name: "2.5.0+cpu")
    told = upgrade("installed", "2.6")[1]
    assert told.startswith("torch 2.5.1 → 2.6.0")
    assert "torch 2.5.0+cpu is not recorded; 2.5.1, the nearest patch release, stands for it" in told


def test_a_swapped_order_is_refused(upgrade: Any) -> None:
    assert upgrade("2.6", "2.4")[::2] == (2, "conformance: 2.6.0 is newer than 2.4.1; give the older release first\n")


def test_a_whole_version_is_that_release(upgrade: Any) -> None:
    assert upgrade("2.4.1", "2.5.1")[1].startswith("torch 2.4.1 → 2.5.1")


def test_a_version_that_is_not_recorded_gives_the_command_that_measures_it(upgrade: Any) -> None:
    status, told, error = upgrade("2.3", "2.6")
    assert (status, told) == (2, "")
    assert "torch 2.3 is not recorded (recorded: 2.4.1, 2.5.1, 2.6.0)" in error
    assert "nox -s names -- 2.3.1" in error


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2.99", " is the newest that this version of conformance knows"),
        ("1.2", "only releases from 1.8.1 to"),
    ],
)
def test_a_version_that_nobody_knows_cannot_be_measured(upgrade: Any, text: str, why: str) -> None:
    status, _, error = upgrade(text, "2.6")
    assert status == 2
    assert why in error
    assert "nox" not in error


def test_2_1_is_not_2_10(upgrade: Any) -> None:
    assert "torch 2.1 is not recorded" in upgrade("2.1", "2.6")[2]


@pytest.mark.parametrize("text", ["yesterday", "", "2.x"])
def test_what_is_no_version_is_refused(upgrade: Any, text: str) -> None:
    status, _, error = upgrade(text, "2.6")
    assert status == 2
    assert "is no release; write 2.4, " in error


def test_a_result_file_is_for_another_command(upgrade: Any, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("{}", encoding="utf-8")
    status, _, error = upgrade(tmp_path / "x.jsonl", "2.6")
    assert (status, "'conformance compare' compares two result files" in error) == (2, True)


@pytest.mark.parametrize(("severity", "status"), [("breaks", 0), ("changes", 0), ("warns", 1)])
def test_fail_on_counts_what_is_as_harmful_or_more(upgrade: Any, code: Any, severity: str, status: int) -> None:
    warning = code("import torch\ntorch.cuda.amp.autocast()\n")
    assert main(["upgrade", "2.3", "2.4", "--uses", str(warning), "--fail-on", severity]) == status


@pytest.fixture
def code(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "code.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_uses_leaves_out_what_the_code_does_not_use(upgrade: Any, code: Any) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--uses", code("import torch\ntorch.ones(1).clone()\n"))
    assert (status, told.partition("\n")[0]) == (
        0,
        "torch 2.4.1 → 2.6.0: no differences found (1 file read)",
    )


def test_what_is_gone_is_told_at_its_line(upgrade: Any, code: Any) -> None:
    text = "import torch\ndef f(a):\n    torch.cholesky(a)\n    torch.ones(2, old=1)\n    torch.ones(2)\n"
    file = code(text)
    status, told, _ = upgrade("2.4", "2.6", "--uses", file, "--fail-on", "breaks")
    assert status == 1
    assert f"BREAKS  {file}:3\n  torch.cholesky is gone  (since 2.5)\n" in told
    assert "write    torch.linalg.cholesky" in told
    assert f"BREAKS  {file}:4\n  torch.ones no longer takes old" in told
    assert "code.py:5" not in told


def test_an_unknown_object_is_folded_into_maybe(upgrade: Any, code: Any) -> None:
    file = code("def f(x):\n    x.detach()\n")
    told = upgrade("2.4", "2.6", "--uses", file)[1]
    assert "MAYBE" in told
    assert "BREAKS" not in told
    assert "MAYBE" not in upgrade("2.4", "2.6", "--uses", file, "--certain")[1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import torch\ntorch.nowhere(1)\n", "no differences found, but parts of the code could not be analysed"),
        ("import torch\nexec('torch.x')\n", "nothing to compare, but parts of the code could not be analysed"),
        ("print 'Python 2'\n", "nothing to compare, but parts of the code could not be analysed"),
        ("x = 1\n", "nothing to compare (1 file read)\n"),
    ],
)
def test_silence_is_no_all_clear_where_not_all_was_read_and_known(
    upgrade: Any, code: Any, text: str, says: str
) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--uses", code(text))
    assert (status, says in told) == (3, True)


@pytest.mark.parametrize("code_of", ["partial(torch.ones, old=1)", "def f(g=partial(torch.ones, old=1)): pass"])
def test_an_argument_that_is_bound_beforehand_is_passed(upgrade: Any, code: Any, code_of: str) -> None:
    told = upgrade("2.4", "2.6", "--uses", code(f"import torch\nfrom functools import partial\n{code_of}\n"))[1]
    assert "torch.ones no longer takes old" in told.partition("BREAKS")[2].partition("MAYBE")[0]


@pytest.mark.parametrize("passed", ["map({}, paths)", "def f(load={}): load(path)", "LOADERS = {{'x': {}}}"])
@pytest.mark.parametrize(("old", "new", "name"), [("2.5", "2.6", "torch.load"), ("1.13", "2.0", "x.zero_grad")])
def test_a_function_that_is_passed_on_may_be_concerned(
    passed: str, old: str, new: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "code.py").write_text(f"import torch\nx = torch.optim.SGD([], 1)\n{passed.format(name)}\n")
    main(["upgrade", old, new, "--uses", str(tmp_path), "--json"])
    entries = json.loads(capsys.readouterr().out)["entries"]
    maybe = [entry for entry in entries if entry["evidence"] == "maybe" and entry["severity"] in ("breaks", "changes")]
    assert [use["line"] for entry in maybe for use in entry["uses"]] == [3]


def test_what_was_left_out_is_named(upgrade: Any, code: Any, tmp_path: Path) -> None:
    file = code("import torch\ntorch.cholesky(1)\n")
    for name in (".git", "build"):
        (file.parent / name).mkdir()
        (file.parent / name / "a.py").write_text("import torch\n")
    (file.parent / "a.ipynb").write_text('{"cells": [{"cell_type": "code", "source": "\\n%mine x"}]}')
    told = upgrade("2.4", "2.6", "--uses", file.parent, "--coverage")[1]
    assert (
        f"not read (left out for its name: read it with --uses, or leave it out with --exclude): {file.parent}/build"
        in told
    )
    assert f"not read (a magic of IPython): {file.parent}/a.ipynb:cell 1:2" in told
    assert f"skipped, because excluded or not written for the project: {file.parent}/.git" in told
    read = json.loads(upgrade("2.4", "2.6", "--uses", file.parent, "--json")[1])["coverage"]
    assert read["skipped"] == [f"{file.parent}/.git"]
    assert sorted(why["file"] for why in read["not_read"]) == [f"{file.parent}/a.ipynb", f"{file.parent}/build"]


def test_an_empty_folder_is_no_all_clear(upgrade: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert upgrade("2.4", "2.6", "--uses", tmp_path / "empty")[0] == 3


def test_what_was_looked_at_is_left_out(upgrade: Any, code: Any, tmp_path: Path) -> None:
    file = code("import torch\ntorch.cholesky(1)\ntorch.ones(2, old=1)\n")
    told = upgrade("2.4", "2.6", "--uses", file, "--ignore", "torch.cholesky")[1]
    assert "torch.cholesky" not in told
    assert "1 ignored" in told
    known = tmp_path / "known"
    known.write_text(upgrade("2.4", "2.6", "--uses", file, "--json")[1], encoding="utf-8")
    assert "2 ignored" in upgrade("2.4", "2.6", "--uses", file, "--baseline", known)[1]
    known.write_text("torch.ones:old  # looked at\n", encoding="utf-8")
    assert "1 ignored" in upgrade("2.4", "2.6", "--uses", file, "--baseline", known)[1]
    known.write_text("{}", encoding="utf-8")
    assert "nor a list of ids" in upgrade("2.4", "2.6", "--baseline", known)[2]


def test_excluded_files_are_not_read(upgrade: Any, code: Any, tmp_path: Path) -> None:
    code("import torch\ntorch.cholesky(1)\n")
    assert "torch.cholesky" not in upgrade("2.4", "2.6", "--uses", tmp_path, "--exclude", "code.py")[1]


def test_a_path_that_is_not_there_is_refused(upgrade: Any, tmp_path: Path) -> None:
    assert upgrade("2.4", "2.6", "--uses", tmp_path / "missing")[0] == 2


@pytest.mark.parametrize("chosen", ["text", "markdown", "json", "github"])
def test_every_format_is_written(upgrade: Any, chosen: str) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--format", chosen)
    assert status == 0
    assert "cholesky" in told
    if chosen == "json":
        assert json.loads(told)["counts"]["breaks"] > 1


def test_it_works_without_torch(recorded: Path, tmp_path: Path) -> None:
    program = (
        "import sys\nsys.modules['torch'] = sys.modules['numpy'] = None\nimport argparse\n"
        "from conformance.upgrade.command import add_upgrade\nfrom conformance.upgrade import bisection\n"
        "from conformance.results import merge\n"
        "parser = argparse.ArgumentParser()\nadd_upgrade(parser.add_subparsers())\n"
        "options = parser.parse_args(sys.argv[1:])\nsys.exit(options.function(options))\n"
    )
    arguments = ["upgrade", "2.4", "2.6", "--results", str(recorded)]
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
    assert "cholesky" in ran.stdout


def test_one_kind_of_harm_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.cholesky(torch.eye(2))\ntorch.load('x')\n")
    asked = ["upgrade", "2.13", "2.15", "--uses", str(code), "--severity", "warns", "--fail-on", "breaks"]
    assert main(asked) == 0
    assert "torch.cholesky" not in capsys.readouterr().out


def test_an_entry_tells_where_more_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.utils.checkpoint.checkpoint(torch.sin, torch.eye(2))\n")
    main(["upgrade", "2.0", "2.1", "--uses", str(code)])
    assert "more     conformance show 2.1/checkpoint-warns" in capsys.readouterr().out


def test_a_link_is_absolute_where_the_pages_are_published(tmp_path: Path) -> None:
    """The address is a project URL of the installed package."""
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.utils.checkpoint.checkpoint(torch.sin, torch.eye(2))\n")
    package = tmp_path / "path" / "torch_conformance-1.dist-info"
    package.mkdir(parents=True)
    url = "Project-URL: Documentation, https://example.org/docs"
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch-conformance\nVersion: 1\n{url}\n")
    environment = {**os.environ, "PYTHONPATH": f"{package.parent}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "conformance", "upgrade", "2.0", "2.1", "--uses", str(code)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "more     https://example.org/docs/reference/releases/2.1.2.html#checkpoint-warns" in ran.stdout


def test_a_function_under_two_names_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text(
        "try:\n    import torch.ao.quantization as q\nexcept ImportError:\n    import torch.quantization as q\n"
        "def f(model):\n    q.quantize_dynamic(model)\n"
    )
    main(["upgrade", "2.4", "2.15", "--uses", str(code), "--brief"])
    assert capsys.readouterr().out.count("quantize_dynamic is deprecated") == 1


@pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")
def test_the_report_in_the_readme_is_what_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- excerpt: upgrade -->")[2].partition("```\n<!-- end -->")[0]
    code, _, rest = shown.partition("$ cat train.py\n")[2].partition("$ conformance ")
    command, _, lines = rest.partition("\n")
    (tmp_path / "train.py").write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(command.split())
    assert capsys.readouterr().out == lines


def test_what_is_deprecated_already_is_told_on_request(code: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = code("import torch\ntorch.cuda.amp.autocast()\n")
    asked = ["upgrade", "2.4", "2.5", "--uses", str(file)]
    main(asked)
    assert "autocast" not in capsys.readouterr().out
    assert main([*asked, "--pending", "--fail-on", "warns"]) == 0
    told = capsys.readouterr().out
    assert "PENDING: already so in 2.4.1\n  torch.cuda.amp.autocast is deprecated (since 2.4)  [" in told
    assert main(["upgrade", "2.4", "2.5", "--pending"]) == 2


def test_a_change_can_be_shown_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "2.6/load-weights-only"]) == 0
    whole = capsys.readouterr().out
    assert whole.startswith("torch 2.6 breaks code: torch.load refuses arbitrary classes by default\n")
    assert "torch.save(" in whole
    main(["show", "load-weights-only"])
    assert capsys.readouterr().out == whole
