"""Where decisions come from."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st

from conformance.inputs.choices import (
    CanonicalChoices,
    NarrowedChoices,
    NoSuchInput,
    SeededChoices,
    SweepChoices,
)
from conformance.inputs.given import Given
from conformance.language.model import Fragment, Place

LETTERS = "abcd"
FACTORS = (("a", "b", "c"), (1, 2), (True, False))


def admits(row: Any) -> Any:
    return row[:2] != ("a", 2)


def inputs(**expressions: Any) -> Any:
    place = Place("spec/example.yaml", 1, 1)
    return Given(tuple((name, Fragment(text, place)) for name, text in expressions.items()), "cpu")


def test_canonical_choices_take_the_first() -> None:
    choices = CanonicalChoices()
    assert choices.pick("letter", LETTERS) == "a"
    assert choices.combine("row", FACTORS, admits) == ("a", 1, True)
    assert choices.made == {"letter": "a", "row": ("a", 1, True)}
    assert choices.domains == {"row": (FACTORS, admits)}


def test_sweep_goes_through_options_and_rows() -> None:
    seen = set()
    letters = set()
    rows = set()
    choices = SweepChoices(0)
    choices.pick("letter", LETTERS)
    choices.combine("row", FACTORS, admits)
    for position in range(choices.length):
        choices = SweepChoices(position)
        letters.add(choices.pick("letter", LETTERS))
        rows.add(choices.combine("row", FACTORS, admits))
        seen.add((choices.made["letter"], choices.pick("other", "xyz")))
    assert letters == set(LETTERS)
    assert all(map(admits, rows))
    pairs = {(a, b, row[a], row[b]) for row in rows for a in range(3) for b in range(a + 1, 3)}
    assert len(pairs) == 5 + 6 + 4


def test_sweep_crosses_picks() -> None:
    seen = set()
    length = 1
    position = 0
    while position < length:
        choices = SweepChoices(position)
        seen.add((choices.pick("letter", LETTERS), choices.pick("other", "xyz")))
        length = max(length, choices.length)
        position += 1
    assert length == 12
    assert len(seen) == 12


def test_sweep_spends_no_more_than_64_positions_on_picks() -> None:
    choices = SweepChoices(5)
    choices.pick("number", range(1000))
    assert choices.length == 64


def test_sweep_can_stay_with_the_first_options() -> None:
    picked = {SweepChoices(position).pick("letter", LETTERS, sweep=2) for position in range(9)}
    assert picked == {"a", "b"}


def test_two_inputs_do_not_move_in_step() -> None:
    pairs = set()
    for position in range(40):
        choices = SweepChoices(position)
        pairs.add((choices.combine("x", FACTORS, admits), choices.combine("y", FACTORS, admits)))
    assert any(x != y for x, y in pairs)
    assert {x for x, _ in pairs} == {y for _, y in pairs}


@pytest.mark.parametrize("make", [CanonicalChoices, lambda: SweepChoices(3)])
def test_nothing_to_choose_from_is_no_such_input(make: Any) -> None:
    with pytest.raises(NoSuchInput):
        make().pick("letter", [])
    with pytest.raises(NoSuchInput):
        make().combine("row", FACTORS, lambda row: False)


def collected(make: Any, body: Any, examples: Any = 200) -> Any:
    found = []

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @seed(0)
    @given(data=st.data())
    def test(data: Any) -> None:
        found.append(body(make(data.draw)))

    test()
    return found


def test_seeded_choices_reach_everything_admitted_and_come_again_from_the_same_seed() -> None:
    def drawn(seed: int) -> list[Any]:
        stream, found = Random(seed), []
        for _ in range(200):
            choices = SeededChoices(stream)
            found.append((choices.combine("row", FACTORS, admits), choices.pick("number", range(600))))
        return found

    assert {row for row, _ in drawn(0)} == {("a", 1, True), ("a", 1, False)} | {
        (letter, number, truth) for letter in "bc" for number in (1, 2) for truth in (True, False)
    }
    assert max(number for _, number in drawn(0)) > 300
    assert drawn(0) == drawn(0) != drawn(1)


def test_narrowed_choices_are_no_more_complicated_than_the_failing_example() -> None:
    failing = {"row": ("b", 2, True), "letter": "c"}

    def body(choices: Any) -> Any:
        return choices.combine("row", FACTORS, admits), choices.pick("letter", LETTERS), choices.pick("new", LETTERS)

    found = collected(lambda draw: NarrowedChoices(draw, failing), body)
    assert {row for row, _, _ in found} == {("a", 1, True), ("b", 1, True), ("b", 2, True)}
    assert {letter for _, letter, _ in found} == set("abc")
    assert {new for _, _, new in found} == {"a"}


def smallest(expressions: Any, is_failing: Any) -> Any:
    """Find a failing example in the sweep and shrink it."""
    drawn = inputs(**expressions)
    position = 0
    while True:
        example = drawn.draw(SweepChoices(position))
        if is_failing(example.values):
            break
        position += 1

    @st.composite
    def narrowed(draw: Any) -> Any:
        return drawn.draw(NarrowedChoices(draw, example.made))

    return find(
        narrowed(),
        lambda candidate: bool(is_failing(candidate.values)),
        settings=settings(max_examples=300, database=None, derandomize=True),
    )


def test_shrinking_gives_a_small_example() -> None:
    def needs_two_dimensions_and_grad(values: Any) -> Any:
        return values["x"].requires_grad and values["x"].dim() > 1

    example = smallest({"x": "tensor(min_ndim=1)"}, needs_two_dimensions_and_grad)
    assert example.recipes == {"x": "torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)"}


def test_shrinking_keeps_what_the_failure_needs() -> None:
    def needs_64_bits_transposed(values: Any) -> Any:
        x = values["x"]
        return x.dtype == torch.float64 and x.numel() > 1 and not x.is_contiguous()

    example = smallest({"x": "tensor(layout=['transposed', 'permuted', 'offset'])"}, needs_64_bits_transposed)
    assert example.recipes == {"x": "torch.tensor([[1., 2.], [3., 4.], [5., 6.]], dtype=torch.float64).t()"}


def test_shrinking_follows_dependent_inputs() -> None:
    def last_of_several(values: Any) -> Any:
        return values["x"].dim() > 1 and values["dim"] in (values["x"].dim() - 1, -1)

    example = smallest({"x": "tensor()", "dim": "dim_of(x)"}, last_of_several)
    assert example.values["x"].dim() == 2
    assert example.made["x"] == ("float32", "contiguous", "2-d", "plain")
