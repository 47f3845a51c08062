"""From the tree of a spec file to its claims, by the forms of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping as MappingType
from functools import cached_property
from typing import Any, Optional

from conformance.base.text import did_you_mean
from conformance.language.documents import Document, Mapping, Node, Scalar, has_broken
from conformance.language.drafts import Draft, Row
from conformance.language.forms import FORMS, OVERRIDABLE, Key, Shape
from conformance.language.model import (
    PROMISES,
    SOURCE_KINDS,
    Cause,
    Claim,
    Conditions,
    Divergence,
    Expectation,
    Fragment,
    Place,
    Raises,
    Source,
)
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes
from conformance.language.yaml_lookalikes import cut_at_comma

Values = dict[str, Any]
"""The values of a form's keys, as the model has them."""

_COLUMN = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")
# What overrides a key of the claim and is a column at the same time.
_TEXT_COLUMNS = ("id", "subject", "key", "title")
# What overrides a key of the claim's sources.
_OF_SOURCES = ("key", "says")
_ANYTHING = ("error", "warning")
_NO_SOURCE = "a claim needs `sources`: the documents that promise it, such as {docs: torch.clone, key: few words}"


class Reader:
    """Reads one spec file, of the corpus or, with ``own``, of somebody else."""

    def __init__(
        self, document: Document, problems: Problems, causes: MappingType[str, Cause], *, own: bool = False
    ) -> None:
        self.document = document
        self.problems = problems
        self.causes = causes
        self.own = own
        self.shapes = Shapes(document, problems)

    def claims(self) -> Iterator[list[Draft]]:
        """For each entry of ``claims``, its drafts: one, or with ``each`` one for each row."""
        top = self.top
        if top is None or "claims" not in top.entries:
            return
        subject = self.shapes.text(top.entries.get("subject"), "`subject`")
        for node in self.shapes.listing(top.entries["claims"], "`claims`", "a list of claims") or ():
            mapping = self.shapes.form(node, FORMS["claim"])
            if mapping is not None:
                drafts = self._entry(mapping, subject)
                for draft in drafts:
                    if "sources" not in draft.entries:
                        draft.report(None, "E401", _NO_SOURCE)
                if "subject" not in top.entries and not all(draft.claim.subject for draft in drafts):
                    self._report(top, "E102", "a spec file lacks 'subject'; add it, or give each claim its own")
                yield drafts

    @cached_property
    def top(self) -> Optional[Mapping]:
        """The mapping that the file is; None where it is none."""
        root = self.document.root
        if root is None:
            self._report(Scalar("", "", 1, 1), "E102", "the file is empty; a spec file has `subject` and `claims`")
            return None
        top = self.shapes.form(root, FORMS["file"])
        if top is not None and "claims" not in top.entries and "answer" not in top.entries:
            self._report(top, "E102", "a spec file lacks 'claims'; add it, or an `answer`")
        return top

    def _entry(self, node: Mapping, subject: Optional[Scalar]) -> list[Draft]:
        if "each" not in node.entries:
            if "id" not in node.entries:
                self._report(node, "E102", "a claim lacks 'id'; add it")
            return [self.draft(node, subject, None)]
        rows = self._rows(node.entries["each"])
        if len(rows) == 1:
            self._report(node.keys["each"], "E805", "a table of one row; write the row out in the claim")
        drafts = [self.draft(node, subject, row) for row in rows]
        # A refused part of the claim may have been what uses a column.
        if rows and not has_broken(node):
            self._report_unused(rows)
        return drafts

    def _rows(self, each: Node) -> list[Row]:
        nodes = self.shapes.listing(each, "`each`", "a list of rows") or []
        read = [self.shapes.any_mapping(node, "a row of `each`", "a mapping of columns") for node in nodes]
        mappings = [mapping for mapping in read if mapping is not None]
        columns = frozenset(name for mapping in mappings for name in mapping.entries)
        used: set[str] = set()
        rows = []
        for mapping in mappings:
            cells = {}
            for name, value in mapping.entries.items():
                if name not in OVERRIDABLE or name in _TEXT_COLUMNS:
                    cell = self.shapes.code(value, f"column '{name}'", "text")
                    if cell is not None:
                        cells[name] = cell
            rows.append(Row(self.document.place(mapping), mapping, cells, columns, used))
        return rows

    def _report_unused(self, rows: list[Row]) -> None:
        for name in sorted(rows[0].columns - rows[0].used - set(OVERRIDABLE)):
            key = next(row.node.keys[name] for row in rows if name in row.node.keys)
            self._report(key, "E802", f"column '{name}' is used nowhere; use it as ${name} or remove it")

    def draft(self, node: Mapping, subject: Optional[Scalar], row: Optional[Row]) -> Draft:
        """Read a claim, or with a row what it makes of the claim."""
        whole = node if row is None else _overridden(node, row.node)
        for name in ("title", "family"):
            if name not in whole.entries:
                self._report(node, "E102", f"a claim lacks '{name}'; add it")
        keys = row.node.entries if row is not None else node.entries
        if row is not None and "id" not in keys and ("subject" not in keys or "id" not in node.entries):
            message = "this row has no 'id'; add one, its slug (or a 'subject' of its own, and an `id` on the claim)"
            self.problems.add(row.place, "E804", message)
        place = row.place if row else self.document.place(node)
        slug = self.shapes.text(whole.entries.get("id"), "`id`")
        own = self.shapes.text(whole.entries.get("subject"), "`subject`") or subject
        about = own.value if own else ""
        draft = Draft(
            document=self.document,
            problems=self.problems,
            node=whole,
            row=row,
            place=place,
            subject_place=self.document.place(own) if own else place,
            slug=slug.value if slug else None,
            slug_place=self.document.place(slug) if slug else place,
            claim=Claim(
                f"{about}/{slug.value if slug else None}",
                about,
                "",
                "",
                (),
                place,
                entry=self.document.place(node),
                own=self.own,
            ),
        )
        draft.claim = _ClaimReader(self, draft).read()
        return draft

    def _report(self, node: Node, code: str, message: str) -> None:
        self.problems.add(self.document.place(node), code, message)


class _ClaimReader:
    """Reads one claim: each key by its form, and each form as the class of the model that it stands for."""

    def __init__(self, reader: Reader, draft: Draft) -> None:
        self.shapes = reader.shapes
        self.causes = reader.causes
        self.draft = draft
        self.row = draft.row

    def read(self) -> Claim:
        draft = self.draft
        values = _on_one_line(self._values(draft.node, "claim", without=("id", "subject", "each")))
        former = tuple(text if "/" in text else f"{draft.claim.subject}/{text}" for text in values.pop("was", ()))
        expectation = Expectation(*(values.pop(name, default) for name, default in _EXPECTED))
        unspecified = "guarantee" in values and bool(values.pop("guarantee"))
        if unspecified:
            values.pop("control", None)  # a row that only observes has no use for the control of its table
        return Claim(
            id=draft.claim.id,
            subject=draft.claim.subject,
            place=draft.place,
            entry=draft.claim.entry,
            own=draft.claim.own,
            title=values.pop("title", ""),
            family=values.pop("family", ""),
            sources=values.pop("sources", ()),
            expectation=expectation,
            unspecified=unspecified,
            was=former,
            **values,
        )

    def _values(self, mapping: Mapping, form: str, without: tuple[str, ...] = ()) -> Values:
        """Return the values of a mapping's keys, but those that are missing or wrong."""
        found = {}
        for name, key in FORMS[form].keys.items():
            if name in mapping.entries and name not in without:
                value = self._value(mapping.entries[name], key, f"`{name}`")
                if value is not None:
                    found[name] = value
        return found

    def _value(self, node: Node, key: Key, what: str) -> Any:
        if key.shape is Shape.TEXT:
            return self._text(node, what)
        if key.shape is Shape.WORD:
            return self.shapes.choice(node, what, tuple(key.words))
        if key.shape is Shape.CODE:
            return self._code(node, what)
        if key.shape is Shape.TRUE:
            return self.shapes.truth(node, what)
        if key.shape is Shape.CODE_TABLE:
            return self._table(node, what, key)
        if key.shape is Shape.TEXT_TABLE:
            return self._texts(node, what, key)
        if key.shape is Shape.FORM:
            return self._form(node, key.form, what)
        if key.shape is Shape.FORMS:
            listed = self.shapes.listing(node, what, key.wanted) or ()
            return _present(self._form(item, key.form, FORMS[key.form].called) for item in listed)
        items = self.shapes.one_or_list(node, what, key.wanted or "an expression")
        if key.shape is Shape.TEXTS:
            return _present(self._text(item, what) for item in items)
        return _present(self._code(item, what if item is node else f"an expression of {what}") for item in items)

    def _text(self, node: Optional[Node], what: str) -> Optional[str]:
        scalar = self.shapes.text(node, what)
        return self._substituted(scalar) if scalar else None

    def _code(self, node: Node, what: str) -> Optional[Fragment]:
        scalar = self.shapes.code(node, what)
        text = self._substituted(scalar) if scalar else None
        if scalar is None or text is None:
            return None
        # White space at the end, which a block scalar has, is left out.
        fragment = Fragment(text.rstrip(), self.draft.document.place_in(scalar, 0))
        self.draft.remember(fragment, scalar)
        return fragment

    def _table(self, node: Node, what: str, key: Key) -> tuple[tuple[str, Fragment], ...]:
        may_be_empty = key.least == 0 and isinstance(node, Mapping)
        table = node if may_be_empty else self.shapes.any_mapping(node, what, key.wanted)
        if not isinstance(table, Mapping):
            return ()
        found = []
        for name, value in table.entries.items():
            # The rest of a call that lacks quotes is no entry; the call itself is reported.
            if not (isinstance(value, Scalar) and not value.value and cut_at_comma(name)):
                code = self._code(value, f"'{name}' of {what}")
                shown = self._substituted(table.keys[name])
                if code is not None and shown is not None:
                    found.append((shown, code))
        return tuple(found)

    def _texts(self, node: Node, what: str, key: Key) -> tuple[tuple[str, str], ...]:
        table = self.shapes.any_mapping(node, what, key.wanted)
        entries = table.entries.items() if isinstance(table, Mapping) else ()
        texts = ((name, self._text(value, f"'{name}' of {what}")) for name, value in entries)
        return tuple((name, " ".join(text.split())) for name, text in texts if text)

    def _form(self, node: Node, form: str, what: str) -> Any:
        short = FORMS[form].short
        if short is not None and isinstance(node, Scalar):
            text = self._text(node, what)
            values = {short: text} if text is not None else None
        else:
            mapping = self.shapes.form(node, FORMS[form], what)
            if mapping is not None and form == "source":
                return self._source(mapping)
            if mapping is not None and not mapping.entries and form in ("applies", "raises", "warns"):
                self.draft.report(mapping, "E105", f"{what} is empty; give it a key or remove it")
            values = self._values(mapping, form) if mapping is not None else None
        if values is None:
            return None
        part = self._part(form, values, self.draft.document.place(node))
        self.draft.remember(part, node)
        return part

    def _part(self, form: str, values: Values, place: Place) -> Any:
        """Return the part of the model that a form stands for."""
        if form == "applies":
            return Conditions(**values)
        if form in ("raises", "warns"):
            if values.get("type") in _ANYTHING and values["type"] == ("error" if form == "raises" else "warning"):
                del values["type"]
            firmest = next((tier for tier in reversed(PROMISES) if tier in values), PROMISES[0])
            return Raises(values.get("type"), values.get("message"), values.get("promised", firmest), place)
        if form == "instead":
            return Expectation(**values)
        cause = self.causes.get(values.pop("cause", ""))
        said = {name: getattr(cause, name) for name in OF_CAUSE} if cause is not None else {}
        return Divergence(**{**_DIVERGENCE, **_on_one_line(values), **said, "place": place, "cause": cause})

    def _source(self, mapping: Mapping) -> Optional[Source]:
        kinds = [kind for kind in SOURCE_KINDS if kind in mapping.entries]
        if len(kinds) > 1:
            message = f"a source is one document, not {' and '.join(kinds)}; make it two entries"
            self.draft.report(mapping, "E107", message)
            return None
        values = self._values(mapping, "source")
        if kinds:
            kind = kinds[0]
            name = values.get(kind)
        elif "key" in mapping.entries:
            # Without a name it is the documentation of the claim's subject.
            kind, name = "docs", self.draft.claim.subject
            if name.startswith("notes/"):
                kind, name = "note", name[len("notes/") :]
        else:
            name = None
            message = "a source names its document: docs, note, article or release; add one"
            self.draft.report(mapping, "E102", message)
        if name is None:
            return None
        cells = self.row.cells if self.row else {}
        overridden = kind == "docs" and "key" in cells
        self._check_key_or_row(mapping, kind, overridden)
        if overridden:
            values["key"] = cells["key"].value
            name = cells["subject"].value if "subject" in cells else name
        place, says = self.draft.document.place(mapping), values.get("says")
        if kind == "docs" and self.row is not None and "says" in self.row.node.entries:
            says = self._value(self.row.node.entries["says"], FORMS["row"].keys["says"], "`says`")
        source = Source(kind, name, values.get("key"), values.get("row"), place, says)
        self.draft.remember(source, mapping)
        return source

    def _check_key_or_row(self, mapping: Mapping, kind: str, overridden: bool) -> None:
        wanted, unwanted = ("row", "key") if kind == "article" else ("key", "row")
        if wanted not in mapping.entries and not overridden:
            meant = {"row": "the row of the article's list of claims", "key": "the few words that find the sentence"}
            what = meant[wanted]
            self.draft.report(mapping, "E404", f"this source lacks '{wanted}', {what}; add it")
        if unwanted in mapping.entries:
            advice = "an article has rows" if kind == "article" else "only an article has rows; give a `key`"
            message = f"a source with '{kind}' has no key '{unwanted}'; {advice}"
            self.draft.report(mapping.keys[unwanted], "E101", message)

    def _substituted(self, scalar: Scalar) -> Optional[str]:
        """Return text with the row's cells in the place of ``$column``; None where one is missing."""
        if self.row is None or "$" not in scalar.value:
            return scalar.value
        missing = [
            name for match in _COLUMN.finditer(scalar.value) if not self._has(name := _name(match), scalar, match)
        ]
        if missing:
            return None
        cells = self.row.cells
        return _COLUMN.sub(lambda match: cells[_name(match)].value.rstrip(), scalar.value)

    def _has(self, name: str, scalar: Scalar, match: re.Match[str]) -> bool:
        assert self.row is not None
        self.row.used.add(name)
        if name in self.row.cells:
            return True
        if name in self.row.columns:
            message = f"this row has no '{name}', which the claim uses as ${name}; add it"
            self.draft.problems.add(self.row.place, "E803", message)
        else:
            place = self.draft.document.place_in(scalar, match.start())
            advice = did_you_mean(name, sorted(self.row.columns))
            self.draft.problems.add(place, "E801", f"no row of `each` has a column '{name}'{advice}")
        return False


_EXPECTED = (("expect", ()), ("raises", None), ("warns", None))
# What a divergence says itself or leaves to its cause.
OF_CAUSE = ("kind", "note", "link", "wording")
_DIVERGENCE: Values = {
    **dict.fromkeys(("kind", "note", "link"), ""),
    **dict.fromkeys(("where", "wording")),
    "when": Conditions(),
    "instead": Expectation(),
    "example": (),
}


def first_column(text: str) -> Optional[tuple[int, str]]:
    """Return the offset and name of the first ``$column`` in a text."""
    match = _COLUMN.search(text)
    return (match.start(), _name(match)) if match else None


def _name(match: re.Match[str]) -> str:
    return match.group(1) or match.group(2)


def _present(items: Iterator[Any]) -> tuple[Any, ...]:
    return tuple(item for item in items if item is not None)


def _on_one_line(values: Values) -> Values:
    """Return values with prose on one line."""
    prose = ("title", "unkillable", "because", "note", "link", "wording")
    return {name: " ".join(value.split()) if name in prose else value for name, value in values.items()}


def _overridden(node: Mapping, row: Mapping) -> Mapping:
    """Return a claim with the keys that a row of its table overrides."""
    whole = Mapping(node.line, node.column)
    names = [name for name in row.entries if name in OVERRIDABLE and name not in _OF_SOURCES]
    whole.entries = {**node.entries, **{name: row.entries[name] for name in names}}
    whole.keys = {**node.keys, **{name: row.keys[name] for name in names}}
    whole.damaged = node.damaged or row.damaged
    return whole
