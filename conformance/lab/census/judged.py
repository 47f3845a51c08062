"""How often the rules are right: precision and recall on sentences that were judged by hand.

``spec/census/judged.json`` holds random samples of all sentences of the documentation. Each sentence was read and
judged before anyone looked at what the rules say about it: which of the four families does it promise something
of? The samples are stratified: sentences that the rules flagged, unflagged ones with a word that hints at a claim, and
the rest; recall could not be estimated from flagged sentences alone. A judged sentence counts as many as it stands
for, which is the size of its stratum over the number drawn from it. The rules were tuned on the samples marked
``tuning``; the figures are those of the last one, which was drawn when the labels of readers were there.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.lab.census.families import FAMILIES, NO_LABELS, Labels, families
from conformance.lab.census.objects import PublicObject
from conformance.lab.census.record import Score
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


def scores(
    samples: Sequence[Sample], objects: Sequence[PublicObject], labels: Labels = NO_LABELS
) -> tuple[dict[str, Score], int]:
    """Measure the rules, and the labels if they are given.

    Returns
    -------
    dict of str to Score
        By family; ``all`` counts each family of each sentence, and ``sentence`` each sentence with any.
    int
        How many judged sentences these objects have.
    """
    names = {alias: found for found in objects for alias in (found.name, *found.aliases)}
    texts: dict[str, dict[str, str]] = {}
    right: defaultdict[str, float] = defaultdict(float)
    wrong: defaultdict[str, float] = defaultdict(float)
    missed: defaultdict[str, float] = defaultdict(float)
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
            stated, true = {*families(known[judged.hash], found.name, labels)}, judged.families
            weight = sample.strata[judged.stratum] / drawn[judged.stratum]
            judgements = [(name, kind in stated, kind in true) for kind in stated | true for name in (kind, "all")]
            for name, is_stated, is_true in [*judgements, ("sentence", bool(stated), bool(true))]:
                right[name] += weight * (is_stated and is_true)
                wrong[name] += weight * (is_stated and not is_true)
                missed[name] += weight * (is_true and not is_stated)
    kinds = (*FAMILIES, "all", "sentence")
    return {kind: Score(_share(right[kind], wrong[kind]), _share(right[kind], missed[kind])) for kind in kinds}, present


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part + rest else 1.0
