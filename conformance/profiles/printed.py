"""Printed results of two releases: whether they differ by more than rounding."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(
    r"(?<![\w.])[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?![\w.])|[+-](?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?=j)"
)
_CUT = "…"
#: Four digits are printed: the last one may be rounded either way.
_RELATIVE = 2e-3
#: What is so much smaller than the largest number is what rounding left.
_ABSOLUTE = 1e-4


def alike(one: str, other: str) -> bool:
    """Return whether two printed results show the same numbers, but for the last digit."""
    if one == other or (one[:1] == "(" == other[:1] and _items(one) == _items(other)):
        return True
    cut = one.endswith(_CUT) or other.endswith(_CUT)
    ours, theirs = (_NUMBER.split(text) for text in (one, other))
    numbers, others = (list(map(float, _NUMBER.findall(text))) for text in (one, other))
    if cut:  # of the number at which a text is cut digits may be missing
        length = max(min(len(numbers), len(others)) - 1, 0)
        ours, theirs, numbers, others = ours[: length + 1], theirs[: length + 1], numbers[:length], others[:length]
    if ours != theirs or len(numbers) != len(others):
        return False
    if one.startswith("("):  # of what a decomposition gives, the signs are open
        numbers, others = list(map(abs, numbers)), list(map(abs, others))
    largest = max((abs(number) for number in (*numbers, *others) if math.isfinite(number)), default=0.0)
    return all(_close(first, second, largest) for first, second in zip(numbers, others))


def _items(text: str) -> list[str]:
    """Return the items of a printed container in an order of their own: that of a set may be any."""
    return sorted(text[1:-1].split(", "))


def _close(one: float, other: float, largest: float) -> bool:
    if one == other or (math.isnan(one) and math.isnan(other)):
        return True
    return math.isclose(one, other, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE * largest)
