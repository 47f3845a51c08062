"""What people wrote of changes: for the page of a release, that of a name, and the page that compares two releases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from conformance.base.release_spans import as_version, minor
from conformance.lab.views.content import Content, broad_module_of
from conformance.language.model import CHANGE_HARMS, REACHES, Change

#: The module of a change of which no name says one.
_ANY = "torch"


@dataclass(frozen=True)
class WrittenChange:
    """A change with what follows for its pages.

    Attributes
    ----------
    page
        The release that has a page about it; empty where none has.
    names
        The names and the arguments that it is about.
    proof
        Whether an example shows what happened before and what happens since.
    """

    change: Change
    page: str
    module: str
    names: tuple[str, ...]
    proof: str


def minors(content: Content) -> tuple[str, ...]:
    """Return the minor releases that were measured or that changes are of, oldest first."""
    found = {*map(minor, content.releases), *(change.release for change in content.corpus.changes)}
    return tuple(sorted(found, key=as_version))


def written_changes(content: Content) -> tuple[WrittenChange, ...]:
    """Return the changes of all releases: what harms most first, then what much code has, then the newest."""
    return _shown(content.corpus.changes, content)


def changes_of_release(release: str, content: Content) -> tuple[WrittenChange, ...]:
    """Return the changes of a release: what harms most first, then what much code has."""
    return _shown((change for change in content.corpus.changes if change.release == minor(release)), content)


def changes_of_name(name: str, content: Content) -> tuple[WrittenChange, ...]:
    """Return the changes that are about a name, the newest first."""
    found = [change for change in content.corpus.changes if any(match.name == name for match in change.match)]
    return tuple(sorted(_shown(found, content), key=lambda one: as_version(one.change.release), reverse=True))


def _shown(changes: Iterable[Change], content: Content) -> tuple[WrittenChange, ...]:
    pages = {minor(release): release for release in content.releases}
    by_title = sorted(changes, key=lambda change: change.title)
    newest_first = sorted(by_title, key=lambda change: as_version(change.release), reverse=True)
    in_order = sorted(newest_first, key=lambda change: (CHANGE_HARMS.index(change.harm), REACHES.index(change.reach)))
    return tuple(_change(change, pages.get(change.release, ""), content) for change in in_order)


def _change(change: Change, page: str, content: Content) -> WrittenChange:
    names = (name for it in change.match for name in (it.name, *(one.name for one in (*it.passes, *it.leaves_out))))
    module = broad_module_of(change.match[0].name) if change.match else _ANY
    return WrittenChange(change, page, module, tuple(dict.fromkeys(names)), _proof(change, content))


def _proof(change: Change, content: Content) -> str:
    """Return in words whether the example of a change shows both of its sides."""
    if change.unmeasured:
        return f"not measured: {change.unmeasured}"
    entries = (
        (measured.entries.get(claim.id) for measured in content.recorded.environments) for claim in change.examples
    )
    shown = all(any(entry is not None and entry.verdict == "holds" for entry in of_side) for of_side in entries)
    return "measured before and since" if shown else "not measured on both sides yet"
