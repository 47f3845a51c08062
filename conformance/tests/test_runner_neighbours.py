"""A claim that fails after others is judged once more, alone: what they left behind does not count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

from conformance.language.model import Claim
from conformance.run.supervisor import HarnessError, Supervisor
from conformance.tests.conftest import HEADER, claim_text

ROOT = Path(__file__).resolve().parents[2]
# Nobody compares what the modules of Python's own library hold.
LEAVES = """
given: {x: tensor()}
do: |
  import string
  string.digits = "none"
  y = x.detach()
expect: y is not x
"""
SUFFERS = """
given: {x: tensor()}
do: |
  import string
  y = x.detach()
expect: [y is not x, string.digits.isdigit()]
"""
FALSE = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: y is x"


def test_what_another_claim_left_behind_does_not_count(tmp_path: Path) -> None:
    claims = [claim_text(LEAVES, identity="leaves"), claim_text(SUFFERS, identity="suffers")]
    (tmp_path / "made_up.yaml").write_text(HEADER + "".join(claims), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "conformance", "run", "made_up.yaml"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = "refuted (string.digits.isdigit() = False) after other claims, holds alone: its neighbours influence it"
    lines = ran.stdout.splitlines()
    assert f"  made_up.yaml::torch.Tensor.detach/suffers[cpu]: {told}" in lines
    assert "every verdict is as expected" in lines
    assert "2 claims, 2 holds in" in lines[-1]


def test_only_so_many_claims_are_judged_once_more(read_claim: Callable[[str], Claim]) -> None:
    leaves, suffers, false = (read_claim(body) for body in (LEAVES, SUFFERS, FALSE))
    supervisor = Supervisor(examples=1, seed=0, judged_again=2)
    try:
        judged = [supervisor.judge(claim, "cpu") for claim in (leaves, suffers, false, leaves, suffers)]
    finally:
        supervisor.close()
    assert [one.entry.verdict for one in judged] == ["holds", "holds", "refuted", "holds", "refuted"]
    assert [one.influenced is not None for one in judged] == [False, True, False, False, False]
    assert [one.unsure for one in judged] == [False, False, False, False, True]


def test_a_mistake_of_ours_after_other_claims_is_no_lack_of_a_verdict(read_claim: Callable[[str], Claim]) -> None:
    # As where a claim has changed what this package itself uses.
    breaks = read_claim(
        "given: {x: tensor()}\ndo: |\n  import sys\n  sys.modules['conformance.run.worker.judge'].plan = None\n"
        "  y = x.detach()\nexpect: y is not x"
    )
    good = read_claim("given: {x: tensor()}\ndo: y = x.detach()\nexpect: y is not x")
    supervisor = Supervisor(examples=1, seed=0, judged_again=1)
    try:
        assert supervisor.judge(breaks, "cpu").entry.verdict == "holds"
        judged = supervisor.judge(good, "cpu")
        assert (judged.entry.verdict, judged.influenced) == ("holds", "without a verdict")
        assert supervisor.judge(breaks, "cpu").entry.verdict == "holds"
        with pytest.raises(HarnessError):
            supervisor.judge(good, "cpu")
    finally:
        supervisor.close()
