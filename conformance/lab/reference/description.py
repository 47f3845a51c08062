"""What search engines show of a page: its first sentences, as the description of the page."""

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


def description_tag(doctree: object) -> Markup:
    """Return the tag with the description of a page; empty where it has no words."""
    if not isinstance(doctree, nodes.document):
        return Markup("")
    text = doctree.get(ATTRIBUTE) or _first_words(doctree)
    return Markup('<meta name="description" content="{}">\n').format(_cut(text)) if text else Markup("")


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
