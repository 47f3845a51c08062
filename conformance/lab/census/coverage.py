"""What the corpus says about each sentence that carries a claim: objects, claims and decisions put together.

A sentence is *encoded* when the key of some claim's source is in it, the source naming its object or an alias; that
is derived, never typed. Else the decision counts that stands beside the specs. A sentence without either is ``todo``;
where the last reading did not have it, it is new, or reworded if one of the object is gone from its place.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

from conformance.base.cache import content_key, kept
from conformance.lab.census.families import FAMILIES, NO_LABELS, Labels, families
from conformance.lab.census.objects import PublicObject
from conformance.lab.census.record import STATES
from conformance.language.decisions import ENCODED, NO_CLAIM, TODO, UNTESTABLE, Decision, Decisions, module_of
from conformance.language.model import Claim
from conformance.language.sentences import sentence_hash, sentences

#: The sentences of a docstring, and the families of each.
_Sentences = tuple[list[str], list[tuple[str, ...]]]
NEW = "new"
REWORDED = "reworded"

_ARGUMENT = re.compile(r"^\**\w+ \([^)]*\):")
_REFERENCE = re.compile(r":\w+:`[~!]?(?:torch\.)?([\w.]+)")
_BEFORE_THE_REST = ("torch", "torch.Tensor", "torch.autograd")


@dataclass(frozen=True)
class ClaimedSentence:
    """A sentence that carries a claim, and what the corpus says about it.

    Attributes
    ----------
    families : tuple of str
        Those that the rules or the labels give; none for a page, each sentence of which counts.
    state : str
        ``encoded``, ``no-claim``, ``untestable`` or ``todo``.
    change : str
        ``new`` or ``reworded`` where the last reading did not have the sentence, else empty.
    keys : tuple of str
        On a page, hashes of the keys of claims that are in the sentence.
    """

    name: str
    module: str
    hash: str
    text: str
    place: int
    families: tuple[str, ...]
    state: str
    claims: tuple[str, ...] = ()
    reason: str = ""
    change: str = ""
    keys: tuple[str, ...] = ()

    @property
    def decision(self) -> Optional[Decision]:
        """What stands about it in the files."""
        return Decision(self.state, self.reason) if self.state in (NO_CLAIM, UNTESTABLE) else None


@dataclass
class ReadSentences:
    """Which sentences the last reading had; no state of them.

    Attributes
    ----------
    objects
        For each object the hashes of its sentences, in the order of the docstring.
    pages
        For each page the hashes of its sentences, in order, each with the hashes of the keys of claims in it: what a
        page's claims encode can be told where its text is not at hand.
    """

    objects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pages: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    def of(self, name: str) -> list[str]:
        """Return the hashes of an object's or a page's sentences."""
        return list(self.objects.get(name, ()) or self.pages.get(name, ()))

    @classmethod
    def from_entries(cls, entries: Iterable[ClaimedSentence]) -> ReadSentences:
        """Return what a census has read."""
        objects: dict[str, tuple[str, ...]] = {}
        pages: dict[str, dict[str, tuple[str, ...]]] = {}
        for entry in entries:
            if entry.name.startswith("notes/"):
                pages.setdefault(entry.name, {})[entry.hash] = entry.keys
            else:
                objects[entry.name] = (*objects.get(entry.name, ()), entry.hash)
        return cls(objects, pages)


@dataclass
class Census:
    """All sentences of the families, in the order of objects and of their docstrings.

    Attributes
    ----------
    objects, read : int
        How many documented objects there are, and how many sentences they have.
    beyond : int
        Sentences that claims encode and that are of no family.
    """

    entries: list[ClaimedSentence] = field(default_factory=list)
    objects: int = 0
    read: int = 0
    beyond: int = 0
    references: Counter[str] = field(default_factory=Counter)

    def table(self, keep: Iterable[ClaimedSentence]) -> dict[str, dict[str, dict[str, int]]]:
        """Count by module, family and state; a sentence of two families counts in both."""
        counted: dict[str, dict[str, dict[str, int]]] = {}
        for entry in keep:
            for family in entry.families or ("all",):
                row = counted.setdefault(entry.module, {}).setdefault(family, dict.fromkeys(STATES, 0))
                row[entry.state] += 1
        order = (*FAMILIES, "all").index
        return {
            module: {family: rows[family] for family in sorted(rows, key=order)}
            for module, rows in sorted(counted.items())
        }

    def left(self) -> list[ClaimedSentence]:
        """Give what is to do, most important first."""
        return sorted((entry for entry in self.entries if entry.state == TODO), key=self._importance)

    def _importance(self, entry: ClaimedSentence) -> tuple[object, ...]:
        detail = _ARGUMENT.match(entry.text) is not None
        module = entry.module not in _BEFORE_THE_REST
        return module, detail, -self.references[entry.name], entry.name, entry.place


def take_census(
    objects: Sequence[PublicObject],
    claims: Sequence[Claim],
    decisions: Decisions,
    before: ReadSentences,
    labels: Labels = NO_LABELS,
) -> Census:
    """Put the objects of a torch, the corpus, its decisions, the last reading and the readers' labels together."""
    keys = _keys(objects, claims)
    targets = Counter(match for item in objects for match in _REFERENCE.findall(item.docstring))
    census = Census(objects=len(objects))
    for found, (read, kinds_of) in zip(objects, _read(objects, labels)):
        census.read += len(read)
        names = (found.name, *found.aliases)
        census.references[found.name] = sum(targets[name[len("torch.") :]] for name in names)
        stated = [(text, kinds) for text, kinds in zip(read, kinds_of) if kinds]
        flagged = {text for text, _ in stated}
        census.beyond += sum(bool(_encoding(text, keys.get(found.name, ()))) for text in {*read} - flagged)
        own = decisions.get(found.name, {})
        census.entries += _entries(found.name, stated, keys.get(found.name, ()), own, before.of(found.name))
    return census


def _read(objects: Sequence[PublicObject], labels: Labels) -> list[_Sentences]:
    """Return the sentences of each object with the families of each; the cache has those of the same docstrings."""

    def read_all() -> list[_Sentences]:
        texts = [sentences(item.docstring) for item in objects]
        return [(text, [families(one, item.name, labels) for one in text]) for item, text in zip(objects, texts)]

    read = [*(f"{item.name}\0{item.docstring}" for item in objects), repr(sorted(labels.items()))]
    digest = hashlib.sha256("\0".join(read).encode()).hexdigest()
    return kept(content_key([], "census", digest), list, read_all)


def page_census(
    name: str, text: Sequence[str], claims: Sequence[Claim], decisions: Decisions, before: ReadSentences
) -> list[ClaimedSentence]:
    """Return the entries of a page that is no docstring, each sentence of which counts."""
    stated: list[tuple[str, tuple[str, ...]]] = [(sentence, ()) for sentence in text]
    return _entries(name, stated, _page_keys(name, claims), decisions.get(name, {}), before.of(name))


def stored_page(
    name: str, claims: Sequence[Claim], decisions: Decisions, before: ReadSentences
) -> list[ClaimedSentence]:
    """Return the entries of a page whose text is not at hand, from the last reading."""
    citing: dict[str, set[str]] = {}
    for key, claim in _page_keys(name, claims):
        citing.setdefault(sentence_hash(key), set()).add(claim)
    found = []
    for place, (digest, keys) in enumerate(before.pages[name].items()):
        encoding = tuple(sorted({claim for key in keys for claim in citing.get(key, ())}))
        state, reason = _state(encoding, decisions.get(name, {}).get(digest))
        found.append(
            ClaimedSentence(name, module_of(name), digest, "", place, (), state, encoding, reason, keys=tuple(keys))
        )
    return found


def _page_keys(name: str, claims: Sequence[Claim]) -> list[tuple[str, str]]:
    page = name.split("/", 1)[1]
    return [
        (" ".join(source.key.split()), claim.id)
        for claim in claims
        for source in claim.sources
        if source.kind == "note" and source.name == page and source.key
    ]


def _keys(objects: Sequence[PublicObject], claims: Sequence[Claim]) -> dict[str, list[tuple[str, str]]]:
    """For each object, the keys of the claims that cite it under any of its names."""
    called = {alias: found.name for found in objects for alias in (found.name, *found.aliases)}
    keys: dict[str, list[tuple[str, str]]] = {}
    for claim in claims:
        for source in claim.sources:
            if source.kind == "docs" and source.key and source.name in called:
                keys.setdefault(called[source.name], []).append((" ".join(source.key.split()), claim.id))
    return keys


def _encoding(text: str, keys: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted({claim for key, claim in keys if key in text}))


def _state(claims: tuple[str, ...], decision: Optional[Decision]) -> tuple[str, str]:
    """Return the state of a sentence, and a reason if there is one."""
    if claims:
        return ENCODED, ""
    return (decision.kind, decision.reason) if decision is not None else (TODO, "")


def _entries(
    name: str,
    stated: Sequence[tuple[str, tuple[str, ...]]],
    keys: Sequence[tuple[str, str]],
    decisions: Mapping[str, Decision],
    before: list[str],
) -> list[ClaimedSentence]:
    texts: dict[str, tuple[str, tuple[str, ...]]] = {}
    for text, kinds in stated:
        texts.setdefault(sentence_hash(text), (text, kinds))
    changes = _changes(before, list(texts))
    found = []
    for place, (digest, (text, kinds)) in enumerate(texts.items()):
        claims = _encoding(text, keys)
        state, reason = _state(claims, decisions.get(digest))
        change = changes.get(digest, "")
        located = tuple(sorted({sentence_hash(key) for key, _ in keys if key in text}))
        found.append(
            ClaimedSentence(name, module_of(name), digest, text, place, kinds, state, claims, reason, change, located)
        )
    return found


def _changes(known: list[str], present: list[str]) -> dict[str, str]:
    """Tell, for each hash that is not known, whether it took the place of one that is gone."""
    told: dict[str, str] = {}
    if not known:
        return dict.fromkeys(present, NEW)
    matcher = difflib.SequenceMatcher(None, known, present, autojunk=False)
    for what, first, last, start, end in matcher.get_opcodes():
        if what in ("insert", "replace"):
            gone = last - first if what == "replace" else 0
            told.update({digest: REWORDED if i < gone else NEW for i, digest in enumerate(present[start:end])})
    return {digest: change for digest, change in told.items() if digest not in known}
