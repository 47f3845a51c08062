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

from conformance.cli import main
from conformance.language.corpus import Corpus
from conformance.names.model import MeasuredNames, NameRecord, Section
from conformance.names.store import record
from conformance.results.recorded import recorded_folder
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
    record(
        [MeasuredNames(torch, "3.11", names_of(torch)) for torch in ("2.4.1", "2.5.1", "2.6.0")],
        tmp_path / "results/names",
    )
    return save(tmp_path / "results", *columns)


def names_of(torch: str) -> dict[str, Section]:
    """Make the names of a release: in 2.5 a function is gone, another one new, and a third has lost an argument."""
    is_old = torch < "2.5"
    module, tensor = NameRecord("module"), NameRecord("class")
    removed = "" if is_old else "torch.cholesky is removed; use torch.linalg.cholesky."
    names: Section = {
        "": module,
        "Tensor": tensor,
        "Tensor.detach": NameRecord("method", signatures=("(self)",), origin="stub"),
        "Tensor.clone": NameRecord("method", signatures=("(self)",), origin="stub"),
        "cholesky": NameRecord("builtin", signatures=("(input)",), origin="stub", removed=removed),
        "ones": NameRecord("builtin", signatures=("(size, *, old=None)" if is_old else "(size)",), origin="stub"),
    }
    linalg: Section = {"": module, "cholesky": NameRecord("builtin", signatures=("(A)",), origin="stub")}
    return {"torch": names if is_old else {**names, "young": NameRecord("function")}, "torch.linalg": linalg}


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


@pytest.mark.parametrize("text", ["torch==2.4.*", "==2.4.1", "v2.4.1", "2.4", "2.4.1+cpu"])
def test_what_people_write_of_a_version_is_understood(upgrade: Any, text: str) -> None:
    assert upgrade(text, "2.6")[1].startswith("torch 2.4.1 → 2.6.0")


def test_latest_is_the_last_release_that_is_not_void(upgrade: Any) -> None:
    assert upgrade("2.4", "latest")[1].startswith("torch 2.4.1 → 2.6.0")


def test_installed_is_the_release_that_pip_knows(upgrade: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.upgrade.choices.version", lambda name: "2.5.0+cpu")
    told = upgrade("installed", "2.6")[1]
    assert told.startswith("torch 2.5.1 → 2.6.0")
    assert "torch 2.5.0+cpu is not recorded; 2.5.1, the nearest patch release, stands for it" in told


def test_a_swapped_order_is_refused(upgrade: Any) -> None:
    assert upgrade("2.6", "2.4")[::2] == (2, "conformance: 2.6.0 is newer than 2.4.1; give the older release first\n")


def test_a_whole_version_is_that_release(upgrade: Any) -> None:
    assert upgrade("2.4.0", "2.5.1")[1].startswith("torch 2.4.0 → 2.5.1")


def test_a_version_that_is_not_recorded_gives_the_command_that_measures_it(upgrade: Any) -> None:
    status, told, error = upgrade("2.3", "2.6")
    assert (status, told) == (2, "")
    assert "torch 2.3 is not recorded on cpu (recorded: 2.4.0, 2.4.1, 2.5.1, 2.6.0, 2.10.0)" in error
    assert "nox -s conformance -- --torch '2.3.*'" in error
    assert "--torch '2.3.2'" in upgrade("2.3.2", "2.6")[2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2.99", " is the newest that this conformance knows"),
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
    _, told, _ = upgrade(recorded / "torch-2.4.0-cpu.jsonl", recorded / "torch-2.6.0-cpu.jsonl")
    assert told.startswith("torch 2.4.0 → 2.6.0")
    assert "releases between that were measured: 2.4.1, 2.5.1" in told


def test_a_result_file_that_is_none_is_refused(upgrade: Any, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    status, _, error = upgrade(tmp_path / "x.json", "2.6")
    assert status == 2
    assert "x.json: no result file of a known format" in error
    assert upgrade(tmp_path / "missing.json", "2.6")[0] == 2


def test_an_entry_that_does_not_fit_is_refused_with_its_line(upgrade: Any, recorded: Path) -> None:
    path = recorded / "torch-2.5.1-cpu.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"refuted"', '"wrong"'), encoding="utf-8")
    status, told, error = upgrade("2.4", "2.6")
    assert (status, told) == (2, "")
    assert "torch-2.5.1-cpu.jsonl:2: verdict: " in error


@pytest.mark.parametrize("severity", ["changes", "improvement"])
def test_fail_on(upgrade: Any, severity: str) -> None:
    assert upgrade("2.4", "2.6", "--fail-on", severity)[0] == 1
    assert upgrade("2.5", "2.6", "--fail-on", severity)[0] == 0


def test_fail_on_counts_what_is_as_harmful_or_more(upgrade: Any, code: Any) -> None:
    warning = code("import torch\ntorch.ones(1).detach()\n")
    assert upgrade("2.4", "2.6", "--uses", warning, "--fail-on", "breaks")[0] == 0
    assert upgrade("2.4", "2.6", "--uses", warning, "--fail-on", "warns")[0] == 1


@pytest.fixture
def code(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "code.py"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_uses_leaves_out_what_the_code_does_not_use(upgrade: Any, code: Any) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--uses", code("import torch\ntorch.ones(1).clone()\n"))
    assert status == 0
    assert "Nothing that was measured differs." in told
    status, told, _ = upgrade("2.4", "2.6", "--uses", code("import torch\ntorch.ones(1).detach()\n"))
    assert "CHANGES" in told
    assert "code.py:2" in told


def test_what_is_gone_is_told_at_its_line(upgrade: Any, code: Any) -> None:
    text = "import torch\ndef f(a):\n    torch.cholesky(a)\n    torch.ones(2, old=1)\n    torch.ones(2)\n"
    status, told, _ = upgrade("2.4", "2.6", "--uses", code(text), "--fail-on", "breaks")
    assert status == 1
    assert "torch.cholesky is gone" in told
    assert "instead  torch.linalg.cholesky" in told
    assert "torch.ones no longer takes old" in told
    assert "code.py:4\n" in told
    assert "code.py:5" not in told


def test_a_call_with_another_argument_is_another_call(upgrade: Any, code: Any) -> None:
    told = upgrade("2.4", "2.6", "--uses", code("import torch\ntorch.ones(1).detach(True)\n"))[1]
    assert "CHANGES" not in told


def test_an_unknown_object_is_folded_into_maybe(upgrade: Any, code: Any) -> None:
    file = code("def f(x):\n    x.detach()\n")
    told = upgrade("2.4", "2.6", "--uses", file)[1]
    assert "MAYBE" in told
    assert "BREAKS" not in told
    assert "MAYBE" not in upgrade("2.4", "2.6", "--uses", file, "--certain")[1]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.nowhere(1)\n",
        "import torch\nexec('torch.x')\n",
        "print 'Python 2'\n",
        "x = 1\n",
    ],
)
def test_silence_is_no_all_clear_where_not_all_was_read_and_known(upgrade: Any, code: Any, text: str) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--uses", code(text))
    assert (status, "this is no all-clear" in told) == (3, True)


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
    told = upgrade("2.4", "2.6", "--uses", file.parent)[1]
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
    assert "nor lines with ids" in upgrade("2.4", "2.6", "--baseline", known)[2]


def test_excluded_files_are_not_read(upgrade: Any, code: Any, tmp_path: Path) -> None:
    code("import torch\ntorch.cholesky(1)\n")
    assert "torch.cholesky" not in upgrade("2.4", "2.6", "--uses", tmp_path, "--exclude", "code.py")[1]


def test_a_path_that_is_not_there_is_refused(upgrade: Any, tmp_path: Path) -> None:
    assert upgrade("2.4", "2.6", "--uses", tmp_path / "missing")[0] == 2


@pytest.mark.parametrize("chosen", ["text", "markdown", "json", "github"])
def test_every_format_is_written(upgrade: Any, chosen: str) -> None:
    status, told, _ = upgrade("2.4", "2.6", "--format", chosen)
    assert status == 0
    assert "no longer true" in told
    if chosen == "json":
        assert json.loads(told)["counts"]["changes"] == 1


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


def test_one_kind_of_harm_can_be_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.cholesky(torch.eye(2))\ntorch.load('x')\n")
    asked = ["upgrade", "2.13", "2.15", "--uses", str(code), "--severity", "documentation", "--fail-on", "breaks"]
    assert main(asked) == 1
    assert "torch.cholesky is gone" not in capsys.readouterr().out


def test_an_entry_of_a_name_links_to_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text("import torch\ntorch.utils.checkpoint.checkpoint(torch.sin, torch.eye(2))\n")
    main(["upgrade", "2.0", "2.1", "--uses", str(code)])
    assert "more     conformance show torch.utils.checkpoint.checkpoint\n" in capsys.readouterr().out


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
    assert "more     https://example.org/docs/reference/torch.utils.checkpoint.checkpoint.html\n" in ran.stdout


def test_a_function_under_two_names_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = tmp_path / "code.py"
    code.write_text(
        "try:\n    import torch.ao.quantization as q\nexcept ImportError:\n    import torch.quantization as q\n"
        "def f(model):\n    q.quantize_dynamic(model)\n"
    )
    main(["upgrade", "2.4", "2.15", "--uses", str(code), "--brief"])
    assert capsys.readouterr().out.count("quantize_dynamic is deprecated") == 1


#: The lines of nanoGPT that the report in the README is about, by file and number.
_NANOGPT = {
    "sample.py": {38: "checkpoint = torch.load(ckpt_path, map_location=device)"},
    "train.py": {
        162: "checkpoint = torch.load(ckpt_path, map_location=device)",
        196: "scaler = torch.cuda.amp.GradScaler(enabled=(dtype == 'float16'))",
    },
}


@pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")
def test_the_report_in_the_readme_is_what_the_command_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- excerpt: upgrade -->")[2].partition("```\n<!-- end -->")[0]
    command, *lines = shown.partition("$ conformance ")[2].splitlines()
    for name, code in _NANOGPT.items():
        text = "import torch\n" + "".join(f"{code.get(number, '')}\n" for number in range(2, 200))
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(command.split())
    told = capsys.readouterr().out.splitlines()
    entries = lines[lines.index("BREAKS: the name or an argument is gone, or the call raises now") :]
    assert len(entries) > 15
    assert [line for line in entries if line.strip() != "[…]" and line not in told] == []
    shown_entries = [line for line in told if line.startswith("  ") and line[2:3] not in (" ", "")]
    assert [line for line in shown_entries if line not in entries] == []
