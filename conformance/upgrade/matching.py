"""Which calls of somebody's code are calls like that of a claim."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Optional

from conformance.cache import Kept
from conformance.language.model import Claim
from conformance.special_methods import BINARY
from conformance.upgrade.code_uses import TENSOR, CodeUses, best, under_doubts
from conformance.upgrade.model import ReportEntry, places_of
from conformance.usage import Argument, Call, Evidence, Use, UseGroup
from conformance.usage.calls import literal
from conformance.usage.matching import Match

_ANY, _TENSOR, _NO_BOOLS = Argument(), Argument(type=TENSOR), Argument(type=TENSOR, is_bool=False)
#: What a program uses to make its inputs and look at them: no condition of its own.
_SCAFFOLDING = frozenset(("save", "manual_seed", "random.fork_rng"))
#: Methods of a tensor that are a condition of what a program shows, beside those that write in place.
_TELLING = frozenset(("retain_grad",))
_WRITING_OPERATORS = frozenset(("__setitem__", *(f"__i{name}__" for name in BINARY.values())))
#: What a program does to one tensor or to its history, and not to all.
_OF_ONE_TENSOR = ("torch.Tensor.", "torch.autograd.")
#: Stands for every way to write in place.
_IN_PLACE = "torch.Tensor.…_"

#: What keeps the old behaviour where a claim is about a default that no signature tells.
_KEEPS = {
    "torch.load/weights-only-is-the-default": "weights_only=False; True is safer, where the file holds tensors alone",
}

#: A call in a claim's program, and whether it is one of a function of torch.
_ClaimCall = tuple[Call, bool]


@dataclass(frozen=True)
class _Shape:
    """What a claim is about, as far as a source can tell."""

    conditions: frozenset[str]
    calls: tuple[_ClaimCall, ...]
    reads: bool
    defaults: tuple[str, ...]
    evidence: Evidence
    decorates_class: bool


class ClaimUses:
    """The uses of somebody's code that claims speak of.

    Parameters
    ----------
    kept
        What was found before, of the same claims.
    """

    def __init__(self, uses: CodeUses, kept: Optional[Kept] = None) -> None:
        self._uses = uses
        self._kept = kept or Kept()
        self._files: dict[str, frozenset[str]] = {}
        self._concerned: dict[str, tuple[tuple[UseGroup, Evidence], ...]] = {}

    def placed(self, entry: ReportEntry) -> Optional[ReportEntry]:
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
        if claim.subject not in self._uses:
            return
        shape = self._kept.of(("shape", claim.id), partial(_shape, claim))
        if not all(map(self._files_with, shape.conditions)):
            return
        for group, name in self._uses.of(claim.subject):
            if shape.decorates_class and not group.use.decorates_class:
                continue
            match = self._match(shape, group.use, name)
            if match is Match.NO:
                continue
            # Whether the values are like those of the claim can't be told from the source.
            sure = shape.evidence, group.use.evidence
            local = [name for name in shape.conditions if name.startswith(_OF_ONE_TENSOR)]
            if not self._are_met(local, group):
                continue
            # Nor whether it is this tensor to which the rest of the program is done.
            doubts = match is Match.UNKNOWN, bool(local), group.use.guarded, *(one is Evidence.MAYBE for one in sure)
            evidence = under_doubts(doubts, *sure)
            if evidence is not None:
                yield group, evidence

    def _are_met(self, conditions: Iterable[str], group: UseGroup) -> bool:
        """Return whether the files of a use have what is done to the same tensor; settings may be made in any file."""
        files = {place.path for place in group.places}
        return all(files & self._files_with(name) for name in conditions)

    def _files_with(self, condition: str) -> frozenset[str]:
        """Return the files that meet a condition."""
        if condition not in self._files:
            subjects = filter(_writes, self._uses.subjects) if condition == _IN_PLACE else [condition]
            groups = (group for subject in subjects for group, _ in self._uses.of(subject))
            self._files[condition] = frozenset(place.path for group in groups for place in group.places)
        return self._files[condition]

    def _match(self, shape: _Shape, use: Use, name: str) -> Match:
        if use.call is None or not shape.calls:
            return Match.YES if use.call is None and shape.reads else Match.NO
        used = use.call
        found = (self._uses.same(call, is_function, used, name, shape.defaults) for call, is_function in shape.calls)
        return best(found)


def _shape(claim: Claim) -> _Shape:
    conditions, calls = frozenset(conditions_of(claim)), tuple(calls_of(claim))
    reads = not calls and _reads(claim)
    return _Shape(conditions, calls, reads, _defaults_of(claim), _evidence(claim), _decorates_class(claim))


def _reads(claim: Claim) -> bool:
    """Return whether a program uses its subject itself, not only what it owns, as in ``Embedding.from_pretrained``."""
    nodes, last = _parsed(claim), claim.subject.rpartition(".")[2]
    owners = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    return any(
        last in (getattr(node, "attr", ""), getattr(node, "id", ""))
        and not (id(node) in owners and _dotted(node).startswith("torch."))
        for node in nodes
        if isinstance(node, (ast.Attribute, ast.Name))
    )


def _decorates_class(claim: Claim) -> bool:
    """Return whether a program passes a class of its own to what a call returns, as a decorator of classes does."""
    nodes = _parsed(claim)
    own = {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and own & {ast.unparse(one) for one in node.args}
        for node in nodes
    )


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
    """Return the names of torch that a program uses beside its subject: conditions of what it shows."""
    last = claim.subject.rpartition(".")[2]
    attributes = [node for node in _parsed(claim) if isinstance(node, ast.Attribute)]
    dotted = {_dotted(node) for node in attributes}
    methods = {f"torch.Tensor.{node.attr}" for node in attributes if node.attr != last}
    telling = {_IN_PLACE if _writes(name) else name for name in methods if _writes(name) or name[13:] in _TELLING}
    names = {name for name in dotted if name.startswith("torch.") and not any(f"{name}." in one for one in dotted)}
    return telling | {
        name
        for name in names
        if name.partition(".")[2] not in _SCAFFOLDING
        and not claim.subject.startswith(name)
        and name.rpartition(".")[2] != last
        and name.count(".") > 1
        and not name.startswith(("torch.nn.", "torch.optim."))
    }


def _writes(name: str) -> bool:
    """Return whether a method of a tensor writes into it, as far as its name tells."""
    owner, _, last = name.rpartition(".")
    if owner != "torch.Tensor" or last == "requires_grad_":
        return False
    return (last.endswith("_") and not last.endswith("__")) or last in _WRITING_OPERATORS


def calls_of(claim: Claim) -> list[_ClaimCall]:
    """Return the calls of a claim's subject in its program, each with whether it is a function of torch there."""
    last = claim.subject.rpartition(".")[2]
    known = {name: _TENSOR for name, kind in claim.given if kind.text.startswith("tensor")}
    known.update((name, _NO_BOOLS) for name in _converted(claim))
    found = []
    for node in _parsed(claim):
        if isinstance(node, ast.Call) and last in (getattr(node.func, "attr", ""), getattr(node.func, "id", "")):
            found.append((_call(node, known), _dotted(node.func).startswith("torch.")))
    return found


def _converted(claim: Claim) -> Iterator[str]:
    """Yield the variables of a program that hold a tensor of a drawn dtype which is never bool."""
    drawn = {name: kind.text for name, kind in claim.given if kind.text.startswith("one_of(torch.")}
    for node in _parsed(claim):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            dtype = re.search(r"\.to\((\w+)\)$", ast.unparse(node.value))
            if dtype and "torch.bool" not in drawn.get(dtype[1], "torch.bool"):
                yield node.targets[0].id


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "…"


def _call(node: ast.Call, variables: Mapping[str, Argument]) -> Call:
    starred = [isinstance(argument, ast.Starred) for argument in node.args]
    plain = node.args[: starred.index(True)] if any(starred) else node.args
    keywords = tuple(
        (keyword.arg, _argument(keyword.value, variables)) for keyword in node.keywords if keyword.arg is not None
    )
    positional = tuple(_argument(argument, variables) for argument in plain)
    return Call(positional, keywords, any(starred), len(keywords) != len(node.keywords))


def _argument(node: ast.expr, variables: Mapping[str, Argument]) -> Argument:
    constant = literal(node)
    if constant is not None:
        return Argument(True, constant.literal, type(constant.literal).__name__)
    return variables.get(node.id, _ANY) if isinstance(node, ast.Name) else _ANY
