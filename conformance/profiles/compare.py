"""What changed between two measurements of a call, with the condition under which it did."""

from __future__ import annotations

import builtins
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, Optional

from conformance.profiles.grid import Axis, Cells, Grid, common_values, grid_of
from conformance.profiles.model import ASPECTS, RETURNS, Branch, Domain, Profile, Row, Rule
from conformance.profiles.printed import alike
from conformance.profiles.rules import Space, explain

#: To how many inputs a difference applies, of those that both releases were tried on. ``corner`` are those that little
#: code has, such as empty tensors and float8; ``unknown`` where outcomes were only counted.
Reach = Literal["everywhere", "ordinary", "corner", "unknown"]
#: The aspect of a `Change` of printed results.
VALUE = "value"
_SAME = "same"
_NO_KERNEL = " (no kernel)"
#: Classes of torch's own that ``except RuntimeError`` catches.
_RUNTIME_ERRORS = frozenset(("LinAlgError", "_LinAlgError", "OutOfMemoryError", "AcceleratorError"))
_LIKE = 0.5
_COMPLEX = re.compile(r"\dj\b")
_RAISES = "raises "
_PARTS = re.compile(r" of | and ")
_NUMBERS = re.compile(r"\(\d*,")
#: The number behind the name of a node, which some releases have.
_NUMBERED = re.compile(r"(?<=Backward)\d+")


@dataclass(frozen=True)
class Happening:
    """An outcome of an aspect, with its message where it is an error or a warning."""

    outcome: str
    message: str = ""


@dataclass(frozen=True)
class Difference:
    """One way in which an aspect differs.

    Attributes
    ----------
    before, after
        What happened in the old release, and in the new one.
    where
        Any of these conditions; none for every input that both releases were tried on, apart from ``unless``, or where
        no short condition is known: see ``reach``.
    unless
        None of these conditions.
    reach
        To how many inputs it applies.
    only_message
        Whether what raised or warned still does, in other words: the same code handles it.
    example
        For printed results: the inputs that gave them.
    """

    before: Happening
    after: Happening
    where: tuple[Branch, ...] = ()
    unless: tuple[Branch, ...] = ()
    reach: Reach = "everywhere"
    only_message: bool = False
    example: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Change:
    """An aspect of a call that differs between two releases.

    Attributes
    ----------
    aspect, of
        The aspect, and the input that it is about; empty for the result.
    differences
        How it differs, the one that reaches furthest first.
    """

    aspect: str
    of: str
    differences: tuple[Difference, ...]


def is_absent(profile: Profile) -> bool:
    """Return whether a release lacks what is called: every example raises that there is no such name."""
    rule = profile.rule("error")
    if profile.returned or rule is None:
        return False
    told = [(rule.otherwise, rule.message), *((branch.then, branch.message) for branch in rule.branches)]
    return all(_is_missing_name(*one) for one in told)


def _is_missing_name(error: str, message: str) -> bool:
    if error == "AttributeError":
        return "has no attribute" in message
    return error in ("ImportError", "ModuleNotFoundError")


def compare(old: Profile, new: Profile, old_domain: Domain, new_domain: Domain) -> tuple[Change, ...]:
    """Return the aspects of a call that changed.

    Only what both releases were tried on is compared, and an aspect other than errors only where the call returns in
    both. Of an aspect without a rule too little is known to compare it, but for what is seen now and never was before.

    Parameters
    ----------
    old_domain, new_domain
        What was tried of the old one, and of the new one.
    """
    if (old == new and old_domain == new_domain) or is_absent(old) or is_absent(new):
        return ()
    return tuple(_changes(old, new, old_domain, new_domain))


def _changes(old: Profile, new: Profile, old_domain: Domain, new_domain: Domain) -> Iterator[Change]:
    values = common_values(old_domain, new_domain)
    errors = [rule for rule in (old.rule("error"), new.rule("error")) if rule is not None]
    for aspect, of_inputs in ASPECTS.items():
        for of in old.given if of_inputs else ("",):
            before, after = old.rule(aspect, of), new.rule(aspect, of)
            if before == after:
                counted = _counted_difference(old, new, aspect, of) if old_domain.values == new_domain.values else ()
                differences = tuple(counted)
            elif before is None or after is None:
                differences = ()
            else:
                differences = _compared(aspect, of, (before, after), errors, values)
            if aspect == "error" and old.returned and not new.returned:  # nothing is left that works
                differences = tuple(
                    replace(one, reach="ordinary") if one.before.outcome == RETURNS and one.reach == "corner" else one
                    for one in differences
                )
            if differences:
                yield Change(aspect, of, differences)
    printed = tuple(_other_values(old, new, old_domain, new_domain))
    if printed:
        yield Change(VALUE, "", printed)


def _counted_difference(old: Profile, new: Profile, aspect: str, of: str) -> Iterator[Difference]:
    """Yield what only one of two releases does, where the same examples were counted in both."""
    before, after = (profile.tables.get(aspect, {}).get(of, ()) for profile in (old, new))
    gone, came = (_only_in(one, other) for one, other in ((before, after), (after, before)))
    if gone and came:
        yield Difference(gone[0], came[0], reach="unknown")


def _only_in(rows: Sequence[Row], others: Sequence[Row]) -> list[Happening]:
    known = {row.outcome for row in others}
    return [Happening(row.outcome, row.message) for row in rows if row.outcome not in known]


@dataclass(frozen=True)
class _Pair:
    before: Happening
    after: Happening


def _compared(
    aspect: str, of: str, rules: tuple[Rule, Rule], errors: Sequence[Rule], values: Mapping[Axis, list[str]]
) -> tuple[Difference, ...]:
    looked_at = rules if aspect == "error" else (*rules, *errors)
    axes = sorted({axis for rule in looked_at for axis in rule.axes if axis in values})
    grid = grid_of(tuple((axis, tuple(values[axis])) for axis in axes))
    counted = grid.seen(aspect, of)
    if aspect != "error":
        for rule in errors:
            counted &= grid.where(rule, lambda outcome: outcome == RETURNS)
    same = 0
    differing: dict[tuple[str, str], tuple[_Pair, Cells]] = {}
    worded: dict[_Pair, Cells] = {}
    for one, here in grid.regions(rules[0]):
        for other, there in grid.regions(rules[1]):
            cells = here & there & counted
            if not cells:
                continue
            pair = _Pair(Happening(one.then, one.message), Happening(other.then, other.message))
            if _agree(one, other) or _means_the_same(aspect, one.then, other.then):
                same |= cells
            elif not (_is_told(aspect, one.then) and _is_told(aspect, other.then)):
                continue
            elif aspect in ("error", "warning") and _said_otherwise(aspect, pair):
                same |= cells
                worded[pair] = worded.get(pair, 0) | cells
            else:
                known = differing.get((one.then, other.then), (pair, 0))
                differing[one.then, other.then] = known[0], known[1] | cells
    if differing:
        found = _explained(grid, same, list(differing.values()), across=aspect == "error")
        return tuple(one for one in found if one.reach == "everywhere" or not _depends_on_shapes(aspect, one))
    return tuple(
        Difference(pair.before, pair.after, reach=_reach(grid, cells, counted), only_message=True)
        for pair, cells in worded.items()
    )


def _explained(
    grid: Grid, same: Cells, differing: Sequence[tuple[_Pair, Cells]], across: bool
) -> tuple[Difference, ...]:
    """Return differences with their conditions, the one that reaches furthest first."""
    axes, parts = grid.deciding([same, *(cells for _, cells in differing)], across)
    names = [_SAME, *map(str, range(len(differing)))]
    examples, outcomes = [], []
    for name, part in zip(names, parts):
        for example in grid.combinations(part, axes):
            examples.append(example)
            outcomes.append((name,))
    if not examples:
        return ()
    rule = explain(Space(examples), outcomes)
    judged = same
    for _, cells in differing:
        judged |= cells
    found = [
        _difference(rule, name, pair, _reach(grid, cells, judged))
        for name, part, (pair, cells) in zip(names[1:], parts[1:], differing)
        if part
    ]
    return tuple(sorted(found, key=lambda one: _REACHES.index(one.reach)))


_REACHES: tuple[Reach, ...] = ("everywhere", "ordinary", "corner", "unknown")


def _reach(grid: Grid, cells: Cells, judged: Cells) -> Reach:
    if cells == judged:
        return "everywhere"
    return "ordinary" if cells & grid.ordinary else "corner"


def _difference(rule: Optional[Rule], name: str, pair: _Pair, reach: Reach) -> Difference:
    if rule is None:
        return Difference(pair.before, pair.after, reach=reach)
    if rule.otherwise == name:
        unless = tuple(branch for branch in rule.branches if branch.then != name)
        return Difference(pair.before, pair.after, unless=unless, reach=reach)
    where = tuple(branch for branch in rule.branches if branch.then == name)
    return Difference(pair.before, pair.after, where=where, reach=reach)


def _agree(one: Branch, other: Branch) -> bool:
    """Return whether two branches say the same, perhaps of several things that are true in different words."""
    said = {_NUMBERED.sub("", word) for word in (one.then, *one.also)}
    return any(_NUMBERED.sub("", word) in said for word in (other.then, *other.also)) and one.message == other.message


def _means_the_same(aspect: str, before: str, after: str) -> bool:
    """Return whether two outcomes mean the same to code: the class of a tensor, an error that the same code handles."""
    if aspect == "gradient":
        errors = [outcome[len(_RAISES) :] for outcome in (before, after) if outcome.startswith(_RAISES)]
        return len(errors) == 2 and still_caught(*errors)
    # Few examples are of a class of their own, and rules guess which ones. A dict made from a set has no order.
    return aspect == "type" and (
        any(outcome.startswith("class of ") for outcome in (before, after))
        or sorted(re.split(_PARTS, before)) == sorted(re.split(_PARTS, after))
    )


def _is_told(aspect: str, outcome: str) -> bool:
    """Return whether an outcome says something: not that the aspect could not be looked at."""
    return aspect in ("error", "warning", "gradient") or not outcome.startswith(_RAISES)


def _depends_on_shapes(aspect: str, difference: Difference) -> bool:
    """Return whether a difference is between shapes in numbers: those of single examples, which no rule knows."""
    said = (difference.before.outcome, difference.after.outcome)
    return aspect == "shape" and any(_NUMBERS.search(one) is not None for one in said)


def _said_otherwise(aspect: str, pair: _Pair) -> bool:
    """Return whether what raised or warned still does, so that the same code handles it."""
    before, after = pair.before.outcome, pair.after.outcome
    if aspect == "warning":
        return before == after and _likeness(pair.before, pair.after) >= _LIKE
    return RETURNS not in (before, after) and still_caught(before, after)


def still_caught(before: str, after: str) -> bool:
    """Return whether ``except BEFORE`` catches an error of the class AFTER, as far as the classes are known."""
    old, new = (name.replace(_NO_KERNEL, "") for name in (before, after))
    if old == new or (old == "RuntimeError" and new in _RUNTIME_ERRORS):
        return True
    known = [getattr(builtins, name, None) for name in (old, new)]
    return all(isinstance(one, type) for one in known) and issubclass(known[1], known[0])  # type: ignore[arg-type]


def _likeness(one: Happening, other: Happening) -> float:
    return _ratio(one.message, other.message)


@lru_cache(5_000)
def _ratio(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def _other_values(old: Profile, new: Profile, old_domain: Domain, new_domain: Domain) -> Iterator[Difference]:
    """Yield printed results that differ; what raised, varied or was not printed in one of the releases is left out."""
    known = list(zip(map(dict, old_domain.printed), old.values))
    for example, after in zip(new_domain.printed, new.values):
        before = next((text for recipe, text in known if recipe == dict(example)), None)
        if before is not None and after is not None and not alike(before, after):
            reach: Reach = "corner" if _COMPLEX.search(" ".join(example.values())) else "ordinary"
            yield Difference(Happening(before), Happening(after), reach=reach, example=example)
