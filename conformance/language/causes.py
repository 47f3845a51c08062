"""The causes of divergences: files in the folder ``causes`` of a corpus, one for each area."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Optional

from conformance.base.files import files_in
from conformance.base.text import one_line
from conformance.language.documents import Document, Node, Scalar, open_document
from conformance.language.documents import Mapping as Table
from conformance.language.expressions import statements
from conformance.language.forms import CAUSE, CAUSES, DAY, MAXIMUM_SCRIPT, SLUG, Shape
from conformance.language.model import Cause, Claim
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes
from conformance.language.titles import title_mistakes

FOLDER = "causes"


def cause_files(root: Path) -> list[Path]:
    """Return the files with the causes of a corpus."""
    return files_in(root / FOLDER, "*.yaml")


def read_causes(root: Path, problems: Problems) -> dict[str, Cause]:
    """Read the causes of a corpus by id; those with a mistake are left out."""
    found: dict[str, Cause] = {}
    for path in cause_files(root):
        document = open_document(path, problems)
        if document is not None:
            _Reader(document, problems).read(found)
    return found


def check_use(causes: Mapping[str, Cause], claims: Iterable[Claim], problems: Problems) -> None:
    """Check that some divergence names each cause, and of one that is `docs-wrong` some where a source states it."""
    stated: dict[str, bool] = {}
    for claim in claims:
        states = any(source.states for source in claim.sources)
        for cause in (divergence.cause for divergence in claim.diverges if divergence.cause is not None):
            stated[cause.id] = stated.get(cause.id, False) or states
    for identity, cause in causes.items():
        if identity not in stated:
            message = f"no divergence names the cause '{identity}'; name it in `diverges` or remove it"
            problems.add(cause.place, "E708", message)
        elif cause.kind == "docs-wrong" and not stated[identity]:
            message = "no claim with this cause has a source that `states` it, so no document is wrong; change `kind`"
            problems.add(cause.place, "E705", message)


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self.shapes = Shapes(document, problems)

    def read(self, found: dict[str, Cause]) -> None:
        root = self.document.root
        top = self.shapes.form(root, CAUSES) if root is not None else None
        if top is None or "causes" not in top.entries:
            return
        for node in self.shapes.listing(top.entries["causes"], "`causes`", "a list of causes") or ():
            before = len(self.problems)
            cause = self._cause(node)
            if cause is not None and cause.id in found:
                message = f"the cause '{cause.id}' stands at {found[cause.id].place} too; give this one another id"
                self.problems.add(cause.place, "E302", message)
            if cause is not None and len(self.problems) == before:
                found[cause.id] = cause

    def _cause(self, node: Node) -> Optional[Cause]:
        table = self.shapes.form(node, CAUSE)
        if table is None:
            return None
        read = {name: self._value(table, name) for name in CAUSE.keys}
        self._check_id(table)
        self._check_wording(table, read["kind"])
        wording, script, searched = read.pop("wording"), read.pop("script"), read.pop("searched")
        texts = {name: one_line(text) for name, text in read.items() if text is not None}
        if len(texts) < len(read):
            return None
        place = self.document.place(table)
        shortened = one_line(wording) if wording else None
        return Cause(**texts, wording=shortened, place=place, script=script, searched=searched)

    def _value(self, table: Table, name: str) -> Optional[str]:
        node, key = table.entries.get(name), CAUSE.keys[name]
        if key.shape is Shape.WORD:
            return self.shapes.choice(node, f"`{name}`", tuple(key.words))
        if name == "link":
            return self.shapes.address(node, "`link`", may_lack=True)
        if key.shape is Shape.CODE:
            return self._script(node)
        scalar = self.shapes.text(node, f"`{name}`")
        if scalar is not None and name == "searched" and not re.fullmatch(DAY, scalar.value):
            message = f"'{scalar.value}' is not a day; write it as '2026-11-23'"
            self.problems.add(self.document.place(scalar), "E710", message)
        if scalar is not None and name == "title":
            for offset, code, message in title_mistakes(scalar.value):
                self.problems.add(self.document.place_in(scalar, offset), code, message)
        return scalar.value if scalar is not None else None

    def _script(self, node: Optional[Node]) -> Optional[str]:
        scalar = self.shapes.code(node, "`script`")
        if scalar is None:
            return None
        mistake = statements(scalar.value).mistake
        lines = scalar.value.strip().count("\n") + 1
        told = (
            f"is not Python: {mistake.message}" if mistake else f"has {lines} lines, and {MAXIMUM_SCRIPT} are the most"
        )
        if mistake or lines > MAXIMUM_SCRIPT:
            self.problems.add(self.document.place(scalar), "E709", f"the script {told}; shorten or correct it")
        return scalar.value

    def _check_id(self, table: Table) -> None:
        node = table.entries.get("id")
        if isinstance(node, Scalar) and node.value and not re.fullmatch(SLUG, node.value):
            message = f"'{node.value}' is not an id: small letters and digits, words joined by single hyphens"
            self.problems.add(self.document.place(node), "E301", message)

    def _check_wording(self, table: Table, kind: Optional[str]) -> None:
        if kind == "docs-wrong" and "wording" not in table.entries:
            message = "this cause lacks `wording`; say what the documentation could say"
            self.problems.add(self.document.place(table), "E707", message)
