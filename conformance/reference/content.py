"""All that the reference is made from: the corpus, the columns and the sentences."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Optional
from weakref import WeakKeyDictionary

from sphinx.config import Config

from conformance.census.record import Record as CensusRecord
from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Source
from conformance.language.sources import Article
from conformance.reference.columns import Column
from conformance.reference.history import History
from conformance.reference.impostors import Impostors
from conformance.reference.sentences import Sentences

SUBJECT = re.compile(r"[A-Za-z_]\w*(\.\w+)*|notes/[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)


@dataclass(frozen=True)
class Reference:
    """The content of a site."""

    corpus: Corpus
    columns: tuple[Column, ...] = ()
    sentences: Sentences = field(default_factory=Sentences)
    impostors: Impostors = field(default_factory=Impostors)
    census: Optional[CensusRecord] = None
    scaling: Optional[dict[str, list[float]]] = None

    @cached_property
    def history(self) -> History:
        """What became of each claim from release to release."""
        return History(self.corpus, self.columns)

    @cached_property
    def revision(self) -> str:
        """What the corpus measures, in one word."""
        return self.corpus.revision()

    @cached_property
    def subjects(self) -> dict[str, list[Claim]]:
        """The claims by subject, in the order of the alphabet."""
        grouped: dict[str, list[Claim]] = {}
        for claim in sorted(
            self.corpus.claims, key=lambda claim: (claim.subject.lower(), claim.place.path, claim.place.line)
        ):
            grouped.setdefault(claim.subject, []).append(claim)
        return grouped

    def claims_of_row(self, article: str, row: str) -> list[Claim]:
        """Give the claims that encode a row of an article."""
        return [
            claim
            for claim in self.corpus.claims
            if any(source.kind == "article" and (source.name, source.row) == (article, row) for source in claim.sources)
        ]

    def describe(self, source: Source) -> tuple[str, Optional[str]]:
        """Give the name and the address of a documented source."""
        if source.kind == "docs":
            return f"documentation of {source.name}", self.corpus.sources.url(source)
        return self.corpus.sources.title(source), self.corpus.sources.url(source)

    def place_of(self, claim: Claim) -> str:
        """Say where a claim is encoded, from the folder that holds the corpus."""
        path = Path(claim.place.path).resolve()
        root = self.corpus.root.resolve().parent
        shown = path.relative_to(root).as_posix() if root in path.parents else path.name
        return f"{shown}:{claim.place.line}"

    def articles(self) -> list[Article]:
        """Give the articles, in the order of their letters."""
        return [article for _, article in sorted(self.corpus.sources.articles.items())]

    def digest(self) -> str:
        """Change whenever a page would."""
        parts: list[Any] = [self.corpus.claims, self.corpus.sources, self.columns, self.sentences]
        parts += [self.impostors, self.census, self.scaling]
        return hashlib.sha256(repr(parts).encode()).hexdigest()


_REFERENCES: WeakKeyDictionary[Config, Reference] = WeakKeyDictionary()


def set_reference(config: Config, reference: Reference) -> None:
    """Remember the content that a build is made from."""
    _REFERENCES[config] = reference


def reference_of(config: Config) -> Reference:
    """Give the content that a build is made from."""
    return _REFERENCES[config]
