"""An entry taken apart: what can change on its own is told on its own, and noise is no change."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from conformance.language.model import Claim
from conformance.results.model import Fact, Facts, Flags, Verdict
from conformance.results.verdicts import truth
from conformance.tests.result_files import SIMPLE, entry, make_claim
from conformance.upgrade.compare.aspects import Aspect, aspects, same

VALUE = Aspect("value", "y")


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path, SIMPLE)


LEAF = Flags("float32", leaf=True)


def of(claim: Claim, value: str, flags: Flags = LEAF) -> dict[Aspect, object]:
    found = aspects(claim, entry(claim, facts=Facts(names={"y": Fact(value, flags)})))
    return {aspect: observation.value for aspect, observation in found.items()}


def test_every_flag_is_an_aspect(claim: Claim) -> None:
    flags = Flags("float32", None, False, True, "CloneBackward0", same=("x",), view_of=("x",), shares=("x",))
    found = of(claim, "tensor([1.])", flags)
    assert found[Aspect("dtype", "y")] == "float32"
    assert found[Aspect("leaf", "y")] is False
    assert found[Aspect("requires-grad", "y")] is True
    assert found[Aspect("history", "y")] is True
    assert found[Aspect("node", "y")] == "CloneBackward0"
    assert [found[Aspect(kind, "y")] for kind in ("view-of", "shares", "same")] == [("x",)] * 3


def test_no_sharing_is_told_as_none(claim: Claim) -> None:
    assert of(claim, "tensor([1.])")[Aspect("shares", "y")] == ()


def test_a_grad_fn_name_is_no_part_of_the_value(claim: Claim) -> None:
    old = of(claim, "tensor([1.], grad_fn=<CloneBackward>)")
    new = of(claim, "tensor([1.], grad_fn=<CloneBackward0>)")
    assert old[VALUE] == new[VALUE]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("tensor([1.0001])", "tensor([1.0002])", True),
        ("tensor([1., 2.])", "tensor([1.,  2.])", True),
        ("tensor([nan])", "tensor([nan])", True),
        ("tensor([1.])", "tensor([2.])", False),
        ("tensor([1.])", "tensor([1., 1.])", False),
        ("tensor([nan])", "tensor([1.])", False),
        ("True", "False", False),
    ],
)
def test_numbers_may_differ_in_the_last_digits(one: str, other: str, alike: bool) -> None:
    assert same(VALUE, one, other) is alike


def test_other_aspects_are_compared_exactly() -> None:
    assert not same(Aspect("message"), "E: 1.0001", "E: 1.0002")


@pytest.mark.parametrize(
    "program", ["y = torch.empty_like(x)", "y = torch.rand(x.shape)", "y = torch.Tensor(x.numel())", "y = x.resize_(9)"]
)
def test_memory_that_was_never_written_proves_nothing(tmp_path: Path, program: str) -> None:
    claim = make_claim(tmp_path, f"given: {{x: tensor()}}\ndo: {program}\nexpect: y is not None")
    found = of(claim, "tensor([4.2])")
    assert VALUE not in found
    assert found[Aspect("leaf", "y")] is True


def test_no_warning_is_an_observation_and_no_facts_are_none(claim: Claim) -> None:
    assert aspects(claim, entry(claim, facts=Facts()))[Aspect("warnings")].value == frozenset()
    assert Aspect("warnings") not in aspects(claim, entry(claim))


def test_every_verdict_is_placed() -> None:
    told = {verdict: truth(verdict) for verdict in get_args(Verdict)}
    assert {verdict for verdict, name in told.items() if name is None} == {
        "absent",
        "inapplicable",
        "invalid",
        "unsupported",
    }
