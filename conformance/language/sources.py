"""The documents that claims cite, ``spec/sources.yaml``, and the causes that stand beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Union

from conformance.language.causes import read_causes
from conformance.language.documents import Mapping, Node, open_document
from conformance.language.model import Cause, Source
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes

FILE_NAME = "sources.yaml"


@dataclass(frozen=True)
class Page:
    """A page of the documentation that is not one object's, or the notes of a release."""

    name: str
    title: str
    url: str


@dataclass(frozen=True)
class Row:
    """A claim of an article, in our own words; a loose one is wrong, loose or dependent as the article puts it."""

    id: str
    text: str
    loose: bool = False


@dataclass(frozen=True)
class Article:
    """A post that people read. What is not known of it is None."""

    letter: str
    title: str
    original: Optional[str]
    site: Optional[str]
    author: Optional[str]
    date: Optional[str]
    language: str
    url: Optional[str]
    environment: Optional[str]
    rows: MappingType[str, Row]


@dataclass(frozen=True)
class SourceList:
    """Everything that a claim can cite, and the causes that its divergences can name.

    Attributes
    ----------
    docs : str
        Address of the page of an object of torch in the documentation, with ``{object}`` in the place of its name.
    elsewhere : mapping of str to str
        Address by object, for those whose page is another.
    notes, releases : mapping of str to Page
        Pages by the name that a claim's ``note`` gives, and release notes by version.
    articles : mapping of str to Article
        Articles by letter.
    causes : mapping of str to Cause
        Facts about torch by id.
    """

    docs: str = ""
    elsewhere: MappingType[str, str] = field(default_factory=dict)
    notes: MappingType[str, Page] = field(default_factory=dict)
    releases: MappingType[str, Page] = field(default_factory=dict)
    articles: MappingType[str, Article] = field(default_factory=dict)
    causes: MappingType[str, Cause] = field(default_factory=dict)

    def url(self, source: Source) -> Optional[str]:
        """Look up the address of a source, where it is known."""
        if source.kind == "docs":
            base = self.docs if source.name.partition(".")[0] == "torch" else ""
            return self.elsewhere.get(source.name) or base.replace("{object}", source.name) or None
        cited = self._cited(source)
        return cited.url if cited else None

    def title(self, source: Source) -> str:
        """Tell what to call a source in a list."""
        cited = self._cited(source)
        return cited.title if cited else source.name

    def joined(self, other: SourceList) -> SourceList:
        """Add another list's entries to these; the other's win."""
        return SourceList(
            other.docs or self.docs,
            {**self.elsewhere, **other.elsewhere},
            {**self.notes, **other.notes},
            {**self.releases, **other.releases},
            {**self.articles, **other.articles},
            {**self.causes, **other.causes},
        )

    def _cited(self, source: Source) -> Union[Page, Article, None]:
        """Return what is known of a source that is no docstring."""
        known: dict[str, MappingType[str, Union[Page, Article]]]
        known = {"note": self.notes, "release": self.releases, "article": self.articles}
        return known.get(source.kind, {}).get(source.name)


def read_sources(path: Path, problems: Problems) -> SourceList:
    """Read a ``sources.yaml`` and the causes beside it; entries with a problem are left out."""
    document = open_document(path, problems)
    causes = SourceList(causes=read_causes(path.parent, problems))
    if document is None or document.root is None:
        return causes
    return causes.joined(_SourceReader(Shapes(document, problems)).read(document.root))


class _SourceReader:
    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def read(self, root: Node) -> SourceList:
        top = self.shapes.mapping(root, "a list of sources", ("docs", "notes", "releases", "articles"))
        if top is None:
            return SourceList()
        docs, elsewhere = self._docs(top.entries["docs"]) if "docs" in top.entries else ("", {})
        articles = (
            self._article(letter, node) for letter, node in self._table(top, "articles", "an article by letter")
        )
        return SourceList(
            docs,
            elsewhere,
            self._pages(top, "note"),
            self._pages(top, "release"),
            {article.letter: article for article in articles if article is not None},
        )

    def _table(self, parent: Mapping, name: str, wanted: str) -> Iterable[tuple[str, Node]]:
        """Return the entries of a mapping whose keys are the author's own, where there is one."""
        node = parent.entries.get(name)
        table = self.shapes.any_mapping(node, f"`{name}`", wanted) if node is not None else None
        return table.entries.items() if table else ()

    def _docs(self, node: Node) -> tuple[str, dict[str, str]]:
        docs = self.shapes.mapping(node, "`docs`", ("base", "elsewhere"), ("base",))
        if docs is None:
            return "", {}
        entries = self._table(docs, "elsewhere", "an address for each object")
        read = {name: self.shapes.address(value, f"the address of {name}") for name, value in entries}
        return self._text(docs, "base") or "", {name: url for name, url in read.items() if url}

    def _pages(self, top: Mapping, kind: str) -> dict[str, Page]:
        found: dict[str, Page] = {}
        for name, value in self._table(top, f"{kind}s", f"a {kind} by name"):
            page = self.shapes.mapping(value, f"{kind} '{name}'", ("title", "url"), ("title", "url"))
            if page is not None:
                title, url = self._text(page, "title"), self.shapes.address(page.entries.get("url"), "`url`")
                if title and url:
                    found[name] = Page(name, title, url)
        return found

    def _article(self, letter: str, node: Node) -> Optional[Article]:
        texts = ("title", "original", "site", "author", "date", "language", "environment")
        required = ("title", "language", "rows")
        article = self.shapes.mapping(node, f"article '{letter}'", (*texts, "url", "rows"), required)
        if article is None:
            return None
        url = self.shapes.address(article.entries.get("url"), "`url`")
        read = {name: self._text(article, name) for name in texts}
        rows = dict(self._rows(article, letter))
        title, language = read.pop("title"), read.pop("language")
        return Article(letter, title, language=language, url=url, rows=rows, **read) if title and language else None

    def _rows(self, article: Mapping, letter: str) -> Iterator[tuple[str, Row]]:
        for name, value in self._table(article, "rows", "a text by row"):
            if not re.fullmatch(re.escape(letter) + "[1-9][0-9]*", name):
                message = (
                    f"'{name}' is not the id of a row of article {letter}; rows are {letter}1, {letter}2 and so on"
                )
                rows = article.entries["rows"]
                assert isinstance(rows, Mapping)
                self.shapes.problems.add(self.shapes.document.place(rows.keys[name]), "E301", message)
            elif isinstance(value, Mapping):
                row = self.shapes.mapping(value, f"row {name}", ("text", "loose"), ("text",))
                text = self._text(row, "text") if row else None
                loose = self.shapes.truth(value.entries.get("loose"), "`loose`")
                if text:
                    yield name, Row(name, text, bool(loose))
            else:
                scalar = self.shapes.text(value, f"row {name}")
                if scalar:
                    yield name, Row(name, scalar.value)

    def _text(self, mapping: Mapping, name: str) -> Optional[str]:
        scalar = self.shapes.text(mapping.entries.get(name), f"`{name}`")
        return scalar.value if scalar else None
