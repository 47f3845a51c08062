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

from conformance.base.files import NotEntered, Unreadable, Why, files_below, read_bounded, read_start
from conformance.usage import state_dicts, torch_results
from conformance.usage.evaluator import Evaluator, Modules
from conformance.usage.ignore_comments import ignore_comments
from conformance.usage.model import LARGEST, Cause, Evidence, FileUses, IgnoreComment, NotRead, Unclear, Use
from conformance.usage.notebooks import Notebook, read_notebook
from conformance.usage.recorder import Recorder

_LARGEST_NOTEBOOK = 32 * 2**20
_CAUSES = {Why.NAME: Cause.ENCODING, Why.LOOP: Cause.LINK, Why.SPECIAL: Cause.NO_FILE, Why.LARGE: Cause.TOO_LARGE}
_MOST_FILES = 50_000
#: Folders that hold nothing a person wrote for the project.
_FOREIGN = frozenset(
    (
        *("__pycache__", "node_modules", "site-packages", ".git", ".hg", ".svn", ".bzr", ".tox", ".nox", ".eggs"),
        *(".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints"),
    )
)
#: Folders that mostly hold copies; others whose name begins with a dot are left out like these.
_LEFT_OUT = frozenset(("build", "dist", "venv"))
_SUFFIXES = (".py", ".pyi", ".pyw", ".ipynb")
#: Sources of Cython and of IPython, which `ast` does not read.
_NEARLY_PYTHON = (".pyx", ".pxd", ".pxi", ".ipy")
_SHEBANG = re.compile(rb"#![^\n]*\bpython")
_TYPE_COMMENT = re.compile(r"#[ \t]*type:(?![ \t]*ignore)")
_PYTHON_2 = re.compile(r"^[ \t]*(?:(?:print|exec)[ \t]+[\"'\w]|except[ \t]+[\w.]+[ \t]*,|raise[ \t]+\w+[ \t]*,)", re.M)


class Sources:
    """The files below some paths that hold Python, and what was left out.

    Attributes
    ----------
    skipped
        Folders that were excluded, or hold nothing a person wrote for the project, such as virtual environments.
    not_read
        Folders and files that may hold code of the project.

    Parameters
    ----------
    exclude
        Patterns of file names, folder names, or paths as they are shown (`tests`, `*_old.py`, `src/vendor/*`).
    """

    def __init__(self, paths: Iterable[Path], exclude: Sequence[str] = ()) -> None:
        self._exclude = tuple(exclude)
        self.skipped: list[str] = []
        self.not_read: list[NotRead] = []
        self._entered: list[str] = []
        self._links: list[str] = []
        paths = [Path(path) for path in paths]
        self.files: list[str] = list(dict.fromkeys(file for path in paths for file in self._below(path)))
        self._note_links()
        if len(self.files) > _MOST_FILES:
            more = f"{len(self.files) - _MOST_FILES} more files"
            self.not_read.append(NotRead(self.files[_MOST_FILES], Cause.TOO_MANY, detail=more))
            del self.files[_MOST_FILES:]

    def _below(self, path: Path) -> Iterator[str]:
        if not os.path.isdir(path):  # noqa: PTH112 - a `Path` raises where it may not look
            yield str(path)
            return
        self._entered.append(str(path))
        not_entered: list[NotEntered] = []
        for file in files_below(path, not_entered, self._enters):
            if not self._is_excluded(file) and self._is_python(file):
                yield file
        self.not_read += [NotRead(folder, Cause.FOLDER, detail=why) for folder, why in not_entered]

    def _enters(self, folder: str) -> bool:
        name = os.path.basename(folder)  # noqa: PTH119 - a path a thousand times over
        if self._is_excluded(folder) or _is_foreign(folder):
            self.skipped.append(folder)
        elif os.path.islink(folder):  # noqa: PTH114
            self._links.append(folder)
        elif not (name.startswith(".") or name in _LEFT_OUT):
            self._entered.append(folder)
            return True
        elif _holds_python(folder):
            self.not_read.append(NotRead(folder, Cause.LEFT_OUT))
        return False

    def _is_excluded(self, path: str) -> bool:
        name = os.path.basename(path)  # noqa: PTH119
        return any(fnmatch.fnmatch(name, each) or fnmatch.fnmatch(path, each) for each in self._exclude)

    def _is_python(self, file: str) -> bool:
        """Return whether a file is one of Python; note one that is nearly so and speaks of torch."""
        name = os.path.basename(file).lower()  # noqa: PTH119
        if name.endswith(_NEARLY_PYTHON):
            content = _content(file)
            if isinstance(content, NotRead) or b"torch" in content:
                self.not_read.append(NotRead(file, Cause.DIALECT))
        return name.endswith(_SUFFIXES) or (("." not in name[1:] or os.access(file, os.X_OK)) and _is_script(file))

    def _note_links(self) -> None:
        """Note the links to folders that were not read by another name."""
        entered = set(map(os.path.realpath, self._entered)) if self._links else ()
        unread = [link for link in self._links if os.path.realpath(link) not in entered]
        self.not_read += [NotRead(link, Cause.LINK, detail="a folder that was not read") for link in unread]


def _is_foreign(folder: str) -> bool:
    is_environment = (os.path.lexists(f"{folder}/{mark}") for mark in ("pyvenv.cfg", "conda-meta"))
    return os.path.basename(folder) in _FOREIGN or any(is_environment)  # noqa: PTH119


def _holds_python(folder: str) -> bool:
    """Return whether there may be Python in a folder; a folder in it that can't be listed may hold some."""
    not_entered: list[NotEntered] = []
    files = files_below(Path(folder), not_entered, lambda inner: not _is_foreign(inner))
    return any(file.lower().endswith((*_SUFFIXES, *_NEARLY_PYTHON)) for file in files) or bool(not_entered)


def _is_script(file: str) -> bool:
    try:
        return _SHEBANG.match(read_start(Path(file), 200)) is not None
    except Unreadable:
        return False  # Such as a pipe, or a file of data that only its owner may read.


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
        tree = _parse(source)
        Evaluator(recorder, modules, source).read(tree)
        if state_dicts.LOADS in source:
            _note_state_dicts(recorder, tree)
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


def _note_state_dicts(recorder: Recorder, tree: ast.Module) -> None:
    """Note of each file that is loaded whether it is for a state dict."""
    loads = {
        (use.line, use.column - 1): position
        for position, use in enumerate(recorder.uses)
        if use.call is not None and use.names[0] == "torch.load"
    }
    for place in state_dicts.loads_of_state_dicts(tree, loads) if loads else ():
        use = recorder.uses[loads[place]]
        if use.call is not None:
            recorder.uses[loads[place]] = use._replace(call=use.call._replace(result_for=state_dicts.LOADS))


def _finished(path: str, source: str, recorder: Recorder, notebook: Optional[Notebook]) -> FileUses:
    uses, unclear = recorder.uses, recorder.unclear
    is_near = any(use.evidence is not Evidence.MAYBE or torch_results.is_sign(use.names[0]) for use in uses)
    if not is_near and "torch" not in source:
        uses = []  # Such as the `split` of a file that has nothing to do with torch.
    if not source.isascii():
        lines = source.split("\n")
        uses = [use._replace(column=_character(lines, use)) for use in uses]
    broken: list[NotRead] = []
    ignores = list(ignore_comments(path, source))
    if notebook is not None:
        ignores = [_in_cell(comment, notebook) for comment in ignores]
        uses = [use._replace(line=line, cell=cell) for use in uses for cell, line in [notebook.place(use.line)]]
        unclear = [
            each._replace(line=line, cell=cell) for each in unclear for cell, line in [notebook.place(each.line)]
        ]
        broken = [NotRead(path, each.cause, each.line, cell, each.detail) for cell, each in notebook.problems]
    uses.sort(key=_place)
    return FileUses(path, tuple(uses), tuple(sorted(unclear, key=_line)), tuple(broken), ignores=tuple(ignores))


def _in_cell(comment: IgnoreComment, notebook: Notebook) -> IgnoreComment:
    cell, line = notebook.place(comment.line)
    moved = line - comment.line
    return comment._replace(cell=cell, line=line, first=comment.first + moved, last=comment.last + moved)


def _character(lines: list[str], use: Use) -> int:
    line = lines[use.line - 1] if use.line <= len(lines) else ""
    return len(line.encode()[: use.column - 1].decode(errors="replace")) + 1


def _place(use: Use) -> tuple[int, int, int]:
    return use.cell or 0, use.line, use.column


def _line(each: Unclear) -> tuple[int, int]:
    return each.cell or 0, each.line
