"""Sentences of the installed documentation, read from a cache that a command with torch wrote."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from conformance.language.model import Claim, Source
from conformance.reference.columns import Column

LONGEST = 2000


@dataclass(frozen=True)
class Sentences:
    """The sentences of one torch: object → hash → text. Empty where no torch was at hand."""

    torch: str = ""
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def find(self, source: Source, hashes: Sequence[str]) -> Optional[str]:
        """Find the sentence of a source: by a hash that was measured, else by the source's key."""
        texts = self.texts.get(source.name, {})
        for wanted in hashes:
            if wanted in texts:
                return texts[wanted][:LONGEST]
        key = " ".join((source.key or "").lower().split())
        if not key:
            return None
        for text in texts.values():
            if key in " ".join(text.lower().split()):
                return text[:LONGEST]
        return None


def load_sentences(path: Optional[Path]) -> Sentences:
    """Read the cache; without a file there are no sentences."""
    if path is None or not path.is_file():
        return Sentences()
    document = json.loads(path.read_text(encoding="utf-8"))
    texts = document.get("sentences", {})
    return Sentences(
        torch=str(document.get("torch", "")),
        texts={str(name): {str(key): str(text) for key, text in found.items()} for name, found in texts.items()},
    )


def collect_sentences(path: Path) -> bool:
    """Write the cache with the torch of this Python, if there is one; say whether nothing went wrong."""
    if importlib.util.find_spec("torch") is None:
        return True
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "conformance.census.docstrings", str(path)]
    return subprocess.run(command, check=False).returncode == 0 and path.is_file()


@dataclass(frozen=True)
class Trace:
    """What became of one sentence in one environment: ``there``, ``reworded`` or ``missing``."""

    column: Column
    state: str


def trace(claim: Claim, source: Source, columns: Sequence[Column]) -> tuple[list[Trace], list[str]]:
    """Follow a documented sentence through the environments; also give its hashes, the newest torch's first.

    The sentence of the newest environment that has one is what the others are compared with.
    """
    documented = [item for item in claim.sources if item.kind == "docs"]
    position = documented.index(source)
    found: list[tuple[Column, Any]] = []
    for column in columns:
        keys = column.cell(claim).get("keys") or []
        if position < len(keys):
            found.append((column, keys[position]))
    hashes = list(dict.fromkeys(key for _, key in reversed(found) if key))
    traces = []
    for column, key in found:
        state = "missing" if key is None else "there" if key == hashes[0] else "reworded"
        traces.append(Trace(column, state))
    return traces, hashes
