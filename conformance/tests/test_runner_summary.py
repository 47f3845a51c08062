"""The end of a run tells the truth: what got no verdict is counted and named, and foreign tests are not run."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from conformance.language.model import Place
from conformance.results.comparison import compare
from conformance.results.model import Entry, Environment, WeakEvidence
from conformance.results.store import Results
from conformance.run.protocol import ItemRecord
from conformance.run.summary import Summary
from conformance.tests.conftest import HEADER, claim_text

ROOT = Path(__file__).resolve().parents[2]
HERE = Environment("2.13.0", "cpu", "3.11", "2.4.6", "cpu", "linux", "x86_64")
GOOD = Entry("01234567", "holds", examples=1200)
BAD = Entry("01234567", "refuted", examples=3, weak_evidence=(WeakEvidence("V001", "only 3 distinct examples"),))


def summary_of(*entries: Entry) -> tuple[Summary, Results]:
    summary = Summary()
    for number, entry in enumerate(entries):
        record = ItemRecord(f"x/claim-{number}", HERE, entry, written=Place("spec.yaml", 3, 5))
        summary.add(f"spec.yaml::claim-{number}[cpu]", record, 0.1)
    return summary, Results(HERE, "0" * 12, 20, 0, {f"x/claim-{number}": entry for number, entry in enumerate(entries)})


def test_counts_and_what_needs_attention() -> None:
    summary, results = summary_of(GOOD, BAD)
    assert summary.lines([results]) == [
        "torch 2.13.0 (cpu) on cpu, Python 3.11, NumPy 2.4.6: 2 claims in 1 entry, 1,203 examples",
        "  1 holds, 1 refuted",
        "1 with weak evidence: the claim proves too little:",
        "  spec.yaml::claim-1[cpu]: V001 only 3 distinct examples",
        "1 needs attention:",
        "  refuted   spec.yaml::claim-1[cpu]",
    ]


def test_all_as_expected_is_said_only_where_it_is_so() -> None:
    summary, results = summary_of(GOOD)
    assert summary.lines([results])[-1] == "every verdict is as expected"
    summary.stopped = True
    assert summary.lines([results])[-1] == "stopped before the end; every verdict so far is as expected"
    summary.unjudged["spec.yaml::other[cpu]"] = "a traceback\nKeyError: 'x'"
    assert summary.lines([results])[-2:] == ["1 needs attention:", "  no verdict spec.yaml::other[cpu]: KeyError: 'x'"]


def test_how_far_to_trust_what_fails_after_other_claims_is_told() -> None:
    summary, results = summary_of(GOOD)
    summary.add("b[cpu]", ItemRecord("x/claim-0", HERE, GOOD, influenced="crashed (killed by SIGABRT)"), 0.1)
    assert summary.lines([results])[-3:] == [
        "1 run again in a process of its own, with another verdict, which counts:",
        "  b[cpu]: crashed (killed by SIGABRT) after other claims, holds alone: its neighbours influence it",
        "every verdict is as expected",
    ]
    summary.add("c[cpu]", ItemRecord("x/claim-0", HERE, BAD, unsure=True), 0.1)
    assert summary.lines([results])[-1] == (
        "1 of these was not run again alone: claims that ran before may have an influence"
    )


def recorded(results: Results, **changes: Entry) -> Results:
    """Return the record of a run, with the entries of some claims replaced."""
    named = {f"x/{name.replace('_', '-')}": entry for name, entry in changes.items()}
    return replace(results, claims={**results.claims, **named})


def compared(summary: Summary, results: Results, record: Results) -> list[str]:
    """Return what a run says of how it compares with a record, and where its entries come from."""
    summary.comparisons[HERE] = compare(results, record)
    return summary.lines([results])[2:-1]


def test_a_run_says_whether_it_is_as_recorded() -> None:
    summary, results = summary_of(GOOD, GOOD)
    assert compared(summary, results, recorded(results)) == ["  as recorded for torch 2.13.0 on cpu: the same"]
    assert compared(summary, results, recorded(results, claim_1=replace(GOOD, verdict="absent"))) == [
        "  1 of 2 differs from what is recorded for torch 2.13.0 on cpu:",
        "    x/claim-1: recorded as absent, holds here",
    ]
    other = replace(GOOD, examples=1199, sentences=("01234567",))
    assert compared(summary, results, recorded(results, claim_0=other)) == [
        "  1 of 2 differs from what is recorded for torch 2.13.0 on cpu:",
        "    x/claim-0: holds as recorded, but not the same examples, sentences",
    ]


def test_what_is_not_recorded_is_not_said_to_be_the_same() -> None:
    summary, results = summary_of(GOOD, GOOD, GOOD)
    changed = recorded(results, claim_0=replace(GOOD, claim="76543210", verdict="refuted"))
    assert compared(
        summary, results, replace(changed, claims={k: v for k, v in changed.claims.items() if k[-1] < "2"})
    ) == ["  as recorded for torch 2.13.0 on cpu: the same; 2 claims new or changed since"]
    assert compared(summary, results, replace(results, claims={})) == [
        "  not recorded for torch 2.13.0 on cpu: 3 claims"
    ]


def test_in_another_environment_verdicts_are_compared() -> None:
    summary, results = summary_of(GOOD, GOOD)
    elsewhere = replace(recorded(results, claim_0=replace(GOOD, examples=3)), seed=7)
    elsewhere.environment = replace(HERE, python="3.9", numpy="2.0.2")
    assert compared(summary, results, elsewhere) == [
        "  as recorded for torch 2.13.0 on cpu: the same verdicts (recorded with python 3.9, numpy 2.0.2, seed 7)"
    ]
    elsewhere = recorded(elsewhere, claim_1=replace(GOOD, verdict="diverges"))
    assert compared(summary, results, elsewhere) == [
        "  1 of 2 verdicts differs from what is recorded for torch 2.13.0 on cpu "
        "(recorded with python 3.9, numpy 2.0.2, seed 7):",
        "    x/claim-1: recorded as diverges, holds here",
    ]


def test_of_many_that_differ_ten_are_named() -> None:
    summary, results = summary_of(*[GOOD] * 1234)
    others = replace(results, claims=dict.fromkeys(results.claims, replace(GOOD, verdict="diverges")))
    heading, *named, more = compared(summary, results, others)
    assert heading == "  1,234 of 1,234 differ from what is recorded for torch 2.13.0 on cpu:"
    assert len(named) == 10
    assert more == "    and 1,224 more"


def test_tests_and_configuration_beside_specs_are_left_alone(tmp_path: Path) -> None:
    body = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"
    (tmp_path / "made_up.yaml").write_text(HEADER + claim_text(body), encoding="utf-8")
    (tmp_path / "conftest.py").write_text("raise SystemExit('the configuration was imported')")
    (tmp_path / "test_other.py").write_text("def test_other(): assert False")
    (tmp_path / "test_other.txt").write_text(">>> 1\n2\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "conformance", "run", str(tmp_path)]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "collected 1 item" in ran.stdout
    assert "every verdict is as expected" in ran.stdout


def test_an_item_without_a_verdict_needs_attention(tmp_path: Path) -> None:
    body = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"
    (tmp_path / "made_up.yaml").write_text(HEADER + claim_text(body), encoding="utf-8")
    (tmp_path / "broken.py").write_text(
        "import pytest\n"
        "@pytest.hookimpl(tryfirst=True)\n"
        "def pytest_runtest_call(item): raise KeyError('a mistake of ours')\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "conformance", "run", str(tmp_path), "-pbroken"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "1 needs attention:" in ran.stdout
    assert "KeyError: 'a mistake of ours'" in ran.stdout.partition("1 needs attention:")[2]
    assert "as expected" not in ran.stdout
