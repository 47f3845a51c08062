"""The code of a notebook, as one source that remembers its cells."""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, Optional

from conformance.usage.magics import CellCode, CellProblem, read_cell
from conformance.usage.model import Cause

_CELLS_OF_TEXT = ("markdown", "raw", "heading")
_ODD = CellCode("", (CellProblem(Cause.CELL),))


@dataclass(frozen=True)
class Notebook:
    """The code cells of a notebook one below the other; ``problems``: what was not read, by the number of its cell."""

    source: str
    starts: tuple[int, ...]
    problems: tuple[tuple[int, CellProblem], ...] = ()

    def place(self, line: int) -> tuple[int, int]:
        """Return the code cell (from 1) of a line of the source, and the line in that cell."""
        cell = bisect_right(self.starts, line)
        return cell, line - self.starts[cell - 1] + 1


def read_notebook(data: bytes) -> Notebook:
    """Return the code of a notebook; a cell that is neither code nor text counts as one of code that was not read.

    Raises
    ------
    ValueError
        If it is no notebook.
    """
    try:
        cells = _cells(json.loads(data))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("it has no cells") from error
    read = [code for cell in cells if (code := _read(cell)) is not None]
    if read and all(code is _ODD for code in read):
        raise ValueError("it has no cells of code or text")
    starts, line = [], 1
    for code in read:
        starts.append(line)
        line += code.source.count("\n") + 1
    problems = tuple((number, each) for number, code in enumerate(read, 1) for each in code.problems)
    return Notebook("\n".join(code.source for code in read), tuple(starts), problems)


def _cells(document: Any) -> list[Any]:
    sheets = document.get("worksheets", [document])  # Format 3 has sheets.
    return [cell for sheet in sheets for cell in sheet["cells"]]


def _read(cell: Any) -> Optional[CellCode]:
    kind = cell.get("cell_type") if isinstance(cell, dict) else None
    if kind in _CELLS_OF_TEXT:
        return None
    text = cell.get("source", cell.get("input")) if kind == "code" else None
    if isinstance(text, list) and all(isinstance(line, str) for line in text):
        text = "".join(text)
    return read_cell(text) if isinstance(text, str) else _ODD
