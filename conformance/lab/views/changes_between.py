"""Every change that people wrote of, as the page that compares two releases shows it."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.base.release_spans import as_version, minor
from conformance.lab.views.content import Content, broad_module_of
from conformance.lab.views.pieces import Text, prose
from conformance.lab.views.release_changes import proof
from conformance.lab.views.release_page import severity_chip
from conformance.language.model import CHANGE_HARMS, REACHES, Change

#: The module of a change of which no name says one.
_ANY = "torch"


@dataclass(frozen=True)
class ChangeBetween:
    """A change, with what a reader chooses changes by.

    Attributes
    ----------
    names
        The names and the arguments that it is about.
    page
        The release that has a page about it; empty where none has.
    style
        The class that its colours hang on.
    """

    id: str
    release: str
    page: str
    harm: str
    style: str
    reach: str
    module: str
    names: tuple[str, ...]
    title: Text
    before: Text
    after: Text
    instead: Text
    proof: str


def minors(content: Content) -> tuple[str, ...]:
    """Return the minor releases that were measured or that changes are of, oldest first."""
    found = {*map(minor, content.releases), *(change.release for change in content.corpus.changes)}
    return tuple(sorted(found, key=as_version))


def changes_between(content: Content) -> tuple[ChangeBetween, ...]:
    """Return the changes of all releases: what harms most first, then what much code has, then the newest."""
    pages = {minor(release): release for release in content.releases}
    newest_first = sorted(content.corpus.changes, key=lambda change: as_version(change.release), reverse=True)
    in_order = sorted(newest_first, key=lambda change: (CHANGE_HARMS.index(change.harm), REACHES.index(change.reach)))
    return tuple(_change(change, pages.get(change.release, ""), content) for change in in_order)


def _change(change: Change, page: str, content: Content) -> ChangeBetween:
    return ChangeBetween(
        change.id,
        change.release,
        page,
        change.harm,
        severity_chip(change.harm).style,
        change.reach,
        broad_module_of(change.match[0].name) if change.match else _ANY,
        tuple(
            dict.fromkeys(
                name for it in change.match for name in (it.name, *(one.name for one in (*it.passes, *it.leaves_out)))
            )
        ),
        prose(change.title),
        prose(change.before),
        prose(change.after),
        prose(change.instead),
        proof(change, content),
    )
