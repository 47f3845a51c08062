"""Trials in words: what differs in something that people look at, and what is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.results.trials.model import BASE, Difference, Fact, Group, NameTrials, Trials
from conformance.results.trials.recorded import RecordedTrials
from conformance.show.trials import changes_of_calls, in_words, tried_view

FIXTURE = Path(__file__).parent / "fixtures" / "trials"
GIVEN = {"x": "torch.ones(2)"}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ([("memory", "x", "view"), ("requires grad", "", "yes"), ("leaf", "", "no")], "view of x, requires grad"),
        ([("memory", "x", "own memory"), ("memory", "y", "own memory")], "memory of its own"),
        ([("memory", "x", "same object"), ("leaf", "", "yes")], "x itself, a leaf"),
        ([("gradient", "x", "flows"), ("type", "", "Tensor"), ("dtype", "", "as x")], "the gradient flows to x"),
        ([("gradient", "x", "raises: e^{i phi}")], "the gradient of x raises: e^{i phi}"),
        ([("memory", "x", "{odd}")], "{odd}"),
        ([("dtype", "", "as x")], "dtype as x"),
        ([("error", "", "ValueError"), ("message", "", "no"), ("memory", "x", "view")], "ValueError: no"),
        (
            [("warning", "", "UserWarning: old"), ("writes", "x", "values")],
            "warns UserWarning: old, writes of x values",
        ),
        ([], ""),
        ([("gradient", "x", "e^{i phi}")], "the gradient of x e^{i phi}"),
    ],
)
def test_facts_in_words(facts: list[tuple[str, str, str]], words: str) -> None:
    assert in_words([Fact(*fact) for fact in facts]) == words


def test_inputs_that_differ_in_what_few_look_at_are_nearly_the_same() -> None:
    base = Group((BASE,), (Fact("memory", "x", "view"), Fact("strides", "", "as x")))
    groups = (
        Group(("transposed",), (Fact("memory", "x", "own memory"),)),
        Group(("sliced",), (Fact("strides", "", "contiguous"),)),
        Group(("int64", "int32", "bool"), (Fact("error", "", "RuntimeError"), Fact("message", "", "no"))),
        Group(("0-d",), (Fact("error", "", "RuntimeError"), Fact("message", "", "Found no NVIDIA driver"))),
    )
    call = Trials("torch.t", "", "x.t()", GIVEN, base, groups, ("1-d", "3-d", "4-d", "offset"))
    view = tried_view(NameTrials("torch.t", "2.13.0", (call,), ()))
    assert view is not None
    [shown] = view.usual
    assert shown.base == "view of x"
    assert shown.other == ((("transposed",), "memory of its own"), (("all 3 dtypes",), "RuntimeError: no"))
    assert shown.same == ("1-d", "3-d", "4-d", "offset")  # 0-d was not tried where there is no driver: not all sizes
    assert (shown.nearly, shown.aspects) == (("sliced",), ("strides",))


def test_calls_that_raise_stand_apart() -> None:
    view = tried_view(RecordedTrials(FIXTURE).of("torch.Tensor.reshape"))
    assert view is not None
    assert [call.call for call in view.usual] == ["x.reshape(-1)"]
    assert view.wrong == (("x.reshape(5)", "ValueError: shape '[…]' is invalid for input of size N"),)
    assert tried_view(None) is None


def test_what_changed_on_ordinary_inputs_is_told_and_the_rest_counted() -> None:
    ordinary, others = changes_of_calls(RecordedTrials(FIXTURE).history("torch.Tensor.reshape"))
    assert ordinary == ("2.1 x.reshape(5): RuntimeError → ValueError",)
    assert others == ()


def test_calls_that_changed_alike_share_a_line_which_names_some_of_them() -> None:
    before, after = (Fact("grad_fn", "", name) for name in ("ReshapeAliasBackward", "ViewBackward"))
    history = [
        Difference("torch.Tensor.reshape", f"x.reshape({size})", "2.0.1", "2.1.2", ("base",), (before,), (after,))
        for size in range(6)
    ]
    changed = "grad_fn ReshapeAliasBackward → grad_fn ViewBackward"
    calls = "2.1 x.reshape(0), x.reshape(1), x.reshape(2)"
    assert changes_of_calls(history) == ((f"{calls} and 3 more calls: {changed}",), ())
    assert changes_of_calls(history[:4]) == ((f"{calls}, x.reshape(3): {changed}",), ())
