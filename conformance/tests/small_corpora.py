"""Corpora of a file or two, for tests that need no more."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from conformance.language.corpus import Corpus, load_corpus


def small_corpus(folder: Path, sources: str, files: Mapping[str, str]) -> Corpus:
    """Write a list of sources and spec files by their names into a folder, and load them; they must be valid."""
    (folder / "sources.yaml").write_text(sources)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    found, problems = load_corpus([folder], folder)
    assert not problems, problems[0]
    return found
