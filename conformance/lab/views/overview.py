"""Numbers over the whole corpus, and the environments that were measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Optional

from conformance.lab.views.content import Content
from conformance.lab.views.falsehood_pages import false_count
from conformance.lab.views.running_text import Table, words
from conformance.lab.views.verdict_chips import Chip
from conformance.language.model import Claim
from conformance.results.model import FAILING, Environment, Verdict
from conformance.results.recorded import Measured
from conformance.results.verdicts import APPEARANCES, IN_PART, NOT_MEASURED, Appearance

#: Fewer environments than this fit beside each other on a phone.
FEW = 4


def numbers(content: Content) -> tuple[tuple[str, str], ...]:
    """Return how far the corpus and the measurements go: numbers, and what each counts."""
    claims = content.corpus.claims
    documented = {(source.kind, source.name) for claim in claims for source in claim.sources}
    articles = {name for kind, name in documented if kind == "article"}
    counted = (
        (len(claims), "claims"),
        (content.corpus.counts().entries, "entries of spec files"),
        (len(content.subjects), "subjects"),
        (len(documented) - len(articles), "documents cited"),
        (len(articles), "articles"),
        (len(content.recorded.releases), "releases measured"),
        (len(content.recorded.environments), "environments"),
        (false_count(content), "documented and false, by cause"),
    )
    return tuple((f"{count:,}", meaning) for count, meaning in counted)


def counts(claims: Sequence[Claim], environments: Sequence[Measured]) -> tuple[list[str], list[tuple[Chip, list[str]]]]:
    """Return the names of environments, and each verdict with how often it came in each of them."""
    counted = [Counter(measured.cell(claim).verdict for claim in claims) for measured in environments]
    looks: list[tuple[Optional[Verdict], Appearance]] = [*APPEARANCES.items(), (None, NOT_MEASURED)]
    rows = [
        (_chip(look), [f"{count[verdict]:,}" for count in counted])
        for verdict, look in looks
        if any(count[verdict] for count in counted)
    ]
    return [measured.label for measured in environments], rows


def legend() -> Iterator[tuple[Chip, str, bool]]:
    """Yield every verdict, its meaning, and whether it fails a run."""
    for verdict, look in APPEARANCES.items():
        for shown in (look, IN_PART) if verdict == "diverges" else (look,):
            yield _chip(shown), shown.meaning, verdict in FAILING
    yield _chip(NOT_MEASURED), NOT_MEASURED.meaning, False


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
    named.append(f"device {_device(facts)}")
    named += [fact for fact in (facts.system, facts.machine, facts.processor) if fact]
    if results is not None:
        named += [f"{results.examples} examples", f"seed {results.seed}"]
        named += [f"measured with corpus {results.corpus}"] if results.corpus != revision else []
    return ", ".join(named)


def _facts(measured: Measured) -> tuple[object, ...]:
    facts, results = measured.environment, measured.results
    found = (facts.torch, facts.build, facts.python, facts.numpy, _device(facts), facts.system, facts.machine)
    return (*found, results.examples, results.seed) if results else (*found, "", "")


def _device(facts: Environment) -> str:
    """Return the name of a device, and of its hardware."""
    return f"{facts.device} ({facts.accelerator})" if facts.accelerator else facts.device


def _chip(look: Appearance) -> Chip:
    return Chip(look.symbol, look.word, look.style)
