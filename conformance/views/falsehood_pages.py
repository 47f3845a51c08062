"""Everything that a source says and that is false: an index of modules, and a page for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from conformance.language.model import Claim
from conformance.views.claim import claim_history, source_link
from conformance.views.conditions import KINDS
from conformance.views.content import Content
from conformance.views.falsehoods import UNEXPLAINED, Falsehood, affected, falsehoods
from conformance.views.pieces import Text, joined, linked
from conformance.views.strip import Line, strip

_UNEXPLAINED = "unexplained"
#: Kinds and their headings; what no record explains comes first.
HEADINGS = {_UNEXPLAINED: "False, and not yet explained", **KINDS}


@dataclass(frozen=True)
class FalseClaim:
    """A claim with the ways in which it is false that have one kind."""

    claim: Claim
    title: Text
    sources: Text
    verdicts: tuple[Line, ...]
    history: tuple[tuple[str, str], ...]
    falsehoods: tuple[Falsehood, ...]


@dataclass(frozen=True)
class Group:
    """The false claims of a module that have one kind; ``anchor`` is the kind."""

    anchor: str
    heading: str
    claims: tuple[FalseClaim, ...]


@dataclass(frozen=True)
class ModuleRow:
    """How many false claims a module has, for each of `HEADINGS`."""

    module: str
    counts: tuple[int, ...]


@dataclass(frozen=True)
class FalseIndex:
    """All modules with a false claim, and the sums."""

    recorded: int
    seen: int
    unexplained: int
    rows: tuple[ModuleRow, ...]


@lru_cache(maxsize=4)
def false_kinds(content: Content) -> dict[str, frozenset[str]]:
    """Return the kinds of all ways in which each claim is false, by id; claims that are not are left out."""
    found = {claim.id: _kinds(claim, content) for claim in content.corpus.claims}
    return {identity: kinds for identity, kinds in found.items() if kinds}


@lru_cache(maxsize=4)
def false_modules(content: Content) -> dict[str, list[Claim]]:
    """Return the modules with a claim that is false or recorded as false, and these claims."""
    kinds = false_kinds(content)
    found = {
        module: [claim for claims in subjects.values() for claim in claims if claim.id in kinds]
        for module, subjects in content.modules.items()
    }
    return {module: claims for module, claims in found.items() if claims}


def _kinds(claim: Claim, content: Content) -> frozenset[str]:
    unexplained = any(cell.verdict in UNEXPLAINED for cell in content.cells(claim))
    kinds: set[str] = {divergence.kind for divergence in claim.diverges}
    return frozenset(kinds | {_UNEXPLAINED} if unexplained else kinds)


def false_index(content: Content) -> FalseIndex:
    """Return how many claims of each module are false."""
    modules = false_modules(content)
    every = [claim for claims in modules.values() for claim in claims]
    recorded = [(claim, position) for claim in every for position in range(len(claim.diverges))]
    return FalseIndex(
        recorded=len(recorded),
        seen=sum(_was_seen(claim, position, content) for claim, position in recorded),
        unexplained=sum(_UNEXPLAINED in false_kinds(content)[claim.id] for claim in every),
        rows=tuple(ModuleRow(module, _counts(claims, content)) for module, claims in modules.items()),
    )


def false_page(module: str, content: Content) -> tuple[Group, ...]:
    """Return the false claims of a module, by kind."""
    claims = false_modules(content)[module]
    groups = []
    for kind, heading in HEADINGS.items():
        found = tuple(_false_claim(claim, kind, content) for claim in claims if kind in false_kinds(content)[claim.id])
        if found:
            groups.append(Group(kind, heading, found))
    return tuple(groups)


def _counts(claims: Sequence[Claim], content: Content) -> tuple[int, ...]:
    return tuple(sum(kind in false_kinds(content)[claim.id] for claim in claims) for kind in HEADINGS)


def _was_seen(claim: Claim, position: int, content: Content) -> bool:
    return bool(affected(claim, position, content.cells(claim)))


def _false_claim(claim: Claim, kind: str, content: Content) -> FalseClaim:
    ways = falsehoods(claim, content.cells(claim))
    return FalseClaim(
        claim,
        linked(claim.title, "claim", claim.id),
        joined((source_link(source, content) for source in claim.sources), "; "),
        strip(claim, content.cells(claim)),
        tuple(claim_history(claim, content)),
        tuple(way for way in ways if kind == _UNEXPLAINED or way.kind == kind),
    )
