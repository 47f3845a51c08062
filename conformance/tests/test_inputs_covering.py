"""Covering sets on domains of which everything is known."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from conformance.inputs.covering import admissible_pairs, admissible_rows, covering_rows

COLOURS = ("red", "green", "blue", "grey")
SHAPES = ("disc", "ring", "bar")
SIGNS = ("+", "-")


def everything(row: Any) -> Any:
    return True


def no_red_ring(row: Any) -> Any:
    return row[:2] != ("red", "ring")


def nothing(row: Any) -> Any:
    return False


def by_hand(factors: Any, admits: Any) -> Any:
    rows = [row for row in product(*factors) if admits(row)]
    return {(a, b, row[a], row[b]) for row in rows for a, b in combinations(range(len(factors)), 2)}


@pytest.mark.parametrize("admits", [everything, no_red_ring])
def test_every_admissible_pair_is_covered(admits: Any) -> None:
    factors = (COLOURS, SHAPES, SIGNS)
    rows = covering_rows(factors, admits)
    found = {(a, b, row[a], row[b]) for row in rows for a, b in combinations(range(3), 2)}
    assert found == by_hand(factors, admits)
    assert len(found) == admissible_pairs(factors, admits)
    assert all(admits(row) for row in rows)


def test_rows_are_few() -> None:
    factors = (COLOURS, SHAPES, SIGNS)
    assert len(covering_rows(factors, everything)) == len(COLOURS) * len(SHAPES)


def test_first_row_is_the_simplest() -> None:
    assert covering_rows((COLOURS, SHAPES, SIGNS), everything)[0] == ("red", "disc", "+")
    assert covering_rows((SHAPES, COLOURS), no_red_ring)[0] == ("disc", "red")


def test_a_pair_that_no_row_admits_is_not_counted() -> None:
    assert admissible_pairs((COLOURS, SHAPES), no_red_ring) == len(COLOURS) * len(SHAPES) - 1


def test_an_empty_domain_has_no_rows() -> None:
    assert covering_rows((COLOURS, SHAPES), nothing) == []
    assert admissible_rows((COLOURS, SHAPES), nothing) == ()
    assert admissible_pairs((COLOURS, SHAPES), nothing) == 0


def test_one_factor_is_covered_value_by_value() -> None:
    assert covering_rows((COLOURS,), everything) == [(colour,) for colour in COLOURS]


def test_the_condition_is_asked_once() -> None:
    asked = []

    def admits(row: Any) -> Any:
        asked.append(row)
        return True

    factors = (COLOURS, SIGNS)
    first = covering_rows(factors, admits)
    assert covering_rows(factors, admits) is first
    assert admissible_pairs(factors, admits) == 8
    assert len(asked) == 8
