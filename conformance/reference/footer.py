"""What every page says about itself: the version, the corpus and the environments."""

from __future__ import annotations

from typing import Any

import conformance
from conformance.reference.columns import Column
from conformance.reference.content import Reference


def footer(reference: Reference) -> dict[str, Any]:
    """Give the words of the footer; the template escapes them."""
    revision = reference.revision
    return {
        "version": getattr(conformance, "__version__", "unreleased"),
        "corpus": revision,
        "claims": len(reference.corpus.claims),
        "environments": [environment_in_words(column, revision) for column in reference.columns],
        "sentences": f"torch {reference.sentences.torch}" if reference.sentences.torch else "",
    }


def environment_in_words(column: Column, revision: str) -> str:
    """Name everything that a column was measured with."""
    facts = column.environment
    names = {"python": "Python", "numpy": "NumPy", "hypothesis": "Hypothesis"}
    torch = column.torch + (f" ({facts['build']} build)" if facts.get("build") else "")
    words = [f"torch {torch}", *[f"{name} {facts[key]}" for key, name in names.items() if facts.get(key)]]
    words.append(f"device {column.device}")
    words += [str(facts[key]) for key in ("system", "machine", "processor") if facts.get(key)]
    if column.examples is not None:
        words.append(f"{column.examples} examples")
    if column.seed is not None:
        words.append(f"seed {column.seed}")
    if column.corpus and column.corpus != revision:
        words.append(f"measured with corpus {column.corpus}")
    return ", ".join(words)
