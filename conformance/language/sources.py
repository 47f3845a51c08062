"""The documents that claims cite: ``spec/sources.yaml``."""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingType
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from conformance.language.documents import Mapping, Node, Scalar, read_document
from conformance.language.model import Place, Source
from conformance.language.places import display_path
from conformance.language.problems import Problem, Problems
from conformance.language.shapes import Shapes

FILE_NAME = "sources.yaml"

_URL = re.compile(r"https?://[^\s<>\"']+")


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
    """Everything that a claim can cite.

    Attributes
    ----------
    docs : str
        Address of an object's page in the documentation, with ``{object}`` in the place of its name.
    elsewhere : mapping of str to str
        Address by object, for those whose page is another.
    notes, releases : mapping of str to Page
        Pages by the name that a claim's ``note`` gives, and release notes by version.
    articles : mapping of str to Article
        Articles by letter.
    """

    docs: str = ""
    elsewhere: MappingType[str, str] = field(default_factory=dict)
    notes: MappingType[str, Page] = field(default_factory=dict)
    releases: MappingType[str, Page] = field(default_factory=dict)
    articles: MappingType[str, Article] = field(default_factory=dict)

    def url(self, source: Source) -> Optional[str]:
        """Look up the address of a source, where it is known."""
        if source.kind == "docs":
            return self.elsewhere.get(source.name) or self.docs.replace("{object}", source.name) or None
        if source.kind == "article":
            article = self.articles.get(source.name)
            return article.url if article else None
        page = self._pages(source.kind).get(source.name)
        return page.url if page else None

    def title(self, source: Source) -> str:
        """Tell what to call a source in a list."""
        if source.kind == "docs":
            return source.name
        if source.kind == "article":
            article = self.articles.get(source.name)
            return article.title if article else source.name
        page = self._pages(source.kind).get(source.name)
        return page.title if page else source.name

    def joined(self, other: SourceList) -> SourceList:
        """Add another list's entries to these; the other's win."""
        return SourceList(
            other.docs or self.docs,
            {**self.elsewhere, **other.elsewhere},
            {**self.notes, **other.notes},
            {**self.releases, **other.releases},
            {**self.articles, **other.articles},
        )

    def _pages(self, kind: str) -> MappingType[str, Page]:
        return self.notes if kind == "note" else self.releases


def load_sources(path: Path) -> tuple[SourceList, list[Problem]]:
    """Read a ``sources.yaml``; entries with a problem are left out."""
    problems = Problems()
    sources = read_sources(path, problems)
    return sources, problems.sorted()


def read_sources(path: Path, problems: Problems) -> SourceList:
    """As `load_sources`, with the problems added to others."""
    name = display_path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        problems.add(Place(name, 1, 1), "E001", f"can't be read: {error.strerror or error}")
        return SourceList()
    document = read_document(name, content, problems)
    if document is None or document.root is None:
        return SourceList()
    return _SourceReader(Shapes(document, problems)).read(document.root)


class _SourceReader:
    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes

    def read(self, root: Node) -> SourceList:
        top = self.shapes.mapping(root, "a list of sources", ("docs", "notes", "releases", "articles"))
        if top is None:
            return SourceList()
        docs, elsewhere = self._docs(top.entries.get("docs"))
        return SourceList(
            docs,
            elsewhere,
            self._pages(top.entries.get("notes"), "note"),
            self._pages(top.entries.get("releases"), "release"),
            self._articles(top.entries.get("articles")),
        )

    def _docs(self, node: Optional[Node]) -> tuple[str, dict[str, str]]:
        if node is None:
            return "", {}
        docs = self.shapes.mapping(node, "`docs`", ("base", "elsewhere"), ("base",))
        if docs is None:
            return "", {}
        base = self.shapes.text(docs.entries.get("base"), "`base`")
        elsewhere: dict[str, str] = {}
        if "elsewhere" in docs.entries:
            table = self.shapes.any_mapping(docs.entries["elsewhere"], "`elsewhere`", "an address for each object")
            for name, value in table.entries.items() if table else ():
                url = self._url(value, f"the address of {name}")
                if url:
                    elsewhere[name] = url
        return base.value if base else "", elsewhere

    def _pages(self, node: Optional[Node], kind: str) -> dict[str, Page]:
        found: dict[str, Page] = {}
        table = self.shapes.any_mapping(node, f"`{kind}s`", f"a {kind} by name") if node is not None else None
        for name, value in table.entries.items() if table else ():
            page = self.shapes.mapping(value, f"{kind} '{name}'", ("title", "url"), ("title", "url"))
            if page is None:
                continue
            title = self.shapes.text(page.entries.get("title"), "`title`")
            url = self._url(page.entries.get("url"), "`url`")
            if title and url:
                found[name] = Page(name, title.value, url)
        return found

    def _articles(self, node: Optional[Node]) -> dict[str, Article]:
        found: dict[str, Article] = {}
        table = self.shapes.any_mapping(node, "`articles`", "an article by letter") if node is not None else None
        for letter, value in table.entries.items() if table else ():
            article = self._article(letter, value)
            if article:
                found[letter] = article
        return found

    def _article(self, letter: str, node: Node) -> Optional[Article]:
        optional = ("original", "site", "author", "date", "url", "environment")
        keys = ("title", "language", *optional, "rows")
        article = self.shapes.mapping(node, f"article '{letter}'", keys, ("title", "language", "rows"))
        if article is None:
            return None
        texts = {name: self._text(article, name) for name in keys[:-1]}
        rows = self._rows(article.entries.get("rows"), letter)
        title, language = texts["title"], texts["language"]
        if title is None or language is None:
            return None
        url = self._url(article.entries.get("url"), "`url`")
        return Article(
            letter,
            title,
            texts["original"],
            texts["site"],
            texts["author"],
            texts["date"],
            language,
            url,
            texts["environment"],
            rows,
        )

    def _rows(self, node: Optional[Node], letter: str) -> dict[str, Row]:
        found: dict[str, Row] = {}
        table = self.shapes.any_mapping(node, "`rows`", "a text by row") if node is not None else None
        for name, value in table.entries.items() if table else ():
            if not re.fullmatch(re.escape(letter) + "[1-9][0-9]*", name) and table:
                self.shapes.problems.add(
                    self.shapes.document.place(table.keys[name]),
                    "E301",
                    f"'{name}' is not the id of a row of article {letter}; rows are {letter}1, {letter}2 and so on",
                )
                continue
            loose: Optional[bool] = False
            text: Optional[Scalar]
            if isinstance(value, Mapping):
                row = self.shapes.mapping(value, f"row {name}", ("text", "loose"), ("text",))
                text = self.shapes.text(value.entries.get("text"), "`text`") if row else None
                loose = self.shapes.truth(value.entries.get("loose"), "`loose`")
            else:
                text = self.shapes.text(value, f"row {name}")
            if text:
                found[name] = Row(name, text.value, bool(loose))
        return found

    def _text(self, mapping: Mapping, name: str) -> Optional[str]:
        scalar = self.shapes.text(mapping.entries.get(name), f"`{name}`")
        return scalar.value if scalar else None

    def _url(self, node: Optional[Node], what: str) -> Optional[str]:
        scalar = self.shapes.text(node, what)
        if scalar is None:
            return None
        if not _URL.fullmatch(scalar.value):
            self.shapes.problems.add(
                self.shapes.document.place(scalar),
                "E703",
                f"{what} is not an address; write it in full, from https:// on",
            )
            return None
        return scalar.value


def is_url(text: str) -> bool:
    """Whether text is the full address of a page."""
    return _URL.fullmatch(text) is not None
