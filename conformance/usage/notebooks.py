"""The code of a notebook, as one source that remembers its cells."""

from __future__ import annotations

import ast
import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Optional

_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|.*\?)$")
_ASSIGNED = re.compile(r"^([ \t]*[\w, ]+=[ \t]*)[%!].*$")
#: Cell magics whose cells are Python all the same.
_PYTHON_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(frozen=True)
class Notebook:
    """The code cells of a notebook one below the other; ``broken``: the numbers of those that cannot be parsed."""

    source: str
    starts: tuple[int, ...]
    broken: tuple[tuple[int, SyntaxError], ...] = ()

    def place(self, line: int) -> tuple[int, int]:
        """Return the code cell (from 1) of a line of the source, and the line in that cell."""
        cell = bisect_right(self.starts, line)
        return cell, line - self.starts[cell - 1] + 1


def read_notebook(data: bytes) -> Notebook:
    """Return the code of a notebook.

    Raises
    ------
    ValueError
        If it is no notebook.
    """
    try:
        cells = json.loads(data)["cells"]
        sources = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except (KeyError, TypeError, IndexError, RecursionError) as error:
        raise ValueError("it has no cells") from error
    broken: list[tuple[int, SyntaxError]] = []
    for position, source in enumerate(sources):
        problem = _problem(source)
        if problem is not None:
            broken.append((position + 1, problem))
            sources[position] = ""
    starts, line = [], 1
    for source in sources:
        starts.append(line)
        line += source.count("\n") + 1
    return Notebook("\n".join(sources), tuple(starts), tuple(broken))


def _problem(source: str) -> Optional[SyntaxError]:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return error
    return None


def _source(cell: dict[str, object]) -> str:
    text = cell["source"]
    if not isinstance(text, str):
        text = "".join(map(str, text))  # type: ignore[call-overload]
    lines = text.splitlines()
    if lines and lines[0].startswith("%%") and not lines[0].startswith(_PYTHON_MAGICS):
        return "\n" * (len(lines) - 1)
    return "\n".join(_ASSIGNED.sub(r"\1None", _MAGIC.sub(r"\1pass", line)) for line in lines)
