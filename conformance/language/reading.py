"""From the tree of a spec file to drafts of its claims: the keys there are, and the shape of each value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Optional

from conformance.language.documents import Broken, Document, Mapping, Node, Scalar, cut_at_comma, has_broken
from conformance.language.drafts import (
    ClaimDraft,
    ComparisonDraft,
    ConditionsDraft,
    DivergenceDraft,
    ExpectationDraft,
    NamedSnippet,
    RaisesDraft,
    SourceDraft,
)
from conformance.language.model import DIVERGENCE_KINDS, FAMILIES, PROMISES, SOURCE_KINDS
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes
from conformance.language.snippets import Row, Snippet

FILE_KEYS = ("subject", "claims")
CLAIM_KEYS = (
    "id",
    "title",
    "family",
    "sources",
    "given",
    "assume",
    "do",
    "expect",
    "raises",
    "warns",
    "each",
    "compare",
    "applies",
    "guarantee",
    "diverges",
    "was",
    "unkillable",
)
RESERVED_COLUMNS = ("id", "subject", "sources", "key", "applies", "diverges", "was", "title")
TEXT_COLUMNS = ("id", "subject", "key", "title")
CONDITION_KEYS = ("torch", "numpy", "python", "device", "system")
DIVERGENCE_KEYS = ("kind", "when", "where", "instead", "example", "note", "link", "wording")
INSTEAD_KEYS = ("expect", "raises", "warns", "crashes")
RAISES_KEYS = ("type", "message", "promised")
COMPARE_KEYS = ("setup", "kernels", "sizes")
DEVICES = ("cpu", "cuda")
SYSTEMS = ("linux", "darwin", "windows")
ANYTHING = {"raises": "error", "warns": "warning"}


class Reader:
    """Reads one spec file."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self.shapes = Shapes(document, problems)

    def claims(self) -> Iterator[list[ClaimDraft]]:
        """For each entry of ``claims``, its drafts: one, or with ``each`` one for each row."""
        root = self.document.root
        if root is None:
            root = Scalar("", "", 1, 1)
            self.problems.add(
                self.document.place(root), "E102", "the file is empty; a spec file has `subject` and `claims`"
            )
            return
        top = self.shapes.mapping(root, "a spec file", FILE_KEYS, FILE_KEYS)
        if top is None:
            return
        subject = self.shapes.text(top.entries.get("subject"), "`subject`")
        if "claims" not in top.entries:
            return
        for node in self.shapes.listing(top.entries["claims"], "`claims`", "a list of claims") or ():
            mapping = self.shapes.mapping(node, "a claim", CLAIM_KEYS, ("title", "family"))
            if mapping is not None:
                yield self._entry(mapping, subject)

    def _entry(self, node: Mapping, subject: Optional[Scalar]) -> list[ClaimDraft]:
        if "each" not in node.entries:
            if "id" not in node.entries:
                self.problems.add(self.document.place(node), "E102", "a claim lacks 'id'; add it")
            return [self._claim(node, subject, None, None)]
        rows = self._rows(node)
        drafts = [self._claim(node, subject, row, row_node) for row_node, row in rows]
        if rows:
            self._unused_columns(node, [row for _, row in rows])
        return drafts

    def _rows(self, node: Mapping) -> list[tuple[Mapping, Row]]:
        nodes = self.shapes.listing(node.entries["each"], "`each`", "a list of rows") or []
        mappings = []
        for row_node in nodes:
            mapping = self.shapes.any_mapping(row_node, "a row of `each`", "a mapping of columns")
            if mapping is not None:
                mappings.append(mapping)
        columns = frozenset(name for mapping in mappings for name in mapping.entries)
        used: set[str] = set()
        rows = []
        for mapping in mappings:
            cells = {}
            for name, value in mapping.entries.items():
                if name not in RESERVED_COLUMNS or name in TEXT_COLUMNS:
                    cell = self.shapes.cell(value, f"column '{name}'")
                    if cell is not None:
                        cells[name] = cell
            rows.append((mapping, Row(self.document.place(mapping), cells, columns, used)))
        return rows

    def _unused_columns(self, node: Mapping, rows: list[Row]) -> None:
        used = rows[0].used
        # A refused part of the claim may have been what uses it.
        if has_broken(node):
            return
        seen: set[str] = set()
        each = node.entries["each"]
        for row_node in getattr(each, "items", ()):
            for name, key in row_node.keys.items() if isinstance(row_node, Mapping) else ():
                if name in seen or name in used or name in RESERVED_COLUMNS:
                    continue
                seen.add(name)
                self.problems.add(
                    self.document.place(key), "E802", f"column '{name}' is used nowhere; use it as ${name} or remove it"
                )

    def _claim(
        self, node: Mapping, subject: Optional[Scalar], row: Optional[Row], row_node: Optional[Mapping]
    ) -> ClaimDraft:
        cells = row.cells if row else {}
        subject_cell = cells.get("subject", subject)
        slug = self.shapes.text(node.entries.get("id"), "`id`")
        if row is not None and row_node is not None:
            if "id" in row_node.entries:
                slug = cells.get("id")
            elif "subject" not in row_node.entries or "id" not in node.entries:
                self.problems.add(
                    row.place,
                    "E804",
                    "this row has no 'id'; add one, its slug (or a 'subject' of its own, and an `id` on the claim)",
                )
        place = row.place if row else self.document.place(node)
        draft = ClaimDraft(
            document=self.document,
            node=node,
            row=row,
            place=place,
            subject=subject_cell.value if subject_cell else "",
            subject_place=self.document.place(subject_cell) if subject_cell else place,
            slug=slug.value if slug else None,
            slug_place=self.document.place(slug) if slug else place,
        )
        entries = dict(node.entries)
        for name in ("title", "sources", "applies", "diverges", "was"):
            if row_node is not None and name in row_node.entries:
                entries[name] = row_node.entries[name]
        draft.title = self._text(entries.get("title"), "`title`", row)
        draft.family = self.shapes.choice(entries.get("family"), "`family`", FAMILIES)
        draft.sources = self._sources(entries, draft)
        if "given" in entries:
            table = self.shapes.any_mapping(entries["given"], "`given`", "an input for each name")
            draft.given = self._named(table, "input", row)
        draft.assume = self._expressions(entries.get("assume"), "`assume`", row)
        draft.do = self._code(entries.get("do"), "`do`", row)
        draft.expectation = self._expectation(entries, row)
        if "compare" in entries:
            draft.compare = self._comparison(entries["compare"], row)
        draft.applies = self._conditions(entries.get("applies"), "`applies`")
        if "guarantee" in entries:
            word = self.shapes.choice(entries["guarantee"], "`guarantee`", ("unspecified",))
            draft.unspecified = word is not None
        if "diverges" in entries:
            for item in self.shapes.listing(entries["diverges"], "`diverges`", "a list of divergences") or ():
                divergence = self._divergence(item, row)
                if divergence is not None:
                    draft.diverges.append(divergence)
        if "was" in entries:
            for item in self.shapes.one_or_list(entries["was"], "`was`", "a former id"):
                snippet = self._text(item, "`was`", row)
                if snippet is not None:
                    draft.was.append(snippet)
        draft.unkillable = self._text(entries.get("unkillable"), "`unkillable`", row)
        return draft

    def _text(self, node: Optional[Node], what: str, row: Optional[Row]) -> Optional[Snippet]:
        scalar = self.shapes.text(node, what)
        return Snippet(self.document, scalar, row, self.problems) if scalar else None

    def _code(self, node: Optional[Node], what: str, row: Optional[Row]) -> Optional[Snippet]:
        scalar = self.shapes.code(node, what)
        return Snippet(self.document, scalar, row, self.problems) if scalar else None

    def _expressions(self, node: Optional[Node], what: str, row: Optional[Row]) -> list[Snippet]:
        if node is None:
            return []
        snippets = []
        for item in self.shapes.one_or_list(node, what, "an expression"):
            snippet = self._code(item, f"an expression of {what}" if item is not node else what, row)
            if snippet is not None:
                snippets.append(snippet)
        return snippets

    def _named(self, table: Optional[Mapping], what: str, row: Optional[Row]) -> list[NamedSnippet]:
        found = []
        for name, value in table.entries.items() if table else ():
            if isinstance(value, Scalar) and not value.value and cut_at_comma(name):
                # The rest of a call that lacks quotes; the call itself is reported.
                continue
            snippet = self._code(value, f"{what} '{name}'", row)
            if snippet is not None and table is not None:
                found.append(NamedSnippet(name, table.keys[name], snippet))
        return found

    def _sources(self, entries: dict[str, Node], draft: ClaimDraft) -> list[SourceDraft]:
        if "sources" not in entries:
            self.problems.add(
                draft.place,
                "E401",
                "a claim needs `sources`: the documents that promise it, such as {docs: torch.clone, key: few words}",
            )
            return []
        if isinstance(entries["sources"], Broken):
            return []
        nodes = self.shapes.listing(entries["sources"], "`sources`", "a list of sources") or []
        drafts = []
        for node in nodes:
            source = self._source(node, draft.row)
            if source is None:
                continue
            cells = draft.row.cells if draft.row else {}
            if source.kind == "docs" and "key" in cells:
                source.key = Snippet(self.document, cells["key"], None, self.problems)
                if "subject" in cells:
                    source.name = Snippet(self.document, cells["subject"], None, self.problems)
            drafts.append(source)
        return drafts

    def _source(self, node: Node, row: Optional[Row]) -> Optional[SourceDraft]:
        mapping = self.shapes.mapping(node, "a source", (*SOURCE_KINDS, "key", "row"))
        if mapping is None:
            return None
        kinds = [kind for kind in SOURCE_KINDS if kind in mapping.entries]
        place = self.document.place(mapping)
        if len(kinds) != 1:
            if not kinds:
                self.problems.add(place, "E102", "a source names its document: docs, note, article or release; add one")
            else:
                self.problems.add(
                    place, "E107", f"a source is one document, not {' and '.join(kinds)}; make it two entries"
                )
            return None
        kind = kinds[0]
        name = self._text(mapping.entries[kind], f"`{kind}`", row)
        key = self._text(mapping.entries.get("key"), "`key`", row)
        row_snippet = self._text(mapping.entries.get("row"), "`row`", row)
        if name is None:
            return None
        wanted, unwanted = ("row", "key") if kind == "article" else ("key", "row")
        has_cell = row is not None and kind == "docs" and "key" in row.cells
        if wanted not in mapping.entries and not has_cell:
            what = (
                "the row of the article's list of claims" if wanted == "row" else "the few words that find the sentence"
            )
            self.problems.add(place, "E404", f"this source lacks '{wanted}', {what}; add it")
        if unwanted in mapping.entries:
            advice = "an article has rows" if kind == "article" else "only an article has rows; give a `key`"
            self.problems.add(
                self.document.place(mapping.keys[unwanted]),
                "E101",
                f"a source with '{kind}' has no key '{unwanted}'; {advice}",
            )
        return SourceDraft(mapping, kind, name, key, row_snippet, place)

    def _expectation(self, entries: dict[str, Node], row: Optional[Row]) -> ExpectationDraft:
        draft = ExpectationDraft(expect=self._expressions(entries.get("expect"), "`expect`", row))
        draft.raises = self._raises(entries.get("raises"), "raises", row)
        draft.warns = self._raises(entries.get("warns"), "warns", row)
        return draft

    def _raises(self, node: Optional[Node], key: str, row: Optional[Row]) -> Optional[RaisesDraft]:
        if node is None or isinstance(node, Broken):
            return None
        what = f"`{key}`"
        place = self.document.place(node)
        if isinstance(node, Scalar):
            snippet = self._text(node, what, row)
            if snippet is None:
                return None
            named = None if snippet.text == ANYTHING[key] else snippet
            return RaisesDraft(node, named, None, None, None, place)
        mapping = self.shapes.mapping(node, what, RAISES_KEYS)
        if mapping is None:
            return None
        if not mapping.entries:
            self.problems.add(place, "E105", f"{what} is empty; give a type, a message, or `{key}: {ANYTHING[key]}`")
        promised = self.shapes.choice(mapping.entries.get("promised"), "`promised`", PROMISES)
        named = self._text(mapping.entries.get("type"), f"the type of {what}", row)
        if named is not None and named.text == ANYTHING[key]:
            named = None
        message = self._text(mapping.entries.get("message"), f"the message of {what}", row)
        return RaisesDraft(mapping, named, message, promised, mapping.entries.get("promised"), place)

    def _conditions(self, node: Optional[Node], what: str) -> ConditionsDraft:
        if node is None:
            return ConditionsDraft()
        mapping = self.shapes.mapping(node, what, CONDITION_KEYS)
        if mapping is None:
            return ConditionsDraft()
        if not mapping.entries:
            self.problems.add(self.document.place(mapping), "E105", f"{what} is empty; give a condition or remove it")
        draft = ConditionsDraft(mapping)
        for name, value in mapping.entries.items():
            if name == "device" or name == "system":
                choices = DEVICES if name == "device" else SYSTEMS
                if self.shapes.choice(value, f"`{name}`", choices) and isinstance(value, Scalar):
                    draft.values[name] = value
            elif name in CONDITION_KEYS:
                scalar = self.shapes.text(value, f"`{name}`")
                if scalar is not None:
                    draft.values[name] = scalar
        return draft

    def _divergence(self, node: Node, row: Optional[Row]) -> Optional[DivergenceDraft]:
        mapping = self.shapes.mapping(node, "a divergence", DIVERGENCE_KEYS)
        if mapping is None:
            return None
        entries = mapping.entries
        instead = ExpectationDraft()
        if "instead" in entries:
            inner = self.shapes.mapping(entries["instead"], "`instead`", INSTEAD_KEYS)
            if inner is not None:
                instead = self._expectation(inner.entries, row)
                instead.crashes = bool(self.shapes.truth(inner.entries.get("crashes"), "`crashes`"))
        example: list[NamedSnippet] = []
        if "example" in entries:
            node_ = entries["example"]
            if isinstance(node_, Mapping):
                example = self._named(node_, "example", row)
            else:
                self.shapes.wrong(node_, "`example`", "a recipe for each input")
        return DivergenceDraft(
            node=mapping,
            place=self.document.place(mapping),
            kind=self.shapes.choice(entries.get("kind"), "`kind`", DIVERGENCE_KINDS),
            when=self._conditions(entries.get("when"), "`when`"),
            where=self._code(entries.get("where"), "`where`", row),
            instead=instead,
            instead_node=entries.get("instead"),
            example=example,
            example_node=entries.get("example"),
            note=self._text(entries.get("note"), "`note`", row),
            link=self._text(entries.get("link"), "`link`", row),
            wording=self._text(entries.get("wording"), "`wording`", row),
        )

    def _comparison(self, node: Node, row: Optional[Row]) -> Optional[ComparisonDraft]:
        mapping = self.shapes.mapping(node, "`compare`", COMPARE_KEYS, COMPARE_KEYS)
        if mapping is None:
            return None
        entries = mapping.entries
        kernels: list[NamedSnippet] = []
        if "kernels" in entries:
            table = self.shapes.any_mapping(entries["kernels"], "`kernels`", "Python for each name")
            kernels = self._named(table, "kernel", row)
        sizes = []
        if "sizes" in entries:
            for item in self.shapes.listing(entries["sizes"], "`sizes`", "a list of sizes") or ():
                number = self.shapes.number(item, "a size")
                if number is not None:
                    sizes.append(number)
        return ComparisonDraft(
            node=mapping,
            setup=self._code(entries.get("setup"), "`setup`", row),
            kernels=kernels,
            sizes=sizes,
            sizes_node=entries.get("sizes"),
        )
