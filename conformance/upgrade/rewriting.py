"""A file of Python whose text is changed in places; its encoding, line ends and all else stay as they are."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

_LINE_END = re.compile(r"(\r\n|\r|\n)")


class Edit(NamedTuple):
    """Bytes of `SourceText.utf8` to replace; none of them is a line end."""

    start: int
    end: int
    text: bytes


class SourceText:
    r"""The text of a file, as Python reads it.

    Attributes
    ----------
    utf8
        The text in UTF-8, with ``\n`` as line ends, as `ast` counts.
    tree
        What it is parsed as.

    Raises
    ------
    ValueError
        If it is no Python, or if its bytes don't follow from its text.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
            text = content.decode(self._encoding)
            if text.encode(self._encoding) != content:
                raise ValueError(f"its text can be written in {self._encoding} in several ways")  # Such as utf-7.
            parts = _LINE_END.split(text)
            self._ends = parts[1::2]
            self.utf8 = "\n".join(parts[::2]).encode()
            self.tree = _parsed(self.utf8)
        except UnicodeError:
            raise ValueError(f"its text is not {self._encoding}") from None
        except (SyntaxError, RecursionError, MemoryError, LookupError):
            raise ValueError("it is no Python that this Python can parse") from None

    @property
    def lines(self) -> list[str]:
        """Return the lines with the ends that they have in the file."""
        return self._with_ends(self.utf8)

    def changed(self, edits: Sequence[Edit]) -> tuple[bytes, list[str]]:
        """Return the content of the file after some edits, and its lines with their ends."""
        lines = self._with_ends(_applied(self.utf8, edits))
        return "".join(lines).encode(self._encoding), lines

    def applicable(self, edits: Iterable[Edit]) -> list[Edit]:
        """Return the edits after which it is still Python; one that breaks it is left out alone."""
        wanted = sorted(set(edits))
        if self._takes(wanted):
            return wanted
        taken: list[Edit] = []
        for edit in wanted:
            if self._takes([*taken, edit]):
                taken.append(edit)
        return taken

    def _takes(self, edits: Sequence[Edit]) -> bool:
        if any(one.end > other.start for one, other in zip(edits, edits[1:])):
            return False
        try:
            changed = _parsed(_applied(self.utf8, edits))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        return _compiles(changed) or not _compiles(self.tree)

    def _with_ends(self, utf8: bytes) -> list[str]:
        lines = utf8.decode().split("\n")
        return [whole for line, end in zip(lines, [*self._ends, ""]) if (whole := line + end)]


def _parsed(utf8: bytes) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(utf8.decode())


def _compiles(tree: ast.Module) -> bool:
    """Return whether it is more than well-formed: an argument that is passed twice is not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _applied(content: bytes, edits: Sequence[Edit]) -> bytes:
    for edit in sorted(edits, reverse=True):
        content = content[: edit.start] + edit.text + content[edit.end :]
    return content
