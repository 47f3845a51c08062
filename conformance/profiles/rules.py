"""From examples to the smallest rule that reproduces them all: a decision list over at most three axes.

Examples are numbered, and a set of examples is an integer whose bits are their numbers: conditions are then combined
with ``&``, and a rule is found in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Optional

from conformance.profiles.axes import classes, is_member
from conformance.profiles.model import AxisValues, Branch, Condition, Outcome, Row, Rule, branch
from conformance.results.model import Signal

MOST_AXES = 3
MOST_BRANCHES = 12
MOST_ROWS = 12
# So many outcomes are tried as the usual one, and so many of the combinations of axes that decide an aspect.
_MOST_USUAL = 4
_MOST_COMBINATIONS = {1: 8, 2: 4, 3: 2}
# So much else is kept of what could be said.
MOST_ALSO = 4
# With more axes than MOST_AXES, no branch of a rule has more conditions than this.
_MOST_CONDITIONS = 2

Axis = tuple[str, str]
#: What can be said of an example, best first; None where it proves nothing.
Outcomes = Sequence[Optional[Sequence[Outcome]]]
_Examples = int


@dataclass(frozen=True)
class _Box:
    """Conditions of which all must hold, the examples in which they do, and how long they are to read."""

    where: tuple[Condition, ...]
    examples: _Examples
    cost: int


class Space:
    """Examples by their axes.

    Parameters
    ----------
    examples
        The axes of each example.
    """

    def __init__(self, examples: Sequence[AxisValues]) -> None:
        self.examples = examples
        self._holding: dict[Axis, dict[str, _Examples]] = {}
        for number, example in enumerate(examples):
            for axis, value in example.items():
                values = self._holding.setdefault(axis, {})
                values[value] = values.get(value, 0) | 1 << number
        self.values = {axis: tuple(values) for axis, values in self._holding.items()}
        # An axis that goes with an earlier one tells nothing more, such as the dtype of an input made like another one.
        apart = {frozenset(holding.values()): axis for axis, holding in reversed(self._holding.items())}
        self.axes = tuple(axis for axis in self.values if axis in apart.values() and len(self.values[axis]) > 1)
        self._cells: dict[tuple[Axis, ...], list[_Examples]] = {}
        self._boxes: dict[tuple[Axis, ...], list[_Box]] = {}

    @cached_property
    def _single(self) -> dict[Axis, list[_Box]]:
        """For each axis the conditions that tell its values apart, shortest first."""
        return {axis: list(self._conditions(axis)) for axis in self.axes}

    def boxes(self, axes: tuple[Axis, ...]) -> list[_Box]:
        """Return what can be said with one condition an axis, shortest first, each set of examples once."""
        found = self._boxes.get(axes)
        if found is None:
            most = len(axes) if len(axes) <= MOST_AXES else _MOST_CONDITIONS
            every: dict[_Examples, _Box] = {}
            for box in sorted(self._conjunctions(axes, most), key=lambda box: box.cost):
                every.setdefault(box.examples, box)
            found = self._boxes[axes] = list(every.values())
        return found

    def _conjunctions(self, axes: tuple[Axis, ...], most: int) -> list[_Box]:
        boxes: list[_Box] = []
        for axis in axes:
            longer = list(self._single[axis])
            for box in boxes:
                if len(box.where) == most:
                    continue
                for condition in self._single[axis]:
                    both = box.examples & condition.examples
                    # A condition that takes nothing away says nothing.
                    if both and both != box.examples and both != condition.examples:
                        longer.append(_Box(box.where + condition.where, both, box.cost + condition.cost))
            boxes += longer
        return boxes

    def cells(self, axes: tuple[Axis, ...]) -> list[_Examples]:
        """Return the sets of examples that agree on some axes."""
        found = self._cells.get(axes)
        if found is None:
            before = self.cells(axes[:-1]) if len(axes) > 1 else [(1 << len(self.examples)) - 1]
            holding = self._holding[axes[-1]].values()
            found = self._cells[axes] = [cell & holds for cell in before for holds in holding if cell & holds]
        return found

    def holding(self, condition: Condition) -> _Examples:
        """Return the examples in which a condition holds."""
        key = (condition.input, condition.axis)
        found = 0
        for value, holds in self._holding[key].items():
            if any(is_member(condition.axis, value, name) for name in condition.values):
                found |= holds
        return ~found if condition.negated else found

    def _conditions(self, axis: Axis) -> Iterator[_Box]:
        holding = self._holding[axis]
        named = [(name, self._any(axis, members)) for name, members in classes(axis[1], self.values[axis]).items()]
        number = len(named)
        # A release knows dtypes that another one lacks: where a value and a class say the same, the class is said.
        named += holding.items()
        everything = (1 << len(self.examples)) - 1
        seen: set[_Examples] = set()
        ruled_out = [(name, everything & ~holds) for name, holds in named[:number]]
        for examples_of, negated in ((named, False), (ruled_out, True)):
            for name, examples in examples_of:
                if examples and examples not in seen:
                    seen.add(examples)
                    yield _Box((Condition(*axis, (name,), negated),), examples, 3 if negated else 2)

    def _any(self, axis: Axis, values: frozenset[str]) -> _Examples:
        found = 0
        for value in values:
            found |= self._holding[axis][value]
        return found


class _Problem:
    """An aspect: which examples admit which outcome."""

    def __init__(self, outcomes: Outcomes) -> None:
        self.admits: dict[Outcome, _Examples] = {}
        self.judged = 0
        alike: dict[Sequence[Outcome], _Examples] = {}
        for number, alternatives in enumerate(outcomes):
            if alternatives is not None:
                alike[tuple(alternatives)] = alike.get(tuple(alternatives), 0) | 1 << number
        ranks: dict[Outcome, int] = {}
        for said, examples in alike.items():
            self.judged |= examples
            for rank, outcome in enumerate(said):
                self.admits[outcome] = self.admits.get(outcome, 0) | examples
                ranks[outcome] = ranks.get(outcome, 0) + rank * _count(examples)
        # What explains most examples, and of these what is said best, stands first.
        order = sorted(self.admits, key=lambda outcome: (-_count(self.admits[outcome]), ranks[outcome], _text(outcome)))
        self.admits = {outcome: self.admits[outcome] for outcome in order}
        self._refuses = [(outcome, self.judged & ~admitted) for outcome, admitted in self.admits.items()]

    def fewest_outcomes(self) -> int:
        """Return how many outcomes are needed to say something true of every example, about."""
        left, count = self.judged, 0
        while left:
            left &= ~max(self.admits.values(), key=lambda admitted: _count(admitted & left))
            count += 1
        return count

    def pure(self, examples: _Examples) -> Optional[Outcome]:
        """Return the outcome that all of some examples admit."""
        for outcome, refused in self._refuses:  # the innermost loop of the search
            if not examples & refused:
                return outcome
        return None


def explain(space: Space, outcomes: Outcomes) -> Optional[Rule]:
    """Return the smallest rule that reproduces every example; None where there is no short one.

    Parameters
    ----------
    outcomes
        One for each example of the space; at least one that proves something.
    """
    problem = _Problem(outcomes)
    constant = problem.pure(problem.judged)
    if constant is not None:
        return _completed(space, _rule(constant, ()), problem)
    if problem.fewest_outcomes() > MOST_BRANCHES:
        return None
    for count in range(1, min(MOST_AXES, len(space.axes)) + 1):
        deciding = (axes for axes in combinations(space.axes, count) if _decide(space, axes, problem))
        rule = _shortest(space, islice(deciding, _MOST_COMBINATIONS[count]), problem)
        if rule is not None:
            return _completed(space, rule, problem)
    rule = _shortest(space, [space.axes], problem) if len(space.axes) > MOST_AXES else None
    return None if rule is None else _completed(space, rule, problem)


def table(outcomes: Outcomes) -> tuple[Row, ...]:
    """Return how often each outcome was seen, the most frequent first, bounded."""
    counts: dict[Outcome, int] = {}
    for alternatives in outcomes:
        if alternatives is not None:
            counts[alternatives[0]] = counts.get(alternatives[0], 0) + 1
    seen = sorted(counts.items(), key=lambda item: (-item[1], _text(item[0])))
    return tuple(
        Row(outcome.type, count, outcome.message) if isinstance(outcome, Signal) else Row(outcome, count)
        for outcome, count in seen[:MOST_ROWS]
    )


def _text(outcome: Outcome) -> tuple[str, str]:
    return (outcome.type, outcome.message) if isinstance(outcome, Signal) else (outcome, "")


def _rule(usual: Outcome, branches: Iterable[Branch]) -> Rule:
    return Rule(*_text(usual), tuple(branches))


def _decide(space: Space, axes: tuple[Axis, ...], problem: _Problem) -> bool:
    """Return whether examples that agree on some axes agree in the aspect."""
    judged = problem.judged
    return all(not cell & judged or problem.pure(cell & judged) is not None for cell in space.cells(axes))


def _shortest(space: Space, candidates: Iterable[tuple[Axis, ...]], problem: _Problem) -> Optional[Rule]:
    best: Optional[Rule] = None
    most = 2 * MOST_BRANCHES
    for axes in candidates:
        for usual in islice(problem.admits, _MOST_USUAL):
            rule = _decision_list(space, axes, problem, usual, most)
            if rule is not None and (best is None or _cost(rule) < _cost(best)):
                # Joining branches may make a rule half as long, seldom shorter.
                best, most = rule, 2 * len(rule.branches)
    return best


def _decision_list(
    space: Space, axes: tuple[Axis, ...], problem: _Problem, usual: Outcome, most: int
) -> Optional[Rule]:
    admitted = problem.admits[usual]
    left = problem.judged
    branches: list[Branch] = []
    boxes = [box for box in space.boxes(axes) if box.examples & left & ~admitted]
    while left & ~admitted:
        best = _best_branch(boxes, problem, left, left & ~admitted)
        if best is None or len(branches) == most:
            return None
        branch, covered = best
        branches.append(branch)
        left &= ~covered
    merged = _merged(space, _rule(usual, branches), problem)
    return merged if len(merged.branches) <= MOST_BRANCHES else None


def _best_branch(
    boxes: list[_Box], problem: _Problem, left: _Examples, wanted: _Examples
) -> Optional[tuple[Branch, _Examples]]:
    """Return the branch that is true of all that is left in it and covers most of what is wanted."""
    most = 0
    best: Optional[_Box] = None
    outcome: Optional[Outcome] = None
    for box in boxes:
        covered = box.examples & wanted
        if not covered or (count := _count(covered)) <= most:
            continue
        pure = problem.pure(box.examples & left)
        if pure is not None:
            most, best, outcome = count, box, pure
    return None if best is None or outcome is None else (branch(best.where, outcome), best.examples)


def _merged(space: Space, rule: Rule, problem: _Problem) -> Rule:
    """Join branches of one outcome that differ in one condition, as long as the rule still reproduces every example."""
    while True:
        for first, second in combinations(range(len(rule.branches)), 2):
            joined = _joined(rule.branches[first], rule.branches[second])
            if joined is None:
                continue
            branches = [*rule.branches[:first], joined, *rule.branches[first + 1 :]]
            del branches[second]
            candidate = Rule(rule.otherwise, rule.message, tuple(branches))
            if _reproduces(space, candidate, problem):
                rule = candidate
                break
        else:
            return rule


def _joined(one: Branch, other: Branch) -> Optional[Branch]:
    ours, theirs = one.conditions, other.conditions
    if (one.then, one.message) != (other.then, other.message) or len(ours) != len(theirs):
        return None
    different = [place for place, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    if len(different) != 1:
        return None
    place = different[0]
    a, b = ours[place], theirs[place]
    if (a.input, a.axis) != (b.input, b.axis) or a.negated or b.negated:
        return None
    both = Condition(a.input, a.axis, (*a.values, *b.values))
    joined = branch((*ours[:place], both, *ours[place + 1 :]), one.then)
    return replace(joined, message=one.message)


def _reproduces(space: Space, rule: Rule, problem: _Problem) -> bool:
    admits = {_text(outcome): admitted for outcome, admitted in problem.admits.items()}
    left = problem.judged
    for one in rule.branches:
        decided = left
        for condition in one.conditions:
            decided &= space.holding(condition)
        if decided & ~admits[one.then, one.message]:
            return False
        left &= ~decided
    return not left & ~admits[rule.otherwise, rule.message]


def _completed(space: Space, rule: Rule, problem: _Problem) -> Rule:
    """Add what else is true of the examples that each branch decides, so that two rules can be compared."""
    left = problem.judged
    branches = []
    for one in rule.branches:
        decided = left
        for condition in one.conditions:
            decided &= space.holding(condition)
        left &= ~decided
        branches.append(replace(one, also=_also(problem, decided, one.then)))
    return replace(rule, branches=tuple(branches), also=_also(problem, left, rule.otherwise))


def _also(problem: _Problem, examples: _Examples, said: str) -> tuple[str, ...]:
    others = (outcome for outcome, admitted in problem.admits.items() if not examples & ~admitted)
    return tuple(islice((other for other in others if isinstance(other, str) and other != said), MOST_ALSO))


def _cost(rule: Rule) -> int:
    return sum(
        2 + sum(len(condition.values) + 1 + condition.negated for condition in branch.conditions)
        for branch in rule.branches
    )


def _count_bits(examples: _Examples) -> int:
    return bin(examples).count("1")


_count: Callable[[_Examples], int] = getattr(int, "bit_count", _count_bits)  # Python 3.10
