"""Numbers over the whole corpus, and the environments that were measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.lab.views.content import Content
from conformance.lab.views.falsehood_pages import false_index
from conformance.lab.views.pieces import words
from conformance.lab.views.program import Table
from conformance.lab.views.strip import Chip
from conformance.language.model import Claim
from conformance.results.model import FAILING, Verdict
from conformance.results.recorded import Measured
from conformance.results.verdicts import APPEARANCES, IN_PART, NOT_MEASURED, Appearance

#: Fewer environments than this fit beside each other on a phone.
FEW = 4


@dataclass(frozen=True)
class Tile:
    """A number, and what it counts."""

    number: str
    meaning: str


@dataclass(frozen=True)
class Counts:
    """How often each verdict came, for some environments."""

    environments: tuple[str, ...]
    rows: tuple[tuple[Chip, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Numbers:
    """How far the corpus and the measurements go.

    Attributes
    ----------
    counts : Counts, optional
        The verdicts of each environment; of many, those of the newest release on each device. `None` where nothing was
        measured.
    every : Counts, optional
        The verdicts of all environments, where these are many.
    void : tuple of str
        The environments of which nothing may be believed, each with why.
    """

    tiles: tuple[Tile, ...]
    counts: Optional[Counts]
    every: Optional[Counts]
    void: tuple[str, ...]


@dataclass(frozen=True)
class Legend:
    """A verdict explained."""

    chip: Chip
    meaning: str
    fails: bool


def numbers(content: Content) -> Numbers:
    """Return how far the corpus and the measurements go."""
    claims, environments = content.corpus.claims, content.recorded.environments
    documented = {(source.kind, source.name) for claim in claims for source in claim.sources}
    articles = {name for kind, name in documented if kind == "article"}
    counted = (
        (len(claims), "claims"),
        (content.corpus.counts().entries, "entries of spec files"),
        (len(content.subjects), "subjects"),
        (len(documented) - len(articles), "documents cited"),
        (len(articles), "articles"),
        (len(content.recorded.releases), "releases measured"),
        (len(environments), "environments"),
        (false_index(content).false, "documented and false, by cause"),
    )
    many = len(environments) > FEW
    newest = [[item for item in environments if item.device == device][-1] for device in content.recorded.devices]
    return Numbers(
        tuple(Tile(f"{count:,}", meaning) for count, meaning in counted),
        _counts(claims, newest if many else environments) if environments else None,
        _counts(claims, environments) if many else None,
        tuple(f"{item.label} is void: {item.void}" for item in environments if item.void),
    )


def legend() -> tuple[Legend, ...]:
    """Return every verdict with its sign and its meaning."""
    found = []
    for verdict, look in APPEARANCES.items():
        fails = verdict in FAILING
        found.append(Legend(_chip(look), look.meaning, fails))
        if verdict == "diverges":
            found.append(Legend(_chip(IN_PART), IN_PART.meaning, fails))
    return (*found, Legend(_chip(NOT_MEASURED), NOT_MEASURED.meaning, False))


def environments_table(environments: Sequence[Measured]) -> Table:
    """Return the environments that were measured."""
    head = ("torch", "build", "Python", "NumPy", "Device", "System", "Machine", "Examples", "Seed")
    return Table(tuple(map(words, head)), tuple(tuple(map(words, _facts(measured))) for measured in environments))


def environment_in_words(measured: Measured, revision: str) -> str:
    """Name everything that an environment was measured with.

    Parameters
    ----------
    revision
        The revision of the corpus; another one that was measured is told.
    """
    facts, results = measured.environment, measured.results
    named = [f"torch {facts.torch} ({facts.build} build)", f"Python {facts.python}", f"NumPy {facts.numpy}"]
    named += [f"Hypothesis {facts.hypothesis}"] if facts.hypothesis else []
    named.append(f"device {facts.device}")
    named += [fact for fact in (facts.system, facts.machine, facts.processor) if fact]
    if results is not None:
        named += [f"{results.examples} examples", f"seed {results.seed}"]
        named += [f"measured with corpus {results.corpus}"] if results.corpus != revision else []
    return ", ".join(named)


def _facts(measured: Measured) -> tuple[object, ...]:
    facts, results = measured.environment, measured.results
    found = (facts.torch, facts.build, facts.python, facts.numpy, facts.device, facts.system, facts.machine)
    return (*found, results.examples, results.seed) if results else (*found, "", "")


def _counts(claims: Sequence[Claim], environments: Sequence[Measured]) -> Counts:
    counted = [Counter(measured.cell(claim).verdict for claim in claims) for measured in environments]
    looks: list[tuple[Optional[Verdict], Appearance]] = [*APPEARANCES.items(), (None, NOT_MEASURED)]
    return Counts(
        tuple(measured.label for measured in environments),
        tuple(
            (_chip(look), tuple(f"{count[verdict]:,}" for count in counted))
            for verdict, look in looks
            if any(count[verdict] for count in counted)
        ),
    )


def _chip(look: Appearance) -> Chip:
    return Chip(look.symbol, look.word, look.style)
