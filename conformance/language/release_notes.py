"""What release notes announce: files in the folder ``releases`` of a corpus, one for each release.

A note is a fact in our own words. It names what was measured of it: names that go, come or are deprecated, arguments,
aspects of measured calls, claims; or it says why a CPU can't try it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional

from conformance.base.files import files_in
from conformance.base.text import did_you_mean, listed, one_line
from conformance.language.documents import Document, Node, Scalar, open_document
from conformance.language.documents import Mapping as Table
from conformance.language.forms import ARGUMENT_CHANGES, MEASURED_CALL, NOTE, NOTES, READ, SLUG, Form
from conformance.language.model import SAYS, Place
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes
from conformance.language.titles import title_mistakes

FOLDER = "releases"
_NAME = re.compile(r"(torch|functorch)(\.\w+)*", re.ASCII)
_RELEASE = re.compile(r"\d+\.\d+")
_MEASURES = ("gone", "new", "deprecated", "arguments", "defaults", "calls", "claims")


@dataclass(frozen=True)
class Argument:
    """What a note says of an argument: `change` is one of `ARGUMENT_CHANGES`, or ``default``, with its new text."""

    callable: str
    name: str
    change: str
    default: str = ""


@dataclass(frozen=True)
class CallAspect:
    """What a note says of a measured call: an aspect of it differs."""

    subject: str
    call: str
    aspect: str


@dataclass(frozen=True)
class Measures:
    """What was measured of a note: names that go, come or are deprecated, and ids of claims that become true."""

    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    deprecated: tuple[str, ...] = ()
    arguments: tuple[Argument, ...] = ()
    calls: tuple[CallAspect, ...] = ()
    claims: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, in the order in which they stand."""
        called = (item.callable for item in self.arguments)
        subjects = (item.subject for item in self.calls)
        return tuple(dict.fromkeys((*self.gone, *self.new, *self.deprecated, *called, *subjects)))


@dataclass(frozen=True)
class ReleaseNote:
    """One thing that the notes of a release announce.

    Attributes
    ----------
    release : str
        The release in whose notes it stands, as ``sources.yaml`` names it.
    by : str
        The minor release for which it is announced.
    unread : bool
        Whether nobody read its passage: it is known from what was measured.
    untested : str
        Why no CPU can try it; empty where something was measured.
    """

    id: str
    title: str
    section: str
    says: str
    release: str
    by: str
    unread: bool
    place: Place
    measures: Measures = Measures()
    untested: str = ""


@dataclass(frozen=True)
class ReleaseNotes:
    """What the notes of one release announce; `read` is how much of them somebody read."""

    release: str
    read: str
    notes: tuple[ReleaseNote, ...]


@dataclass(frozen=True)
class Measurable:
    """What a note may give: whether a name, and a call of a name, is recorded, and the aspects of calls."""

    has_name: Callable[[str], bool]
    has_call: Callable[[str, str], bool]
    aspects: Collection[str]


def note_files(root: Path) -> list[Path]:
    """Return the files with the release notes of a corpus."""
    return files_in(root / FOLDER, "*.yaml")


def read_release_notes(path: Path, releases: Collection[str], problems: Problems) -> Optional[ReleaseNotes]:
    """Read a file of release notes; notes with a mistake are left out.

    Parameters
    ----------
    releases
        The releases that ``sources.yaml`` names.
    """
    document = open_document(path, problems)
    if document is None or document.root is None:
        return None
    return _Reader(document, problems, releases).read(document.root, path)


def check_claims(all_notes: Sequence[ReleaseNotes], claims: Collection[str], problems: Problems) -> None:
    """Check that the corpus has the claims that notes give."""
    for note in (note for notes in all_notes for note in notes.notes):
        for claim in note.measures.claims:
            if claim not in claims:
                problems.add(note.place, "E409", f"the corpus has no claim '{claim}'; give the id of one, or remove it")


def check_measured(all_notes: Sequence[ReleaseNotes], known: Measurable, problems: Problems) -> None:
    """Check that some recorded release has each name that notes give, and that each call was tried."""
    for note in (note for notes in all_notes for note in notes.notes):
        for name in note.measures.names:
            if not known.has_name(name):
                problems.add(note.place, "E409", f"no recorded release has the name '{name}'; correct or remove it")
        for call in note.measures.calls:
            if not known.has_call(call.subject, call.call):
                message = f"on no recorded release was '{call.call}' of {call.subject} tried; give a call that was"
                problems.add(note.place, "E409", message)
            if call.aspect not in known.aspects:
                advice = did_you_mean(call.aspect, known.aspects) or f"; there are {listed(sorted(known.aspects))}"
                problems.add(note.place, "E409", f"a call has no aspect '{call.aspect}'{advice}")


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document, problems: Problems, releases: Collection[str]) -> None:
        self._document = document
        self._problems = problems
        self._shapes = Shapes(document, problems)
        self._releases = releases

    def read(self, root: Node, path: Path) -> Optional[ReleaseNotes]:
        top = self._shapes.form(root, NOTES)
        if top is None:
            return None
        release, read = self._release(top, path), self._word(top, "read", NOTES)
        if release is None or read is None or "notes" not in top.entries:
            return None
        found: dict[str, ReleaseNote] = {}
        for node in self._shapes.listing(top.entries["notes"], "`notes`", "a list of notes") or ():
            before = len(self._problems)
            note = self._note(node, release, read)
            if note is not None and note.id in found:
                message = f"the note '{note.id}' stands at {found[note.id].place} too; give this one another id"
                self._problems.add(note.place, "E302", message)
            if note is not None and len(self._problems) == before:
                found[note.id] = note
        return ReleaseNotes(release, read, tuple(found.values()))

    def _release(self, top: Table, path: Path) -> Optional[str]:
        release = self._shapes.text(top.entries.get("release"), "`release`")
        if release is None:
            return None
        place = self._document.place(release)
        if release.value not in self._releases:
            message = f"'{release.value}' is no release in sources.yaml; add its notes there, or correct it"
            self._problems.add(place, "E402", message)
            return None
        minor = ".".join(release.value.split(".")[:2])
        if path.stem != minor:
            self._problems.add(place, "E106", f"the notes of {release.value} belong into {FOLDER}/{minor}.yaml")
        return release.value

    def _note(self, node: Node, release: str, read: str) -> Optional[ReleaseNote]:
        table = self._shapes.form(node, NOTE)
        if table is None:
            return None
        identity, title = self._text(table, "id"), self._text(table, "title")
        section, says = self._word(table, "section", NOTE), self._word(table, "says", NOTE)
        self._check_id(table, identity)
        self._check_title(table)
        by = self._text(table, "by")
        if by and not _RELEASE.fullmatch(by):
            message = f"'{by}' is no minor release; write it as in '2.4'"
            self._problems.add(self._document.place(table.entries["by"]), "E402", message)
        unread = bool(self._shapes.truth(table.entries.get("unread"), "`unread`"))
        self._check_unread(table, unread, read)
        place, untested = self._document.place(table), self._text(table, "untested")
        measures = self._measures(table)
        if bool(untested) == (measures != Measures()):
            message = f"a note has either `untested`, or what was measured: {listed(_MEASURES)}; give one of both"
            self._problems.add(place, "E408", message)
        if not identity or not title or section is None:
            return None
        minor = by or ".".join(release.split(".")[:2])
        return ReleaseNote(identity, title, section, says or SAYS[0], release, minor, unread, place, measures, untested)

    def _measures(self, table: Table) -> Measures:
        gone, new, deprecated = (tuple(self._names(table, kind)) for kind in ("gone", "new", "deprecated"))
        arguments = (*self._arguments(table), *self._defaults(table))
        return Measures(
            gone, new, deprecated, arguments, tuple(self._calls(table)), tuple(self._texts(table, "claims"))
        )

    def _names(self, table: Table, kind: str) -> Iterator[str]:
        for name in self._texts(table, kind):
            if not _NAME.fullmatch(name):
                place = self._document.place(table.entries[kind])
                self._problems.add(place, "E304", f"'{name}' is no name in torch; write it in full, from torch on")
            yield name

    def _texts(self, table: Table, name: str) -> Iterator[str]:
        if name in table.entries:
            what = f"`{name}`"
            for item in self._shapes.listing(table.entries[name], what, "a list of them") or ():
                scalar = self._shapes.text(item, f"an entry of {what}")
                if scalar is not None:
                    yield scalar.value

    def _arguments(self, table: Table) -> Iterator[Argument]:
        for function, name, value in self._by_argument(table, "arguments"):
            change = self._shapes.choice(value, f"what happens to '{name}'", tuple(ARGUMENT_CHANGES))
            if change is not None:
                yield Argument(function, name, change)

    def _defaults(self, table: Table) -> Iterator[Argument]:
        for function, name, value in self._by_argument(table, "defaults"):
            default = self._shapes.code(value, f"the default of '{name}'")
            if default is not None:
                yield Argument(function, name, "default", default.value)

    def _by_argument(self, table: Table, key: str) -> Iterator[tuple[str, str, Node]]:
        if key not in table.entries:
            return
        of_all = self._shapes.any_mapping(table.entries[key], f"`{key}`", "the arguments of each function")
        for function, node in of_all.entries.items() if of_all else ():
            of_one = self._shapes.any_mapping(node, f"'{function}'", "what happens to each argument")
            for name, value in of_one.entries.items() if of_one else ():
                yield function, name, value

    def _calls(self, table: Table) -> Iterator[CallAspect]:
        if "calls" not in table.entries:
            return
        for node in self._shapes.listing(table.entries["calls"], "`calls`", "a list of calls") or ():
            call = self._shapes.form(node, MEASURED_CALL)
            if call is not None:
                subject, text, aspect = (self._text(call, name) for name in MEASURED_CALL.keys)
                if subject and text and aspect:
                    yield CallAspect(subject, text, aspect)

    def _text(self, table: Table, name: str) -> str:
        node = table.entries.get(name)
        scalar = self._shapes.code(node, f"`{name}`") if name == "call" else self._shapes.text(node, f"`{name}`")
        return one_line(scalar.value) if scalar is not None else ""

    def _word(self, table: Table, name: str, form: Form) -> Optional[str]:
        return self._shapes.choice(table.entries.get(name), f"`{name}`", tuple(form.keys[name].words))

    def _check_id(self, table: Table, identity: str) -> None:
        if identity and not re.fullmatch(SLUG, identity):
            message = f"'{identity}' is not an id: small letters and digits, words joined by single hyphens"
            self._problems.add(self._document.place(table.entries["id"]), "E301", message)

    def _check_title(self, table: Table) -> None:
        scalar = table.entries.get("title")
        if isinstance(scalar, Scalar):
            for offset, code, message in title_mistakes(scalar.value):
                self._problems.add(self._document.place_in(scalar, offset), code, message)

    def _check_unread(self, table: Table, unread: bool, read: str) -> None:
        if unread and read == READ[0]:
            message = "`unread` in notes that were read in full; remove it, or say `read: part`"
        elif not unread and read == READ[-1]:
            message = "nothing of these notes was read, so this one is known from what was measured; add `unread: true`"
        else:
            return
        self._problems.add(self._document.place(table), "E410", message)
