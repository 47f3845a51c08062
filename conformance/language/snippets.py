"""Text of a claim after the columns of an ``each`` row have been put in, with the way back to the file."""

from __future__ import annotations

import re
from typing import Optional

from conformance.language.documents import Document, Scalar, did_you_mean
from conformance.language.model import Fragment, Place
from conformance.language.problems import Problems

_COLUMN = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")


class Snippet:
    """A text and, for each of its characters, the place in the file that it came from."""

    __slots__ = ("document", "incomplete", "pieces", "scalar", "text")

    def __init__(self, document: Document, scalar: Scalar, row: Optional[Row], problems: Problems) -> None:
        self.document = document
        self.scalar = scalar
        self.text = scalar.value
        # Whether a column was missing, so that the text is not what it will be.
        self.incomplete = False
        # Start in the text, the scalar, and the offset there; None for a text that is all one scalar.
        self.pieces: Optional[list[tuple[int, Scalar, int]]] = None
        if row is not None and "$" in scalar.value:
            self._substitute(row, problems)

    @property
    def place(self) -> Place:
        """The place of the first character."""
        return self.place_at(0)

    @property
    def fragment(self) -> Fragment:
        """Text as a part of a claim; white space at the end, which a block scalar has, is left out."""
        return Fragment(self.text.rstrip(), self.place)

    def place_at(self, offset: int) -> Place:
        """Find the place of a character."""
        if self.pieces is None:
            return self.document.place_in(self.scalar, offset)
        start, scalar, base = next(piece for piece in reversed(self.pieces) if piece[0] <= max(offset, 0))
        return self.document.place_in(scalar, base + offset - start)

    def _substitute(self, row: Row, problems: Problems) -> None:
        value = self.scalar.value
        parts: list[str] = []
        pieces: list[tuple[int, Scalar, int]] = []
        length = done = 0
        for match in _COLUMN.finditer(value):
            name = match.group(1) or match.group(2)
            cell = row.cell(name, self.document.place_in(self.scalar, match.start()), problems)
            if cell is None:
                self.incomplete = True
                continue
            for scalar, base, text in (
                (self.scalar, done, value[done : match.start()]),
                (cell, 0, cell.value.rstrip()),
            ):
                if text:
                    pieces.append((length, scalar, base))
                    parts.append(text)
                    length += len(text)
            done = match.end()
        if done < len(value) or not pieces:
            pieces.append((length, self.scalar, done))
            parts.append(value[done:])
        self.text = "".join(parts)
        self.pieces = pieces


class Row:
    """One row of ``each``: what ``$column`` stands for."""

    def __init__(self, place: Place, cells: dict[str, Scalar], columns: frozenset[str], used: set[str]) -> None:
        self.place = place
        self.cells = cells
        self.columns = columns
        self.used = used

    def cell(self, name: str, place: Place, problems: Problems) -> Optional[Scalar]:
        """Look up the cell of a column; None, and a problem, where the row has none."""
        self.used.add(name)
        if name in self.cells:
            return self.cells[name]
        if name in self.columns:
            problems.add(self.place, "E803", f"this row has no '{name}', which the claim uses as ${name}; add it")
        else:
            problems.add(
                place,
                "E801",
                f"no row of `each` has a column '{name}'{did_you_mean(name, sorted(self.columns))}",
            )
        return None


def first_column(text: str) -> Optional[tuple[int, str]]:
    """Offset and name of the first ``$column`` in a text."""
    match = _COLUMN.search(text)
    return (match.start(), match.group(1) or match.group(2)) if match else None
