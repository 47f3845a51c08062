"""The report in its four formats: complete, and harmless whatever a spec or a result file says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conformance.tests.result_files import SIMPLE, entry, make_corpus, release
from conformance.upgrade.entries import Report, compare
from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.report import markdown_report, text_report
from conformance.upgrade.uses import find_uses

HOSTILE = "no\x1b[2J <script>alert(1)</script> `code` [link](http://x) ::error::%0A| ```"


def report(folder: Path, message: str = "no", source: str = "", **fields: Any) -> Report:
    corpus = make_corpus(folder / "specs", SIMPLE)
    [claim] = corpus.claims
    uses = None
    if source:
        (folder / "code.py").write_text(source, encoding="utf-8")
        uses = find_uses([folder / "code.py"])
    before = entry(claim, facts={"raises": ["ValueError", message]}, **fields)
    after = entry(claim, facts={"raises": ["RuntimeError", message]}, **fields)
    path = [
        release("1.13.1", {claim.id: before}, python="3.9"),
        release("2.0.1", {claim.id: before}),
        release("2.2.2", {claim.id: after}),
    ]
    return compare(corpus, path, uses)


def test_an_entry_has_all_that_a_person_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = text_report(report(tmp_path, source="x.detach()\ngetattr(x, name)\n"))
    for part in (
        "torch 1.13.1 → 2.2.2 on cpu",
        "1 claims compared",
        "releases between that were measured: 2.0.1",
        "Python 3.9 → 3.11",
        "1 behaviour.",
        "torch.Tensor.detach: raises RuntimeError, was ValueError",
        "before   ValueError: no",
        "after    RuntimeError: no",
        "changed  between 2.0.1 and 2.2.2 (2.1 not measured)",
        "claim    torch.Tensor.detach/claim-0 (Claim number 0)",
        "page     reference/torch.Tensor.detach.html#claim-0",
        "used at  code.py:1 .detach (if that is a tensor)",
        "x = torch.tensor([1., 2.])",
        "code.py:2: an attribute is looked up by a name made at run time",
    ):
        assert part in told


def test_brief_is_a_line_for_each_entry(tmp_path: Path) -> None:
    told = text_report(report(tmp_path), brief=True)
    assert "  torch.Tensor.detach: raises RuntimeError, was ValueError (between 2.0.1 and 2.2.2" in told
    assert "import torch" not in told


def test_nothing_differs_is_said(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE)
    [claim] = corpus.claims
    path = [release(torch, {claim.id: entry(claim)}) for torch in ("2.0.1", "2.1.2")]
    assert "Nothing that was measured differs." in text_report(compare(corpus, path))


def test_claims_that_can_not_be_compared_are_counted_with_why(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE, SIMPLE)
    first, second = corpus.claims
    path = [
        release("2.0.1", {first.id: entry(first)}),
        release("2.1.2", {claim.id: entry(claim) for claim in corpus.claims}),
    ]
    told = text_report(compare(corpus, path))
    assert "1 claims compared, 1 not" in told
    assert "not compared: 1 claims, 2.0.1: not measured" in told
    assert second.id not in told


def test_a_message_can_not_drive_the_terminal(tmp_path: Path) -> None:
    told = text_report(report(tmp_path, HOSTILE))
    assert "\x1b" not in told
    assert "\\x1b[2J" in told


def test_markdown_has_no_markup_of_others(tmp_path: Path) -> None:
    told = markdown_report(report(tmp_path, HOSTILE))
    outside = re.sub(r"^(`{3,})python\n.*?\n\1$", "", told, flags=re.MULTILINE | re.DOTALL)
    assert "\x1b" not in told
    for markup in ("<script>", "[link](", " `code`"):
        assert markup not in outside
    assert "\\<script\\>" in outside


def test_a_script_can_not_end_its_fence(tmp_path: Path) -> None:
    told = markdown_report(report(tmp_path, example={"x": "'''```\\n# heading'''"}))
    assert told.count("````") == 2


def test_json_has_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    document = json.loads(json_report(report(tmp_path, source="import torch\ntorch.ones(1).detach()\n")))
    [found] = document["entries"]
    assert document["counts"]["behaviour"] == 1
    assert document["between"] == ["2.0.1"]
    assert found["claims"] == [{"id": "torch.Tensor.detach/claim-0", "title": "Claim number 0"}]
    assert found["uses"] == [{"file": "code.py", "line": 2, "name": ".detach", "certain": True}]
    assert found["script"].startswith("import torch")
    assert (found["severity"], found["kind"], found["before"]) == ("behaviour", "error", "ValueError: no")


def test_annotations_stand_at_the_places_that_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    [line] = github_report(report(tmp_path, source="x.detach()\n")).splitlines()
    assert line.startswith("::warning file=code.py,line=1,title=torch 2.2.2%2C behaviour%3A torch.Tensor.detach")
    assert line.partition("::before: ")[2].startswith("ValueError: no%0Aafter: RuntimeError: no%0A")


def test_an_annotation_is_one_command(tmp_path: Path) -> None:
    lines = github_report(report(tmp_path, HOSTILE + "\n::error::more")).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::warning title=")
    assert "%250A" in lines[0]
