"""What differs for one claim between two releases: findings, each with the harm that it can do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.scripts.observation import documentation_script
from conformance.upgrade.comparison import SHARED, Comparison, Finding
from conformance.upgrade.observed import of_observations
from conformance.upgrade.severity import Severity
from conformance.upgrade.standings import FINAL, of_standing
from conformance.views.aspects import sentence_sources
from conformance.views.sentences import documentation_states

#: Signs that a claim is about inputs that hardly any code has, or about random numbers.
_UNUSUAL = re.compile(r"layout=|state=|without=|conj|neg\b|2\*\*|complex|expanded|empty|size=0|float8|fork_rng")
#: Kinds of findings that speak of single values, or of what was false before as well.
_MINOR = ("value", "divergence", "tier", "no-kernel")


def findings(comparison: Comparison) -> list[Finding]:
    """Return all differences, none where the claim can't be compared."""
    if comparison.gap:
        return []
    return [replace(item, severity=_harm(comparison, item)) for item in _findings(comparison)]


def _harm(comparison: Comparison, found: Finding) -> Severity:
    """Return how a difference hurts code that does what the claim is about: a broken promise alone hurts nobody."""
    claim = comparison.claim
    if found.severity not in ("breaks", "changes") or found.kind == "vanished":
        return found.severity
    before, after = (entry.facts is not None and entry.facts.raises is not None for entry in comparison.entries)
    if before:
        return "corner" if after else "improvement"
    if claim.expectation.warns is not None:
        return "warns" if found.kind != "fixed" else "improvement"
    unusual = _UNUSUAL.search(" ".join(kind.text for _, kind in claim.given)) or found.kind.endswith("on some")
    if unusual or found.kind in _MINOR or all(source.kind == "article" for source in claim.sources):
        return "corner"
    return "breaks" if after or found.kind == "crash" else "changes"


def _findings(comparison: Comparison) -> list[Finding]:
    found = list(of_standing(comparison))
    if found and found[0].kind in FINAL:
        return found
    observed = list(of_observations(comparison))
    if found and found[0].kind != "fixed" and comparison.claim.expectation.warns is not None:  # It is told already.
        found[0] = replace(found[0], notes=(*found[0].notes, *_warned(observed)))
        observed = [item for item in observed if item.kind != "warning"]
    if found:
        # What was seen beside a changed verdict belongs to it, but for what many claims show alike.
        told = tuple(
            f"also: {item.what}"
            for item in observed
            if not (item.kind in SHARED or item.what == f"{found[0].after} now")
        )
        found[0] = replace(found[0], notes=(*found[0].notes, *told))
        observed = [item for item in observed if item.kind in SHARED]
    return [*found, *observed, *_of_sentences(comparison)]


def _warned(observed: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(f"{item.what}: {item.after}" for item in observed if item.kind == "warning")


def _of_sentences(comparison: Comparison) -> Iterator[Finding]:
    """Yield what is told of sentences of docstrings that came, went or were reworded."""
    for aspect in comparison.lines:
        ends = comparison.difference(aspect) if aspect.kind == "sentence" else None
        if ends is None:
            continue
        source = sentence_sources(comparison.claim)[int(aspect.name)]
        how, told = _SENTENCES[ends.before is not None, ends.after is not None]
        yield Finding(
            comparison.claim,
            "documentation",
            "sentence",
            f"{how} the docstring of {source.name}",
            *told,
            comparison.when(aspect),
            documentation_script(source.name),
            notes=(f"the sentence with “{source.key}”{_documented(comparison)}",),
        )


_SENTENCES = {
    (False, True): ("new in", ("not there", "there")),
    (True, False): ("gone from", ("there", "not there")),
    (True, True): ("reworded in", ("as it was", "reworded")),
}


def _documented(comparison: Comparison) -> str:
    """Return how documentation and truth went together before and now, where that changed."""
    path = sorted(comparison.path, key=lambda measured: measured.version)
    states = documentation_states(comparison.claim, path)
    before, after = states[comparison.old.release], states[comparison.new.release]
    return f": {before}, now {after}" if before != after and before and after else ""
