"""The docstrings of the torch at hand: found by public name, and written out for a docs build without torch.

Run as ``python -m conformance.census.docstrings OUTPUT`` it writes every sentence that a claim of the corpus names by
its key; that file stays on the machine where it was made.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from typing import Any, Optional

from conformance.census.sentences import find_sentences, sentence_hash
from conformance.language.corpus import default_root, load_corpus


def resolve(name: str) -> Any:
    """Return the object behind a public dotted name.

    Raises
    ------
    LookupError
        If this torch has no such object.
    """
    parts = name.split(".")
    # An attribute hides a module of the same name: torch.autograd.gradcheck is the function.
    for length in range(len(parts) - 1, 0, -1):
        try:
            return _attribute(importlib.import_module(".".join(parts[:length])), parts[length:])
        except (ImportError, LookupError):
            continue
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LookupError(name) from None


def _attribute(holder: Any, path: list[str]) -> Any:
    for part in path:
        # getattr_static first: a descriptor such as Tensor.grad must not be called on the class
        try:
            found = inspect.getattr_static(holder, part)
        except AttributeError:
            try:
                found = getattr(holder, part)
            except AttributeError:
                raise LookupError(part) from None
        if isinstance(found, (staticmethod, classmethod)):
            found = getattr(holder, part)
        holder = found
    return holder


def exists(name: str) -> bool:
    """Say whether this torch has a public object of that name; a page of the documentation always counts as there."""
    if name.startswith("notes/"):
        return True
    try:
        resolve(name)
    except LookupError:
        return False
    return True


def docstring(name: str) -> Optional[str]:
    """Return the docstring of a public name, or None where there is none."""
    try:
        text = getattr(resolve(name), "__doc__", None)
    except LookupError:
        return None
    return text if isinstance(text, str) else None


def key_hash(name: str, key: str) -> Optional[str]:
    """Return the hash of the first sentence of an object's docstring that contains a key, or None."""
    found = find_sentences(docstring(name), key)
    return sentence_hash(found[0]) if found else None


def main(arguments: list[str]) -> int:
    """Write the quoted sentences as JSON to the path given."""
    import torch

    corpus, _ = load_corpus([default_root()])
    quoted: dict[str, dict[str, str]] = {}
    for claim in corpus.claims:
        for source in claim.sources:
            if source.kind == "docs" and source.key:
                for sentence in find_sentences(docstring(source.name), source.key)[:1]:
                    quoted.setdefault(source.name, {})[sentence_hash(sentence)] = sentence
    document = {"torch": torch.__version__.split("+")[0], "sentences": quoted}
    Path(arguments[0]).write_text(json.dumps(document, indent=1, sort_keys=True), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
