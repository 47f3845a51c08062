"""The Python in a cell of a notebook: lines that only IPython understands are rewritten, or named as not read."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple, Optional

from conformance.usage.model import Cause
from conformance.usage.torch_data import words

#: Magics that run the Python behind their options, with what an option looks like.
_RUNNING = {
    "time": r"--[\w-]+",
    "timeit": r"-[tcqo]*(?:[nrpv]\s*\S+)?",
    "prun": r"-[rq]*(?:[DlsT]\s*\S+)?",
    "memit": r"-[co]*(?:[rti]\s*\S+)?",
    "mprun": r"-[rc]*(?:[fT]\s*\S+)?",
    "lprun": r"-[rsz]*(?:[fmDTu]\s*\S+)?",
}
#: Other magics of cells of Python.
_AROUND_PYTHON = frozenset(("capture",))
#: Magics that take no Python, neither in their line nor from a file.
_WITHOUT_PYTHON = words(
    "alias alias_magic autoawait autocall autoindent automagic autoreload autosave bookmark cat cd clear colors conda",
    "config connect_info cp dhist dirs doctest_mode env gui hist history html javascript js killbgscripts latex ldir",
    "less lf lk ll load_ext ls lsmagic lx magic man markdown matplotlib mkdir more mv notebook page pdb pdef pdoc",
    "pfile pinfo pinfo2 pip popd pprint precision psearch psource pushd pwd pycat quickref rehashx reload_ext reset",
    "reset_selective rm rmdir set_env svg tb tensorboard unalias unload_ext uv watermark who who_ls whos xdel xmode",
)
_SHELL = frozenset(("sx", "system"))
_PYTHON_IN_SHELL = re.compile(r"\bpython[\d.]*\s(?:.*\s)?-c\b")
_CANDIDATE = re.compile(
    r"^(?P<before>[ \t]*(?:[A-Za-z_][\w, .\[\]\"'()*]*=[ \t]*)?)(?P<sign>%%?|!!?|\?\??)(?P<rest>.*)$"
)
_HELP = re.compile(r"^[ \t]*%{0,2}[A-Za-z_*][\w.*]*(?:\[[^\]]*\])?\?\??[ \t]*$")
_NAME = re.compile(r"\s*([\w.]*)")
#: How many characters are parsed to learn which lines of a cell are IPython's, and looked at in a command.
_MOST_PARSED, _MOST_OF_COMMAND = 2**20, 2_000


class CellProblem(NamedTuple):
    """Why a line of a cell, or all of it, was not read."""

    cause: Cause
    line: Optional[int] = None
    detail: str = ""


class CellCode(NamedTuple):
    """A cell as plain Python, with each line and column where it was; empty where it can't be read."""

    source: str
    problems: tuple[CellProblem, ...] = ()


def read_cell(text: str) -> CellCode:
    """Return the Python of a cell."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    problem = _problem(text)
    if problem is None:
        return CellCode(text)
    lines = text.split("\n")
    problems: list[CellProblem] = []
    first = next((number for number, line in enumerate(lines) if line.strip()), 0)
    if lines[first].startswith("%%"):
        name = _NAME.match(lines[first], 2)[1].lower()  # type: ignore[index]
        if name not in _RUNNING and name not in _AROUND_PYTHON:
            unread = () if name in _WITHOUT_PYTHON else (_magic(first, lines[first]),)
            return CellCode("\n" * text.count("\n"), unread)
        head = _statement("", lines[first][2:], 2) if name in _RUNNING else "pass"
        if head is None:
            problems.append(_magic(first, lines[first]))
        lines[first] = head or "pass"
    start, parsed = 0, 0
    for number, line in enumerate(lines):
        is_help = _HELP.match(line) is not None
        found = None if is_help else _CANDIDATE.match(line)
        if not is_help and found is None:
            continue
        indent = line[: len(line) - len(line.lstrip())]
        before = "\n".join([*lines[start:number], f"{indent}pass"])
        parsed += len(before)
        if parsed > _MOST_PARSED:
            break
        if _problem(before) is not None:
            continue  # The line goes on with a statement: `%` is an operator there.
        start = start if indent else number
        lines[number] = f"{indent}pass"
        if found is not None:
            lines[number], is_read = _plain(found)
            if not is_read:
                problems.append(_magic(number, line))
            _drop_continuation(lines, number, line)
    source = "\n".join(lines)
    problem = _problem(source)
    return CellCode(source, tuple(problems)) if problem is None else CellCode("", (problem,))


def _plain(found: re.Match[str]) -> tuple[str, bool]:
    """Return what stands for a line of IPython, and whether all its Python is in it."""
    before, sign, rest = found["before"], found["sign"], found["rest"]
    nothing = f"{before}None" if before.strip() else f"{before}pass"
    name = _NAME.match(rest)[1].lower()  # type: ignore[index]
    if sign[0] == "?":
        return nothing, True
    if sign[0] == "!" or name in _SHELL:
        return nothing, _PYTHON_IN_SHELL.search(rest[:_MOST_OF_COMMAND]) is None
    if sign == "%" and name in _RUNNING:
        statement = _statement(before, rest, 1)
        return (nothing, False) if statement is None else (statement, True)
    return nothing, sign == "%" and name in _WITHOUT_PYTHON


def _statement(before: str, rest: str, signs: int) -> Optional[str]:
    """Return the statement of a magic such as ``timeit -n 10 f(x)``, moved to its column; None if it is no Python."""
    name = _NAME.match(rest)
    assert name is not None
    options = re.compile(rf"(?:\s+(?:{_RUNNING[name[1].lower()]})(?=\s|$))*\s*").match(rest, name.end())
    assert options is not None
    end = options.end()
    statement = rest[end:]
    try:
        ast.parse(f"({statement})" if before.strip() else f"pass;{statement}")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    filler = "" if before.strip() else "pass;" if statement.strip() else "pass"
    return before + filler.ljust(signs + end) + statement


def _drop_continuation(lines: list[str], number: int, line: str) -> None:
    while line.endswith("\\") and number + 1 < len(lines):
        number, line = number + 1, lines[number + 1]
        lines[number] = ""


def _magic(number: int, line: str) -> CellProblem:
    return CellProblem(Cause.MAGIC, number + 1, line.strip()[:200])


def _problem(source: str) -> Optional[CellProblem]:
    try:
        ast.parse(source)
    except SyntaxError as error:
        return CellProblem(Cause.SYNTAX, error.lineno, error.msg[:200])
    except ValueError as error:
        return CellProblem(Cause.SYNTAX, None, str(error)[:200])
    except (RecursionError, MemoryError):
        return CellProblem(Cause.TOO_DEEP)
    return None
