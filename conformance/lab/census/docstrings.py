"""The docstrings of the torch at hand, written out for a docs build without torch.

``python -m conformance.lab.census.docstrings OUTPUT`` writes every sentence that a claim of the corpus names by its
key; that file stays on the machine where it was made.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from conformance.language.corpus_cache import load_own_corpus
from conformance.language.sentences import find_sentences, sentence_hash
from conformance.run.worker.docstrings import docstring


def main(arguments: list[str]) -> int:
    """Write the quoted sentences as JSON to the path given."""
    import torch

    corpus, _ = load_own_corpus()
    quoted: dict[str, dict[str, str]] = {}
    for claim in corpus.claims:
        for source in claim.sources:
            if source.kind == "docs" and source.key:
                for sentence in find_sentences(docstring(source.name), source.key)[:1]:
                    quoted.setdefault(source.name, {})[sentence_hash(sentence)] = sentence
    document = {"torch": torch.__version__.split("+")[0], "cited": corpus.cited(), "sentences": quoted}
    Path(arguments[0]).write_text(json.dumps(document, indent=1, sort_keys=True), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
