"""What people wrote of the changes of a release, for its page."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.base.release_spans import minor
from conformance.lab.views.content import Content
from conformance.lab.views.pieces import Text, prose
from conformance.lab.views.release_page import severity_chip
from conformance.lab.views.strip import Chip
from conformance.language.model import CHANGE_HARMS, REACHES, Change


@dataclass(frozen=True)
class WrittenChange:
    """A change: what happened before and happens since, what to write, and whether an example shows both."""

    id: str
    harm: Chip
    title: Text
    condition: Text
    before: Text
    after: Text
    instead: Text
    proof: str


def changes_of_release(release: str, content: Content) -> tuple[WrittenChange, ...]:
    """Return the changes of a release, what harms most and what much code has first."""
    changes = [change for change in content.corpus.changes if change.release == minor(release)]
    return tuple(_row(change, content) for change in sorted(changes, key=_order))


def _order(change: Change) -> tuple[int, int, str]:
    return CHANGE_HARMS.index(change.harm), REACHES.index(change.reach), change.title


def _row(change: Change, content: Content) -> WrittenChange:
    return WrittenChange(
        change.id,
        severity_chip(change.harm),
        prose(change.title),
        prose(change.condition),
        prose(change.before),
        prose(change.after),
        prose(change.instead),
        proof(change, content),
    )


def proof(change: Change, content: Content) -> str:
    """Return in words whether the example of a change shows both of its sides."""
    if change.unmeasured:
        return f"not measured: {change.unmeasured}"
    entries = (
        (measured.entries.get(claim.id) for measured in content.recorded.environments) for claim in change.examples
    )
    shown = all(any(entry is not None and entry.verdict == "holds" for entry in of_side) for of_side in entries)
    return "measured before and since" if shown else "not measured on both sides yet"
