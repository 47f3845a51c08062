"""Rewrites that do as before on the new release: a renamed function, or an argument that keeps the old behaviour."""

from __future__ import annotations

import ast
import difflib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, NamedTuple, Union

from conformance.base.files import link_again, replace_content
from conformance.base.text import one_line, printable
from conformance.language.model import Fix
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.model import Report
from conformance.upgrade.rewriting import Edit, SourceText
from conformance.usage import Evidence, Kind, Use
from conformance.usage.recorder import attribute_place
from conformance.usage.torch_results import canonical

#: Why a name, or an argument of it, can't be used; empty if it can.
Lacks = Callable[[str, str], str]
#: What sets an attribute by its name: `setattr`, `monkeypatch.setattr`, `mock.patch.object`, `vars(x).update`.
_SETTING = re.compile(r"setattr|delattr|patch|__dict__|\bvars\b|\bglobals\b|\bsys\.modules\b")
_MOST_NAMES = 8


class Unfixed(NamedTuple):
    """A place or a file that was left as it is, a name of torch or what is wrong, and why."""

    place: str
    what: str
    why: str


@dataclass(frozen=True)
class Fixes:
    """What was rewritten, and what was not.

    Attributes
    ----------
    diff
        A unified diff of all that can surely be rewritten.
    left
        The places that a rewrite was not certain or not safe for.
    failed
        The files that could not be written; they are as they were.
    without
        How many entries have no rewrite.
    """

    diff: str
    left: tuple[Unfixed, ...]
    failed: tuple[Unfixed, ...]
    without: int


class _Wanted(NamedTuple):
    """A rewrite at a place."""

    fix: Fix
    use: Use

    def left(self, why: str) -> Unfixed:
        return Unfixed(str(self.use), self.use.names[0], why)


def fix(
    report: Report,
    roots: Sequence[Path],
    *,
    lacks: Lacks = lambda name, argument: "",
    write: bool = False,
    unsafe: bool = False,
) -> Fixes:
    """Rewrite all that can surely be rewritten; comments, layout, encoding and line ends stay.

    A file is written at once and keeps its mode, or stays as it was. A file with several names is written once and
    keeps them. It is left alone where one of its names is outside of what was read.

    Parameters
    ----------
    roots
        The files and folders that were read: a link that leads out of them is not followed.
    lacks
        Says why a name of torch, or an argument of it, can't be used by the project; empty if it can.
    write
        Change the files too.
    unsafe
        Make the rewrites too that a person must look at.
    """
    left: list[Unfixed] = []
    failed: list[Unfixed] = []
    wanted: dict[tuple[int, int], list[_Wanted]] = {}
    names: dict[tuple[int, int], dict[str, None]] = {}
    entries = [entry for severity in SHOWN for entry in report.of(severity)]
    for entry in entries:
        for use in dict.fromkeys(place.use for place in entry.places if place.evidence > Evidence.MAYBE):
            called = {*use.names, *map(canonical, use.names)}
            rewrite = next((one for one in entry.fixes if one.of in called), None)
            if rewrite is None:
                continue
            one = _Wanted(rewrite, use)
            why = _why_not(use) or _beyond(rewrite, lacks) or ("" if unsafe else _unsafe(rewrite))
            if why:
                left.append(one.left(why))
                continue
            try:
                status = Path(use.path).stat()
            except OSError as error:
                left.append(one.left(str(error.strerror)))
                continue
            identity = status.st_dev, status.st_ino
            wanted.setdefault(identity, []).append(one)
            names.setdefault(identity, {})[use.path] = None
    diffs = []
    for identity in sorted(wanted, key=lambda identity: min(names[identity])):
        paths = [Path(path) for path in sorted(names[identity])]
        diffs.append(_fix_file(paths, wanted[identity], roots, write, left, failed))
    without = sum(not entry.fixes for entry in entries)
    return Fixes("".join(diffs), tuple(dict.fromkeys(left)), tuple(failed), without)


def _beyond(rewrite: Fix, lacks: Lacks) -> str:
    return lacks(rewrite.name, "") if rewrite.name else lacks(rewrite.of, rewrite.keyword.partition("=")[0])


def _unsafe(rewrite: Fix) -> str:
    return "a person must look at it (--unsafe rewrites it)" if rewrite.unsafe else ""


def _why_not(use: Use) -> str:
    if use.cell is not None:
        return "it is in a notebook"
    if use.kind is not Kind.CALL:
        return "it is not called here"
    if use.guarded:
        return "the code expects that it may be missing"
    return "" if use.evidence is Evidence.CERTAIN else "which object it is can't be told for certain"


def _fix_file(
    paths: Sequence[Path],
    places: Sequence[_Wanted],
    roots: Sequence[Path],
    write: bool,
    left: list[Unfixed],
    failed: list[Unfixed],
) -> str:
    """Return the diff of one file, which may have several names."""
    try:
        _check_names(paths, roots)
        content = paths[0].read_bytes()
        source = SourceText(content)
    except OSError as error:
        left += [one.left(str(error.strerror)) for one in places]
        return ""
    except ValueError as error:
        left += [one.left(str(error)) for one in places]
        return ""
    calls = _Calls(source)
    edits: dict[Edit, _Wanted] = {}
    for one in places:
        edit = calls.edit(one)
        if isinstance(edit, Edit):
            edits.setdefault(edit, one)
        else:
            left.append(one.left(edit))
    applicable = source.applicable(edits)
    left += [one.left("it would be no Python any more") for edit, one in edits.items() if edit not in applicable]
    if not applicable:
        return ""
    fixed, lines = source.changed(applicable)
    if write:
        try:
            failed += _write(paths, fixed)
        except OSError as error:
            failed.append(Unfixed(str(paths[0]), "not written", str(error.strerror)))
            return ""
    name = one_line(paths[0].as_posix().lstrip("/"))
    return "".join(map(_diff_line, difflib.unified_diff(source.lines, lines, f"a/{name}", f"b/{name}")))


def _check_names(paths: Sequence[Path], roots: Sequence[Path]) -> None:
    """Raise `ValueError` where a file must not be written, or has a name that nobody gave."""
    real = {os.path.realpath(path) for path in paths}
    tops = [os.path.realpath(root) for root in roots]
    for path in real:
        if not any(path == top or path.startswith(top.rstrip(os.sep) + os.sep) for top in tops):
            raise ValueError("it is a link to a file outside of what was read")
    status = paths[0].stat()
    if status.st_nlink > len(real):
        raise ValueError("it has another name (a hard link) outside of what was read")
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise ValueError("it is read-only")


def _write(paths: Sequence[Path], content: bytes) -> list[Unfixed]:
    """Write a file under all its names; return those that still have the old content."""
    first, *others = dict.fromkeys(Path(os.path.realpath(path)) for path in paths)
    replace_content(first, content)
    failed = []
    for other in others:
        try:
            link_again(first, other)
        except OSError as error:
            failed.append(Unfixed(str(other), f"is no link to {first} any more", str(error.strerror)))
    return failed


class _Calls:
    """The calls of a file, by where they begin."""

    def __init__(self, source: SourceText) -> None:
        self._content = source.utf8
        self._starts = [0]
        for written in source.utf8.split(b"\n"):
            self._starts.append(self._starts[-1] + len(written) + 1)
        self._calls: dict[tuple[int, int], list[ast.Call]] = {}
        self._replaced = dict(_replaced(source.tree))
        self._has_torch = _binds_torch_alone(source.tree)
        # Before 3.12, places in f-strings are not exact, and quotes can't be nested.
        texts = (node for node in ast.walk(source.tree) if isinstance(node, ast.JoinedStr))
        self._in_texts = {inner for text in texts for inner in ast.walk(text)}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call):
                places = [(node.lineno, node.col_offset)]
                if isinstance(node.func, ast.Attribute):
                    places.append(attribute_place(node.func))
                for line, column in dict.fromkeys(places):
                    start = self._starts[line - 1]
                    before = self._content[start : start + column].decode(errors="replace")
                    self._calls.setdefault((line, len(before) + 1), []).append(node)

    def edit(self, wanted: _Wanted) -> Union[Edit, str]:
        """Return what to replace at a place, or why nothing is."""
        rewrite, use = wanted
        parts = use.names[0].split(".")
        calls = [call for call in self._calls.get((use.line, use.column), ()) if _last(call.func) == parts[-1]]
        if len(calls) != 1:
            return "it is called by another name"
        if calls[0] in self._in_texts:
            return "it is in an f-string"
        for name in filter(None, (use.names[0], rewrite.name)):
            for replaced in (*_prefixes(name), *name.split("."), f"….{name.rpartition('.')[2]}"):
                if replaced in self._replaced:
                    return f"the file replaces {replaced} (line {self._replaced[replaced]})"
        if rewrite.keyword:
            return self._add_argument(calls[0], rewrite.keyword, rewrite.keyword.partition("=")[0])
        return self._rename(calls[0], rewrite)

    def _add_argument(self, call: ast.Call, text: str, name: str) -> Union[Edit, str]:
        passed = [keyword.arg for keyword in call.keywords]
        if name in passed or None in passed or any(isinstance(one, ast.Starred) for one in call.args):
            return f"it may pass {name} already"
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        begin = max((self._end(one) for one in given), default=self._end(call.func))
        end = self._end(call)
        # Behind the last argument: a comment, a comma at the end and the closing bracket stay where they are.
        rest = self._content[begin : end - 1]
        if rest.strip() not in ((b"", b",") if given else (b"(",)):
            return "a comment or a bracket stands behind the last argument"
        if not given:
            return Edit(end - 1, end - 1, text.encode())
        return Edit(begin, begin, f", {text}".encode())

    def _rename(self, call: ast.Call, new: Fix) -> Union[Edit, str]:
        written = self._content[self._begin(call.func) : self._end(call.func)]
        if written != new.of.encode() and not (self._has_torch and re.fullmatch(rb"[\w.]+", written)):
            return "it is called by another name, and the file has no `import torch`"
        is_same = len(call.args) <= new.positional and all(one.arg in new.keywords for one in call.keywords)
        if not is_same or any(isinstance(one, ast.Starred) for one in call.args):
            return f"{new.name} takes other arguments"
        opening = self._content.index(b"(", self._end(call.func)) + 1
        if new.first and self._content[self._end(call.func) : opening] != b"(":
            return "a comment or a space stands before the arguments"
        end = self._end(call.func) if not new.first else opening
        more = ", " if call.args or call.keywords else ""
        first = f"({new.first}{more}" if new.first else ""
        return Edit(self._begin(call.func), end, f"{new.name}{first}".encode())

    def _begin(self, node: ast.expr) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _binds_torch_alone(tree: ast.Module) -> bool:
    """Return whether ``import torch`` stands at the top of a file, and nothing else in it binds that name."""
    names = {
        *(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)),
        *(node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)),
        *(
            node.name
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        ),
        *(
            one.asname
            for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for one in node.names
        ),
    }
    imported = [one for node in tree.body if isinstance(node, ast.Import) for one in node.names]
    return "torch" not in names and any(one.name.partition(".")[0] == "torch" and not one.asname for one in imported)


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:number]) for number in range(1, len(parts) + 1)]


def _replaced(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the attributes that a file replaces, with a line of each.

    An assignment gives the dotted name, and ``….load`` since any object may be torch under another name; a call such
    as ``setattr(torch, "load", f)`` gives the last part of each text in it.
    """
    for node in ast.walk(tree):
        is_stored = not isinstance(getattr(node, "ctx", None), ast.Load)
        if isinstance(node, ast.Attribute) and is_stored:
            dotted = _dotted(node)
            if dotted not in (f"self.{node.attr}", f"cls.{node.attr}"):
                yield from ((name, node.lineno) for name in (dotted, f"….{node.attr}"))
        elif isinstance(node, ast.Call) and _SETTING.search(_dotted(node.func)):
            yield from ((keyword.arg, node.lineno) for keyword in node.keywords if keyword.arg is not None)
            yield from ((text, node.lineno) for text in _texts([*node.args, *node.keywords]))
        elif isinstance(node, ast.Subscript) and is_stored and _SETTING.search(_dotted(node.value)):
            yield from ((text, node.lineno) for text in _texts([node.slice]))


def _dotted(node: ast.expr) -> str:
    """Return the last names of a chain, without what is called or looked up on the way."""
    names: list[str] = []
    while len(names) < _MOST_NAMES and isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        names += [node.attr] if isinstance(node, ast.Attribute) else []
        node = node.func if isinstance(node, ast.Call) else node.value
    names += [node.id] if isinstance(node, ast.Name) else []
    return ".".join(reversed(names))


def _texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the last part of each text, as of ``torch.load``."""
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                yield inner.value.rpartition(".")[2]


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _diff_line(line: str) -> str:
    """Return a line of a diff that can't drive the terminal, with its end as it is in the file."""
    text = line.rstrip("\r\n")
    end = line[len(text) :]
    if not end:
        return f"{printable(text)}\n\\ No newline at end of file\n"
    return printable(text) + (end if end == "\r\n" else "\n")
