"""What every page says about itself: the version, the corpus and the environments."""

from __future__ import annotations

import conformance
from conformance.lab.reference.loaded import Parts, items
from conformance.lab.views.content import Content
from conformance.lab.views.overview import environment_in_words
from conformance.lab.views.pieces import words

#: The name of the file of environments, and of their part in it.
ENVIRONMENTS = "environments"


def footer(content: Content) -> dict[str, object]:
    """Return the words of the footer; the template escapes them."""
    torch = content.sentences.torch
    return {
        "version": conformance.__version__,
        "corpus": content.revision,
        "claims": content.corpus.counts().in_words(),
        "environments": len(content.recorded.environments),
        "sentences": f"torch {torch}" if torch else "",
    }


def environments(content: Content) -> Parts:
    """Return what the footer loads: everything that each environment was measured with."""
    found = [words(environment_in_words(it, content.revision)) for it in content.recorded.environments]
    return {ENVIRONMENTS: [items(found)]}
