"""What a picture shows better than words: times over sizes, and counts by release or by family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Optional

from conformance.base.release_spans import as_version, minor
from conformance.lab.census.families import FAMILIES
from conformance.lab.census.record import CensusRecord
from conformance.lab.views.census import STATES, counted_by_family
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Table, words
from conformance.language.model import CHANGE_HARMS, Claim
from conformance.results.recorded import Cell
from conformance.results.verdicts import truth

#: The styles of harms, as the pages colour them.
_HARM_STYLES = dict(zip(CHANGE_HARMS, ("bad", "known", "open")))
_STATE_STYLES = {"encoded": "good", "no-claim": "none", "untestable": "known", "todo": "bad"}


@dataclass(frozen=True)
class Series:
    """The numbers of a line or of a part of the bars; ``style`` is that of a verdict, or empty."""

    name: str
    values: tuple[float, ...]
    style: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture: lines over sizes, on two logarithmic axes, or bars of parts that stand on each other.

    Attributes
    ----------
    says
        What it shows, with its unit.
    head
        What the labels are.
    labels
        What stands along the horizontal axis: sizes of lines, names of bars.
    """

    kind: Literal["lines", "bars"]
    title: str
    says: str
    head: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]

    @property
    def table(self) -> Table:
        """The same numbers."""
        digits = ".2f" if self.kind == "lines" else ",.0f"
        rows = (
            tuple(map(words, (label, *(f"{one.values[at]:{digits}}" for one in self.series))))
            for at, label in enumerate(self.labels)
        )
        return Table((words(self.head), *(words(one.name) for one in self.series)), tuple(rows))


def timing_pictures(claims: Sequence[Claim], content: Content) -> Iterator[Picture]:
    """Yield the times of each timing claim over sizes, on the newest release that was timed."""
    for claim in claims:
        timed = next((cell for cell in reversed(content.cells(claim)) if cell.entry and cell.entry.kernels), None)
        if timed is not None:
            yield _times(claim, timed)


def _times(claim: Claim, cell: Cell) -> Picture:
    entry, timings = cell.entry, cell.measured.timings
    assert entry is not None
    base = next((name for name, ratios in entry.kernels.items() if set(ratios) == {1}), "")
    place = ", ".join(filter(None, (cell.measured.label, timings.environment.processor if timings else None)))
    lines = (Series(name, tuple(ratios)) for name, ratios in entry.kernels.items())
    return Picture(
        "lines",
        claim.title.replace("`", ""),
        f"Time relative to {base}, over the number of elements, on {place}. Less is faster.",
        "Elements",
        tuple(f"{size:,}" for size in entry.sizes),
        tuple(lines),
    )


def false_by_release(content: Content) -> Optional[Picture]:
    """Return how many promises are false on each release; None where fewer than two were measured."""
    path = content.recorded.by_device.get("cpu", ())
    if len(path) < 2:
        return None
    counts = [
        Counter(truth(verdict) for claim in content.corpus.claims if (verdict := measured.cell(claim).verdict))
        for measured in path
    ]
    return Picture(
        "bars",
        "Promises that are false, by release",
        "How many promises a release breaks, and how many end the interpreter; not every promise is about all.",
        "Release",
        tuple(minor(measured.torch) for measured in path),
        (
            Series("false", tuple(count["false"] for count in counts), "known"),
            Series("crash", tuple(count["crash"] for count in counts), "bad"),
        ),
    )


def changes_by_release(content: Content) -> Optional[Picture]:
    """Return how many changes each release has for people's code, by harm; None where none is written."""
    counts = Counter((change.release, change.harm) for change in content.corpus.changes)
    releases = sorted({release for release, _ in counts}, key=as_version)
    if not releases:
        return None
    return Picture(
        "bars",
        "Changes for people's code, by release and harm",
        "How many changes of each release break code, change what it gives, or make it warn.",
        "Release",
        tuple(releases),
        tuple(
            Series(harm, tuple(counts[release, harm] for release in releases), _HARM_STYLES[harm])
            for harm in CHANGE_HARMS
        ),
    )


def coverage_by_family(record: CensusRecord) -> Picture:
    """Return how many sentences of the documentation are covered, by family."""
    counted = {family: states for family, states in counted_by_family(record).items() if sum(states.values())}
    return Picture(
        "bars",
        "Sentences of the documentation, by family",
        "How many sentences have a claim, make none, cannot be tested, or are still to do.",
        "Family",
        tuple(family for family in FAMILIES if family in counted),
        tuple(
            Series(
                word, tuple(counted[family][state] for family in FAMILIES if family in counted), _STATE_STYLES[state]
            )
            for state, word in STATES
        ),
    )
