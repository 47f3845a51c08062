"""Which calls of somebody's code are calls like that of a claim."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Optional

from conformance.language.model import Claim
from conformance.names.model import Found
from conformance.upgrade.model import Entry, places_of
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.signatures import signatures
from conformance.usage import Argument, Call, Evidence, Kind, Use, UseGroup
from conformance.usage.calls import literal
from conformance.usage.matching import Match, Signature, bind
from conformance.usage.rules import canonical

_ANY, _TENSOR = Argument(), "torch.Tensor"
#: What a program uses to make its inputs and look at them: no condition of its own.
_SCAFFOLDING = frozenset(("save", "manual_seed", "random.fork_rng"))

#: What keeps the old behaviour where a claim is about a default that no signature tells.
_KEEPS = {
    "torch.load/weights-only-is-the-default": "weights_only=False; True is safer, where the file holds tensors alone",
}

_ORDER = {match: number for number, match in enumerate(Match)}
#: A call in a claim's program, and whether it is one of a function of torch.
_ClaimCall = tuple[Call, bool]


class ClaimUses:
    """The uses of somebody's code by the subjects of claims that speak of them."""

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
        """Every name that a claim about the code may have as its subject."""
        return frozenset(self._uses)

    def placed(self, entry: Entry) -> Optional[Entry]:
        """Return an entry with the places that it concerns; none where there are none."""
        places: dict[int, tuple[UseGroup, Evidence]] = {}
        instead = entry.instead
        for claim in entry.claims:
            calls, defaults, evidence = calls_of(claim), _defaults_of(claim), _evidence(claim)
            speaks = all(name in self._uses for name in conditions_of(claim))
            instead = instead or _KEEPS.get(claim.id, "") or (f"pass {defaults[0]} to choose" if defaults else "")
            for group, name in self._uses.get(claim.subject, ()) if speaks else ():
                use = group.use
                match = self._match(calls, use, name, defaults)
                # Whether the values are like those of the claim can't be told from the source.
                if match is not Match.NO:
                    sure = Evidence.MAYBE if match is Match.UNKNOWN else evidence
                    _, known = places.get(id(group), (group, Evidence.MAYBE))
                    places[id(group)] = group, max(min(sure, use.evidence), known)
        return replace(entry, places=places_of(places.values()), instead=instead) if places else None

    @cache  # noqa: B019 - one report, one object
    def _subjects(self, name: str) -> tuple[str, ...]:
        found = self._changes.answer(name, self._changes.old) if self._changes.is_recorded else None
        names = [name, canonical(name), found.canonical if isinstance(found, Found) else name]
        # x.clone() and torch.clone(x) are one operation.
        owner, _, last = name.rpartition(".")
        twin = {"torch.Tensor": f"torch.{last}", "torch": f"torch.Tensor.{last}"}.get(owner)
        return tuple(dict.fromkeys([*names, *([twin] if twin else [])]))

    def _match(self, calls: Sequence[_ClaimCall], use: Use, name: str, defaults: Sequence[str]) -> Match:
        if use.call is None or not calls:
            return Match.YES if use.call is None and not calls else Match.NO
        return _best(self._same(call, use.call, name, defaults) for call in calls)

    def _same(self, call: _ClaimCall, used: Call, name: str, defaults: Sequence[str]) -> Match:
        wanted, is_function = call
        is_method = name.startswith("torch.Tensor.")
        if is_function and is_method:
            wanted = wanted._replace(positional=wanted.positional[1:])
        elif not is_function and not is_method and name == f"torch.{name.rpartition('.')[2]}":
            wanted = wanted._replace(positional=(_ANY, *wanted.positional))
        choices = zip(self._passed(wanted, name), self._passed(used, name))
        return _best(_compared(wanted, one, used, other, defaults) for one, other in choices)

    @cache  # noqa: B019 - one report, one object
    def _passed(self, call: Call, name: str) -> list[dict[str, Argument]]:
        """Return the arguments of a call by their parameters, under each signature."""
        known = self._changes.answer(name, self._changes.new) if self._changes.is_recorded else None
        choices = signatures(known.record) if isinstance(known, Found) else ()
        return [_passed(call, signature) for signature in choices or ((),)]


def _best(found: Iterable[Match]) -> Match:
    return max(found, key=_ORDER.__getitem__)


def _evidence(claim: Claim) -> Evidence:
    """Return how sure it can be that values are like those of a claim; the source does not tell them."""
    kinds = [kind.text for _, kind in claim.given]
    if claim.expectation.raises is not None and any(text.startswith("tensor") for text in kinds):
        return Evidence.MAYBE  # Wrong arguments raise: code that works passes others.
    limited = any(re.search(r"dim=|shape=|dtype\(|one_of", text) for text in kinds)
    return Evidence.MAYBE if limited else Evidence.LIKELY if kinds else Evidence.CERTAIN


def _defaults_of(claim: Claim) -> tuple[str, ...]:
    """Return the parameters whose defaults the sentence of a claim gives: what else a call passes does not matter."""
    return tuple(name for source in claim.sources for name in re.findall(r"\b(\w+)=", source.key or ""))


def _compared(
    wanted: Call, one: dict[str, Argument], used: Call, other: dict[str, Argument], defaults: Sequence[str]
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
        if argument.type == _TENSOR and other[name].type not in (None, _TENSOR):
            return Match.NO
        if argument.known and isinstance(argument.value, (bool, str, type(None))):
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


def _parsed(claim: Claim) -> tuple[ast.AST, ...]:
    try:
        return tuple(ast.walk(ast.parse(claim.do.text if claim.do else "")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def conditions_of(claim: Claim) -> set[str]:
    """Return the names in modules of torch that a program uses beside its subject: conditions of what it shows."""
    dotted = {_dotted(node) for node in _parsed(claim) if isinstance(node, ast.Attribute)}
    names = {name for name in dotted if name.startswith("torch.") and not any(f"{name}." in one for one in dotted)}
    return {
        name
        for name in names
        if name.partition(".")[2] not in _SCAFFOLDING
        and not claim.subject.startswith(name)
        and name.rpartition(".")[2] != claim.subject.rpartition(".")[2]
        and name.count(".") > 1
        and not name.startswith(("torch.nn.", "torch.optim."))
    }


def calls_of(claim: Claim) -> list[_ClaimCall]:
    """Return the calls of a claim's subject in its program, each with whether it is a function of torch there."""
    last = claim.subject.rpartition(".")[2]
    tensors = {name for name, kind in claim.given if kind.text.startswith("tensor")}
    found = []
    for node in _parsed(claim):
        if isinstance(node, ast.Call) and last in (getattr(node.func, "attr", ""), getattr(node.func, "id", "")):
            found.append((_call(node, tensors), _dotted(node.func).startswith("torch.")))
    return found


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "…"


def _call(node: ast.Call, tensors: set[str]) -> Call:
    starred = [isinstance(argument, ast.Starred) for argument in node.args]
    plain = node.args[: starred.index(True)] if any(starred) else node.args
    keywords = tuple(
        (keyword.arg, _argument(keyword.value, tensors)) for keyword in node.keywords if keyword.arg is not None
    )
    positional = tuple(_argument(argument, tensors) for argument in plain)
    return Call(positional, keywords, any(starred), len(keywords) != len(node.keywords))


def _argument(node: ast.expr, tensors: set[str]) -> Argument:
    constant = literal(node)
    if constant is not None:
        return Argument(True, constant.literal, type(constant.literal).__name__)
    return Argument(type=_TENSOR) if isinstance(node, ast.Name) and node.id in tensors else _ANY
