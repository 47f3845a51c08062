"""A program that ends its process, hangs or can't be printed gets a verdict like any other."""

from __future__ import annotations

from typing import Callable

import pytest

from conformance.language.model import Claim
from conformance.results.model import Entry, Tiers
from conformance.run.supervisor import Supervisor

Judge = Callable[[str], Entry]


DEADLY = {
    "import os\nos.abort()": ("crashed", "SIGABRT"),
    "import ctypes\nctypes.string_at(0)": ("crashed", "SIGSEGV"),
    "import os\nos._exit(0)": ("crashed", "status 0"),
}


@pytest.mark.parametrize("program", DEADLY)
def test_the_death_of_the_interpreter_is_a_verdict(judge: Judge, program: str) -> None:
    verdict, reason = DEADLY[program]
    indented = program.replace("\n", "\n  ")
    outcome = judge(f"given: {{x: tensor()}}\ndo: |\n  {indented}\nexpect: x is not None")
    assert outcome.verdict == verdict
    assert reason in (outcome.detail or "")
    assert "x = torch.tensor" in (outcome.detail or "")
    # and the next claim is judged as if nothing had happened
    assert judge("given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad").verdict == "holds"


def test_a_crash_is_never_a_raise_but_may_be_a_recorded_divergence(judge: Judge) -> None:
    body = """
        given: {{x: tensor()}}
        do: |
          import os
          y = os.abort() if {condition} else x
        expect: y is x
        diverges:
          - where: x.dtype == torch.bool
            kind: torch-bug
            instead: {{crashes: true}}
            example: {{x: "torch.tensor([True])"}}
            note: A test.
            link: none-filed
    """
    assert judge(body.format(condition="x.dtype == torch.bool")).verdict == "diverges"
    assert judge(body.format(condition="False")).verdict == "unexpected-pass"


def test_a_crash_needs_no_broken_promise(judge: Judge) -> None:
    body = """
        guarantee: unspecified
        given: {x: tensor(min_size=1)}
        do: |
          import os
          y = os.abort() if x.dtype == torch.bool else x + "a"
        raises: TypeError
        diverges:
          - where: x.dtype == torch.bool
            kind: torch-bug
            instead: {crashes: true}
            example: {x: "torch.tensor([True])"}
            note: A test.
            link: none-filed
    """
    outcome = judge(body)
    assert (outcome.verdict, outcome.tiers) == ("diverges", Tiers("always", "always"))


def test_a_claim_that_hangs_is_timed_out(read_claim: Callable[[str], Claim]) -> None:
    impatient = Supervisor(examples=1, seed=0, time_limit=1.0)
    try:
        claim = read_claim("given: {x: tensor()}\ndo: |\n  while True: pass\nexpect: x is not None")
        assert impatient.judge(claim, "cpu").entry.verdict == "timed-out"
    finally:
        impatient.close()


@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt"])
def test_leaving_python_is_an_error_like_any_other(judge: Judge, error: str) -> None:
    outcome = judge(f"given: {{x: tensor()}}\ndo: raise {error}\nexpect: x is not None")
    assert outcome.verdict == "refuted"
    assert f"raised {error}" in (outcome.detail or "")


UNPRINTABLE = {
    "raises": "def __str__(self): raise RuntimeError('no text')",
    "leaves": "def __str__(self): raise SystemExit",
    "returns no text": "def __str__(self): return 7",
}


@pytest.mark.parametrize("kind", UNPRINTABLE)
@pytest.mark.parametrize("where", ["error", "value"])
def test_what_can_not_be_printed_is_like_all_else(judge: Judge, kind: str, where: str) -> None:
    base, last = {"error": ("ValueError", "raise Odd()"), "value": ("object", "y = Odd()")}[where]
    method = UNPRINTABLE[kind].replace("__str__", "__repr__") if where == "value" else UNPRINTABLE[kind]
    program = f"given: {{x: tensor()}}\ndo: |\n  n = x.ndim\n  class Odd({base}):\n      {method}\n  {last}\n"
    if where == "value":
        assert judge(program + "expect: y is x").verdict == "refuted"
    else:
        assert judge(program + "raises: ValueError").verdict == "holds"
        refuted = judge(program + "expect: n == x.ndim")
        assert (refuted.verdict, "raised Odd: <Odd: str raised" in (refuted.detail or "")) == ("refuted", True)
