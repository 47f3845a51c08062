"""Claims and profiles say the same where both speak of one aspect of one call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Optional

import pytest

from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim, Expectation, Fragment, Place, Raises
from conformance.profiles.consistency import Compared, compared
from conformance.profiles.inputs import admitted_values
from conformance.profiles.model import Branch, Domain, Profile, Rule
from conformance.profiles.store import Profiles, by_key, load_profiles
from conformance.results.model import Environment
from conformance.results.recorded import CALLS, recorded_folder, result_files
from conformance.views.recorded import Recorded, load_recorded

PLACE = Place("here.yaml", 1, 1)
AXES = {
    "dtype": ("float32", "float64", "int64", "bool", "complex64"),
    "layout": ("contiguous", "transposed", "conj"),
    "size": ("1-d", "2-d", "0-d", "one", "empty"),
    "state": ("plain", "leaf", "nonleaf", "detached"),
}
ENVIRONMENT = Environment("2.13.0", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")


def claim(expect: str, do: str = "z = a.f( )", given: str = "tensor()", raises: Optional[str] = None) -> Claim:
    expectation = Expectation((Fragment(expect, PLACE),) if expect else ())
    if raises is not None:
        expectation = Expectation((), Raises(raises or None, None, "error", PLACE))
    inputs = (("a", Fragment(given, PLACE)),)
    return Claim("torch.f/a", "torch.f", "A", "sharing", (), PLACE, inputs, (), Fragment(do, PLACE), expectation)


def profile(outcome: str, aspect: str = "memory", of: str = "x", **where: tuple[str, ...]) -> Profile:
    """Return a profile with an outcome; where a condition is given, nothing but this outcome is known there."""
    usual = {
        "error": "returns",
        "memory": "view on record",
        "autograd": "follows the inputs",
        "gradient": "reaches",
    }.get(aspect, "as x")
    rule = Rule(usual, branches=(Branch(outcome, {"x": where}),)) if where else Rule(outcome)
    return Profile("torch.f", "x.f()", {"x": "tensor()"}, 3, rules={aspect: {of: rule}})


def found(item: Claim, seen: Profile) -> list[Compared]:
    domain = Domain({"x": "tensor()"}, {"x": AXES}, 60)
    profiles = Profiles(ENVIRONMENT, by_key([domain]), {"00000000": seen})
    return [
        one for one in compared([item], profiles, {item.id}) if one.promise.text != "returns" or "error" in seen.rules
    ]


@pytest.mark.parametrize(
    ("item", "seen", "contradicted"),
    [
        (claim("shares_storage(z, a)"), profile("independent"), True),
        (claim("shares_storage(z, a)"), profile("itself"), False),
        (claim("not shares_storage(a, z)"), profile("view on record"), True),
        (claim("not same_object(z, a)"), profile("itself"), True),
        (claim("independent(z, a)"), profile("shares storage"), True),
        # A claim is about every input that it is given, and about no other.
        (claim("shares_storage(z, a)"), profile("independent", layout=("conj",)), True),
        (claim("shares_storage(z, a)", given="tensor(floating)"), profile("independent", dtype=("int64",)), False),
        (claim("shares_storage(z, a)", given="tensor(layout='conj')"), profile("independent", layout=("conj",)), True),
        # Empty tensors prove nothing of memory, and dtypes without a kernel are no examples.
        (claim("shares_storage(z, a)"), profile("independent", size=("empty",)), False),
        (claim("equal(z, a)"), profile("RuntimeError (no kernel)", "error", "", dtype=("bool",)), False),
        (claim("equal(z, a)"), profile("RuntimeError", "error", "", dtype=("bool",)), True),
        (claim("z.requires_grad"), profile("requires no grad", "autograd", ""), True),
        (claim("z.requires_grad is False"), profile("requires no grad", "autograd", ""), False),
        (claim("z.requires_grad", given="tensor(requires_grad=True)"), profile("as x", "autograd", ""), False),
        (claim("z.requires_grad"), profile("follows the inputs", "autograd", ""), True),
        (claim("grad_fn(z) is None", given="tensor(leaf=True)"), profile("as x", "autograd", ""), False),
        (claim("z.grad_fn is None"), profile("as x", "autograd", ""), True),
        (claim("reaches(z, a)"), profile("does not reach", "gradient"), True),
        (claim("reaches(z, a)"), profile("raises RuntimeError", "gradient", dtype=("float64",)), False),
        (claim("z.dtype == a.dtype"), profile("int64", "dtype", ""), True),
        (claim("z.dtype == a.dtype", given="tensor(dtype=torch.int64)"), profile("int64", "dtype", ""), False),
        (claim("z.dtype == torch.int64"), profile("as x", "dtype", ""), True),
        (claim("z.dtype == torch.int64"), profile("int64", "dtype", ""), False),
        (claim("z.dtype == torch.get_default_dtype()"), profile("int64", "dtype", ""), True),
        (claim("z.shape == a.shape"), profile("x flattened", "shape", ""), True),
        (claim("", raises="RuntimeError"), profile("returns", "error", ""), True),
        (claim("", raises="RuntimeError"), profile("NotImplementedError", "error", ""), False),
        (claim("", raises="ValueError"), profile("TypeError", "error", ""), True),
        (claim("", raises=""), profile("TypeError", "error", ""), False),
        (claim("", raises="", given="tensor(dtype='bool')"), profile("TypeError", "error", "", dtype=("bool",)), False),
    ],
)
def test_a_profile_contradicts_a_claim_where_an_outcome_does_not_fit(
    item: Claim, seen: Profile, contradicted: bool
) -> None:
    told = found(item, seen)
    assert told
    assert any(one.against is not None for one in told) == contradicted


@pytest.mark.parametrize(
    ("do", "expect", "is_compared"),
    [
        ("z = a.f(); y = a.g()", "shares_storage(z, a)", True),
        ("import math\nz = a.f()", "shares_storage(z, a)", True),
        ("y = a.g(); z = a.f()", "shares_storage(z, a)", True),
        ("y = a.g(); z = a.f()", "shares_storage(y, a)", False),
        ("z = a.g()", "shares_storage(z, a)", False),
        ("z = a.f(1)", "shares_storage(z, a)", False),
        # What stands before or after may have changed what is looked at.
        ("a.add_(1); z = a.f()", "shares_storage(z, a)", False),
        ("a = a.g(); z = a.f()", "shares_storage(z, a)", False),
        ("z = a.f(); z = a.g()", "shares_storage(z, a)", False),
        ("z = a.f(); z.set_(a)", "shares_storage(z, a)", False),
    ],
)
def test_only_a_call_on_the_inputs_as_they_are_given_is_compared(do: str, expect: str, is_compared: bool) -> None:
    assert bool(found(claim(expect, do), profile("independent"))) == is_compared


def test_a_claim_that_does_not_hold_is_not_compared() -> None:
    item = claim("shares_storage(z, a)")
    profiles = Profiles(ENVIRONMENT, {}, {"00000000": profile("independent")})
    assert list(compared([item], profiles, set())) == []


@pytest.mark.parametrize(
    ("given", "axis", "values"),
    [
        ("tensor()", "dtype", AXES["dtype"]),
        ("tensor(floating)", "dtype", ("float32", "float64")),
        ("tensor(boolean, complex)", "dtype", ("bool", "complex64")),
        ("tensor(dtype=['int64', torch.bool])", "dtype", ("int64", "bool")),
        ("tensor(without='conj')", "layout", ("contiguous", "transposed")),
        ("tensor(requires_grad=True)", "state", ("leaf", "nonleaf")),
        ("tensor(leaf=True, writable=True)", "state", ("plain", "detached")),
        ("tensor(min_size=2)", "size", ("1-d", "2-d")),
        ("tensor(ndim=2)", "size", ("2-d",)),
        ("tensor(max_size=0)", "size", ("empty",)),
        ("tensor_like(x, complex)", "dtype", ("complex64",)),
        ("tensor(shape=(2,))", "size", None),
        ("array()", "dtype", None),
        ("tensor(", "dtype", None),
    ],
)
def test_the_inputs_of_a_claim(given: str, axis: str, values: Optional[tuple[str, ...]]) -> None:
    admitted = admitted_values(given, AXES)
    assert (None if admitted is None else tuple(admitted[axis])) == values


RECORDED = [path.stem.split("-")[1] for path in result_files(recorded_folder() / CALLS) if path.stem.endswith("-cpu")]


@cache
def corpus() -> tuple[Claim, ...]:
    return tuple(load_corpus([default_root()])[0].claims)


@cache
def recorded() -> Recorded:
    return load_recorded(recorded_folder())


def on_release(torch: str, verdict: str) -> Iterator[tuple[tuple[Claim, ...], Profiles, set[str]]]:
    """Yield the claims, the profiles of a release, and the claims that have a verdict there."""
    profiles = load_profiles(Path(recorded_folder(), CALLS, f"torch-{torch}-cpu.jsonl"))
    for measured in recorded().on("cpu"):
        if measured.torch == torch:
            yield corpus(), profiles, {one.id for one in corpus() if measured.cell(one).verdict == verdict}


@pytest.mark.parametrize("torch", RECORDED)
def test_no_recorded_profile_contradicts_a_claim_that_holds(torch: str) -> None:
    for parts in on_release(torch, "holds"):
        told = list(compared(*parts))
        assert len(told) > 1000
        wrong = [(one.claim.id, one.profile.call, one.promise.text) for one in told if one.against is not None]
        assert wrong == []


@pytest.mark.skipif(not RECORDED, reason="no recorded profiles")
def test_recorded_profiles_contradict_claims_that_are_false() -> None:
    for parts in on_release(RECORDED[-1], "diverges"):
        assert len({one.claim.id for one in compared(*parts) if one.against is not None}) > 15
