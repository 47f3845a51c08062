"""What a release changes for people's code: files in the folder ``changes``, one for each minor release.

The example of a change is read as two claims, one about the releases before and one about those since, which run like
all others.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Callable, NamedTuple, Optional, Union

from conformance.base.files import files_in
from conformance.base.release_spans import as_version, minor
from conformance.base.text import did_you_mean, listed, one_line
from conformance.language.documents import Document, Node, Scalar, open_document
from conformance.language.documents import Mapping as Table
from conformance.language.forms import CHANGE, CHANGES, EXAMPLE, FIX, MATCH, NO_CHANGE, SIDE, SLUG, Key, Shape
from conformance.language.model import ArgumentMatch, Change, Claim, CodeMatch, Fix, NoChange, Source
from conformance.language.problems import Problems
from conformance.language.reading import Reader
from conformance.language.release_notes import ReleaseNotes
from conformance.language.rules import Context, check_claim
from conformance.language.sources import SourceList
from conformance.language.titles import title_mistakes

FOLDER = "changes"
_Concerned = Callable[[Sequence[tuple[Change, str]]], Sequence[Optional[int]]]
_MAYBE = 1
#: The sides of an example, each with the word for its releases and their specifier.
_SIDES = {"before": ("before", "<"), "after": ("since", ">=")}
_HOW = (
    *("use", "call", "read", "set", "isinstance", "except"),
    *("base", "override", "decorator", "class decorator"),
)
_OF_CALLS = ("without", "with", "positional", "object", "caught", "rarely for")
#: What an argument may be said to be.
KINDS = (
    *("tensor", "bool tensor", "integer tensor", "float tensor", "complex tensor", "tensor that requires grad"),
    *("list", "tuple", "dict", "set", "str", "int", "float", "bool", "complex"),
)
_ARGUMENT = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:\s*=\s*(?P<value>\S.*)|\s+is\s+an?\s+(?P<kind>\S.*))?")


def change_files(root: Path) -> list[Path]:
    """Return the files with the changes of a corpus."""
    return files_in(root / FOLDER, "*.yaml")


class ChangesOfRelease(NamedTuple):
    """What a file says of a release: its changes, and which differences are none."""

    changes: tuple[Change, ...] = ()
    none: tuple[NoChange, ...] = ()


def read_changes(path: Path, sources: SourceList, context: Context, problems: Problems) -> ChangesOfRelease:
    """Read a file of changes; those with a mistake are left out."""
    document = open_document(path, problems)
    if document is None or document.root is None:
        return ChangesOfRelease()
    return _Reader(document, problems, sources, context).read(document.root, path)


def check_names(changes: Sequence[Change], has_name: Callable[[str], bool], problems: Problems) -> None:
    """Check that some recorded release has each name that changes match or rewrite, or that an example shows it."""
    for change in changes:
        programs = " ".join(str(example.do) for example in change.examples)
        named = [("match", match.name) for match in change.match]
        named += [("fix", name) for fix in change.fixes for name in (fix.of, fix.name) if name]
        for key, name in dict.fromkeys(named):
            owner, _, last = name.rpartition(".")
            is_shown = has_name(owner) and re.search(rf"\b{last}\b", programs) is not None
            if not has_name(name) and not is_shown:
                message = f"`{key}`: no recorded release has the name '{name}'; correct or remove it"
                problems.add(change.place, "EA04", message)


def check_notes(
    changes: Sequence[Union[Change, NoChange]], all_notes: Sequence[ReleaseNotes], problems: Problems
) -> None:
    """Check that the file of the release has the notes that changes name."""
    known = {(note.by, note.id) for notes in all_notes for note in notes.notes}
    known |= {(minor(notes.release), note.id) for notes in all_notes for note in notes.notes}
    for change in changes:
        for note in change.notes:
            if (change.release, note) not in known:
                near = did_you_mean(note, [other for release, other in known if release == change.release])
                message = f"the notes of {change.release} have no '{note}'{near or '; correct or remove it'}"
                problems.add(change.place, "EB02", message)


def check_matches(changes: Sequence[Change], concerned: _Concerned, problems: Problems) -> None:
    """Check that each change concerns its ``hits`` and none of its ``misses``.

    Parameters
    ----------
    concerned
        How surely changes concern their pieces of Python: 1 (maybe) to 3 (certain), or None.
    """
    hits = [(change, code) for change in changes for code in change.hits]
    misses = [(change, code) for change in changes for code in change.misses]
    matched = concerned([*hits, *misses])
    missed = [("hits", "does not match", piece) for piece, found in zip(hits, matched) if found in (None, _MAYBE)]
    taken = [("misses", "matches", piece) for piece, found in zip(misses, matched[len(hits) :]) if found is not None]
    for key, what, (change, code) in (*missed, *taken):
        message = f"`{key}`: `match` {what} '{one_line(code)}'; correct one of them"
        problems.add(change.place, "EB03", message)


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document, problems: Problems, sources: SourceList, context: Context) -> None:
        self.document = document
        self.problems = problems
        self.sources = sources
        self.context = context
        self.claims = Reader(document, problems, sources.causes)
        self.shapes = self.claims.shapes

    def read(self, root: Node, path: Path) -> ChangesOfRelease:
        top = self.shapes.form(root, CHANGES)
        release = self.shapes.text(top.entries.get("release"), "`release`") if top is not None else None
        if top is None or release is None or "changes" not in top.entries:
            return ChangesOfRelease()
        short = minor(release.value)
        if release.value not in self.sources.releases:
            self._report(release, "E402", f"'{release.value}' is no release in sources.yaml; add it there")
        elif path.stem != short:
            self._report(release, "E106", f"the changes of {release.value} belong into {FOLDER}/{short}.yaml")
        found: dict[str, Change] = {}
        for node in self.shapes.listing(top.entries["changes"], "`changes`", "a list of changes") or ():
            before = len(self.problems)
            change = self._change(node, release.value, short)
            if change is not None and change.id in found:
                message = f"the change '{change.id}' stands at {found[change.id].place} too; give this one another id"
                self.problems.add(change.place, "E302", message)
            if change is not None and len(self.problems) == before:
                found[change.id] = change
        return ChangesOfRelease(tuple(found.values()), tuple(self._decisions(top, short)))

    def _decisions(self, top: Table, short: str) -> Iterator[NoChange]:
        decisions = top.entries.get("no change")
        if decisions is None:
            return
        for node in self.shapes.listing(decisions, "`no change`", "a list of decisions") or ():
            table = self.shapes.form(node, NO_CHANGE)
            if table is None:
                continue
            texts = {name: tuple(self._texts(table, name, key)) for name, key in NO_CHANGE.keys.items()}
            because, what = ("".join(texts[name]) for name in ("because", "what"))
            if not texts["names"] and not texts["notes"]:
                self._report(table, "EB01", "a decision is about `names` or `notes`; give one of them")
            yield NoChange(short, because, self.document.place(table), texts["names"], what, texts["notes"])

    def _change(self, node: Node, release: str, short: str) -> Optional[Change]:
        table = self.shapes.form(node, CHANGE)
        if table is None:
            return None
        read = {
            name: self.shapes.choice(table.entries.get(name), f"`{name}`", tuple(CHANGE.keys[name].words))
            for name in ("harm", "reach")
        }
        texts = {name: tuple(self._texts(table, name, key)) for name, key in CHANGE.keys.items()}
        one = {name: found[0] if found else "" for name, found in texts.items()}
        match = tuple(self._matches(table))
        self._check_words(table, one, release)
        self._check_links(table)
        self._check_code(table)
        examples = tuple(self._examples(table, one, release, short))
        if not match or not all(read.values()) or not all(one[name] for name in ("id", "before", "after")):
            return None
        return Change(
            *(one["id"], one["title"], short, read["harm"] or "", read["reach"] or "", match),
            *(one["before"], one["after"], one["instead"], self.document.place(table)),
            hits=texts["hits"],
            misses=texts["misses"],
            notes=texts["notes"],
            links=texts["links"],
            condition=one["if"],
            undoes=one["undoes"],
            examples=examples,
            unmeasured=one["unmeasured"],
            fixes=tuple(self._fixes(table)),
        )

    def _texts(self, table: Table, name: str, key: Key) -> Iterator[str]:
        """Yield the texts of a key; prose is on one line."""
        if name not in table.entries or key.shape not in (Shape.TEXT, Shape.TEXTS):
            return
        node, what = table.entries[name], f"`{name}`"
        for item in self.shapes.one_or_list(node, what, key.wanted) if key.shape is Shape.TEXTS else [node]:
            scalar = self.shapes.text(item, what)
            text = "" if scalar is None else scalar.value if name in ("hits", "misses") else one_line(scalar.value)
            if key.longest is not None and len(text) > key.longest and name != "title":
                message = f"{what} has {len(text)} characters, and {key.longest} are the most; shorten it"
                self._report(item, "EA03", message)
            if text:
                yield text

    def _check_words(self, table: Table, one: Mapping[str, str], release: str) -> None:
        if one["id"] and not re.fullmatch(SLUG, one["id"]):
            message = f"'{one['id']}' is not an id: small letters and digits, words joined by single hyphens"
            self._report(table.entries["id"], "E301", message)
        title = table.entries.get("title")
        for mistake in title_mistakes(one["title"]):
            assert isinstance(title, Scalar)
            self.problems.add(self.document.place_in(title, mistake.offset), mistake.code, mistake.message)
        earlier = [one for one in self.sources.releases if as_version(one) < as_version(release)]
        if one["undoes"] and one["undoes"] not in map(minor, earlier):
            message = f"`undoes` is an earlier minor release in sources.yaml, and not '{one['undoes']}'"
            self._report(table.entries["undoes"], "E402", message)
        if ("example" in table.entries) == bool(one["unmeasured"]):
            message = "a change has an `example`, or says in `unmeasured` why no CPU can show it; give one of both"
            self._report(table, "EB01", message)

    def _check_links(self, table: Table) -> None:
        if "links" in table.entries:
            for node in self.shapes.one_or_list(table.entries["links"], "`links`", "an address"):
                self.shapes.address(node, "an entry of `links`")

    def _check_code(self, table: Table) -> None:
        for name in ("hits", "misses"):
            nodes = self.shapes.one_or_list(table.entries[name], f"`{name}`", "Python") if name in table.entries else ()
            for node in nodes:
                try:
                    ast.parse(node.value if isinstance(node, Scalar) else "")
                except (SyntaxError, ValueError) as error:
                    self._report(node, "E201", f"this is no Python: {error}; correct it")

    def _matches(self, table: Table) -> Iterator[CodeMatch]:
        listed_matches = table.entries.get("match")
        if listed_matches is None:
            return
        for node in self.shapes.listing(listed_matches, "`match`", "a list of uses") or ():
            match = self.shapes.form(node, MATCH)
            if match is None:
                continue
            how = [name for name in _HOW if name in match.entries]
            others = {"call": (), "override": _OF_CALLS[1:]}.get("".join(how), _OF_CALLS)
            if len(how) != 1 or any(name in match.entries for name in others):
                message = f"a use has one of {listed(_HOW)}; a call has {listed(_OF_CALLS)}, an override `without`"
                self._report(match, "E107", message)
                continue
            name = self.shapes.text(match.entries[how[0]], f"`{how[0]}`")
            positional = self.shapes.code(match.entries.get("positional"), "`positional`", "a number")
            if name is not None:
                passes, leaves_out = (tuple(self._arguments(match, key)) for key in ("with", "without"))
                number = int(positional.value) if positional is not None and positional.value.isdigit() else 0
                on = "".join(self._texts(match, "object", MATCH.keys["object"]))
                if on and on not in KINDS:
                    self._report(match.entries["object"], "E107", f"`object` is one of {listed(KINDS)}")
                caught = "".join(self._texts(match, "caught", MATCH.keys["caught"]))
                methods = tuple(MATCH.keys["rarely for"].words)
                rarely_for = self.shapes.choice(match.entries.get("rarely for"), "`rarely for`", methods) or ""
                yield CodeMatch(name.value, how[0], passes, leaves_out, number, on, caught, rarely_for)

    def _arguments(self, match: Table, key: str) -> Iterator[ArgumentMatch]:
        for text in self._texts(match, key, MATCH.keys[key]):
            found = _ARGUMENT.fullmatch(text)
            if found is None or (found["kind"] or KINDS[0]) not in KINDS:
                message = f"`{key}`: '{text}' is no argument: write a name, name=literal, or name is a {listed(KINDS)}"
                self._report(match.entries[key], "E107", message)
                continue
            try:
                yield ArgumentMatch(found["name"], _source(found["value"] or ""), found["kind"] or "")
            except (SyntaxError, ValueError) as error:
                self._report(match.entries[key], "E201", f"`{key}`: '{found['value']}' is no Python: {error}")

    def _fixes(self, table: Table) -> Iterator[Fix]:
        fixes = table.entries.get("fix")
        for node in (self.shapes.listing(fixes, "`fix`", "a list of rewrites") or ()) if fixes is not None else ():
            form = self.shapes.form(node, FIX)
            if form is None:
                continue
            texts = {name: tuple(self._texts(form, name, key)) for name, key in FIX.keys.items()}
            of, keyword, name, first = ("".join(texts[key]) for key in ("of", "keyword", "name", "first"))
            if bool(keyword) == bool(name):
                self._report(form, "EB01", "a rewrite adds a `keyword` or gives another `name`; give one of both")
            positional = self.shapes.code(form.entries.get("positional"), "`positional`", "a number")
            unsafe = self.shapes.truth(form.entries.get("unsafe"), "`unsafe`")
            number = int(positional.value) if positional is not None and positional.value.isdigit() else 0
            yield Fix(of, keyword, name, first, number, texts["keywords"], bool(unsafe))

    def _examples(self, table: Table, one: Mapping[str, str], release: str, short: str) -> Iterator[Claim]:
        """Yield the two claims that the example is measured by."""
        example = self.shapes.form(table.entries["example"], EXAMPLE) if "example" in table.entries else None
        if example is None or not one["id"] or not all(name in example.entries for name in EXAMPLE.required):
            return
        says = "states" if "notes" in table.entries else "implies"
        for side, (when, operator) in _SIDES.items():
            form = self.shapes.form(example.entries[side], SIDE, f"`{side}`")
            if form is None:
                continue
            bound = self._texts(form, "torch", SIDE.keys["torch"])
            place = form.line, form.column
            entries: dict[str, Node] = {
                "id": Scalar(f"{one['id']}-{side}", "", table.line, table.column),
                "subject": Scalar(f"{FOLDER}/{short}", "", *place),
                "title": Scalar("What happens", "", *place),
                "family": Scalar("errors" if "raises" in form.entries else "values", "", *place),
                "applies": _table(place, {"torch": Scalar(",".join((f"{operator}{short}", *bound)), "", *place)}),
                "do": example.entries["do"],
                **{name: value for name, value in form.entries.items() if name != "torch"},
            }
            draft = self.claims.draft(_table(place, entries), None, None)
            check_claim(draft, self.sources, self.context)
            notes = Source("release", release, None, None, draft.place, says)
            yield replace(draft.claim, title=f"{one['title']} ({when} {short})", sources=(notes,))

    def _report(self, node: Node, code: str, message: str) -> None:
        self.problems.add(self.document.place(node), code, message)


def _source(value: str) -> str:
    """Return a literal as Python shows it, or a dotted name."""
    return value and ast.unparse(ast.parse(value, mode="eval"))


def _table(place: tuple[int, int], entries: dict[str, Node]) -> Table:
    table = Table(*place)
    table.entries = entries
    table.keys = {name: Scalar(name, "", *place) for name in entries}
    return table
