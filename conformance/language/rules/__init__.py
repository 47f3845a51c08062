"""The rules that a claim must keep, one module for each part of a claim."""

from __future__ import annotations

from pathlib import Path
from typing import Optional, Sequence
from dataclasses import dataclass, field
from conformance.language.documents import Document
from conformance.language.drafts import ClaimDraft
from conformance.language.problems import Problems
from conformance.language.sources import SourceList
from conformance.language.vocabulary import Entry, checks, dtype_classes, input_kinds


@dataclass(frozen=True)
class Context:
    checks: dict[str, Entry]
    input_kinds: dict[str, Entry]
    dtype_classes: tuple[str, ...]

    @classmethod
    def default(cls) -> Context:
        return cls(checks(), input_kinds(), dtype_classes())

def check_file(document, path, root, problems): pass
def check_claim(draft, sources, context, problems): pass
def check_entry(drafts, context, problems): pass
def check_corpus(drafts, files, root, problems): return drafts
