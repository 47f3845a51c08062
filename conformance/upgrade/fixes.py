"""Rewrites that are certain and small: a renamed function, or an argument that keeps the old behaviour."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from conformance.text import one_line
from conformance.upgrade.model import Report, ReportEntry
from conformance.upgrade.severity import SHOWN
from conformance.usage import Evidence, Kind, Use
from conformance.usage.recorder import attribute_place

_ARGUMENT = re.compile(r"([A-Za-z_]\w*)=(True|False|None|-?\d+(?:\.\d+)?|'[^'\\]*')(?=;|$)")


class _Renaming(NamedTuple):
    """The other name of a function, what is passed to it first, and which arguments mean the same there."""

    name: str
    first: str = ""
    most_positional: int = 0
    keywords: frozenset[str] = frozenset()


#: Functions whose replacement gives the same for the same arguments; not `torch.qr`, whose replacement takes others.
_RENAMED = {
    "torch.cholesky": _Renaming("torch.linalg.cholesky", "", 1, frozenset({"upper", "out"})),
    "torch.cuda.amp.autocast": _Renaming(
        "torch.amp.autocast", '"cuda"', 0, frozenset({"enabled", "dtype", "cache_enabled"})
    ),
    "torch.cpu.amp.autocast": _Renaming(
        "torch.amp.autocast", '"cpu"', 0, frozenset({"enabled", "dtype", "cache_enabled"})
    ),
    "torch.cuda.amp.GradScaler": _Renaming(
        "torch.amp.GradScaler",
        '"cuda"',
        0,
        frozenset({"init_scale", "growth_factor", "backoff_factor", "growth_interval", "enabled"}),
    ),
}


class _Edit(NamedTuple):
    """Bytes of a file to replace."""

    start: int
    end: int
    text: bytes


def fix(report: Report, *, write: bool = False) -> str:
    """Return a unified diff of all that can surely be rewritten; with ``write``, change the files too.

    Comments and layout stay. Notebooks are left alone, and so is each place whose text is not as it was read.
    """
    wanted: dict[str, list[tuple[ReportEntry, Use]]] = {}
    for entry in [entry for severity in SHOWN for entry in report.of(severity)]:
        for use in dict.fromkeys(place.use for place in entry.places if place.evidence > Evidence.MAYBE):
            is_sure = use.evidence is Evidence.CERTAIN and not use.guarded and use.cell is None
            if is_sure and use.kind is Kind.CALL:
                wanted.setdefault(use.path, []).append((entry, use))
    return "".join(_fix_file(Path(path), places, write) for path, places in sorted(wanted.items()))


def _fix_file(path: Path, places: Sequence[tuple[ReportEntry, Use]], write: bool) -> str:
    try:
        content = path.read_bytes()
        text = content.decode()
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if "\r" in text or "\f" in text or text.startswith("\ufeff"):
        return ""
    source = _Source(content, tree)
    edits: list[_Edit] = []
    for entry, use in places:
        for edit in source.edits(entry, use):
            if not any(edit.start < one.end and one.start < edit.end for one in edits):
                edits.append(edit)
    fixed = _applied(content, edits)
    if not edits or _is_broken(fixed):
        return ""
    if write:
        path.write_bytes(fixed)
    name = one_line(path.as_posix().lstrip("/"))
    diff = difflib.unified_diff(_lines(text), _lines(fixed.decode()), fromfile=f"a/{name}", tofile=f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


class _Source:
    """The calls of a file, by where they begin."""

    def __init__(self, content: bytes, tree: ast.AST) -> None:
        self._content = content
        self._starts = [0]
        for written in content.split(b"\n"):
            self._starts.append(self._starts[-1] + len(written) + 1)
        self._calls: dict[tuple[int, int], list[ast.Call]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                places = [(node.lineno, node.col_offset)]
                if isinstance(node.func, ast.Attribute):
                    places.append(attribute_place(node.func))
                for line, column in dict.fromkeys(places):
                    start = self._starts[line - 1]
                    before = content[start : start + column].decode(errors="replace")
                    self._calls.setdefault((line, len(before) + 1), []).append(node)

    def edits(self, entry: ReportEntry, use: Use) -> Iterator[_Edit]:
        """Yield what to replace at a place, nothing where that is not certain."""
        last = use.names[0].rpartition(".")[2]
        calls = [call for call in self._calls.get((use.line, use.column), ()) if _last(call.func) == last]
        if len(calls) != 1:
            return
        argument = _ARGUMENT.match(entry.instead)
        if argument is not None:
            edit = self._add_argument(calls[0], argument[0], argument[1])
            if edit is not None:
                yield edit
        elif entry.kind in ("gone", "deprecated") and entry.subject in _RENAMED:
            yield from self._rename(calls[0], entry.subject, _RENAMED[entry.subject])

    def _add_argument(self, call: ast.Call, text: str, name: str) -> Optional[_Edit]:
        passed = [keyword.arg for keyword in call.keywords]
        if name in passed or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        begin = max((self._end(one) for one in given), default=self._end(call.func))
        end = self._end(call)
        # Behind the last argument: a comment, a comma at the end and the closing bracket stay where they are.
        rest = self._content[begin : end - 1]
        if given and rest.strip() not in (b"", b","):
            return None
        if not given:
            return _Edit(end - 1, end - 1, text.encode()) if rest.strip() == b"(" else None
        return _Edit(begin, begin, f", {text}".encode())

    def _rename(self, call: ast.Call, old: str, new: _Renaming) -> Iterator[_Edit]:
        written = self._content[self._begin(call.func) : self._end(call.func)]
        is_same = len(call.args) <= new.most_positional and all(one.arg in new.keywords for one in call.keywords)
        if written != old.encode() or not is_same or any(isinstance(one, ast.Starred) for one in call.args):
            return
        opening = self._content.index(b"(", self._end(call.func)) + 1
        if new.first and self._content[self._end(call.func) : opening] != b"(":
            return
        end = self._end(call.func) if not new.first else opening
        more = ", " if call.args or call.keywords else ""
        first = f"({new.first}{more}" if new.first else ""
        yield _Edit(self._begin(call.func), end, f"{new.name}{first}".encode())

    def _begin(self, node: ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _lines(text: str) -> list[str]:
    """Return lines with their ends, as Python counts lines: `splitlines` knows more of them."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _applied(content: bytes, edits: Sequence[_Edit]) -> bytes:
    for edit in sorted(edits, reverse=True):
        content = content[: edit.start] + edit.text + content[edit.end :]
    return content


def _is_broken(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        return True
    return False
