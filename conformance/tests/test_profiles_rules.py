"""The smallest rule that reproduces every example, what it says, and what changed between two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from conformance.profiles.compare import compare
from conformance.profiles.model import AxisValues, Branch, Domain, Profile, Rule
from conformance.profiles.rules import MOST_BRANCHES, Space, explain, table
from conformance.profiles.words import change_in_words, finding_clauses, outcome_in_words, rule_clauses
from conformance.results.model import Signal

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64", "float8_e5m2")
LAYOUTS = ("contiguous", "transposed", "expanded", "conj", "neg")
STATES = ("plain", "leaf", "nonleaf", "parameter", "detached")
SIZES = ("1-d", "2-d", "0-d", "one", "empty")
AXES = {"dtype": DTYPES, "layout": LAYOUTS, "state": STATES, "size": SIZES}
EXAMPLES: list[AxisValues] = [
    {("x", axis): value for axis, value in zip(AXES, values)} for values in product(*AXES.values())
]
SPACE = Space(EXAMPLES)


def axis(example: AxisValues, name: str) -> str:
    return example["x", name]


Function = Callable[[AxisValues], str]
FUNCTIONS: dict[int, Function] = {
    0: lambda e: "view",
    1: lambda e: "copy" if axis(e, "layout") == "expanded" else "view",
    2: lambda e: (
        "raises" if axis(e, "state") in ("leaf", "nonleaf", "parameter") and axis(e, "size") == "0-d" else "ok"
    ),
    3: lambda e: (
        "first"
        if axis(e, "state") == "parameter"
        else "second"
        if axis(e, "dtype") in ("int64", "int32", "uint8") and axis(e, "layout") == "conj"
        else "third"
    ),
}


@pytest.mark.parametrize("axes", FUNCTIONS)
def test_a_rule_has_no_more_axes_than_it_needs_and_reproduces_every_example(axes: int) -> None:
    expected = [FUNCTIONS[axes](example) for example in EXAMPLES]

    rule = explain(SPACE, [(outcome,) for outcome in expected])

    assert rule is not None
    assert len(rule.axes) == axes
    assert [rule.outcome(example) for example in EXAMPLES] == expected


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda e: "raise" if axis(e, "state") in ("leaf", "nonleaf", "parameter") else "ok", "requires grad"),
        (lambda e: "raise" if axis(e, "dtype") in ("int64", "int32", "uint8") else "ok", "integral"),
        (lambda e: "raise" if axis(e, "dtype") in ("float16", "bfloat16") else "ok", "float16 or bfloat16"),
        (lambda e: "raise" if axis(e, "layout") == "transposed" else "ok", "transposed"),
    ],
)
def test_a_class_of_values_is_said_where_it_fits(function: Function, words: str) -> None:
    rule = explain(SPACE, [(function(example),) for example in EXAMPLES])
    assert rule is not None
    assert len(rule.branches) == 1
    assert words in "; ".join(rule_clauses("error", "", rule))


def test_of_what_could_be_said_the_rule_takes_what_is_true_of_all() -> None:
    outcomes = [
        ("as x", "default dtype", "float32") if axis(example, "dtype") == "float32" else ("default dtype", "float32")
        for example in EXAMPLES
    ]
    rule = explain(SPACE, outcomes)
    assert rule is not None
    assert rule == Rule("default dtype", also=("float32",))


@pytest.mark.parametrize(
    ("outcome", "plain"), [("follows the inputs", "requires grad,"), ("as x", "autograd state as x")]
)
def test_inputs_that_a_call_changes_are_those_after_the_call(outcome: str, plain: str) -> None:
    kept = Profile("f", "f(x)", always={"autograd": {"": outcome}})
    changed = replace(kept, always={**kept.always, "input autograd": {"x": "no longer requires grad"}})
    said, said_of_changed = (
        "; ".join(finding_clauses(profile, "autograd", "", profile.rule("autograd"))) for profile in (kept, changed)
    )
    assert plain in said
    assert "after the call" not in said
    assert "after the call" in said_of_changed


def test_what_proves_nothing_does_not_count() -> None:
    outcomes = [None if axis(example, "size") == "empty" else ("view",) for example in EXAMPLES]
    assert explain(SPACE, outcomes) == Rule("view")


def test_an_error_keeps_its_message() -> None:
    returns, error = Signal("returns"), Signal("RuntimeError", "not for bool")
    rule = explain(SPACE, [(error if axis(example, "dtype") == "bool" else returns,) for example in EXAMPLES])
    assert rule == Rule(
        "returns", branches=(Branch("RuntimeError", {"x": {"dtype": ("bool",)}}, message="not for bool"),)
    )


def test_what_has_no_short_rule_is_counted() -> None:
    outcomes = [(str(number % 31),) for number in range(len(EXAMPLES))]
    assert explain(SPACE, outcomes) is None
    rows = table(outcomes)
    assert 0 < len(rows) <= MOST_BRANCHES
    assert rows[0].examples >= rows[-1].examples


def test_the_same_examples_in_another_order_give_the_same_rule() -> None:
    outcomes = [(FUNCTIONS[3](example),) for example in EXAMPLES]
    turned = Space(EXAMPLES[::-1])
    assert explain(turned, outcomes[::-1]) == explain(SPACE, outcomes)


def domain(dtypes: tuple[str, ...] = DTYPES) -> Domain:
    return Domain({"x": "tensor()"}, {"x": {**AXES, "dtype": dtypes}}, len(EXAMPLES))


def profile(**rules: Rule) -> Profile:
    found = {aspect: {"x" if aspect == "memory" else "": rule} for aspect, rule in rules.items()}
    return Profile("torch.f", "torch.f(x)", {"x": "tensor()"}, returned=9, rules=found)


WHERE_BOOL = {"x": {"dtype": ("bool",)}}
WHERE_INTEGRAL = {"x": {"dtype": ("integral",)}}


def sentences(old: Profile, new: Profile, known: tuple[str, ...] = DTYPES) -> list[str]:
    changes = compare(old, new, domain(), domain(known))
    return [sentence for change in changes for sentence in change_in_words(change)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (profile(dtype=Rule("as x")), profile(dtype=Rule("as x")), []),
        (
            profile(dtype=Rule("as x")),
            profile(dtype=Rule("as x", branches=(Branch("int64", WHERE_BOOL),))),
            ["where x is bool: dtype as x → dtype int64"],
        ),
        (profile(memory=Rule("independent")), profile(memory=Rule("itself")), ["independent of x → x itself"]),
        (
            profile(error=Rule("returns")),
            profile(error=Rule("returns", branches=(Branch("RuntimeError", WHERE_INTEGRAL, message="no"),))),
            ["where x is integral: returns → raises RuntimeError: no"],
        ),
        # Where the old release raised, nothing is said of what the new one returns.
        (
            profile(error=Rule("returns", branches=(Branch("TypeError", WHERE_BOOL),)), dtype=Rule("as x")),
            profile(
                error=Rule("returns", branches=(Branch("TypeError", WHERE_BOOL),)),
                dtype=Rule("as x", branches=(Branch("int64", WHERE_BOOL),)),
            ),
            [],
        ),
        # The same said in other words is no change.
        (
            profile(dtype=Rule("as x", branches=(Branch("int64", {"x": {"dtype": ("int64", "int32", "uint8")}}),))),
            profile(dtype=Rule("as x", branches=(Branch("int64", WHERE_INTEGRAL),))),
            [],
        ),
    ],
)
def test_a_change_is_said_with_its_condition(old: Profile, new: Profile, expected: list[str]) -> None:
    assert sentences(old, new) == expected


def test_other_words_for_what_is_true_of_both_are_no_change() -> None:
    old = profile(strides=Rule("contiguous", also=("strides of x",)))
    assert sentences(old, profile(strides=Rule("strides of x"))) == []
    assert sentences(old, profile(strides=Rule("as no input"))) == ["strides contiguous → strides as no input"]


def test_what_one_release_was_not_tried_on_is_no_change() -> None:
    old = profile(dtype=Rule("as x"))
    new = profile(dtype=Rule("as x", branches=(Branch("int64", {"x": {"dtype": ("float8_e5m2",)}}),)))
    assert sentences(old, new, tuple(name for name in DTYPES if "float8" not in name)) == []


def test_another_message_alone_is_told_apart() -> None:
    old, new = (profile(error=Rule("RuntimeError", message)) for message in ("one", "other"))
    (change,) = compare(old, new, domain(), domain())
    assert [difference.only_message for difference in change.differences] == [True]


def test_a_message_is_shown_without_its_colours() -> None:
    assert (
        outcome_in_words("error", "x", "UnpicklingError", "do \x1b[1mthis\x1b[0m") == "raises UnpicklingError: do this"
    )
