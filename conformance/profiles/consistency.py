"""Claims and profiles that speak of the same aspect of the same call: a profile must not contradict a claim that holds.

A claim is about every input that it is given, so each combination of properties that both are about is compared: what
the profile says of it, against what the claim admits. Only what was surely tried is, and what can be told without
running anything. Where a claim assumes more, or where a rule looks at several inputs, the profile contradicts the claim
only if no outcome that it knows fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Optional

from conformance.language.model import Claim
from conformance.profiles.axes import REQUIRING_GRAD
from conformance.profiles.grid import Axis, Grid
from conformance.profiles.inputs import admitted_values
from conformance.profiles.model import RETURNS, AxisValues, Domain, Profile
from conformance.profiles.promises import Called, Promise, called, spoken_of
from conformance.profiles.rules import MOST_ALSO
from conformance.profiles.store import Profiles

_NO_KERNEL = "(no kernel)"
#: What autograd says of a tensor in a state.
_STATES = {
    "plain": "requires no grad",
    "detached": "requires no grad",
    "leaf": "leaf that requires grad",
    "parameter": "leaf that requires grad",
    "nonleaf": "non-leaf",
    "leaf_view": "non-leaf",
}


@dataclass(frozen=True)
class Compared:
    """An aspect of which a claim and a profile both speak.

    Attributes
    ----------
    combinations
        How many combinations of properties of inputs were compared.
    against
        A combination, and what is seen there, that the claim does not admit; None where all fit.
    """

    claim: Claim
    profile: Profile
    promise: Promise
    combinations: int
    against: Optional[tuple[AxisValues, str]] = None


def compared(claims: Iterable[Claim], profiles: Profiles, holding: Collection[str]) -> Iterator[Compared]:
    """Yield each aspect of which a claim that holds and a profile both speak.

    Parameters
    ----------
    holding
        The ids of the claims that hold on the release of the profiles.
    """
    calls: dict[Called, list[tuple[Profile, tuple[str, ...]]]] = {}
    for profile in profiles.calls.values():
        found = called(profile.call, profile.given)
        if found is not None and profile.failed is None:
            calls.setdefault(found[0], []).append((profile, found[1]))
    for claim in claims:
        if claim.id not in holding:
            continue
        for spoken in spoken_of(claim):
            for profile, names in calls.get(spoken.call, ()):
                domain = profiles.domain(profile)
                if domain is None:
                    continue
                given = {name: dict(claim.given)[own].text for name, own in zip(names, spoken.names)}
                for promise in spoken.promises:
                    one = _compare(claim, profile, promise, names, given, domain)
                    if one is not None:
                        yield one


def _compare(
    claim: Claim, profile: Profile, promise: Promise, names: tuple[str, ...], given: Mapping[str, str], domain: Domain
) -> Optional[Compared]:
    of = "" if promise.of is None else names[promise.of]
    rule, error = profile.rule(promise.aspect, of), profile.rule("error")
    if rule is None or error is None or any(admitted_values(text, {}) is None for text in given.values()):
        return None
    wanted = {axis for one in (rule, error) for axis in one.axes}
    partly = bool(claim.assume) or promise.aspect == "warning" or len({name for name, _ in wanted}) > 1
    if partly and any(_kind(text) != _kind(profile.given[name]) for name, text in given.items()):
        return None
    values = _values(promise, {} if partly else given, domain, wanted)
    if not all(values.values()):
        return None
    grid = Grid(values)
    cells = grid.seen(promise.aspect, of)
    if not partly:
        cells &= grid.tried(tuple(wanted & values.keys()))
    if promise.aspect != "error":
        cells &= grid.where(error, lambda outcome: outcome == RETURNS)
    # A dtype without a kernel is no example of a claim.
    cells &= grid.where(error, lambda outcome: not outcome.endswith(_NO_KERNEL))
    compared, against = 0, None
    for branch, here in grid.regions(rule):
        for cell in grid.combinations(here & cells, tuple(values)):
            said = _said(promise.aspect, {branch.then, *branch.also}, cell, names)
            if said is None:
                continue
            compared += 1
            fits = promise.fits(said)
            if fits and partly:
                return Compared(claim, profile, promise, compared)
            against = (cell, branch.then) if against is None and not fits else against
    return Compared(claim, profile, promise, compared, against) if compared else None


def _kind(text: str) -> str:
    return text.strip().partition("(")[0]


def _values(
    promise: Promise, given: Mapping[str, str], domain: Domain, wanted: Collection[Axis]
) -> dict[Axis, list[str]]:
    """Return the values that a claim admits of the axes that decide, or in terms of which the aspect is said."""
    telling = {"dtype": "dtype", "autograd": "state", "gradient": "state"}.get(promise.aspect)
    values: dict[Axis, list[str]] = {}
    for name, axes in domain.values.items():
        admitted = (admitted_values(given[name], axes) if name in given else None) or axes
        for axis in axes:
            if (name, axis) in wanted or axis == telling:
                values[name, axis] = list(admitted[axis])
    return values


def _said(aspect: str, said: set[str], cell: AxisValues, names: tuple[str, ...]) -> Optional[frozenset[str]]:
    """Return all that is said of an aspect of one combination, or None where that can't be told."""
    if any(";" in one for one in said):  # of several results
        return None
    if aspect == "gradient" and any(one.startswith("raises ") for one in said):  # perhaps for want of a kernel
        return None
    if aspect == "autograd":
        return _autograd(said, cell, names)
    if aspect == "dtype":
        return _dtype(said, cell, names)
    if aspect == "warning":
        return frozenset(name for one in said for name in one.split(", "))
    if aspect == "shape":
        told = frozenset(f"as _{place}" for place, name in enumerate(names) if f"as {name}" in said)
        return told | said if len(said) <= MOST_ALSO else None
    return frozenset(said)


def _dtype(said: set[str], cell: AxisValues, names: tuple[str, ...]) -> Optional[frozenset[str]]:
    known = {name: cell.get((name, "dtype")) for name in names}
    told = set(said) | ({"float32"} if "default dtype" in said else set())
    for place, name in enumerate(names):
        dtype = known[name]
        if f"as {name}" in said or dtype in told:
            told |= {f"as _{place}", dtype or ""}
    told |= {"default dtype"} if "float32" in told else set()
    decided = all(known.values()) or bool(told & {"default dtype"}) or any(one.startswith("as _") for one in told)
    return frozenset(told) if decided else None


def _autograd(said: set[str], cell: AxisValues, names: tuple[str, ...]) -> Optional[frozenset[str]]:
    states = {name: value for (name, axis), value in cell.items() if axis == "state"}
    if "follows the inputs" in said:
        with_grad = any(state in REQUIRING_GRAD for state in states.values())
        return frozenset(("non-leaf" if with_grad else "requires no grad",)) if states else None
    for name, state in states.items():
        if f"as {name}" in said:
            return frozenset((_STATES[state],)) if state in _STATES else None
    known = said & {*_STATES.values(), "non-leaf that requires no grad"}
    return frozenset(known) or None
