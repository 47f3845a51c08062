"""What changed between two measurements of a call, with the condition under which it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Optional

from conformance.profiles.model import ASPECTS, RETURNS, AxisValues, Branch, Domain, Profile, Row, Rule
from conformance.profiles.rules import Space, explain

_ABOUT_SIGNALS = frozenset(("error", "warning"))
_SAME = "same"
# More combinations of values than this are not looked at; rules of two releases have a few axes.
_MOST_CELLS = 20_000
_Axis = tuple[str, str]


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
        Any of these conditions; none for every input that both releases were tried on, apart from ``unless``.
    unless
        None of these conditions.
    """

    before: Happening
    after: Happening
    where: tuple[Branch, ...] = ()
    unless: tuple[Branch, ...] = ()

    @property
    def only_message(self) -> bool:
        """Whether nothing but the wording of an error or warning differs."""
        return self.before.outcome == self.after.outcome


@dataclass(frozen=True)
class Change:
    """An aspect of a call that differs between two releases.

    Attributes
    ----------
    aspect, of
        The aspect, and the input that it is about; empty for the result.
    differences
        How it differs; none where one of the releases has no rule for it, only counts, and these differ.
    """

    aspect: str
    of: str
    differences: tuple[Difference, ...] = ()


def compare(old: Profile, new: Profile, old_domain: Domain, new_domain: Domain) -> tuple[Change, ...]:
    """Return the aspects of a call that changed.

    Only what both releases were tried on is compared, and an aspect other than errors and warnings only where the call
    returns in both.

    Parameters
    ----------
    old_domain, new_domain
        What was tried of the old one, and of the new one.
    """
    values = _common_values(old_domain, new_domain)
    changes = []
    for aspect, of_inputs in ASPECTS.items():
        for of in old.given if of_inputs else ("",):
            change = _changed_counts(old, new, aspect, of) or _changed_rule(old, new, aspect, of, values)
            if change is not None:
                changes.append(change)
    return tuple(changes)


def _changed_counts(old: Profile, new: Profile, aspect: str, of: str) -> Optional[Change]:
    before, after = (_counted(profile, aspect, of) for profile in (old, new))
    return None if before == after else Change(aspect, of)


def _counted(profile: Profile, aspect: str, of: str) -> frozenset[tuple[str, str]]:
    """Return the outcomes of an aspect without a rule; not how often they were seen, since dtypes come and go."""
    rows: Sequence[Row] = profile.tables.get(aspect, {}).get(of, ())
    return frozenset((row.outcome, row.message) for row in rows)


def _common_values(old: Domain, new: Domain) -> dict[_Axis, list[str]]:
    return {
        (name, axis): [value for value in tried if value in new.values.get(name, {}).get(axis, ())]
        for name, axes in old.values.items()
        for axis, tried in axes.items()
    }


def _changed_rule(
    old: Profile, new: Profile, aspect: str, of: str, values: Mapping[_Axis, list[str]]
) -> Optional[Change]:
    before, after = old.rule(aspect, of), new.rule(aspect, of)
    if before is None or after is None or before == after:
        return None
    errors = [rule for rule in (old.rule("error"), new.rule("error")) if rule is not None]
    cells = list(_cells((before, after, *errors), values))
    decided = [(before.decide(cell), after.decide(cell)) for cell in cells]
    pairs = [(Happening(one.then, one.message), Happening(other.then, other.message)) for one, other in decided]
    differs = [not _agree(one, other) for one, other in decided]
    counts = [aspect in _ABOUT_SIGNALS or all(rule.outcome(cell) == RETURNS for rule in errors) for cell in cells]
    different = list(dict.fromkeys(pair for pair, counted, differ in zip(pairs, counts, differs) if counted and differ))
    if not different:
        return None
    names = {pair: str(number) for number, pair in enumerate(different)}
    outcomes = [
        (names[pair] if differ else _SAME,) if counted else None
        for pair, counted, differ in zip(pairs, counts, differs)
    ]
    rule = explain(Space(cells), outcomes)
    if rule is None:
        return Change(aspect, of, tuple(Difference(*pair) for pair in different))
    return Change(aspect, of, tuple(_difference(rule, name, pair) for pair, name in names.items()))


def _difference(rule: Rule, name: str, pair: tuple[Happening, Happening]) -> Difference:
    if rule.otherwise == name:
        return Difference(*pair, unless=tuple(branch for branch in rule.branches if branch.then != name))
    return Difference(*pair, where=tuple(branch for branch in rule.branches if branch.then == name))


def _agree(one: Branch, other: Branch) -> bool:
    """Return whether two branches say the same, perhaps of several things that are true in different words."""
    said = {one.then, *one.also} & {other.then, *other.also}
    return bool(said) and one.message == other.message


def _cells(rules: Sequence[Rule], values: Mapping[_Axis, list[str]]) -> Iterator[AxisValues]:
    """Yield the combinations of values that the rules tell apart, bounded."""
    axes = sorted({axis for rule in rules for axis in rule.axes if values.get(axis)})
    for chosen in islice(product(*(values[axis] for axis in axes)), _MOST_CELLS):
        yield dict(zip(axes, chosen))
