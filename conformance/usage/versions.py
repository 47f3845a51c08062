"""On which releases a comparison of torch's version holds: sets of minor releases, as the bits of a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from typing import NamedTuple, Optional

_MINORS = [*((1, minor) for minor in range(14)), *((2, minor) for minor in range(100))]
ALL = (1 << len(_MINORS)) - 1
_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">=": lambda one, other: one >= other,
    ">": lambda one, other: one > other,
    "<=": lambda one, other: one <= other,
    "<": lambda one, other: one < other,
    "==": lambda one, other: one == other,
    "!=": lambda one, other: one != other,
}
#: The operators by their classes in `ast`, and what becomes of them when the sides change places.
NAMES = {"GtE": ">=", "Gt": ">", "LtE": "<=", "Lt": "<", "Eq": "==", "NotEq": "!="}
FLIPPED = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "==": "==", "!=": "!="}
_BY_WORDS = (
    (re.compile(r"greater_?(or_?)?_?equal|(?<![a-z])(ge|gte|min|least)(?![a-z])", re.IGNORECASE), ">="),
    (re.compile(r"less_?(or_?)?_?equal|(?<![a-z])(le|lte|max|most)(?![a-z])", re.IGNORECASE), "<="),
    (re.compile(r"greater|newer|above|after|(?<![a-z])gt(?![a-z])", re.IGNORECASE), ">"),
    (re.compile(r"less|older|below|before|(?<![a-z])lt(?![a-z])", re.IGNORECASE), "<"),
)
_DIGITS = re.compile(r"(?<!\d)(\d)_(\d{1,2})(?:_\d+)*$")
_VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?")


class Holds(NamedTuple):
    """The releases on which a condition may be true, and those on which it may be false."""

    true: int = ALL
    false: int = ALL

    def negated(self) -> Holds:
        """Return the same of the opposite condition."""
        return Holds(self.false, self.true)


def both(parts: Sequence[Holds]) -> Holds:
    """Return when all of some conditions hold."""
    return reduce(lambda one, two: Holds(one.true & two.true, one.false | two.false), parts)


def either(parts: Sequence[Holds]) -> Holds:
    """Return when one of some conditions holds."""
    return both([part.negated() for part in parts]).negated()


def compared(operator: str, literal: object, part: Optional[int] = None) -> Optional[Holds]:
    """Return when the version of torch compares so with a literal; none where that is no version.

    Parameters
    ----------
    part
        0 where the major number alone is compared, 1 where it is the minor one.
    """
    given = _numbers(literal)
    if given is None or operator not in _OPERATORS:
        return None
    if part is not None:
        return _where(lambda major, minor: _OPERATORS[operator]((major, minor)[part], given[0]))
    # A minor release, with those that only mend it, stands between its first release and the next.
    place = given[0] * 1000 + (given[1] if len(given) > 1 else 0)
    if operator in ("==", "!="):
        return _where(lambda major, minor: _OPERATORS[operator](major * 1000 + minor, place))
    bound = place * 2 + 2 * (len(given) > 2 and given[2] > 0)
    return _where(lambda major, minor: _OPERATORS[operator]((major * 1000 + minor) * 2 + 1, bound))


def starts_with(prefix: str) -> Holds:
    """Return when the version of torch begins with a text."""
    return _where(lambda major, minor: f"{major}.{minor}.".startswith(prefix))


@lru_cache(maxsize=5_000)
def by_name(name: str, given: tuple[object, ...] = ()) -> Optional[Holds]:
    """Return when a helper or flag such as `TORCH_GE_2_1` or `is_torch_version(">=", "2.1")` holds, as its name says.

    Parameters
    ----------
    given
        The literals that it is called with.
    """
    operators = [each for each in given if isinstance(each, str) and each in _OPERATORS]
    operators += [operator for words, operator in _BY_WORDS if words.search(name)]
    versions = [each for each in given if not isinstance(each, bool) and _numbers(each) is not None]
    digits = _DIGITS.search(name)
    if len(versions) > 1 and all(isinstance(each, int) for each in versions):
        versions = [tuple(versions)]
    if not versions and digits is not None:
        versions, operators = [(int(digits[1]), int(digits[2]))], [*operators, ">="]
    return compared(operators[0], versions[0]) if operators and versions else None


def runs_on_both_sides(runs_on: int, release: str) -> bool:
    """Return whether one of some releases is older than a minor release, and one is not."""
    first = tuple(map(int, release.split(".")[:2]))
    older = _where(lambda major, minor: (major, minor) < first).true
    return runs_on == ALL or (bool(runs_on & older) and bool(runs_on & ~older))


def _where(holds: Callable[[int, int], bool]) -> Holds:
    true = sum(1 << bit for bit, (major, minor) in enumerate(_MINORS) if holds(major, minor))
    return Holds(true, ALL & ~true)


def _numbers(literal: object) -> Optional[tuple[int, ...]]:
    if isinstance(literal, (tuple, list)):
        numbers = tuple(each for each in literal if isinstance(each, int))
        return numbers if numbers and len(numbers) == len(literal) else None
    if isinstance(literal, (str, int, float)):
        found = _VERSION.match(str(literal))
        return tuple(int(number) for number in found.groups() if number is not None) if found else None
    return None
