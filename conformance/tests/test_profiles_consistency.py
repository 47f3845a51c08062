"""Claims and profiles say the same where both speak of one aspect of one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim, Expectation, Fragment, Place
from conformance.profiles.consistency import compared, contradictions
from conformance.profiles.model import Branch, Profile, Rule
from conformance.profiles.store import load_profiles
from conformance.results.recorded import CALLS, recorded_folder

PLACE = Place("here.yaml", 1, 1)
RECORDED = recorded_folder() / CALLS / "torch-2.13.0-cpu.jsonl"


def claim(expect: str, do: str = "y = x.f( )") -> Claim:
    given = (("x", Fragment("tensor()", PLACE)),)
    expectation = Expectation((Fragment(expect, PLACE),))
    return Claim("torch.f/a", "torch.f", "A", "sharing", (), PLACE, given, (), Fragment(do, PLACE), expectation)


def profile(outcome: str, *exceptions: str, aspect: str = "memory", of: str = "x") -> Profile:
    branches = tuple(Branch(then, unless={"x": {"size": ("0-d",)}}) for then in exceptions)
    return Profile("torch.f", "x.f()", {"x": "tensor()"}, 3, rules={aspect: {of: Rule(outcome, branches=branches)}})


@pytest.mark.parametrize(
    ("expect", "seen", "contradicted"),
    [
        ("shares_storage(y, x)", profile("independent"), True),
        ("shares_storage(y, x)", profile("itself"), False),
        ("shares_storage(y, x)", profile("view on record", "independent"), False),
        ("shares_storage(y, x)", profile("independent", "view on record"), False),
        ("not shares_storage(x, y)", profile("view on record"), True),
        ("not same_object(y, x)", profile("itself"), True),
        ("y.requires_grad", profile("requires no grad", aspect="autograd", of=""), True),
        ("not y.requires_grad", profile("requires no grad", aspect="autograd", of=""), False),
        ("y.requires_grad", profile("follows the inputs", aspect="autograd", of=""), False),
        ("equal(x, y)", profile("RuntimeError", aspect="error", of=""), True),
        ("equal(x, y)", profile("RuntimeError", "returns", aspect="error", of=""), False),
    ],
)
def test_a_profile_contradicts_a_claim_where_no_outcome_fits(expect: str, seen: Profile, contradicted: bool) -> None:
    assert bool(list(contradictions([claim(expect)], [seen]))) == contradicted


@pytest.mark.parametrize("do", ["y = x.g()", "y = x.f(); z = y", "y = x.f(1)"])
def test_another_call_is_not_compared(do: str) -> None:
    assert not list(compared([claim("shares_storage(y, x)", do)], [profile("independent")]))


@pytest.mark.skipif(not RECORDED.exists(), reason="no recorded profiles of torch 2.13.0")
def test_no_recorded_profile_contradicts_a_claim() -> None:
    claims = load_corpus([default_root()])[0].claims
    profiles = list(load_profiles(Path(RECORDED)).calls.values())
    assert len(list(compared(claims, profiles))) > 300
    assert [(item.claim.id, item.profile.call, item.promised) for item in contradictions(claims, profiles)] == []
