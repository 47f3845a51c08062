"""The search of Sphinx: titles never become markup in it, and each word is stemmed once for all pages.

Older versions of Sphinx put the title of a section into the page of search results as HTML. Newer ones escape it there.
"""

from __future__ import annotations

import html
from pathlib import Path

import sphinx
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish


def escapes_by_itself() -> bool:
    """Whether the search of the installed Sphinx escapes titles."""
    script = Path(sphinx.__file__).parent / "themes" / "basic" / "static" / "searchtools.js"
    return "_escapeHTML(title)" in script.read_text(encoding="utf-8")


def escape_titles(app: Sphinx) -> tuple[()]:
    """Escape the titles of the search index once; it is written right after this."""
    indexer = getattr(app.builder, "indexer", None)
    if indexer is not None and not escapes_by_itself():
        for titles in indexer._all_titles.values():
            # An incremental build reads back what was escaped before.
            titles[:] = [(html.escape(html.unescape(title)), *rest) for title, *rest in titles]
    return ()


class StemmingOnce(SearchEnglish):
    """English, with the stems of words remembered: Sphinx makes them anew for each page, in a sixth of a build."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self._stems: dict[str, str] = {}

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        known = self._stems.get(word)
        if known is None:
            known = self._stems[word] = super().stem(word)
        return known
