"""A control shows that an error is the promised one, and not one that the example would give anyway."""

from __future__ import annotations

from typing import Callable

from conformance.language.model import Claim
from conformance.results.model import Entry

Judge = Callable[[str], Entry]

LEAF = """
given: {x: 'tensor(dtype=["float32", "int64"], writable=False, layout="contiguous", min_size=1)'}
do: x.float_power_(2)
%s
raises: {type: RuntimeError, promised: error}
"""


def test_an_error_that_has_nothing_to_do_with_the_claim_proves_nothing(judge: Judge) -> None:
    """``float_power_`` refuses float32 for its dtype, whether it is a leaf or not."""
    assert judge(LEAF % "").verdict == "holds"
    controlled = judge(LEAF % "control: {x.float: x.detach().clone().float}")
    assert controlled.verdict == "invalid"
    assert "no example could be judged" in (controlled.detail or "")
    assert "'control'" in (controlled.detail or "")


def test_examples_whose_control_raises_do_not_count(judge: Judge) -> None:
    body = LEAF.replace('"float32", "int64"', '"float32", "float64"')
    every, controlled = judge(body % ""), judge(body % "control: {x.float: x.detach().clone().float}")
    assert controlled.verdict == every.verdict == "holds"
    assert 0 < (controlled.examples or 0) < (every.examples or 0)


def test_an_example_without_the_error_needs_no_control(judge: Judge) -> None:
    program = "given: {x: tensor()}\ndo: x.clone()\ncontrol: {clone: no_such_method}"
    refuted = judge(f"{program}\nraises: {{type: RuntimeError, promised: error}}")
    assert refuted.verdict == "refuted"
    assert "nothing was raised" in (refuted.detail or "")


def test_the_control_works_on_inputs_of_its_own(judge: Judge) -> None:
    """The program that raised may have changed its inputs."""
    body = """
    given: {x: 'tensor(ndim=1, min_size=1, dtype="float32", requires_grad=False, writable=True)'}
    do: |
      x.resize_(0)
      x[0]
    control: {x.resize_(0): x.zero_()}
    raises: {type: IndexError, promised: error}
    """
    assert judge(body).verdict == "holds"
    assert judge(body.replace("x.zero_()", "'x.resize_(0, 0)'")).verdict == "invalid"


def test_a_control_is_part_of_what_is_measured(read_claim: Callable[[str], Claim]) -> None:
    without, with_one, other = (
        read_claim(LEAF % control)
        for control in ("", "control: {x.float: x.detach().float}", "control: {x.float: x.clone().float}")
    )
    assert without.needs_control
    assert not with_one.needs_control
    assert len({claim.fingerprint() for claim in (without, with_one, other)}) == 3
