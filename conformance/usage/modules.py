"""The modules of a project: what an import means, and what a module binds, from its top level alone."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Optional

from conformance.base.files import Unreadable, read_bounded
from conformance.usage.evaluator import Evaluator
from conformance.usage.model import LARGEST
from conformance.usage.recorder import Recorder
from conformance.usage.values import NOTHING, Imported, Module, Value

_DEFINITION = re.compile(r"(?:async[ \t]+def|def|class)[ \t]")
_IN_CLASS = re.compile(r"@[\w.]*(?:property|staticmethod|classmethod)$|\w+: [\w.]+(?:\[[\w., \[\]]*\])?$")
_ALL = re.compile(r"^__all__[ \t]*=[ \t]*[\[(]([^\])+]*)[\])][ \t]*$", re.M)
_NAME = re.compile(r"[\"'](\w+)[\"']")
_MOST_OUTLINES, _DEEPEST = 5_000, 20


class _Outline(NamedTuple):
    """What a module binds: names by itself, and all names of the modules at some paths."""

    names: Mapping[str, Value]
    stars: Sequence[str]


_EMPTY = _Outline({}, ())


class ProjectModules:
    """Finds the modules that files import among the files of a project.

    Parameters
    ----------
    files
        The paths of the files, absolute.
    roots
        The folders that are searched, from the folder of the importing file upward to one of these.
    """

    def __init__(self, files: Iterator[str], roots: tuple[str, ...]) -> None:
        self._files = frozenset(files)
        self._folders = {folder for file in self._files for folder in _folders(file, roots)}
        self._roots = roots
        self._outlines: dict[str, _Outline] = {}
        self._exports: dict[str, Optional[frozenset[str]]] = {}
        self._of_stars: dict[tuple[str, str], Optional[Value]] = {}
        self._found: dict[tuple[str, str, int], Optional[str]] = {}
        self._being_read: set[str] = set()
        self._depth = 0

    def find(self, importer: str, name: str, level: int) -> Optional[str]:
        """Return the path of a module that a file imports, or of a folder without `__init__.py`."""
        key = (os.path.dirname(importer), name, level)  # noqa: PTH120 - a path a million times over
        if key not in self._found:
            self._found[key] = self._search(os.path.abspath(key[0]), name, level)  # noqa: PTH100
        return self._found[key]

    def _search(self, folder: str, name: str, level: int) -> Optional[str]:
        inner = name.split(".") if name else []
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)  # noqa: PTH120
            return self._at(os.path.join(folder, *inner))  # noqa: PTH118
        for around in _folders(os.path.join(folder, "x"), self._roots):  # noqa: PTH118
            found = self._at(os.path.join(around, *inner))  # noqa: PTH118
            if found is not None:
                return found
        return None

    def _at(self, path: str) -> Optional[str]:
        for file in (f"{path}.py", os.path.join(path, "__init__.py"), f"{path}.pyi"):  # noqa: PTH118
            if file in self._files:
                return file
        return path if path in self._folders else None

    def member(self, path: str, name: str) -> Optional[Value]:
        """Return what a module binds a name to, or the module of this name in a package; `NOTHING` if that comes later.

        Modules may import each other in a circle, and one of them then sees another that is read in part.
        """
        self._depth += 1
        try:
            found = self._bound(path, name) if self._depth <= _DEEPEST else NOTHING
        finally:
            self._depth -= 1
        if found in (None, NOTHING) and (path.endswith("__init__.py") or path in self._folders):
            inner = self._at(os.path.join(path.removesuffix("__init__.py"), name))  # noqa: PTH118
            return Module(inner) if inner is not None else found
        return found

    def _bound(self, path: str, name: str) -> Optional[Value]:
        outline = self._outline(path)
        found = outline.names.get(name)
        if type(found) is Imported:
            found = found.value()
        if found is None and outline.stars:
            found = self._of_star(path, name, outline.stars)
        return NOTHING if found is None and path in self._being_read else found

    def _of_star(self, path: str, name: str, stars: Sequence[str]) -> Optional[Value]:
        """Return what a module binds a name to by a star import."""
        key = path, name
        if key not in self._of_stars:
            self._of_stars[key] = NOTHING
            members = (self.exported(star, name) for star in reversed(stars))
            found = next((found for found in members if found is not None), None)
            if found is NOTHING:
                return self._of_stars.pop(key)
            self._of_stars[key] = found
        return self._of_stars[key]

    def exported(self, path: str, name: str) -> Optional[Value]:
        """Return what a star import of a module binds a name to; the text tells where there is an `__all__`."""
        if path not in self._exports:
            self._exports[path] = _exports_of(path) if path in self._files else None
        exports = self._exports[path]
        is_exported = name[:1] != "_" if exports is None else name in exports
        return self.member(path, name) if is_exported else None

    def _outline(self, path: str) -> _Outline:
        if path not in self._outlines:
            self._outlines[path] = _EMPTY
            if len(self._outlines) < _MOST_OUTLINES and path in self._files:
                self._read(path)
        return self._outlines[path]

    def _read(self, path: str) -> None:
        reader = Evaluator(Recorder(path), self, "")
        self._outlines[path] = _Outline(reader.scope.names, reader.own_stars)
        with suppress(Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
            source = _text(path)
            try:
                tree = ast.parse(outline(source))
            except SyntaxError:
                tree = ast.parse(source)
            self._being_read.add(path)
            reader.read(tree, with_functions=False)
        self._being_read.discard(path)


def _text(path: str) -> str:
    return read_bounded(Path(path), LARGEST).decode("utf-8-sig", "replace")


def _exports_of(path: str) -> Optional[frozenset[str]]:
    """Return what a module exports by an `__all__` that is written out."""
    with suppress(Unreadable):
        text = _text(path)
        found = _ALL.search(text) if text.count("__all__") == 1 else None
        return frozenset(_NAME.findall(found[1])) if found is not None else None
    return frozenset()


def outline(source: str) -> str:
    """Return the top level of a source, with the heads of functions, classes and methods, without their bodies."""
    lines = source.splitlines()
    kept: list[str] = []
    at = 0
    while at < len(lines):
        start, at = at, at + 1
        if not _DEFINITION.match(lines[start]):
            kept.append(lines[start])
            continue
        at = _keep_head(lines, start, "", kept)
        filler = len(kept) - 1
        indent = "" if lines[start].startswith("class") else None
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t#"):
            if indent is not None and lines[at][:1].isspace() and lines[at].strip():
                code = lines[at].lstrip()
                indent = indent or lines[at][: len(lines[at]) - len(code)]
                if lines[at].startswith(indent) and not lines[at][len(indent)].isspace():
                    if _DEFINITION.match(code):
                        at = _keep_head(lines, at, indent, kept)
                        continue
                    if _IN_CLASS.match(code):
                        kept.append(lines[at])
            at += 1
        if indent and kept[filler] == " ...":
            kept[filler] = f"{indent}..."
    return "\n".join(kept)


def _keep_head(lines: list[str], start: int, indent: str, kept: list[str]) -> int:
    """Keep a definition up to the line that closes its brackets; return the number of the line after it."""
    code, at = lines[start].partition(" #")[0], start + 1
    while at < len(lines) and at - start < 200 and _is_open(code):
        code += lines[at].partition(" #")[0]
        at += 1
    kept += lines[start:at]
    if code.rstrip().endswith(":"):
        kept.append(f"{indent} ...")
    return at


def _is_open(code: str) -> bool:
    return sum(map(code.count, "([{")) > sum(map(code.count, ")]}"))


def _folders(file: str, roots: tuple[str, ...]) -> list[str]:
    """Return the folders around a file, up to a root that holds it."""
    found = []
    folder = os.path.dirname(file)  # noqa: PTH120
    root = max((root for root in roots if folder == root or folder.startswith(root + os.sep)), key=len, default=folder)
    while True:
        found.append(folder)
        if folder == root or len(found) > 100:
            return found
        folder = os.path.dirname(folder)  # noqa: PTH120
