"""The report has the words of changes that somebody wrote; what was derived of the same makes way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main


def entries(capsys: pytest.CaptureFixture[str], folder: Path, code: str, old: str, new: str) -> list[dict[str, Any]]:
    """Return the entries that are shown, or may concern the code."""
    file = folder / "code.py"
    file.write_text(f"import torch\n{code}\n", encoding="utf-8")
    main(["upgrade", old, new, "--uses", str(file), "--json"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["entries"]
    return found


def test_what_the_notes_call_breaking_is_no_corner(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    [entry] = entries(capsys, tmp_path, 'torch.hub.load("owner/repository", "model")', "2.10", "2.11")
    assert (entry["severity"], entry["evidence"], entry["changed"]) == ("breaks", "certain", "since 2.11")
    assert "trust_repo=True" in entry["instead"]
    assert entries(capsys, tmp_path, 'torch.hub.load("a/b", "m", trust_repo=True)', "2.10", "2.11") == []


def test_what_was_derived_makes_way_and_leaves_its_script(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    [entry] = entries(capsys, tmp_path, "torch.cholesky(torch.eye(2))", "2.13", "2.14")
    assert entry["id"] == "2.14/cholesky-only-raises"
    assert "torch.cholesky(" in entry["script"]


def test_a_later_break_makes_an_earlier_warning_idle(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = 'torch.load("m.pt")'
    assert [entry["severity"] for entry in entries(capsys, tmp_path, code, "2.3", "2.4")] == ["warns"]
    assert [entry["severity"] for entry in entries(capsys, tmp_path, code, "2.3", "2.6")] == ["breaks"]


@pytest.mark.parametrize(
    ("code", "evidence"),
    [
        ("m.load_state_dict(torch.load('f'))", "maybe"),
        ("m.load_state_dict(torch.load('f', map_location='cpu')['model'], strict=False)", "maybe"),
        ("c = torch.load('f')\nif 'a' in c:\n    c = c['a']\nm.load_state_dict(c)", "maybe"),
        (
            "def f():\n    c = torch.load('f')\n    m.load_state_dict(c['m'])\n    o.load_state_dict(c.pop('o'))",
            "maybe",
        ),
        ("c = torch.load('f')\nfor k, v in c['m'].items():\n    new[k[7:]] = v\nm.load_state_dict(new)", "maybe"),
        ("c = torch.load('f')\nm.load_state_dict({k[7:]: v for k, v in c.items()})", "maybe"),
        ("m.load_state_dict(renamed(torch.load('f')))", "maybe"),
        ("def f():\n    for k in torch.load('f').items(): g(k)\ndef h(): m.load_state_dict(s)", "likely"),
        ("m.load_state_dict(s)\nfill(m, torch.load('f'))", "likely"),
        ("c = torch.load('f')\nm.load_state_dict(c['m'])\nepoch = c['epoch'] + 1", "likely"),
        ("c = torch.load('f')\nm.load_state_dict(c['m'])\ng(c)", "likely"),
        ("def f():\n    c = torch.load('f')\n    m.load_state_dict(c)\n    return c", "likely"),
        ("m.load_state_dict(torch.load('f').state_dict())", "likely"),
        ("m = torch.load('f')\nm.eval()", "likely"),
        ("torch.load('f')", "likely"),
    ],
)
def test_a_file_that_is_loaded_for_a_state_dict_alone_is_a_maybe(
    code: str, evidence: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = {entry["id"]: entry["evidence"] for entry in entries(capsys, tmp_path, code, "2.5", "2.6")}
    assert found["2.6/load-weights-only"] == evidence


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("from torch.cuda.amp import autocast\nwith autocast():\n    pass", [3]),
        ("from torch.cuda.amp import autocast\n__all__ = ['autocast']", [2]),
    ],
)
def test_an_import_is_no_place_of_a_warning_that_comes_later(
    code: str, lines: list[int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    [entry] = entries(capsys, tmp_path, code, "2.3", "2.4")
    assert [place["line"] for place in entry["uses"]] == lines


def test_of_two_warnings_the_earlier_is_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = entries(capsys, tmp_path, 'torch.jit.load("m.pt")', "2.9", "2.15")
    assert [(entry["severity"], entry["changed"]) for entry in found] == [("warns", "since 2.10")]


@pytest.mark.parametrize(
    ("code", "old", "new", "ids"),
    [
        (
            'torch.onnx.export(m, x, "f", opset_version=17)',
            *("1.13", "2.9"),
            {"2.0/onnx-export-needs-onnx", "2.9/onnx-uses-dynamo"},
        ),
    ],
    ids=["a break with a condition and a default"],
)
def test_changes_of_one_call_for_other_reasons_are_all_shown(
    code: str, old: str, new: str, ids: set[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert ids <= {entry["id"] for entry in entries(capsys, tmp_path, code, old, new)}


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ('torch.library.Library("a", "IMPL").impl("f", g)', "1.13", "2.15"),
        ('torch.onnx.export(m, x, "f", opset_version=18)', "2.6", "2.7"),
        ("torch.zeros_like(x)", "1.12", "1.13"),
    ],
)
def test_a_default_that_somebody_decided_to_do_the_same_is_silent(
    code: str, old: str, new: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = entries(capsys, tmp_path, code, old, new)
    assert [entry["id"] for entry in found if entry["kind"] == "default"] == []


def test_a_condition_that_few_meet_makes_it_a_maybe(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    [entry] = entries(capsys, tmp_path, "torch.istft(torch.ones(2, 2), 2)", "1.13", "2.0")
    assert (entry["severity"], entry["evidence"]) == ("breaks", "maybe")
    assert entry["only_if"] == "the input is real"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("try:\n    torch.symeig(x)\nexcept AttributeError:\n    pass", [3]),
        ("try:\n    from torch import symeig\nexcept ImportError:\n    symeig = None", [3]),
        ("try:\n    f = torch.linalg.eigh\nexcept AttributeError:\n    f = torch.symeig", []),
        ("if hasattr(torch, 'symeig'):\n    try:\n        torch.symeig(x)\n    except ImportError:\n        pass", []),
        ("def f():\n    pass\ntry:\n    f()\nexcept Exception:\n    torch.symeig(x)", []),
    ],
)
def test_what_only_warns_is_not_caught(
    code: str, lines: list[int], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = {entry["id"]: entry["uses"] for entry in entries(capsys, tmp_path, code, "1.8", "1.9")}
    assert [place["line"] for place in found.get("1.9/symeig-warns", ())] == lines
    assert [entry["id"] for entry in entries(capsys, tmp_path, code, "1.9", "2.0") if "symeig" in entry["id"]] == []


@pytest.mark.parametrize(
    "code", ['if hasattr(torch, "symeig"):\n    torch.symeig(x)', "torch.linalg.eigh(torch.eye(2))"]
)
def test_code_that_a_change_does_not_concern_has_no_entry(
    code: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert entries(capsys, tmp_path, code, "1.13", "2.0") == []


def test_what_is_sure_never_makes_way_for_a_maybe(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = 'torch.onnx.export(torch.nn.ReLU(), torch.ones(1), "m.onnx", dynamo=True)'
    found = {entry["id"]: entry["evidence"] for entry in entries(capsys, tmp_path, code, "2.7", "2.8")}
    assert (found["2.8/onnx-refuses-scripted-modules"], found["2.8/onnx-opset-is-18"]) == ("maybe", "certain")


def test_a_rare_change_is_silent_where_the_code_does_not_show_its_arguments(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = "torch.ones(2).fill_(value)", "torch.ones(2).fill_(torch.ones(()))"
    assert [len(entries(capsys, tmp_path, one, "2.1", "2.2")) for one in code] == [0, 1]


@pytest.mark.parametrize(("old", "told"), [("2.0", False), ("2.1", True)])
def test_a_change_is_silent_for_who_comes_from_before_what_it_takes_back(
    old: str, told: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = entries(capsys, tmp_path, "torch.nn.LSTM(2, 2)", old, "2.3")
    assert ("2.3/features-of-an-lstm-are-checked" in [entry["id"] for entry in found]) is told


def test_a_default_that_somebody_wrote_of_is_one_entry_for_all_objects(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = "torch.optim.SGD([x], 0.1).zero_grad()\ndef f(unknown):\n    unknown.zero_grad()"
    [entry] = entries(capsys, tmp_path, code, "1.13", "2.0")
    assert (entry["id"], entry["evidence"], entry["places"]) == ("2.0/zero-grad-sets-none", "maybe", 2)


def test_a_default_of_two_classes_that_may_be_meant_is_one_entry(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    [entry] = entries(capsys, tmp_path, "def f(unknown):\n    unknown.zero_grad()", "1.13", "2.0")
    assert entry["kind"] == "default"


@pytest.mark.parametrize(("old", "told"), [("1.13", False), ("2.0", True)])
def test_what_a_name_does_otherwise_is_silent_for_a_release_without_it(
    old: str, told: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = entries(capsys, tmp_path, "torch.compile(f)", old, "2.1")
    assert ("2.1/compile-is-dynamic-when-needed" in [entry["id"] for entry in found]) is told


def test_a_name_that_somebody_decided_to_be_there_is_silent(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert entries(capsys, tmp_path, "from torch.utils.cpp_extension import ROCM_HOME", "2.0", "2.1") == []


def test_a_maybe_says_its_condition(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text("import torch\ntorch.optim.SGD([x], 0.1).zero_grad()\n", encoding="utf-8")
    main(["upgrade", "1.13", "2.0", "--uses", str(file)])
    assert "zero_grad() sets gradients to None (since 2.0), only if code reads" in capsys.readouterr().out


def test_a_rewrite_is_still_made(tmp_path: Path) -> None:
    file = tmp_path / "code.py"
    file.write_text('import torch\ntorch.load("m.pt")\n', encoding="utf-8")
    assert main(["upgrade", "2.5", "2.6", "--uses", str(file), "--fix", "--write"]) == 0
    assert 'torch.load("m.pt", weights_only=False)' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(("new", "told"), [("1.9", True), ("1.10", False)])
def test_a_change_that_is_over_by_the_new_release_is_silent(
    new: str, told: bool, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = entries(capsys, tmp_path, "torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2)", "1.8", new)
    assert ("1.9/pooling-warns-of-named-tensors" in [entry["id"] for entry in found]) is told


@pytest.mark.parametrize(
    ("old", "new", "ids"),
    [
        ("1.13", "2.6", ["2.0/random-numbers-of-bernoulli-differ"]),
        ("2.0", "2.7", ["2.7/random-numbers-are-those-of-1-13"]),
        ("1.13", "2.7", []),
    ],
)
def test_what_is_undone_between_the_two_releases_is_silent(
    old: str, new: str, ids: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = entries(capsys, tmp_path, "torch.manual_seed(0)", old, new)
    assert [entry["id"] for entry in found if "random-numbers" in entry["id"]] == ids
