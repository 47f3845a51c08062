"""The pages of the reference, written as short files that only name a directive.

Nothing of a title or a note enters these files: only names that have been checked to be names.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.errors import ExtensionError

from conformance.reference.content import SUBJECT, Reference
from conformance.reference.release_page import releases_with_a_page
from conformance.results.pages import page_name

#: The page of all subjects links to each; in the sidebar of every page they would cost the square of their number.
_ORPHAN = ":orphan:\n\n"


def write_pages(folder: Path, reference: Reference) -> None:
    """Write the pages; leave those alone that stay the same, and remove those of an earlier build that are gone."""
    pages = {folder / name: text for name, text in _pages(reference).items()}
    for path in sorted(folder.rglob("*.rst")):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _pages(reference: Reference) -> dict[str, str]:
    subjects = list(reference.subjects)
    files = {subject: page_name(subject) for subject in subjects}
    pages: dict[str, str] = {}
    for subject in subjects:
        if not SUBJECT.fullmatch(subject):
            raise ExtensionError(f"{subject!r} is no name of a subject, so it gets no page")
        pages[f"{files[subject]}.rst"] = _ORPHAN + _page(subject, f".. claim:subject:: {subject}")
    articles = [article.letter for article in reference.articles()]
    for key in articles:
        if not re.fullmatch(r"[A-Za-z0-9]+", key, re.ASCII):
            raise ExtensionError(f"{key!r} is no key of an article, so it gets no page")
        pages[f"articles/{key}.rst"] = _page(f"Article {key}", f".. claim:article:: {key}")
    pages["articles/index.rst"] = _page("Articles", ".. claim:articles::", *_hidden_toctree(articles))
    releases = releases_with_a_page(reference)
    for release in releases:
        pages[f"releases/{release}.rst"] = _page(f"What changed in torch {release}", f".. claim:release:: {release}")
    entries = [f"{release} <{release}>" for release in releases[::-1]]
    pages["releases/index.rst"] = _page("Releases", ".. claim:releases::", *_hidden_toctree(entries))
    pages["index.rst"] = _page("Subjects", ".. claim:subjects::")
    return pages


def _page(title: str, *body: str) -> str:
    escaped = title.replace("_", "\\_")
    return "\n".join([escaped, "=" * len(escaped), "", *body, ""])


def _hidden_toctree(names: list[str]) -> list[str]:
    if not names:
        return []
    return ["", ".. toctree::", "   :hidden:", "", *[f"   {name}" for name in names]]
