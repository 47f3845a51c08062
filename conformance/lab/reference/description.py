"""What search engines and links elsewhere show of a page: its title and its first sentences."""

from __future__ import annotations

import re
from typing import Optional

from docutils import nodes
from markupsafe import Markup

from conformance.lab.reference.templates import html_part

#: Where a document keeps the description of its page, if it has another one than its first words.
ATTRIBUTE = "description"
_LONGEST = 155
_PARAGRAPH = re.compile(r"<p(?: class=\"(?!neighbours|in-torch|missing)[^\"]*\")?>(.*?)</p>", re.DOTALL)


def description_tag(doctree: object, title: str) -> Markup:
    """Return the tags with the description of a page, for search engines and for links; empty where it has no words."""
    if not isinstance(doctree, nodes.document):
        return Markup("")
    text = doctree.get(ATTRIBUTE) or _first_words(doctree)
    if not text:
        return Markup("")
    return Markup(
        '<meta name="description" content="{0}">\n<meta property="og:type" content="article">\n'
        '<meta property="og:title" content="{1}">\n<meta property="og:description" content="{0}">\n'
    ).format(_cut(text), Markup(title).striptags())


def _first_words(doctree: nodes.document) -> str:
    for node in doctree.findall(lambda node: isinstance(node, (nodes.paragraph, html_part))):
        if isinstance(node, nodes.paragraph):
            return node.astext()
        found: Optional[re.Match[str]] = _PARAGRAPH.search(node.astext())
        if found:
            return Markup(found[1]).striptags()
    return ""


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"
