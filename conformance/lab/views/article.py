"""An article: every row of what it says, and whether that holds."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.lab.views.content import Content
from conformance.lab.views.falsehoods import false_somewhere
from conformance.lab.views.pieces import Text, link, linked, prose, words
from conformance.lab.views.strip import Line, strip
from conformance.language.model import Claim
from conformance.language.sources import Article, Row

_LANGUAGES = {"en": "English", "ja": "Japanese", "ko": "Korean"}


@dataclass(frozen=True)
class ClaimLine:
    """A claim in a list: its title, its id and its verdicts."""

    title: Text
    id: str
    verdicts: tuple[Line, ...]


@dataclass(frozen=True)
class RowView:
    """A row with the claims that encode it."""

    id: str
    text: Text
    loose: bool
    claims: tuple[ClaimLine, ...]


@dataclass(frozen=True)
class ArticleView:
    """An article with its rows; ``facts`` are a name and a text each."""

    title: Text
    facts: tuple[tuple[str, Text], ...]
    rows: tuple[RowView, ...]
    loose: int


@dataclass(frozen=True)
class ArticleSummary:
    """An article in the list of all: how many rows it has, and how many of them are false somewhere."""

    name: Text
    rows: int
    false: int
    facts: str


def article_view(article: Article, content: Content) -> ArticleView:
    """Return an article as a reader sees it."""
    address: list[tuple[str, Text]] = [("Address", link(None, article.url))] if article.url else []
    return ArticleView(
        prose(article.title),
        (*address, *((name, words(text)) for name, text in _facts(article))),
        tuple(_row(article, row, content) for row in article.rows.values()),
        sum(row.loose for row in article.rows.values()),
    )


def article_summaries(content: Content) -> tuple[ArticleSummary, ...]:
    """Return all articles in brief."""
    return tuple(_summary(article, content) for article in content.articles)


def claim_line(claim: Claim, content: Content) -> ClaimLine:
    """Return a claim as an item of a list."""
    return ClaimLine(linked(claim.title, "claim", claim.id), claim.id, strip(claim, content.cells(claim)))


def _summary(article: Article, content: Content) -> ArticleSummary:
    false = sum(
        any(false_somewhere(content.cells(claim)) for claim in content.claims_of_row(article.letter, row))
        for row in article.rows
    )
    name = linked(f"{article.letter}: {article.title}", "article", article.letter)
    return ArticleSummary(name, len(article.rows), false, ", ".join(text for _, text in _facts(article)))


def _row(article: Article, row: Row, content: Content) -> RowView:
    claims = content.claims_of_row(article.letter, row.id)
    return RowView(row.id, prose(row.text), row.loose, tuple(claim_line(claim, content) for claim in claims))


def _facts(article: Article) -> list[tuple[str, str]]:
    language = ", ".join(_LANGUAGES.get(code.strip(), code.strip()) for code in article.language.split(","))
    facts = (
        ("Original title", article.original),
        ("Site", article.site),
        ("Author", article.author),
        ("Date", article.date),
        ("Language", language),
        ("Environment it names", article.environment),
    )
    return [(name, text) for name, text in facts if text]
