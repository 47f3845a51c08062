"""Covering sets: few combinations of factor values in which every admissible pair occurs."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any, TypeVar

T = TypeVar("T")

Admits = Callable[[tuple[Any, ...]], bool]

_admissible: dict[Any, tuple[tuple[Any, ...], ...]] = {}
_coverings: dict[Any, tuple[list[tuple[Any, ...]], int]] = {}


def admissible_rows(factors: Sequence[Sequence[Any]], admits: Admits) -> tuple[tuple[Any, ...], ...]:
    """Return every admissible combination, simplest first.

    The answer is kept for each pair of ``factors`` and ``admits``, so ``admits`` must hash by what it admits and
    always answer the same.

    Parameters
    ----------
    factors
        The values of each factor, simplest first.
    admits
        Tells whether a combination, one value per factor, is in the domain.
    """
    key = (tuple(map(tuple, factors)), admits)
    rows = _admissible.get(key)
    if rows is None:
        rows = _admissible[key] = tuple(row for row in product(*factors) if admits(row))
    return rows


def covering_rows(factors: Sequence[Sequence[Any]], admits: Admits) -> list[tuple[Any, ...]]:
    """Return combinations that contain every admissible pair of values of two factors.

    Greedy: each row is the first one that covers most pairs not covered yet. The same arguments give the same rows.
    An empty domain gives no rows.

    Parameters
    ----------
    factors
        The values of each factor, simplest first.
    admits
        Tells whether a combination, one value per factor, is in the domain; see `admissible_rows`.
    """
    return _covering(factors, admits)[0]


def admissible_pairs(factors: Sequence[Sequence[Any]], admits: Admits) -> int:
    """Return how many pairs of values of two factors occur in an admissible combination.

    Parameters
    ----------
    factors
        The values of each factor, simplest first.
    admits
        Tells whether a combination, one value per factor, is in the domain; see `admissible_rows`.
    """
    return _covering(factors, admits)[1]


def _covering(factors: Sequence[Sequence[Any]], admits: Admits) -> tuple[list[tuple[Any, ...]], int]:
    key = (tuple(map(tuple, factors)), admits)
    found = _coverings.get(key)
    if found is None:
        found = _coverings[key] = _cover(admissible_rows(factors, admits), len(factors))
    return found


def _cover(rows: tuple[tuple[Any, ...], ...], width: int) -> tuple[list[tuple[Any, ...]], int]:
    if width == 1:
        return list(rows), len(rows)
    positions = list(combinations(range(width), 2))
    numbers: dict[Any, int] = {}
    members: list[list[int]] = []
    pairs_of_row: list[list[int]] = []
    for index, row in enumerate(rows):
        pairs = []
        for first, second in positions:
            pair = (first, second, row[first], row[second])
            number = numbers.setdefault(pair, len(members))
            if number == len(members):
                members.append([])
            members[number].append(index)
            pairs.append(number)
        pairs_of_row.append(pairs)

    # What a row still adds only ever falls, so an entry at the top of the heap that is up to date is a true maximum.
    gains = [len(positions)] * len(rows)
    heap = [(-gain, index) for index, gain in enumerate(gains)]
    covered = [False] * len(members)
    left = len(members)
    chosen = []
    while left:
        negative_gain, index = heap[0]
        if gains[index] != -negative_gain:
            if gains[index]:
                heapq.heapreplace(heap, (-gains[index], index))
            else:
                heapq.heappop(heap)
            continue
        heapq.heappop(heap)
        chosen.append(rows[index])
        for pair_number in pairs_of_row[index]:
            if not covered[pair_number]:
                covered[pair_number] = True
                left -= 1
                for other in members[pair_number]:
                    gains[other] -= 1
    return chosen, len(members)
