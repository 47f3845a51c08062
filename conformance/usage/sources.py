"""Finds the files of a project and reads one: text, notebook, or a reason why not."""

from __future__ import annotations

import ast
import fnmatch
import io
import os
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Optional

from conformance.files import Unreadable, Why, read_bounded
from conformance.usage import rules
from conformance.usage.definitions import FileReader
from conformance.usage.lookup import Modules
from conformance.usage.model import LARGEST, Cause, Evidence, FileUses, NotRead, Unclear, Use
from conformance.usage.notebooks import Notebook, read_notebook
from conformance.usage.recorder import Recorder

_LARGEST_NOTEBOOK = 32 * 2**20
_CAUSES = {Why.NAME: Cause.ENCODING, Why.LOOP: Cause.LINK, Why.SPECIAL: Cause.NO_FILE, Why.LARGE: Cause.TOO_LARGE}
_MOST_FILES = 50_000
_SKIPPED = {"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"}
_SUFFIXES = (".py", ".pyi", ".pyw", ".ipynb")
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)")
_PYTHON_2 = re.compile(r"^[ \t]*(?:(?:print|exec)[ \t]+[\"'\w]|except[ \t]+[\w.]+[ \t]*,|raise[ \t]+\w+[ \t]*,)", re.M)


class Sources:
    """The files below some paths.

    Parameters
    ----------
    exclude
        Patterns of file names, folder names, or paths as they are shown (`tests`, `*_old.py`, `src/vendor/*`).
    """

    def __init__(self, paths: Iterable[Path], exclude: Sequence[str] = ()) -> None:
        self._exclude = tuple(exclude)
        self.skipped: list[str] = []
        self.not_read: list[NotRead] = []
        paths = [Path(path) for path in paths]
        self._inside = tuple(os.path.realpath(path) for path in paths)
        self.files: list[str] = list(dict.fromkeys(file for path in paths for file in self._below(path)))
        if len(self.files) > _MOST_FILES:
            more = f"{len(self.files) - _MOST_FILES} more files"
            self.not_read.append(NotRead(self.files[_MOST_FILES], Cause.TOO_MANY, detail=more))
            del self.files[_MOST_FILES:]

    def _below(self, path: Path) -> Iterator[str]:
        if not path.is_dir():
            yield str(path)
            return
        for folder, names, files in os.walk(path, onerror=self._note_folder):
            here = Path(folder)
            kept = []
            for name in sorted(names):
                if self._is_skipped(here / name):
                    self.skipped.append(str(here / name))
                elif (here / name).is_symlink():
                    self._note_link(here / name)
                else:
                    kept.append(name)
            names[:] = kept
            for name in sorted(files):
                if name.endswith(_SUFFIXES) and not self._is_excluded(here / name):
                    yield str(here / name)

    def _is_skipped(self, folder: Path) -> bool:
        name = folder.name
        return name.startswith(".") or name in _SKIPPED or (folder / "pyvenv.cfg").exists() or self._is_excluded(folder)

    def _is_excluded(self, path: Path) -> bool:
        return any(fnmatch.fnmatch(path.name, each) or fnmatch.fnmatch(str(path), each) for each in self._exclude)

    def _note_folder(self, error: OSError) -> None:
        self.not_read.append(NotRead(str(error.filename), Cause.UNREADABLE, detail=str(error.strerror)))

    def _note_link(self, path: Path) -> None:
        real = os.path.realpath(path)
        if not any(real == root or real.startswith(root + os.sep) for root in self._inside):
            self.not_read.append(NotRead(str(path), Cause.LINK, detail="a folder outside of what was to be read"))


def read_file(path: str, modules: Modules) -> FileUses:
    """Return what one file uses; no error reaches the caller, whatever the file holds."""
    data = _content(path)
    if isinstance(data, NotRead):
        return FileUses(path, not_read=(data,), read=False)
    try:
        notebook = read_notebook(data) if path.endswith(".ipynb") else None
    except ValueError as error:
        return _failed(NotRead(path, Cause.NO_NOTEBOOK, detail=str(error)[:200]))
    try:
        source = notebook.source if notebook is not None else _decode(data)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return _failed(NotRead(path, Cause.ENCODING))
    recorder = Recorder(path)
    try:
        FileReader(recorder, modules, source).read_module(_parse(source))
    except SyntaxError as error:
        is_old = "Missing parentheses in call" in error.msg or _PYTHON_2.search(source) is not None
        cause = Cause.PYTHON_2 if is_old else Cause.SYNTAX
        return _failed(NotRead(path, cause, error.lineno, detail=error.msg[:200]))
    except ValueError as error:
        return _failed(NotRead(path, Cause.SYNTAX, detail=str(error)[:200]))
    except (RecursionError, MemoryError):
        return _failed(NotRead(path, Cause.TOO_DEEP))
    return _finished(path, source, recorder, notebook)


def _failed(why: NotRead) -> FileUses:
    return FileUses(why.path, not_read=(why,), read=False)


def _content(path: str) -> bytes | NotRead:
    largest = _LARGEST_NOTEBOOK if path.endswith(".ipynb") else LARGEST
    try:
        return read_bounded(Path(path), largest)
    except Unreadable as error:
        return NotRead(path, _CAUSES.get(error.why, Cause.UNREADABLE), detail=str(error)[:200])


def _decode(data: bytes) -> str:
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data[:4096]).readline) if b"coding" in data[:400] else ("", None)
    return data.decode(encoding or "utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def _parse(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if _TYPE_COMMENT.search(source):
            try:
                return ast.parse(source, type_comments=True)
            except SyntaxError:
                pass  # A comment may stand where it says nothing.
        return ast.parse(source)


def _finished(path: str, source: str, recorder: Recorder, notebook: Optional[Notebook]) -> FileUses:
    uses, unclear = recorder.uses, recorder.unclear
    is_near = any(use.evidence is not Evidence.MAYBE or rules.is_sign(use.names[0]) for use in uses)
    if not is_near and "torch" not in source:
        uses = []  # Such as the `split` of a file that has nothing to do with torch.
    if not source.isascii():
        lines = source.split("\n")
        uses = [use._replace(column=_character(lines, use)) for use in uses]
    broken: list[NotRead] = []
    if notebook is not None:
        uses = [use._replace(line=line, cell=cell) for use in uses for cell, line in [notebook.place(use.line)]]
        unclear = [
            each._replace(line=line, cell=cell) for each in unclear for cell, line in [notebook.place(each.line)]
        ]
        broken = [NotRead(path, Cause.SYNTAX, error.lineno, cell, error.msg[:200]) for cell, error in notebook.broken]
    uses.sort(key=_place)
    return FileUses(path, tuple(uses), tuple(sorted(unclear, key=_line)), tuple(broken))


def _character(lines: list[str], use: Use) -> int:
    line = lines[use.line - 1] if use.line <= len(lines) else ""
    return len(line.encode()[: use.column - 1].decode(errors="replace")) + 1


def _place(use: Use) -> tuple[int, int, int]:
    return use.cell or 0, use.line, use.column


def _line(each: Unclear) -> tuple[int, int]:
    return each.cell or 0, each.line
