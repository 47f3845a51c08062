"""Claims that prove too little are told, with a code, by the run that judges them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.record import stored_results
from conformance.run.supervisor import Supervisor
from conformance.run.worker.weak_evidence import domain_size
from conformance.tests.conftest import HEADER, claim_text

ReadClaim = Callable[[str], Claim]

NARROWED = """
given: {x: tensor()}
assume: x.ndim == 0 and x.dtype == torch.int8
do: y = x.detach()
expect: not y.requires_grad
"""


@pytest.fixture(scope="module")
def thorough() -> Any:
    """A supervisor that tries as many examples as an ordinary run."""
    shared = Supervisor(examples=20, seed=0)
    yield shared
    shared.close()


@pytest.fixture
def weak_evidence(tmp_path: Path, thorough: Supervisor, read_claim: ReadClaim) -> Callable[[str], list[str]]:
    """Judge the body of a claim that is true and tell in which ways it proves too little."""

    def found(body: str) -> list[str]:
        entry = thorough.judge(read_claim(body), "cpu").entry
        assert entry.verdict == "holds", entry
        return list(map(str, entry.weak_evidence))

    return found


def test_a_claim_that_tries_much_proves_enough(weak_evidence: Callable[[str], list[str]]) -> None:
    assert weak_evidence("given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad") == []


def test_an_assumption_that_leaves_few_examples_is_told(weak_evidence: Callable[[str], list[str]]) -> None:
    (told,) = weak_evidence(NARROWED)
    assert told.startswith("V001 only ")
    assert "'assume'" in told


def test_a_domain_that_has_no_more_inputs_may_leave_few_examples(weak_evidence: Callable[[str], list[str]]) -> None:
    body = "given: {n: 'one_of(1, 2, 3)'}\ndo: y = torch.ones(n).detach()\nexpect: not y.requires_grad"
    assert weak_evidence(body) == []


def test_a_statement_that_never_runs_is_told(weak_evidence: Callable[[str], list[str]]) -> None:
    body = """
    given: {x: tensor(floating)}
    do: |
      y = x.detach()
      if x.ndim > 7:
          y = y.detach()
    expect: not y.requires_grad
    """
    assert weak_evidence(body) == ["V003 no example reaches line 3 of 'do': y = y.detach()"]
    assert weak_evidence(body.replace("> 7", "> 1")) == []


def test_a_statement_inside_a_block_that_never_runs_is_told(weak_evidence: Callable[[str], list[str]]) -> None:
    body = """
    given: {x: tensor(floating)}
    do: |
      with torch.no_grad():
          y = x.detach()
          if x.ndim > 7:
              y = y.detach()
    expect: not y.requires_grad
    """
    assert weak_evidence(body) == ["V003 no example reaches line 4 of 'do': y = y.detach()"]
    assert weak_evidence(body.replace("> 7", "> 1")) == []


def test_a_title_that_no_example_is_about_is_told(tmp_path: Path, thorough: Supervisor) -> None:
    def told(given: str, title: str = "A complex tensor has no history") -> list[str]:
        path = tmp_path / "made_up.yaml"
        body = f"given: {{x: tensor({given})}}\ndo: y = x.detach()\nexpect: not y.requires_grad"
        path.write_text(HEADER + claim_text(body, title=title), encoding="utf-8")
        entry = thorough.judge(load_corpus([path], default_root())[0].claims[0], "cpu").entry
        return list(map(str, entry.weak_evidence))

    assert told("floating") == ["V002 the title says 'complex', but no example is about that"]
    assert told("") == []
    assert told("floating", "A boolean tensor has no history") != []
    assert told("floating", "A non-boolean tensor has no history") == []


def test_the_run_prints_code_and_place(tmp_path: Path) -> None:
    path = tmp_path / "made_up.yaml"
    path.write_text(HEADER + claim_text(NARROWED), encoding="utf-8")
    command = [sys.executable, "-m", "conformance", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 with weak evidence: the claim proves too little:" in done.stdout
    assert re.search(r"made_up.*: V001 only ", done.stdout), done.stdout


def test_no_claim_of_the_corpus_proves_too_little() -> None:
    entries = stored_results(recorded_folder())["torch-2.13.0-cpu"].claims
    assert {identity: entry.weak_evidence for identity, entry in entries.items() if entry.weak_evidence} == {}


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("{n: 'one_of(1, 2, 3)'}", 3),
        ("{n: 'one_of(1, 2, 3)', flag: boolean()}", 6),
        ("{n: 'integer(2, 9)'}", 8),
        ("{n: number()}", 1000),
    ],
)
def test_small_domains_need_few_examples(given: str, size: int, read_claim: ReadClaim) -> None:
    uses = "y = torch.ones(1).detach() * n" + (" * flag" if "flag" in given else "")
    assert domain_size(read_claim(f"given: {given}\ndo: {uses}\nexpect: y.ndim == 1")) == size
