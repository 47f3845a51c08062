"""All combinations of some properties of inputs, as bits of integers: what two rules are compared on.

Of all combinations only those count on which both releases were tried. A dtype without gradients never requires grad,
a scalar is not transposed; and what an aspect can't be seen on, such as the memory of an empty tensor, is left out: a
rule may say anything of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import prod

from conformance.profiles.axes import CORE, ORDINARY, REQUIRING_GRAD, impossible_pairs, is_member
from conformance.profiles.model import AxisValues, Branch, Condition, Domain, Rule

Axis = tuple[str, str]
#: A set of combinations: the bits of an integer are their numbers.
Cells = int
_MOST_GRIDS = 256
# Of more combinations only those of core values are looked at.
_MOST_CELLS = 20_000
# Of so many axes of one input every combination was tried; of more, and of several inputs, those of core values.
_SURELY_TRIED = 2
#: For an aspect that is about the elements of a result: the sizes that prove nothing.
_NOTHING_TO_SEE: Mapping[str, frozenset[str]] = {
    "memory": frozenset(("empty",)),
    "writes": frozenset(("empty",)),
    "strides": frozenset(("empty", "one", "0-d")),
}


class Grid:
    """Combinations of values of some axes.

    Parameters
    ----------
    values
        The values of each axis.
    """

    def __init__(self, values: Mapping[Axis, Sequence[str]]) -> None:
        if prod(map(len, values.values())) > _MOST_CELLS:
            values = {axis: core_values(axis, of) for axis, of in values.items()}
        self.values = {axis: tuple(of) for axis, of in values.items()}
        self._steps: dict[Axis, int] = {}
        self._held: dict[tuple[Axis, frozenset[str]], Cells] = {}
        size = 1
        for axis, of in self.values.items():
            self._steps[axis] = size
            size *= len(of)
        self.everything: Cells = (1 << size) - 1
        impossible = 0
        for one, other in product(self.values, self.values):
            if one[0] == other[0]:
                for these, those in impossible_pairs(one[1], other[1]):
                    impossible |= self.holding(one, these) & self.holding(other, those)
        self.possible: Cells = self.everything & ~impossible

    def holding(self, axis: Axis, members: Iterable[str]) -> Cells:
        """Return the combinations with one of some values, or with a value of one of some classes."""
        names = frozenset(members)
        known = self._held.get((axis, names))
        if known is None:
            known = self._held[axis, names] = self._holding(axis, names)
        return known

    def _holding(self, axis: Axis, names: frozenset[str]) -> Cells:
        of, step = self.values[axis], self._steps[axis]
        period = step * len(of)
        block = sum(
            ((1 << step) - 1) << (number * step)
            for number, value in enumerate(of)
            if any(is_member(axis[1], value, name) for name in names)
        )
        # A 1 at the begin of each period, times what holds in one period.
        return block * (self.everything // ((1 << period) - 1)) if block else 0

    def seen(self, aspect: str, of: str) -> Cells:
        """Return the combinations on which an aspect can be seen."""
        found = self.possible
        requires_grad = 0
        for name, axis in self.values:
            if axis == "size":
                found &= ~self.holding((name, axis), _NOTHING_TO_SEE.get(aspect, ()))
            if axis == "state" and (aspect == "grad_fn" or (aspect == "gradient" and name == of)):
                requires_grad |= self.holding((name, axis), REQUIRING_GRAD)
        return found & requires_grad if requires_grad else found

    def regions(self, rule: Rule) -> Iterator[tuple[Branch, Cells]]:
        """Yield what a rule decides, each branch with the combinations that it decides."""
        left = self.possible
        for branch in rule.branches:
            decided = left
            for condition in branch.conditions:
                decided &= self._condition(condition)
            left &= ~decided
            if decided:
                yield branch, decided
        if left:
            yield Branch(rule.otherwise, message=rule.message, also=rule.also), left

    def where(self, rule: Rule, wanted: Callable[[str], bool]) -> Cells:
        """Return the combinations for which a rule has some outcomes."""
        found = 0
        for branch, cells in self.regions(rule):
            found |= cells if wanted(branch.then) else 0
        return found

    def _condition(self, condition: Condition) -> Cells:
        axis = condition.input, condition.axis
        if axis not in self.values:  # one of the releases was not tried on it
            return 0 if not condition.negated else self.everything
        holds = self.holding(axis, condition.values)
        return self.everything & ~holds if condition.negated else holds

    def deciding(self, parts: Sequence[Cells], across: bool) -> tuple[tuple[Axis, ...], list[Cells]]:
        """Return the axes that tell some sets apart, and the sets without the other axes and what was hardly tried.

        Parameters
        ----------
        parts
            Sets without a combination in common.
        across
            Whether enough combinations of values of several inputs were seen.
        """
        axes, projected = self._told_apart(parts)
        if self._all_tried(axes) and (across or not _several(axes)):
            return axes, self._surely_tried(projected, axes)
        # Where rules only guess, the core tells which axes matter; of these two every value was tried.
        core, within_core = self._told_apart(self._core_of(parts, axes))
        if not across and _several(core):
            return (), [0 for _ in parts]
        if self._all_tried(core):
            again, projected = self._told_apart(self._core_of(parts, [axis for axis in axes if axis not in core]))
            return (again, self._surely_tried(projected, again)) if {*again} <= {*core} else (core, within_core)
        # Of several inputs few combinations were tried, and others in each release.
        return ((), [0 for _ in parts]) if _several(core) else (core, within_core)

    def tried(self, axes: Sequence[Axis]) -> Cells:
        """Return the combinations that were surely tried, where outcomes depend on some axes."""
        return self._core_of([self.everything], axes)[0] if len(axes) > 1 else self.everything

    def _all_tried(self, axes: Sequence[Axis]) -> bool:
        """Return whether every combination of some axes was tried, or of several inputs those of the core."""
        has_core = all(CORE.intersection(self.values[axis]) for axis in axes)
        return len(axes) <= _SURELY_TRIED and (has_core or not _several(axes))

    def _surely_tried(self, parts: Sequence[Cells], axes: Sequence[Axis]) -> list[Cells]:
        """Leave out what was tried with a single value of all other axes: two values that both are no core values."""
        if len(axes) < _SURELY_TRIED:
            return list(parts)
        rare = self.everything
        for axis in axes:
            rare &= ~self.holding(axis, core_values(axis, self.values[axis]))
        return self._core_of(parts, axes) if _several(axes) else [part & ~rare for part in parts]

    def _told_apart(self, parts: Sequence[Cells]) -> tuple[tuple[Axis, ...], list[Cells]]:
        axes = list(self.values)
        for axis in self.values:
            projected = [self._without(part, axis) for part in parts]
            if not _overlap(projected):
                axes.remove(axis)
                parts = projected
        return tuple(axes), list(parts)

    def _core_of(self, parts: Sequence[Cells], axes: Iterable[Axis]) -> list[Cells]:
        tried = self.everything
        for axis in axes:
            tried &= self.holding(axis, core_values(axis, self.values[axis]))
        return [part & tried for part in parts]

    def _without(self, cells: Cells, axis: Axis) -> Cells:
        """Return the combinations with the first value of an axis of which some value is in a set."""
        step = self._steps[axis]
        first = self.holding(axis, self.values[axis][:1])
        found = 0
        for number in range(len(self.values[axis])):
            found |= (cells >> (number * step)) & first
        return found

    def combinations(self, cells: Cells, axes: Sequence[Axis]) -> Iterator[AxisValues]:
        """Yield the combinations of a set, in some axes."""
        for number, bit in enumerate(reversed(bin(cells)[2:])):
            if bit == "1":
                yield {axis: self.values[axis][number // self._steps[axis] % len(self.values[axis])] for axis in axes}

    @property
    def ordinary(self) -> Cells:
        """The combinations that much code has."""
        found = self.possible
        for axis in self.values:
            if axis[1] in ORDINARY:
                found &= self.holding(axis, ORDINARY[axis[1]])
        return found


@lru_cache(_MOST_GRIDS)
def grid_of(values: tuple[tuple[Axis, tuple[str, ...]], ...]) -> Grid:
    """Return the grid of some axes, each with its values; most calls were tried on the same ones."""
    return Grid(dict(values))


def common_values(old: Domain, new: Domain) -> dict[Axis, list[str]]:
    """Return the values of each axis that both of two releases were tried on."""
    return {
        (name, axis): common
        for name, axes in old.values.items()
        for axis, tried in axes.items()
        if (common := [value for value in tried if value in new.values.get(name, {}).get(axis, ())])
    }


def core_values(axis: Axis, values: Sequence[str]) -> list[str]:
    """Return the values of an axis whose combinations with those of other axes were all tried."""
    return [value for value in values if value in CORE] or list(values[:3])


def _several(axes: Sequence[Axis]) -> bool:
    """Return whether axes are of several inputs."""
    return len({name for name, _ in axes}) > 1


def _overlap(parts: Sequence[Cells]) -> bool:
    seen = 0
    for part in parts:
        if part & seen:
            return True
        seen |= part
    return False
