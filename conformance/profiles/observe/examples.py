"""The examples on which a call is observed: every pair of values of the domain, and all combinations of its core."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Optional, TypeVar
from zlib import crc32

from conformance.inputs.choices import Choices
from conformance.inputs.covering import Admits, admissible_rows, covering_rows
from conformance.inputs.given import Given, NoSuchInput
from conformance.inputs.recipes import Unbuildable
from conformance.language.model import Fragment, Place
from conformance.profiles.axes import CORE
from conformance.profiles.model import Domain
from conformance.profiles.rules import Space

T = TypeVar("T")

_MOST_EXAMPLES = 400
#: How many examples are tried of inputs without axes of their own.
_FEW = 48
#: A dtype and how it is filled, for each example whose result is printed.
_PRINTED = (
    ("float32", "signed"),
    ("float32", "fractions"),
    ("int64", "signed"),
    ("uint8", "counting"),
    ("bool", "counting"),
    ("complex64", "counting"),
)
_NOWHERE = Place("", 1, 1)


class Sample:
    """The examples of some inputs.

    Attributes
    ----------
    recipes
        For each example the expressions that build its inputs, by name.
    space
        The axes of the examples.
    domain
        What was tried, as a profile file says it.
    """

    def __init__(self, given: tuple[tuple[str, str], ...]) -> None:
        drawing = Given([(name, Fragment(text, _NOWHERE)) for name, text in given], "cpu")
        self.recipes, axes = _draw_all(drawing)
        self.space = Space(axes)
        values: dict[str, dict[str, tuple[str, ...]]] = {}
        for (name, axis), tried in self.space.values.items():
            values.setdefault(name, {})[axis] = tried
        self.domain = Domain(dict(given), values, len(self.recipes), tuple(_printed(drawing)) if given else ({},))


@cache
def sample(given: tuple[tuple[str, str], ...]) -> Sample:
    """Return the examples of inputs, given as names and expressions; the same object each time."""
    return Sample(given)


def _draw_all(drawing: Given) -> tuple[list[dict[str, str]], list[dict[tuple[str, str], str]]]:
    recipes: list[dict[str, str]] = []
    axes: list[dict[tuple[str, str], str]] = []
    seen: set[tuple[str, ...]] = set()
    position, length = 0, 1
    while position < min(length, _MOST_EXAMPLES):
        choices = _CoveringChoices(position)
        position += 1
        try:
            example = drawing.draw(choices)
        except (NoSuchInput, Unbuildable):
            length = max(length, choices.length)
            continue
        length = max(length, choices.length)
        key = tuple(example.recipes.values())
        if key not in seen:
            seen.add(key)
            recipes.append(example.recipes)
            axes.append(_axes_of(choices))
    return recipes, axes


def _printed(drawing: Given) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for dtype, pattern in _PRINTED:
        try:
            recipes = drawing.draw(_PlainChoices(dtype, pattern)).recipes
        except (NoSuchInput, Unbuildable):
            continue
        if recipes not in found:
            found.append(recipes)
    return found


def _axes_of(choices: Choices) -> dict[tuple[str, str], str]:
    """Return the axes that can be told apart: of tensors and arrays their own, of anything else what was chosen."""
    axes = {}
    for label, chosen in choices.made.items():
        domain = choices.domains.get(label)
        if domain is not None:
            for axis, value in zip(domain[1].axes, chosen):  # type: ignore[attr-defined]
                axes[label, axis] = str(value)
        elif not label.endswith((".shape", ".values")):
            name, _, rest = label.partition(".")
            axes[name, rest or "value"] = str(chosen)[:60]
    return axes


class _CoveringChoices(Choices):
    """One position among the rows of the first input; the others go through theirs out of step.

    Every tensor has the simplest shape and one filling, so that nothing but the axes tells examples apart.
    """

    __slots__ = ("_position", "length")

    def __init__(self, position: int) -> None:
        super().__init__()
        self._position = position
        self.length = 1

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        if label.endswith(".shape") or len(options) == 1:
            return options[0]
        if label.endswith(".values"):
            return options[0] if len(self.domains) == 1 else self._other_values(label, options)
        if not self.domains:  # nothing has rows: the options are gone through, one after the other
            self.length = max(self.length, min(len(options), _FEW) if not self.made else _FEW)
            if not self.made:
                return options[self._position % len(options)]
        return options[crc32(f"{label} {self._position}".encode()) % len(options)]

    def _other_values(self, label: str, patterns: Sequence[T]) -> T:
        """Return the filling of a further input: other values, so that a copy shows; no integer 0, to divide by."""
        dtype = str(self.made[label.partition(".")[0]][0])
        wanted = "extreme" if dtype.startswith("int") else "ones" if dtype.startswith("uint") else "signed"
        return next((pattern for pattern in patterns if pattern == wanted), patterns[0])

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        rows = _rows(tuple(map(tuple, factors)), admits)
        if not rows:
            return None
        if len(self.domains) == 1:
            self.length = max(self.length, len(rows))
            return rows[self._position % len(rows)]
        chance = crc32(f"{label} {self._position}".encode())
        first = next(iter(self.made.values()), None)
        # Inputs that agree meet too seldom by chance, and matter most.
        alike = [row for row in rows if row == first or row[1:] == first[1:]] if isinstance(first, tuple) else []
        return alike[0] if alike and chance % 3 == 0 else rows[chance // 3 % len(rows)]


@cache
def _rows(factors: tuple[tuple[Any, ...], ...], admits: Admits) -> tuple[tuple[Any, ...], ...]:
    core = [[value for value in values if value in CORE] or values[:3] for values in factors]
    every = admissible_rows(factors, admits)
    if len(every) <= _MOST_EXAMPLES:
        return every
    rows = [*covering_rows(factors, admits), *admissible_rows(core, admits)]
    return tuple(dict.fromkeys(rows))


class _PlainChoices(Choices):
    """The simplest example of a dtype, filled in one way."""

    __slots__ = ("_dtype", "_pattern")

    def __init__(self, dtype: str, pattern: str) -> None:
        super().__init__()
        self._dtype = dtype
        self._pattern = pattern

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        # Only the first input is filled so: what it is divided by must not be 0.
        first = label.partition(".")[0] == next(iter(self.domains), None)
        wanted = (
            [option for option in options if option == self._pattern] if label.endswith(".values") and first else []
        )
        return (wanted or options)[0]

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        rows = admissible_rows(factors, admits)
        of_dtype = [row for row in rows if row[0] == self._dtype]
        if rows and not of_dtype and len(self.domains) == 1 and len(factors[0]) > 1:
            return None
        return next((row for row in of_dtype or rows if row[2] == "2-d"), (of_dtype or rows or [None])[0])
