"""How often the rules are right: precision and recall on sentences that were judged by hand.

``spec/census/judged.json`` holds random samples of all sentences of the documentation. Each sentence was read and
judged before anyone looked at what the rules say about it: which of the four families does it promise something
of? The samples are stratified: sentences that the rules flagged, unflagged ones with a word that hints at a claim, and
the rest; recall could not be estimated from flagged sentences alone. A judged sentence counts as many as it stands
for, which is the size of its stratum over the number drawn from it. The rules were tuned on the samples marked
``tuning``; the figures are those of the other one, which was drawn afterwards.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.lab.census.families import FAMILIES, families
from conformance.lab.census.objects import PublicObject
from conformance.language.decisions import FOLDER
from conformance.language.sentences import sentence_hash, sentences

FILE_NAME = "judged.json"


@dataclass(frozen=True)
class Judged:
    """A sentence and its families as a reader sees them."""

    name: str
    hash: str
    stratum: str
    families: frozenset[str]


@dataclass(frozen=True)
class Sample:
    """Sentences drawn together; ``strata`` gives how many sentences each stratum had."""

    tuning: bool
    strata: Mapping[str, int]
    sentences: tuple[Judged, ...]


@dataclass
class Score:
    """Weighted numbers of right findings, wrong ones, and what was missed."""

    found: float = 0
    wrong: float = 0
    missed: float = 0

    @property
    def precision(self) -> float:
        """How much of what the rules find is right."""
        return self.found / (self.found + self.wrong) if self.found + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """How much of what there is the rules find."""
        return self.found / (self.found + self.missed) if self.found + self.missed else 1.0


def load_samples(root: Path) -> list[Sample]:
    """Read the judged samples of a corpus."""
    document = json.loads((root / FOLDER / FILE_NAME).read_text(encoding="utf-8"))
    return [
        Sample(
            sample["tuning"],
            sample["strata"],
            tuple(
                Judged(name, digest, stratum, frozenset(kinds)) for name, digest, stratum, kinds in sample["sentences"]
            ),
        )
        for sample in document["samples"]
    ]


def scores(samples: Sequence[Sample], objects: Sequence[PublicObject]) -> tuple[dict[str, Score], int]:
    """Measure the rules.

    Returns
    -------
    dict of str to Score
        By family; ``all`` counts each family of each sentence, and ``sentence`` each sentence with any.
    int
        How many judged sentences these objects have.
    """
    names = {alias: found for found in objects for alias in (found.name, *found.aliases)}
    texts: dict[str, dict[str, str]] = {}
    counted: dict[str, Score] = {key: Score() for key in (*FAMILIES, "all", "sentence")}
    present = 0
    for sample in samples:
        drawn = Counter(judged.stratum for judged in sample.sentences)
        for judged in sample.sentences:
            found = names.get(judged.name)
            if found is None:
                continue
            known = texts.setdefault(found.name, {sentence_hash(text): text for text in sentences(found.docstring)})
            if judged.hash not in known:
                continue
            present += 1
            stated = {*families(known[judged.hash], found.name)}
            _count(counted, stated, judged.families, sample.strata[judged.stratum] / drawn[judged.stratum])
    return counted, present


def _count(counted: dict[str, Score], stated: set[str], true: frozenset[str], weight: float) -> None:
    for kind in stated | true:
        for score in (counted[kind], counted["all"]):
            score.found += weight * (kind in stated and kind in true)
            score.wrong += weight * (kind not in true)
            score.missed += weight * (kind not in stated)
    counted["sentence"].found += weight * bool(stated and true)
    counted["sentence"].wrong += weight * bool(stated and not true)
    counted["sentence"].missed += weight * bool(true and not stated)
