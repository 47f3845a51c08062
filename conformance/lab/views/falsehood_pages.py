"""Everything that a source says and that is false, by cause: an index, and a page for each harm and reach."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Optional

from conformance.lab.views.causes import HARM_WORDS, CauseView, file_name, status
from conformance.lab.views.claim import Quote, claim_history, quotes, source_link
from conformance.lab.views.content import Content
from conformance.lab.views.costs import CostlyCause, by_cost, cost
from conformance.lab.views.falsehoods import NOT_FILED, UNEXPLAINED, Falsehood, falsehoods
from conformance.lab.views.pieces import Text, joined, linked, prose, text_of
from conformance.lab.views.reach import REACHES
from conformance.lab.views.strip import Line, strip
from conformance.language.condition_words import KINDS
from conformance.language.model import Claim

_UNEXPLAINED = "unexplained"
_NOT_SAID = "not-said"
_SHOWN = 20
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


@dataclass(frozen=True)
class FalseClaim:
    """A claim with the ways in which it is false for one cause."""

    claim: Claim
    title: Text
    sources: Text
    quotes: tuple[Quote, ...]
    verdicts: tuple[Line, ...]
    history: tuple[tuple[str, str], ...]
    falsehoods: tuple[Falsehood, ...]


@dataclass(frozen=True)
class FalseCause:
    """A cause as its page shows it; ``anchor`` is its place there."""

    anchor: str
    heading: str
    kind: str
    reach: str
    seen: str
    note: Text
    status: Text
    wording: Text
    script: str
    claims: tuple[FalseClaim, ...]


@dataclass(frozen=True)
class HarmCell:
    """How many causes with one harm and one reach were seen, and the page about them."""

    page: str
    heading: str
    count: int


@dataclass(frozen=True)
class HarmRow:
    """How many causes do a harm, for each of `REACHES`; `None` where no cause is recorded."""

    heading: str
    cells: tuple[Optional[HarmCell], ...]


@dataclass(frozen=True)
class FalseIndex:
    """What was seen to be false.

    Attributes
    ----------
    recorded, seen : int
        Causes, and those of them that some measured environment showed.
    unexplained : int
        Claims that are false without a recorded divergence.
    rows : tuple of HarmRow
        The causes seen, by harm and reach.
    worst : tuple of CostlyCause
        What costs people most.
    """

    recorded: int
    seen: int
    unexplained: int
    rows: tuple[HarmRow, ...]
    worst: tuple[CostlyCause, ...]

    @property
    def false(self) -> int:
        """How many facts are false as documented; a claim that nothing explains counts as one."""
        return self.seen + self.unexplained


@lru_cache(maxsize=4)
def false_pages(content: Content) -> dict[str, FalsePage]:
    """Return the pages that have something to show, by name: for each harm and reach as many as its causes fill."""
    groups: dict[str, list[CauseView]] = {}
    newest = max((view.newest for view in content.causes), default=None)
    # What the newest release still does stands before what an earlier one did.
    for view in sorted(content.causes, key=lambda view: (view.newest != newest, -cost(view, content))):
        groups.setdefault(_PAGES[view.cause.harm][view.reach.rank], []).append(view)
    found: dict[str, FalsePage] = {}
    for name, heading in HEADINGS.items():
        parts = list(_filling(groups.get(name, ())))
        names = [name, *(f"{name}-{number}" for number in range(2, len(parts) + 1))]
        for number, views in enumerate(parts):
            told = f"{heading} ({number + 1} of {len(parts)})" if len(parts) > 1 else heading
            found[names[number]] = FalsePage(told, views, tuple(names) if len(parts) > 1 else ())
    if _unexplained(content):
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


@lru_cache(maxsize=4)
def false_index(content: Content) -> FalseIndex:
    """Return what was seen to be false, counted by cause."""
    seen = [view for view in content.causes if view.environments]
    rows = (HarmRow(HARM_WORDS[harm].capitalize(), _cells(pages, content)) for harm, pages in _PAGES.items())
    return FalseIndex(
        recorded=len(content.causes),
        seen=len(seen),
        unexplained=len(_unexplained(content)),
        rows=tuple(row for row in rows if any(row.cells)),
        worst=by_cost(content)[:_SHOWN],
    )


def unexplained_claims(content: Content) -> tuple[FalseClaim, ...]:
    """Return the claims that are false without a recorded divergence."""
    return tuple(_false_claim(claim, range(len(claim.diverges), 99), content) for claim in _unexplained(content))


def false_cause(view: CauseView, content: Content) -> FalseCause:
    """Return a cause as its page shows it."""
    cause, day = view.cause, view.cause.searched if view.cause.link == NOT_FILED else None
    positions: dict[str, list[int]] = {}
    for way in view.ways:
        positions.setdefault(way.claim.id, []).append(way.position)
    return FalseCause(
        anchor=file_name(view),
        heading=cause.title.replace("`", ""),
        kind=KINDS.get(cause.kind, cause.kind),
        reach=str(view.reach),
        seen=view.where,
        note=prose(cause.note),
        status=text_of(status(view, content.recorded), f"; searched for on {day}" if day else ""),
        wording=prose(cause.wording) if cause.wording else (),
        script=cause.script or "",
        claims=tuple(_false_claim(claim, positions[claim.id], content) for claim in view.claims),
    )


def _cells(pages: tuple[str, ...], content: Content) -> tuple[Optional[HarmCell], ...]:
    every = false_pages(content)
    found = [
        (page, [one for name in every[page].parts or (page,) for one in every[name].causes])
        for page in pages
        if page in every
    ]
    counts = {page: sum(bool(view.environments) for view in views) for page, views in found}
    return tuple(HarmCell(page, HEADINGS[page], counts[page]) if page in counts else None for page in pages)


@lru_cache(maxsize=4)
def _unexplained(content: Content) -> tuple[Claim, ...]:
    claims = content.corpus.claims
    return tuple(claim for claim in claims if any(cell.verdict in UNEXPLAINED for cell in content.cells(claim)))


def _false_claim(claim: Claim, positions: Container[int], content: Content) -> FalseClaim:
    ways = falsehoods(claim, content.cells(claim))
    return FalseClaim(
        claim,
        linked(claim.title, "claim", claim.id),
        joined((source_link(source, content) for source in claim.sources), "; "),
        tuple(quotes(claim, content)),
        strip(claim, content.cells(claim)),
        tuple(claim_history(claim, content)),
        # The cause has said the rest.
        tuple(replace(way, note=(), wording=(), origin=()) for way in ways if way.position in positions),
    )
