"""Everything that a source says and that is false, by cause: an index, and a page for each harm and reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional

from conformance.lab.views.causes import HARM_WORDS, CauseView, is_current
from conformance.lab.views.content import Content
from conformance.lab.views.costs import cost
from conformance.lab.views.falsehoods import UNEXPLAINED
from conformance.lab.views.reach import REACHES
from conformance.language.model import Claim

_UNEXPLAINED = "unexplained"
_NOT_SAID = "not-said"
#: For each of `REACHES` a page, its heading, and how many of its causes were seen; None where none is recorded.
HarmCells = tuple[Optional[tuple[str, str, int]], ...]
#: Causes on a page, and claims.
_MOST_CAUSES = 12
_MOST_CLAIMS = 45
#: Headings of pages by name: a page for what no record explains, and one for each harm and reach.
HEADINGS = {_UNEXPLAINED: "false, and not yet explained"}
#: The names of the pages of a harm, one for each of `REACHES`.
_PAGES = {harm: tuple(f"{harm or _NOT_SAID}-{reach.split()[0]}" for reach in REACHES) for harm in HARM_WORDS}
for _harm, _pages in _PAGES.items():
    HEADINGS.update((page, f"{HARM_WORDS[_harm]}, {reach}") for page, reach in zip(_pages, REACHES))


@dataclass(frozen=True)
class FalsePage:
    """A page about causes with one harm and reach, what costs people most first.

    Attributes
    ----------
    parts
        The names of all pages about these, where they need more than one.
    """

    heading: str
    causes: tuple[CauseView, ...]
    parts: tuple[str, ...]


@lru_cache(maxsize=4)
def false_pages(content: Content) -> dict[str, FalsePage]:
    """Return the pages that have something to show, by name: for each harm and reach as many as its causes fill."""
    groups: dict[str, list[CauseView]] = {}
    # What the newest release still does stands before what an earlier one did.
    for view in sorted(content.causes, key=lambda view: (not is_current(view, content.recorded), -cost(view, content))):
        groups.setdefault(_PAGES[view.cause.harm][view.reach.rank], []).append(view)
    found: dict[str, FalsePage] = {}
    for name, heading in HEADINGS.items():
        parts = list(_filling(groups.get(name, ())))
        names = [name, *(f"{name}-{number}" for number in range(2, len(parts) + 1))]
        for number, views in enumerate(parts):
            told = f"{heading} ({number + 1} of {len(parts)})" if len(parts) > 1 else heading
            found[names[number]] = FalsePage(told, views, tuple(names) if len(parts) > 1 else ())
    if unexplained_claims(content):
        found[_UNEXPLAINED] = FalsePage(HEADINGS[_UNEXPLAINED], (), ())
    return found


def _filling(views: Sequence[CauseView]) -> Iterator[tuple[CauseView, ...]]:
    """Yield the causes of one page after the other."""
    page: list[CauseView] = []
    for view in views:
        if page and (len(page) == _MOST_CAUSES or sum(len(one.claims) for one in (*page, view)) > _MOST_CLAIMS):
            yield tuple(page)
            page = []
        page.append(view)
    if page:
        yield tuple(page)


def false_count(content: Content) -> int:
    """Return how many facts are false as documented; a claim that nothing explains counts as one."""
    return sum(bool(view.environments) for view in content.causes) + len(unexplained_claims(content))


def harm_rows(content: Content) -> list[tuple[str, HarmCells]]:
    """Return each harm that some cause does, with its pages."""
    rows = ((HARM_WORDS[harm].capitalize(), _cells(pages, content)) for harm, pages in _PAGES.items())
    return [row for row in rows if any(row[1])]


def _cells(pages: tuple[str, ...], content: Content) -> HarmCells:
    every = false_pages(content)
    found = [
        (page, [one for name in every[page].parts or (page,) for one in every[name].causes])
        for page in pages
        if page in every
    ]
    counts = {page: sum(bool(view.environments) for view in views) for page, views in found}
    return tuple((page, HEADINGS[page], counts[page]) if page in counts else None for page in pages)


@lru_cache(maxsize=4)
def unexplained_claims(content: Content) -> tuple[Claim, ...]:
    """Return the claims that are false without a recorded divergence."""
    claims = content.corpus.claims
    return tuple(claim for claim in claims if any(cell.verdict in UNEXPLAINED for cell in content.cells(claim)))
