"""The pages of the reference: where each object is, and short files that only name a directive.

Nothing of a title or a note enters these files: only names that have been checked to be names.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Optional

from sphinx.errors import ExtensionError

from conformance.lab.views.causes import file_name
from conformance.lab.views.content import SUBJECT, Content
from conformance.lab.views.falsehood_pages import false_pages
from conformance.lab.views.running_text import Target
from conformance.language.addresses import page_name

#: An index leads to each of these pages; in the sidebar of every page they would cost the square of their number.
_ORPHAN = ":orphan:\n\n"
_KEY = re.compile(r"[A-Za-z0-9]+", re.ASCII)


class Places:
    """Where each object of the reference is: a document and an anchor.

    Parameters
    ----------
    folder
        The folder of the pages, relative to the source folder.
    """

    def __init__(self, content: Content, folder: str) -> None:
        self._folder = folder
        self._found: dict[Target, tuple[str, str]] = {}
        for subject in content.pages:
            page = f"{folder}/{page_name(subject)}"
            self._found[Target("subject", subject)] = (page, "")
            for claim in content.subjects.get(subject, ()):
                self._found[Target("claim", claim.id)] = (page, claim.slug)
        for article in content.articles:
            page = f"{folder}/articles/{article.letter}"
            self._found[Target("article", article.letter)] = (page, "")
            for row in article.rows:
                self._found[Target("row", row)] = (page, row.lower())
        for release in content.releases:
            self._found[Target("release", release)] = (f"{folder}/releases/{release}", "")
        for page, shown in false_pages(content).items():
            for view in shown.causes:
                self._found[Target("cause", view.cause.id)] = (self.false(page), file_name(view))

    def of(self, target: Target) -> Optional[tuple[str, str]]:
        """Return where an object is; `None` where there is none of that name."""
        return self._found.get(target)

    def page(self, name: str) -> str:
        """Return the document of a name, as it is called by its page."""
        return f"{self._folder}/{name}"

    def false(self, page: str) -> str:
        """Return the document of what is false with one harm and reach."""
        return f"{self._folder}/false/{page}"


@lru_cache(maxsize=4)
def places_of(content: Content, folder: str) -> Places:
    """Return where the objects of a site are."""
    return Places(content, folder)


def write_pages(folder: Path, content: Content) -> None:
    """Write the pages; leave those alone that stay the same, and remove those of an earlier build that are gone."""
    pages = {folder / name: text for name, text in _pages(content).items()}
    for path in sorted(folder.rglob("*.rst")):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _pages(content: Content) -> dict[str, str]:
    pages: dict[str, str] = {}
    for subject in content.pages:
        if not SUBJECT.fullmatch(subject):
            raise ExtensionError(f"{subject!r} is no name of a subject, so it gets no page")
        pages[f"{page_name(subject)}.rst"] = _ORPHAN + _page(subject, f".. claim:subject:: {subject}")
    for key in (article.letter for article in content.articles):
        if not _KEY.fullmatch(key):
            raise ExtensionError(f"{key!r} is no key of an article, so it gets no page")
        pages[f"articles/{key}.rst"] = _ORPHAN + _page(f"Article {key}", f".. claim:article:: {key}")
    pages["articles/index.rst"] = _page("Articles", ".. claim:articles::")
    for release in content.releases:
        title = f"What changed in torch {release}"
        pages[f"releases/{release}.rst"] = _ORPHAN + _page(title, f".. claim:release:: {release}")
    pages["releases/index.rst"] = _page("Releases", ".. claim:releases::")
    for page, shown in false_pages(content).items():
        title = f"Documented and false: {shown.heading}"
        pages[f"false/{page}.rst"] = _ORPHAN + _page(title, f".. claim:false-page:: {page}")
    pages["index.rst"] = _page("Subjects", ".. claim:subjects::")
    return pages


def _page(title: str, *body: str) -> str:
    escaped = title.replace("_", "\\_")
    return "\n".join([escaped, "=" * len(escaped), "", *body, ""])
