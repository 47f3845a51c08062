"""A warning that is given once in a process is seen by every claim, every example, and where facts are recorded."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Callable

import pytest

from conformance.language.model import Claim
from conformance.results.model import Entry
from conformance.run.supervisor import Supervisor

Judge = Callable[[str], Entry]
CALLS = {
    "C++ code": "torch.ones(3).T",
    "typed storages": "torch.ones(3).storage()",
    "Dynamo": "importlib.import_module('torch._dynamo.utils').warn_once('odd')",
    "flex attention": "importlib.import_module('torch.nn.attention.flex_attention')._warn_once('a', 'odd')",
    "the profiler": "torch.profiler.profiler._warn_once('odd')",
}


def body(call: str, count: int) -> str:
    program = f"""
    import importlib, warnings
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        {call}
    y = x.clone()
    """
    lines = textwrap.indent(textwrap.dedent(program), "  ")
    return f"given: {{x: tensor(ndim=1)}}\ndo: |\n{lines}\nexpect: len(caught) == {count}"


@pytest.fixture(scope="module")
def alone() -> Iterator[Supervisor]:
    """A second process: what another claim does in the first one is not felt there."""
    shared = Supervisor(examples=10, seed=0, judged_again=0)
    yield shared
    shared.close()


@pytest.mark.parametrize("name", CALLS)
def test_two_claims_on_one_warning_agree_in_one_process_and_in_two(
    name: str, judge: Judge, alone: Supervisor, read_claim: Callable[[str], Claim]
) -> None:
    warns = judge(body(CALLS[name], 1))
    if "AttributeError" in (warns.detail or "") or "ModuleNotFoundError" in (warns.detail or ""):
        pytest.skip("this torch gives no such warning")
    denied = judge(body(CALLS[name], 0))
    assert (warns.verdict, denied.verdict) == ("holds", "refuted"), (warns, denied)
    assert alone.judge(read_claim(body(CALLS[name], 0)), "cpu").entry == denied


def test_a_claim_that_turns_it_off_does_not_hide_the_warning_from_the_next(judge: Judge) -> None:
    off = "given: {x: tensor(ndim=1)}\ndo: |\n  y = x.T\n  torch.set_warn_always(False)\nexpect: y is not None"
    assert judge(off).verdict == "holds"
    assert judge(body(CALLS["C++ code"], 1)).verdict == "holds"


def test_it_is_recorded_among_the_facts(judge: Judge) -> None:
    entry = judge("given: {x: tensor(ndim=1)}\ndo: y = x.T\nexpect: y is not None")
    assert entry.facts is not None
    assert [warning.type for warning in entry.facts.warns] == ["UserWarning"]
