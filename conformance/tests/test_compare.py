"""Two records: the claims and calls that differ, by the harm that they can do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

from conformance.__main__ import main
from conformance.results.model import Fact, Facts, Flags, Signal, Verdict
from conformance.results.trials.model import Difference
from conformance.results.trials.model import Fact as CallFact
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_corpus, release, save
from conformance.upgrade.compare.differences import RecordDifference, claim_differences, harm_of_call

NOTHING, RAISED = Facts(), Facts(Signal("RuntimeError", "no"))


def flags(**values: Any) -> Facts:
    plain = Flags(dtype="float32", leaf=True, requires_grad=False, grad_fn=None, view_of=(), shares=(), same=())
    return Facts(names={"y": Fact("tensor([1.])", replace(plain, **values))})


def difference(
    folder: Path, before: dict[str, Any], after: dict[str, Any], claim: str = SIMPLE
) -> Optional[RecordDifference]:
    """Return what differs for one claim between two releases."""
    corpus = make_corpus(folder, claim)
    [one] = corpus.claims
    ends = [release(torch, {one.id: entry(one, **fields)}) for torch, fields in (("2.0.1", before), ("2.1.2", after))]
    found, gaps = claim_differences(corpus.claims, *ends)
    assert gaps == {}
    return found[0] if found else None


@pytest.mark.parametrize(
    ("before", "after", "harm", "what"),
    [
        ({}, {"verdict": "refuted"}, "changes", "verdict"),
        ({"facts": NOTHING}, {"verdict": "refuted", "facts": RAISED}, "breaks", "verdict"),
        ({}, {"verdict": "crashed"}, "breaks", "verdict"),
        ({"verdict": "refuted"}, {}, "improvement", "verdict"),
        ({}, {"verdict": "absent"}, "breaks", "name"),
        ({"verdict": "absent"}, {}, "improvement", "name"),
        ({"facts": NOTHING}, {"facts": RAISED}, "breaks", "error"),
        ({"facts": RAISED}, {"facts": NOTHING}, "improvement", "error"),
        ({"facts": RAISED}, {"facts": Facts(Signal("ValueError", "no"))}, "changes", "error"),
        ({"facts": RAISED}, {"facts": Facts(Signal("NotImplementedError", "no"))}, "wording", "error"),
        ({"facts": RAISED}, {"facts": Facts(Signal("RuntimeError", "never"))}, "wording", "message"),
        ({"facts": NOTHING}, {"facts": Facts(warns=(Signal("UserWarning", "soon"),))}, "warns", "warnings"),
        ({"facts": Facts(warns=(Signal("UserWarning", "soon"),))}, {"facts": NOTHING}, "improvement", "warnings"),
        ({"facts": flags()}, {"facts": flags(dtype="float64")}, "changes", "dtype of y"),
        ({"facts": flags()}, {"facts": flags(shares=("x",))}, "changes", "shares of y"),
        ({"facts": flags()}, {"facts": flags(leaf=False)}, "changes", "leaf of y"),
    ],
)
def test_what_differs_has_its_harm(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], harm: str, what: str
) -> None:
    found = difference(tmp_path, before, after)
    assert found is not None
    assert (found.harm, found.parts[0].what) == (harm, what)
    assert found.script.startswith("import torch")


@pytest.mark.parametrize("verdict", ["holds", "diverges", "unspecified", "refuted"])
def test_what_stays_is_no_difference(tmp_path: Path, verdict: Verdict) -> None:
    assert difference(tmp_path, {"verdict": verdict}, {"verdict": verdict, "examples": 3, "detail": "x"}) is None


def test_what_is_left_open_is_compared_by_what_happens(tmp_path: Path) -> None:
    open_claim = SIMPLE + "\nguarantee: unspecified\n"
    fields = {"verdict": "unspecified"}
    found = difference(tmp_path, {**fields, "observed": ("always",)}, {**fields, "observed": ("never",)}, open_claim)
    assert found is not None
    assert (found.harm, found.parts[0].before, found.parts[0].after) == ("changes", "always", "never")


def test_another_example_is_no_difference(tmp_path: Path) -> None:
    before, after = {"facts": flags(), "example": {"x": "1"}}, {"facts": flags(dtype="int8"), "example": {"x": "2"}}
    assert difference(tmp_path, before, after) is None


def test_what_can_not_be_compared_says_why(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE, SIMPLE, RAISING)
    first, second, third = corpus.claims
    old = release("2.0.1", {first.id: entry(first), second.id: entry(second, "invalid")})
    new = release("2.1.2", {claim.id: entry(claim) for claim in corpus.claims})
    found, gaps = claim_differences(corpus.claims, old, new)
    assert found == ()
    assert gaps == {second.id: "2.0.1: it could not be judged", third.id: "2.0.1: not measured"}
    there = release("2.0.1", {second.id: entry(second, "unsupported")}, device="cuda")
    assert claim_differences([second], new, there)[1] == {second.id: "2.0.1 on cuda: it is not supported"}
    there = release("2.0.1", {second.id: entry(second, "unsupported")}, device="cuda")
    _, gaps = claim_differences([second], new, there)
    assert gaps == {second.id: "2.0.1 on cuda: it is not supported"}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[str]]:
    corpus = make_corpus(tmp_path / "specs", SIMPLE)
    [claim] = corpus.claims
    save(tmp_path / "old", release("2.0.1", {claim.id: entry(claim)}))
    save(tmp_path / "new", release("2.1.2", {claim.id: entry(claim, "refuted")}, numpy="2.9.9"))
    ends = [str(next((tmp_path / folder).glob("*.jsonl"))) for folder in ("old", "new")]
    return tmp_path, ["compare", *ends, "--specs", str(tmp_path / "specs")]


def test_two_files_are_compared(files: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(files[1]) == 1
    told = capsys.readouterr().out
    assert told.startswith("torch 2.0.1 on cpu → 2.1.2 on cpu: 0 breaks, 1 change, ")
    assert "→ 2.9.9" in told
    assert "before holds" in told
    assert "compared: 1 claim; no calls: trials of 2.0.1 on cpu and 2.1.2 on cpu are not recorded" in told
    assert main(["compare", files[1][1], *files[1][1:2], *files[1][3:]]) == 0


def test_json_has_scripts(files: tuple[Path, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    main([*files[1], "--json"])
    document = json.loads(capsys.readouterr().out)
    [one] = document["differences"]
    assert (one["harm"], document["a"]["torch"], document["claims_compared"]) == ("changes", "2.0.1", 1)
    assert one["script"].startswith("import torch")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("soon", "neither a release nor a result file"),
        ("0.4", "torch 0.4 is not recorded on cpu"),
        ("x.jsonl", "x.jsonl"),
    ],
)
def test_a_record_that_is_not_there_is_refused(text: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", text, "2.13"]) == 2
    assert why in capsys.readouterr().err


def test_recorded_releases_are_compared_call_by_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "2.12", "2.13", "--brief", "--all"]) == 1
    told = capsys.readouterr().out
    assert "  torch.device: torch.device(0): result: type device → RuntimeError" in told


GRADIENT = ("gradient", "x")


@pytest.mark.parametrize(
    ("before", "after", "harm"),
    [
        ({}, {("error", ""): "RuntimeError"}, "breaks"),
        ({("message", ""): ""}, {("message", ""): "no"}, "wording"),
        ({GRADIENT: "raises RuntimeError"}, {GRADIENT: "flows", ("grad_fn", ""): "SinBackward"}, "improvement"),
        ({GRADIENT: "raises RuntimeError"}, {GRADIENT: "raises ValueError"}, "wording"),
        ({GRADIENT: "flows"}, {GRADIENT: "raises RuntimeError"}, "changes"),
        ({GRADIENT: "raises RuntimeError", ("strides", ""): "as x"}, {GRADIENT: "flows"}, "changes"),
        ({GRADIENT: "raises RuntimeError"}, {GRADIENT: "flows", ("warning", ""): "UserWarning: no"}, "warns"),
        ({("grad_fn", ""): "SinBackward"}, {("grad_fn", ""): "CosBackward"}, "wording"),
    ],
)
def test_what_a_call_does_otherwise_has_its_harm(
    before: dict[tuple[str, str], str], after: dict[tuple[str, str], str], harm: str
) -> None:
    old, new = (tuple(CallFact(*of, value) for of, value in end.items()) for end in (before, after))
    assert harm_of_call(Difference("torch.sin", "torch.sin(x)", "2.0", "2.1", ("base",), old, new)) == harm
