"""A claim as it was read, with the way from each of its parts back to the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Optional

from conformance.language.documents import Document, Mapping, Node, Scalar
from conformance.language.model import Claim, Fragment, Place
from conformance.language.problems import Problems


@dataclass
class Row:
    """One row of ``each``: what ``$column`` stands for.

    Attributes
    ----------
    cells : dict of str to Scalar
        The row's own cells.
    columns : frozenset of str
        The columns that any row of the table has.
    used : set of str
        The columns that the claim uses, shared by all rows.
    """

    place: Place
    node: Mapping
    cells: dict[str, Scalar]
    columns: frozenset[str]
    used: set[str]


@dataclass
class Draft:
    """A claim, and where it was read: all that a rule needs to say where a mistake is.

    Attributes
    ----------
    node : Mapping
        The claim with what its row overrides.
    slug : str or None
        The part of the id after the subject, where there is one.
    """

    document: Document
    problems: Problems
    node: Mapping
    row: Optional[Row]
    place: Place
    subject_place: Place
    slug: Optional[str]
    slug_place: Place
    claim: Claim
    _nodes: dict[int, Node] = field(default_factory=dict)

    @property
    def entries(self) -> dict[str, Node]:
        """The claim's keys and their values."""
        return self.node.entries

    def remember(self, part: object, node: Node) -> None:
        """Remember the node that a part of the claim was read from."""
        self._nodes[id(part)] = node

    def scalar_of(self, fragment: Fragment) -> Scalar:
        """Return the scalar that a piece of Python was read from."""
        node = self._nodes[id(fragment)]
        assert isinstance(node, Scalar)
        return node

    def value(self, part: object, key: str) -> Optional[Node]:
        """Return the value of a key in the mapping that a part was read from."""
        node = self._nodes.get(id(part))
        return node.entries.get(key) if isinstance(node, Mapping) else node

    def mapping_of(self, part: object) -> Mapping:
        """Return the mapping that a part of the claim was read from."""
        node = self._nodes[id(part)]
        assert isinstance(node, Mapping)
        return node

    def report_key(self, name: str, code: str, message: str) -> None:
        """Report a key of the claim."""
        self.report(self.node.keys[name], code, message)

    def report(self, node: Optional[Node], code: str, message: str, offset: int = 0) -> None:
        """Report a node, or a character of the text in it; what a row made is reported at the row."""
        if node is None:
            place = self.place
        elif isinstance(node, Scalar):
            place = self.document.place_in(node, offset)
        else:
            place = self.document.place(node)
        if self.row is not None and isinstance(node, Scalar) and "$" in node.value:
            place = self.row.place
        self.problems.add(place, code, message)

    def report_code(self, fragment: Fragment, offset: int, code: str, message: str) -> None:
        """Report a character of a piece of Python; where a row made it, show what was made."""
        scalar = self.scalar_of(fragment)
        if self.row is not None and "$" in scalar.value:
            text = " ".join(fragment.text.split())
            message += f" (this row makes: {text if len(text) <= 60 else text[:57] + '...'})"
        self.report(scalar, code, message, offset)


def named(fragments: Sequence[tuple[str, Fragment]]) -> list[str]:
    """Return the names of a table of Python."""
    return [name for name, _ in fragments]
