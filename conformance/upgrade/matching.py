"""Which calls of somebody's code are calls like that of a claim."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Optional

from conformance.language.model import Claim
from conformance.upgrade.code_uses import TENSOR, CodeUses, best
from conformance.upgrade.model import Entry, places_of
from conformance.usage import Argument, Call, Evidence, Use, UseGroup
from conformance.usage.calls import literal
from conformance.usage.matching import Match

_ANY = Argument()
#: What a program uses to make its inputs and look at them: no condition of its own.
_SCAFFOLDING = frozenset(("save", "manual_seed", "random.fork_rng"))

#: What keeps the old behaviour where a claim is about a default that no signature tells.
_KEEPS = {
    "torch.load/weights-only-is-the-default": "weights_only=False; True is safer, where the file holds tensors alone",
}

#: A call in a claim's program, and whether it is one of a function of torch.
_ClaimCall = tuple[Call, bool]


class ClaimUses:
    """The uses of somebody's code that claims speak of."""

    def __init__(self, uses: CodeUses) -> None:
        self._uses = uses
        self._concerned: dict[str, tuple[tuple[UseGroup, Evidence], ...]] = {}

    def placed(self, entry: Entry) -> Optional[Entry]:
        """Return an entry with the places that it concerns; none where there are none."""
        places: dict[int, tuple[UseGroup, Evidence]] = {}
        instead = entry.instead
        for claim in entry.claims:
            defaults = _defaults_of(claim)
            instead = instead or _KEEPS.get(claim.id, "") or (f"pass {defaults[0]} to choose" if defaults else "")
            for group, sure in self.concerned(claim):
                _, known = places.get(id(group), (group, Evidence.MAYBE))
                places[id(group)] = group, max(sure, known)
        return replace(entry, places=places_of(places.values()), instead=instead) if places else None

    def concerned(self, claim: Claim) -> tuple[tuple[UseGroup, Evidence], ...]:
        """Return the uses that a claim speaks of, each with how sure that is."""
        if claim.id not in self._concerned:
            self._concerned[claim.id] = tuple(self._uses_like(claim))
        return self._concerned[claim.id]

    def _uses_like(self, claim: Claim) -> Iterator[tuple[UseGroup, Evidence]]:
        if not all(name in self._uses for name in conditions_of(claim)):
            return
        calls, defaults, evidence = calls_of(claim), _defaults_of(claim), _evidence(claim)
        for group, name in self._uses.of(claim.subject):
            match = self._match(calls, group.use, name, defaults)
            # Whether the values are like those of the claim can't be told from the source.
            if match is not Match.NO:
                yield group, min(Evidence.MAYBE if match is Match.UNKNOWN else evidence, group.use.evidence)

    def _match(self, calls: Sequence[_ClaimCall], use: Use, name: str, defaults: Sequence[str]) -> Match:
        if use.call is None or not calls:
            return Match.YES if use.call is None and not calls else Match.NO
        used = use.call
        return best(self._uses.same(call, is_function, used, name, defaults) for call, is_function in calls)


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
    return Argument(type=TENSOR) if isinstance(node, ast.Name) and node.id in tensors else _ANY
