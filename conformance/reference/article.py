"""The page of an article: every row of what it says, and whether that holds."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes

from conformance.language.model import Claim
from conformance.language.sources import Article, Row
from conformance.reference import markup
from conformance.reference.columns import Column
from conformance.reference.content import Reference
from conformance.reference.strip import strip

LANGUAGES = {"en": "English", "ja": "Japanese", "ko": "Korean"}


def article_blocks(article: Article, reference: Reference, document: str) -> list[nodes.Node]:
    """Show where the article is, then its rows."""
    facts: list[tuple[list[markup.Inline], list[nodes.Node]]] = []
    if article.url:
        facts.append((["Address"], [markup.paragraph(markup.link(None, article.url))]))
    for name, text in article_facts(article):
        facts.append(([name], [markup.paragraph(nodes.Text(text))]))
    blocks: list[nodes.Node] = [markup.definitions(facts, "facts")] if facts else []
    loose = sum(1 for row in article.rows.values() if row.loose)
    blocks.append(
        markup.paragraph(
            f"The article says {len(article.rows)} things, put here in our own words. {loose} of them "
            f"{'is' if loose == 1 else 'are'} marked as loose: wrong, imprecise, or true on some versions or devices "
            "only. Each is encoded as the article means it."
        )
    )
    blocks += [row_block(article, row, reference, document) for row in article.rows.values()]
    return blocks


def article_facts(article: Article) -> list[tuple[str, str]]:
    """Give what is known of an article, as pairs of a name and a text."""
    language = ", ".join(LANGUAGES.get(code.strip(), code.strip()) for code in article.language.split(","))
    facts = (
        ("Original title", article.original),
        ("Site", article.site),
        ("Author", article.author),
        ("Date", article.date),
        ("Language", language),
        ("Environment it names", article.environment),
    )
    return [(name, text) for name, text in facts if text]


def row_block(article: Article, row: Row, reference: Reference, document: str) -> nodes.Node:
    """Show one row with the claims that encode it."""
    heading = markup.paragraph(nodes.strong("", row.id), " ", row.text, classes=["row-text"])
    if row.loose:
        heading += nodes.Text(" ")
        heading += markup.span("? loose", "loose")
    claims = reference.claims_of_row(article.letter, row.id)
    block = markup.box(heading, classes=["row"])
    block["ids"] = [row.id.lower()]
    if not claims:
        block += markup.paragraph("No claim encodes this row yet.", classes=["missing"])
    for claim in claims:
        block += claim_line(claim, reference.columns, document)
    return block


def claim_line(claim: Claim, columns: Sequence[Column], document: str) -> nodes.Node:
    """Show a claim in a list: its title, its id and its verdicts."""
    title = markup.paragraph(
        markup.cite("claim", claim.id, document, nodes.inline("", "", *markup.prose(claim.title))),
        classes=["claim-title"],
    )
    return markup.box(
        title, markup.paragraph(markup.code(claim.id, "claim-id")), strip(claim, columns), classes=["claim-brief"]
    )
