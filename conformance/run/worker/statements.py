"""Which statements of a program run."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

#: The file name under which the engine compiles programs.
_PROGRAM = "<do>"


class StatementCoverage:
    """A context manager that watches which lines of a program run.

    Parameters
    ----------
    text
        The program; one without branches and loops is not watched, since each of its statements runs.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing = {node.lineno: node for top in ast.parse(text).body for node in _inside(top)}
        self._watching = False
        self._before: Any = None

    def __enter__(self) -> StatementCoverage:
        self._watching = bool(self._missing)
        if self._watching:
            self._before = sys.gettrace()
            sys.settrace(self._trace)
            threading.settrace(self._trace)
        return self

    def __exit__(self, *error: object) -> None:
        if self._watching:
            sys.settrace(self._before)
            threading.settrace(self._before)

    def never_ran(self) -> list[tuple[int, str]]:
        """Return line and first line of text of the statements inside others that never ran."""
        return [(line, ast.unparse(node).splitlines()[0]) for line, node in sorted(self._missing.items())]

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != _PROGRAM:
            return None
        if event == "line":
            self._missing.pop(frame.f_lineno, None)
        return self._trace


def _inside(statement: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements in the branches and loops of another one.

    A function, a handler, or the rest of a block in which something raises may be meant not to run; and a branch on a
    constant is one that a table chooses.
    """
    if isinstance(statement, (ast.If, ast.While)) and not _chosen_by_table(statement.test):
        bodies = [statement.body, statement.orelse]
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        bodies = [statement.body]
    elif isinstance(statement, (ast.With, ast.Try)):
        # A block runs whenever its first statement does; what is inside its statements need not.
        for node in statement.body:
            yield from _inside(node)
        return
    else:
        return
    for body in bodies:
        for node in body:
            yield node
            yield from _inside(node)


def _chosen_by_table(test: ast.expr) -> bool:
    return not any(isinstance(node, ast.Name) for node in ast.walk(test))
