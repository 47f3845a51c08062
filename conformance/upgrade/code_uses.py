"""The uses in somebody's code, by the names under which torch was measured, and which calls are alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Optional

from conformance.names.model import Found
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.signatures import signatures
from conformance.usage import Argument, Call, Evidence, Kind, UseGroup
from conformance.usage.matching import Match, Signature, bind
from conformance.usage.rules import canonical, is_class

_ANY, TENSOR = Argument(), "torch.Tensor"
#: Values that a call must pass to be like another one; numbers and unknown values may differ.
_FIXED = (bool, str, type(None))
_ORDER = {match: number for number, match in enumerate(Match)}


class CodeUses:
    """Uses by subject: every name under which a claim or a call may speak of them."""

    def __init__(self, groups: Iterable[UseGroup], changes: NameChanges) -> None:
        self._changes = changes
        self._uses: dict[str, list[tuple[UseGroup, str]]] = {}
        for group in groups:
            if group.use.kind not in (Kind.IMPORT, Kind.OVERRIDE):
                for name in changes.meant(group.use):
                    for subject in self._subjects(name):
                        self._uses.setdefault(subject, []).append((group, name))

    @property
    def subjects(self) -> frozenset[str]:
        """Every name that a claim or a call about the code may have as its subject."""
        return frozenset(self._uses)

    def __contains__(self, subject: str) -> bool:
        return subject in self._uses

    def of(self, subject: str) -> Sequence[tuple[UseGroup, str]]:
        """Return the uses that a subject may speak of, each with the name that it uses."""
        return self._uses.get(subject, ())

    def same(
        self,
        wanted: Call,
        is_function: bool,
        used: Call,
        name: str,
        defaults: Sequence[str] = (),
    ) -> Match:
        """Return whether a call of the code is like another call of the same subject.

        Parameters
        ----------
        is_function
            Whether the wanted call is one of a function of a module, so that its first argument may be the object
            of a method.
        name
            What the code calls.
        defaults
            The parameters whose defaults matter; where there are some, the code may pass other arguments.
        """
        is_method = name.startswith("torch.Tensor.")
        if is_function and is_method:
            wanted = wanted._replace(positional=wanted.positional[1:])
        elif not is_function and not is_method and name == f"torch.{name.rpartition('.')[2]}":
            wanted = wanted._replace(positional=(_ANY, *wanted.positional))
        choices = zip(self._passed(wanted, name), self._passed(used, name))
        return best(_compared(wanted, one, used, other, defaults, is_class(name)) for one, other in choices)

    @cache  # noqa: B019 - one report, one object
    def _subjects(self, name: str) -> tuple[str, ...]:
        found = self._changes.answer(name, self._changes.old) if self._changes.is_recorded else None
        names = [name, canonical(name), found.canonical if isinstance(found, Found) else name]
        # x.clone() and torch.clone(x) are one operation.
        owner, _, last = name.rpartition(".")
        twin = {"torch.Tensor": f"torch.{last}", "torch": f"torch.Tensor.{last}"}.get(owner)
        return tuple(dict.fromkeys([*names, *([twin] if twin else [])]))

    @cache  # noqa: B019 - one report, one object
    def _passed(self, call: Call, name: str) -> list[dict[str, Argument]]:
        """Return the arguments of a call by their parameters, under each signature."""
        known = self._changes.answer(name, self._changes.new) if self._changes.is_recorded else None
        choices = signatures(known.record) if isinstance(known, Found) else ()
        return [_passed(call, signature) for signature in choices or ((),)]


def under_doubts(doubts: Sequence[bool], *sure: Evidence) -> Optional[Evidence]:
    """Return how sure it is that a use is concerned; none where two things are doubtful, which would be noise."""
    if sum(doubts) > 1:
        return None
    return Evidence.MAYBE if any(doubts) else min(sure)


def best(found: Iterable[Match]) -> Match:
    """Return the best of some matches."""
    return max(found, key=_ORDER.__getitem__, default=Match.NO)


def _compared(
    wanted: Call,
    one: dict[str, Argument],
    used: Call,
    other: dict[str, Argument],
    defaults: Sequence[str],
    of_class: bool,
) -> Match:
    """Return whether a call passes what another one passes, and nothing else that matters; numbers may differ."""
    is_open = used.more_keywords or used.more_positional
    if wanted.more_keywords or wanted.more_positional:
        return Match.UNKNOWN if is_open else Match.NO
    if one.keys() - other.keys():
        return Match.UNKNOWN if is_open else Match.NO
    more = other.keys() - one.keys()
    if more.intersection(defaults) if defaults else more:
        return Match.NO
    found = Match.UNKNOWN if is_open else Match.YES
    for name, argument in one.items():
        if argument.type == TENSOR and other[name].type not in (None, TENSOR):
            return Match.NO
        if {argument.is_bool, other[name].is_bool} == {True, False}:
            return Match.NO
        if argument.type == TENSOR and other[name].type is None and of_class:
            found = Match.UNKNOWN  # A class takes more than tensors.
        if argument.known and isinstance(argument.value, _FIXED):
            given = other[name]
            if given.known and given.value != argument.value:
                return Match.NO
            found = found if given.known else Match.UNKNOWN
    return found


def _passed(call: Call, signature: Signature) -> dict[str, Argument]:
    slots = sum(parameter.kind in ("positional_only", "positional_or_keyword") for parameter in signature)
    passed = dict(bind(call, signature).passed)
    passed.update(call.keywords)
    passed.update((f"#{number}", argument) for number, argument in enumerate(call.positional) if number >= slots)
    return passed
