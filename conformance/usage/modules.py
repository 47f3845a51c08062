"""The modules of a project: what an import means, and what a module binds, from its top level alone."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from conformance.files import Unreadable, read_bounded
from conformance.usage.definitions import FileReader
from conformance.usage.model import LARGEST
from conformance.usage.recorder import Recorder
from conformance.usage.values import Module, Value

_DEFINITION = re.compile(r"(?:async[ \t]+def|def|class)[ \t]")
_IN_CLASS = re.compile(r"@[\w.]*(?:property|staticmethod|classmethod)$|\w+: [\w.]+(?:\[[\w., \[\]]*\])?$")
_MOST_OUTLINES, _DEEPEST = 5_000, 20


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
        self._names: dict[str, dict[str, Value]] = {}
        self._found: dict[tuple[str, str, int], Optional[str]] = {}
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
        """Return what a module binds a name to, or the module of this name in a package."""
        found = self.members(path).get(name)
        if found is None and (path.endswith("__init__.py") or path in self._folders):
            inner = self._at(os.path.join(path.removesuffix("__init__.py"), name))  # noqa: PTH118
            return Module(inner) if inner is not None else None
        return found

    def members(self, path: str) -> dict[str, Value]:
        """Return what a module binds."""
        if path not in self._names:
            self._names[path] = {}  # Modules may import each other in a circle.
            if len(self._names) < _MOST_OUTLINES and self._depth < _DEEPEST and path in self._files:
                self._depth += 1
                self._names[path] = self._read(path)
                self._depth -= 1
        return self._names[path]

    def _read(self, path: str) -> dict[str, Value]:
        try:
            source = read_bounded(Path(path), LARGEST).decode("utf-8-sig", "replace")
            try:
                tree = ast.parse(outline(source))
            except SyntaxError:
                tree = ast.parse(source)
            return FileReader(Recorder(path), self, "").read_module(tree, with_functions=False)
        except (Unreadable, SyntaxError, ValueError, RecursionError, MemoryError):
            return {}


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
