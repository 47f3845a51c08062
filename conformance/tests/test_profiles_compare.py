"""What counts as a change between two releases, and what is noise: other examples, other words, the last digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from conformance.profiles.compare import VALUE, compare, is_absent, still_caught
from conformance.profiles.model import Branch, Domain, Profile, Row, Rule
from conformance.profiles.printed import alike
from conformance.profiles.words import change_in_words, news_in_words

Where = Mapping[str, tuple[str, ...]]
DTYPES = ("float32", "float64", "float16", "int64", "int32", "bool", "complex64", "complex128")
AXES = {
    "dtype": DTYPES,
    "layout": ("contiguous", "transposed", "expanded", "sliced", "conj", "channels_last"),
    "size": ("1-d", "2-d", "3-d", "4-d", "0-d", "one", "empty"),
    "state": ("plain", "leaf", "nonleaf", "parameter", "detached"),
}
PRINTED = ({"x": "torch.tensor([1.])"}, {"x": "torch.tensor([1+1j])"})
DOMAIN = Domain({"x": "tensor()", "y": "tensor()"}, {"x": AXES, "y": AXES}, 300, PRINTED)
INTEGRAL = {"dtype": ("integral",)}
GRAD = {"state": ("requires grad",)}


def profile(aspect: str = "dtype", rule: Rule = Rule("as x"), of: str = "", **parts: object) -> Profile:  # noqa: B008
    found = Profile("torch.f", "torch.f(x, y)", DOMAIN.given, returned=9, rules={aspect: {of: rule}})
    return replace(found, **parts)  # type: ignore[arg-type]


def rule(usual: str, then: str, **where: Where) -> Rule:
    return Rule(usual, branches=(Branch(then, where),))


def sentences(old: Profile, new: Profile, new_domain: Domain = DOMAIN) -> list[str]:
    return [sentence for change in compare(old, new, DOMAIN, new_domain) for sentence in change_in_words(change)]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (INTEGRAL, ["where x is integral"]),
        ({"dtype": ("complex",), "layout": ("transposed",)}, ["where x is complex and x is transposed"]),
        # No tensor is like this: a rule may say anything.
        ({**INTEGRAL, **GRAD}, []),
        ({**INTEGRAL, "layout": ("conj",)}, []),
        ({"size": ("0-d",), "layout": ("transposed",)}, []),
        # Of two values that are both rare a single example was tried, in each release with other values beside.
        ({"dtype": ("float16",), "state": ("detached",)}, []),
        # Of three properties only the combinations of core values were all tried.
        ({"dtype": ("float64",), "layout": ("sliced",), "state": ("parameter",)}, []),
    ],
)
def test_only_what_both_releases_were_tried_on_is_compared(where: Where, expected: list[str]) -> None:
    told = sentences(profile(), profile(rule=rule("as x", "int64", x=where)))
    assert told == [f"{condition}: dtype as x → dtype int64" for condition in expected]


@pytest.mark.parametrize(
    ("aspect", "of", "where"),
    [
        ("memory", "x", {"size": ("empty",)}),
        ("writes", "x", {"size": ("empty",)}),
        ("strides", "", {"size": ("one element",)}),
        ("gradient", "x", {"state": ("plain", "detached")}),
    ],
)
def test_where_an_aspect_can_not_be_seen_nothing_changes(aspect: str, of: str, where: Where) -> None:
    old, other = profile(aspect, Rule("one"), of), rule("one", "other", x=where)
    assert sentences(old, profile(aspect, other, of)) == []
    assert sentences(old, profile(aspect, rule("one", "other", x={"dtype": ("float32",), "size": ("2-d",)}), of))


def test_a_condition_on_several_inputs_is_compared_only_where_all_examples_were_judged() -> None:
    where: dict[str, Where] = {"x": {"state": ("plain",)}, "y": {"state": ("leaf",)}}
    assert sentences(profile(), profile(rule=rule("as x", "int64", **where))) == []
    old, new = profile("error", Rule("returns")), profile("error", rule("returns", "RuntimeError", **where))
    (told,) = sentences(old, new)
    assert told.endswith("returns → raises RuntimeError")
    # Few of these combinations are tried: neither input has values that are tried with all others.
    rare: dict[str, Where] = {"x": {"dtype": ("float64",)}, "y": {"dtype": ("int32",)}}
    assert sentences(old, profile("error", rule("returns", "RuntimeError", **rare))) == []


@pytest.mark.parametrize(
    ("aspect", "before", "after", "seen"),
    [
        ("shape", "as x", "(4,)", True),
        ("type", "class of x", "Tensor", False),
        ("type", "Tensor", "list of Tensor", True),
        ("type", "dict of str and dtype", "dict of dtype and str", False),
        ("grad_fn", "ViewBackward", "ViewBackward0", False),
        ("dtype", "raises RuntimeError", "as x", False),
        ("gradient", "raises RuntimeError", "raises NotImplementedError", False),
        ("gradient", "raises RuntimeError", "reaches", True),
    ],
)
def test_outcomes_that_mean_the_same_are_no_change(aspect: str, before: str, after: str, seen: bool) -> None:
    of = "x" if aspect == "gradient" else ""
    assert bool(sentences(profile(aspect, Rule(before), of), profile(aspect, Rule(after), of))) == seen


def test_shapes_in_numbers_are_those_of_single_examples() -> None:
    new = profile("shape", rule("as x", "(4,)", x={"dtype": ("bool",)}))
    assert sentences(profile("shape", Rule("as x")), new) == []


@pytest.mark.parametrize(
    ("before", "after", "only_message"),
    [
        (Rule("RuntimeError", "no such thing"), Rule("RuntimeError", "nothing of the kind"), True),
        (Rule("RuntimeError (no kernel)"), Rule("NotImplementedError (no kernel)"), True),
        (Rule("RuntimeError", "singular"), Rule("LinAlgError", "singular"), True),
        (Rule("RuntimeError", "a"), Rule("TypeError", "a"), False),
        (Rule("returns"), Rule("TypeError", "a"), False),
    ],
)
def test_an_error_that_the_same_code_catches_is_told_apart(before: Rule, after: Rule, only_message: bool) -> None:
    (change,) = compare(profile("error", before), profile("error", after), DOMAIN, DOMAIN)
    assert [one.only_message for one in change.differences] == [only_message]


def test_a_warning_in_other_words_is_told_apart_from_another_one() -> None:
    old = profile("warning", Rule("UserWarning", "torch.f is deprecated, use torch.g"))
    for message, reworded in (("torch.f is deprecated; use torch.g", True), ("an experimental feature", False)):
        (change,) = compare(old, profile("warning", Rule("UserWarning", message)), DOMAIN, DOMAIN)
        assert [one.only_message for one in change.differences] == [reworded]


def test_where_the_call_raised_in_one_release_its_warnings_are_not_compared() -> None:
    raising = profile("error", Rule("RuntimeError", "no"), returned=0)
    changes = compare(raising, profile("warning", Rule("UserWarning", "deprecated")), DOMAIN, DOMAIN)
    assert {change.aspect for change in changes} == {"error"}


def test_what_was_only_counted_is_compared_on_the_same_examples_only() -> None:
    def counted(*outcomes: str) -> Profile:
        rows = tuple(Row(outcome, 3) for outcome in outcomes)
        return profile(tables={"dtype": {"": rows}}, rules={})

    assert sentences(counted("as x", "int64"), counted("as x")) == []
    assert sentences(counted("as x", "int64"), counted("as x", "int32")) == [
        "for some inputs: dtype int64 → dtype int32"
    ]
    other = replace(DOMAIN, values={**DOMAIN.values, "x": {**AXES, "dtype": (*DTYPES, "float8_e5m2")}})
    assert sentences(counted("as x", "int64"), counted("as x", "int32"), other) == []
    assert sentences(counted("as x"), profile()) == []


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("[1.234 nan inf]", "[1.235 nan inf]", True),
        ("[1.234 2]", "[1.334 2]", False),
        ("[1 2 3]", "[1 2]", False),
        ("[1000 1e-05]", "[1000 0]", True),
        ("1+2j", "1-2j", False),
        ("[1+2j 3-4j]", "[1+2j 3-4.001j]", True),
        ("True", "False", False),
        ("[0 nan]", "[0 0]", False),
        # Of what a decomposition gives the signs are open.
        ("([0.6 -0.8], [2 1])", "([-0.6 0.8], [2 1])", True),
        ("[0.6 -0.8]", "[-0.6 0.8]", False),
        ("[1 2 3.14…", "[1 2 3.1…", True),
        ("('cpu', torch.float32)", "(torch.float32, 'cpu')", True),
        ("('cpu', torch.float32)", "(torch.float64, 'cpu')", False),
        ("[1 2 3.14…", "[1 4 3.14…", False),
    ],
)
def test_the_last_digit_of_a_printed_result_is_noise(one: str, other: str, same: bool) -> None:
    assert alike(one, other) == same
    assert alike(other, one) == same


def test_another_printed_result_is_a_change_with_its_example() -> None:
    old, new = profile(values=("[1]", "1+1j")), profile(values=("[2]", None))
    (change,) = compare(old, new, DOMAIN, DOMAIN)
    (difference,) = change.differences
    assert (change.aspect, difference.example, difference.reach) == (VALUE, PRINTED[0], "ordinary")
    assert news_in_words(change, difference) == "value [1] → [2] for x = torch.tensor([1.])"
    (rare,) = compare(old, profile(values=("[1]", "2+1j")), DOMAIN, DOMAIN)
    assert rare.differences[0].reach == "corner"


def test_a_release_without_the_name_is_not_compared() -> None:
    missing = Rule("AttributeError", "module 'torch' has no attribute 'f'")
    absent = profile("error", missing, returned=0)
    assert is_absent(absent)
    assert compare(absent, profile(), DOMAIN, DOMAIN) == ()
    # The inputs lack something else, or some of them return.
    assert not is_absent(profile("error", missing))
    assert not is_absent(profile("error", Rule("AttributeError", "closed"), returned=0))


@pytest.mark.parametrize(
    ("where", "reach"),
    [({}, "everywhere"), ({"dtype": ("float64",)}, "ordinary"), ({"dtype": ("complex",)}, "corner")],
)
def test_how_far_a_change_reaches_is_known(where: Where, reach: str) -> None:
    new = rule("as x", "int64", x=where) if where else Rule("int64")
    (change,) = compare(profile(), profile(rule=new), DOMAIN, DOMAIN)
    assert [difference.reach for difference in change.differences] == [reach]


def test_still_caught() -> None:
    assert still_caught("RuntimeError", "NotImplementedError (no kernel)")
    assert not still_caught("NotImplementedError", "RuntimeError")
    assert not still_caught("ValueError", "Unheard")
