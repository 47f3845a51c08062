"""What makes claims false, one view for each fact about torch, the worst first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from packaging.version import Version

from conformance.base.text import one_line
from conformance.lab.views.falsehoods import affected, report
from conformance.lab.views.reach import Reach, reach_of, widest
from conformance.lab.views.running_text import Text, text_of
from conformance.language.model import HARMS, Cause, Claim, Divergence
from conformance.results.recorded import Cell, Measured, Recorded, environments_in_words
from conformance.results.verdicts import truth

#: What a cause does to someone who relies on the promise, in words.
HARM_WORDS = {
    **dict(
        zip(
            HARMS,
            (
                "crash",
                "silently wrong result or gradient",
                "memory written that should not be",
                "wrong error",
                "works though it was said not to",
                "imprecise words",
            ),
        )
    ),
    "": "harm not said yet",
}
_OLDEST = Version("0")


@dataclass(frozen=True, eq=False)
class Way:
    """A recorded divergence of a claim, and the cells in which it was seen."""

    claim: Claim
    position: int
    seen: tuple[Cell, ...]

    @property
    def divergence(self) -> Divergence:
        """The record of the spec."""
        return self.claim.diverges[self.position]


@dataclass(frozen=True, eq=False)
class CauseView:
    """A cause with all that it makes false.

    Attributes
    ----------
    cause : Cause
        A divergence that names none counts as its own, named after its claim.
    named : bool
        Whether a file of the corpus has it.
    ways : tuple of Way
        The divergences, by the ids of their claims.
    """

    cause: Cause
    named: bool
    ways: tuple[Way, ...]

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims that it makes false."""
        return tuple({way.claim.id: way.claim for way in self.ways}.values())

    @cached_property
    def environments(self) -> tuple[Measured, ...]:
        """The environments in which it was seen."""
        found = {cell.measured.position: cell.measured for way in self.ways for cell in way.seen}
        return tuple(found[position] for position in sorted(found))

    @cached_property
    def reach(self) -> Reach:
        """How far it reaches: of what was seen the widest."""
        seen = [way for way in self.ways if way.seen] or self.ways
        return widest([reach_of(way.claim, way.divergence) for way in seen])

    @property
    def harm(self) -> str:
        """The harm in words."""
        return HARM_WORDS[self.cause.harm]

    @property
    def where(self) -> str:
        """The releases and devices in which it was seen, in words."""
        return environments_in_words(self.environments) if self.environments else "no environment measured"

    @cached_property
    def newest(self) -> Version:
        """The newest release in which it was seen."""
        return max((measured.version for measured in self.environments), default=_OLDEST)


def ranked_causes(claims: Iterable[Claim], recorded: Recorded) -> tuple[CauseView, ...]:
    """Return what makes claims false: by harm, then by reach, what the newest release has before what it mended."""
    found: dict[object, list[Way]] = {}
    for claim in sorted(claims, key=lambda claim: claim.id):
        cells = [measured.cell(claim) for measured in recorded.environments] if claim.diverges else []
        for position, divergence in enumerate(claim.diverges):
            # The rows of a table share a record.
            key = divergence.cause.id if divergence.cause is not None else divergence.place
            found.setdefault(key, []).append(Way(claim, position, tuple(affected(claim, position, cells))))
    views = (_view(tuple(ways)) for ways in found.values())
    by_name = sorted(views, key=lambda view: (-len(view.claims), view.cause.id))
    newest_first = sorted(by_name, key=lambda view: (is_current(view, recorded), view.newest), reverse=True)
    return tuple(sorted(newest_first, key=lambda view: (_badness(view.cause), view.reach.rank)))


def is_current(view: CauseView, recorded: Recorded) -> bool:
    """Return whether the newest release does it still: on the CPU, or on a device that alone did it."""
    on_cpu = {measured.torch for measured in view.environments if measured.device == "cpu"}
    return any(
        path[-1] in view.environments and (device == "cpu" or path[-1].torch not in on_cpu)
        for device, path in recorded.by_device.items()
    )


def status(view: CauseView, recorded: Recorded) -> Text:
    """Return whether a cause was reported, and whether it is mended: all its promises are true again."""
    told = report(view.cause.link)
    since = [path for path in recorded.by_device.values() if any(one in view.environments for one in path)]
    later = [[measured for measured in path if measured.version > view.newest] for path in since]
    if not view.environments or not any(later):
        return told
    first = min((path[0] for path in later if path), key=lambda measured: measured.version)
    after = [measured for path in later for measured in path]
    true = all(cell.verdict and truth(cell.verdict) == "true" for it in after for cell in map(it.cell, view.claims))
    gone = f"mended in torch {first.torch}; " if true else f"not seen since torch {first.torch}; "
    return text_of(gone, told)


def _badness(cause: Cause) -> int:
    return HARMS.index(cause.harm) if cause.harm else len(HARMS)


def _view(ways: tuple[Way, ...]) -> CauseView:
    cause = ways[0].divergence.cause
    return CauseView(cause or _own(ways), cause is not None, ways)


def _own(ways: tuple[Way, ...]) -> Cause:
    """Return what stands for the cause of a divergence that names none."""
    way = ways[0]
    divergence = way.divergence
    title = f"not so: {one_line(way.claim.title)}" + (f" (and {len(ways) - 1} more)" if len(ways) > 1 else "")
    return Cause(
        id=f"{way.claim.id}/{way.position}",
        title=f"`{way.claim.subject}`: {title}",
        kind=divergence.kind,
        harm=_plain_harm(way) or "",
        note=divergence.note,
        link=divergence.link,
        wording=divergence.wording,
        place=divergence.place,
    )


def _plain_harm(way: Way) -> Optional[str]:
    """Return the harm where the record itself shows it."""
    instead, raises = way.divergence.instead, way.claim.expectation.raises
    if instead.crashes:
        return "crash"
    if instead.raises is not None:
        return "wrong-error"
    return "works" if raises is not None else None


def file_name(view: CauseView) -> str:
    """Return a name for a file about a cause; names that differ in capitals only get different ones."""
    if view.named:
        return view.cause.id
    way = view.ways[0]
    marked = re.sub(r"([A-Z])", r"_\1", way.claim.subject.replace("/", "."))
    return f"{marked}-{way.claim.slug}-{way.position}"
