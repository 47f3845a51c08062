"""Files of expected failures: what is wrong with one is told with its place, before anything is measured."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Place
from conformance.results.model import Entry
from conformance.run.expected import (
    NO_REASON,
    ExpectedFailure,
    UnusableExpectations,
    accepted,
    read_expectations,
    review,
    unexplained,
    unknown_claims,
    write_expectations,
)
from conformance.tests.conftest import HEADER, claim_text

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    path = tmp_path / "specs.yaml"
    path.write_text(HEADER + claim_text("do: y = torch.zeros(2)\nexpect: y.is_leaf", identity="leaf"), encoding="utf-8")
    return path


def run(specs: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "conformance", "run", specs, "--device", "cpu", *arguments]
    return subprocess.run(list(map(str, command)), cwd=specs.parent, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mine: [a]", ":1:7 E103 wrong-shape: `mine` is a list and must be a mapping from ids of claims"),
        ("mine:1: {}", "not the type of a device"),
        (
            "mine:\n  aten::a: {verdict: refuted, reason: x}",
            ":2:22 E104 unknown-value: `verdict` is 'refuted' and must be",
        ),
        ("mine:\n  a/b: {verdict: refutd, reason: x}", ":2:18 E104 unknown-value: `verdict` is 'refutd' and must be"),
        ("mine:\n  a/b: {verdict: refuted}", ":2:8 E102 missing-key: `a/b` lacks 'reason'"),
        ("mine:\n  a/b: {verdict: refuted, reason: x, why: y}", ":2:38 E101 unknown-key"),
        ("mine:\n  a/b: {verdict: refuted, reason: x}\n  a/b: {verdict: crashed, reason: y}", ":3:3 E007"),
        ("mine:\n  a/b: {verdict: refuted", " E005 yaml-syntax: not YAML"),
    ],
)
def test_each_mistake_has_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "expected.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UnusableExpectations) as raised:
        read_expectations(path)
    assert told in str(raised.value)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    known = {f"torch.a/b{number}": ExpectedFailure("crashed", reason) for number, reason in enumerate(REASONS)}
    write_expectations(tmp_path / "expected.yaml", {"mine": known})
    found = read_expectations(tmp_path / "expected.yaml")["mine"]
    assert [one.reason for one in found.values()] == [one.reason for one in known.values()]
    write_expectations(tmp_path / "expected.yaml", {"mine": {}})
    assert read_expectations(tmp_path / "expected.yaml") == {}


REASONS = ("no", "12", "issue #12: é, 'so' \"so\"", "a " * 200, "[x]", "two\nlines")


@pytest.mark.parametrize("more", [(), ("--accept",)])
def test_a_mistake_is_told_before_anything_is_measured(specs: Path, tmp_path: Path, more: tuple[str, ...]) -> None:
    (tmp_path / "expected.yaml").write_text("mine: [", encoding="utf-8")
    ran = run(specs, "--expected", tmp_path / "expected.yaml", *more)
    assert ran.returncode == 2
    assert " E005 yaml-syntax: not YAML" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "1 claim" not in ran.stdout


def test_nothing_is_written_where_only_the_cpu_was_measured(specs: Path, tmp_path: Path) -> None:
    ran = run(specs, "--expected", tmp_path / "expected.yaml", "--accept")
    assert ran.returncode == 0
    assert "expected.yaml was not written: no device other than the CPU was measured\n" in ran.stdout
    assert not (tmp_path / "expected.yaml").exists()


def test_an_expected_failure_of_no_claim_is_named(specs: Path, tmp_path: Path) -> None:
    expected = tmp_path / "expected.yaml"
    names = ("torch.Tensor.detach/laef", "torch.Tensor.elsewhere/leaf")
    lines = ["cpu:", *(f"  {name}: {{verdict: refuted, reason: x}}" for name in names)]
    expected.write_text("\n".join(lines), encoding="utf-8")
    ran = run(specs, "--expected", expected)
    assert ran.returncode == 0, ran.stdout
    assert "expected.yaml:2:3: there is no claim torch.Tensor.detach/laef; did you mean" in ran.stderr
    assert "elsewhere" not in ran.stderr


def test_the_committed_failures_of_the_stand_in_are_of_claims_and_have_reasons() -> None:
    expected = read_expectations(ROOT / "conformance" / "tests" / "standin" / "expected-failures.yaml")
    corpus, _ = load_own_corpus()
    assert [*unknown_claims(expected, corpus, whole=True)] == []
    assert {one.reason for one in expected["standin"].values()}.isdisjoint({NO_REASON, ""})


LACKING = Entry("00000000", "unsupported", missing_kernels={"RuntimeError": ("Half", "aten::a", "aten::b")})
HOLDS = Entry("00000000", "holds")


def test_a_kernel_that_is_no_longer_missing_is_to_be_removed() -> None:
    reason = ExpectedFailure("unsupported", "planned", Place("mine.yaml", 2, 3))
    known = {"mine": {"aten::a": reason, "aten::c": reason}}
    assert review(known, "torch.x/y", "mine:1", LACKING) == "expected"
    told = [*unexplained(known, "mine", {"torch.x/y": LACKING}, {}, whole=True)]
    assert told == ["mine.yaml:2:3: remove that: no claim is unsupported for want of aten::c"]
    assert [*unexplained(known, "mine", {"torch.x/y": LACKING}, {}, whole=False)] == []
    now = accepted(known, "mine", {"torch.x/y": LACKING}, {}, whole=True)
    assert {name: one.reason for name, one in now["mine"].items()} == {"aten::a": "planned", "aten::b": NO_REASON}
    assert "aten::c" in accepted(known, "mine", {"torch.x/y": LACKING}, {}, whole=False)["mine"]


def test_a_claim_is_expected_by_its_id_before_its_kernels() -> None:
    known = {"mine": {"torch.x/y": ExpectedFailure("unsupported", "no plans")}}
    assert review(known, "torch.x/y", "mine", LACKING) == "expected"
    assert accepted(known, "mine", {"torch.x/y": LACKING}, {}, whole=True) == known
    assert review(known, "torch.x/y", "mine", HOLDS) == "passes"
    assert review({"mine": {"torch.x/y": ExpectedFailure("holds", "")}}, "torch.x/y", "mine", LACKING) == "unexpected"
    assert review({}, "torch.x/y", "cpu", LACKING) == ""


def test_what_can_not_be_compared_with_the_cpu_stays() -> None:
    known = {"mine": {"torch.x/y": ExpectedFailure("holds", "it diverges on the CPU")}}
    assert accepted(known, "mine", {"torch.x/y": HOLDS}, {}, whole=True) == known
    assert accepted(known, "mine", {"torch.x/y": HOLDS}, {"torch.x/y": HOLDS}, whole=True) == {"mine": {}}
