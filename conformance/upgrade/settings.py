"""The table ``[tool.conformance.upgrade]`` of pyproject.toml: what need not be typed."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from conformance.base.json_files import read_bytes, to_text
from conformance.upgrade.harm import SHOWN, Harm

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # what the standard library has since 3.11

_TABLE = "tool.conformance.upgrade"
_LISTS, _TEXTS = ("uses", "exclude", "ignore"), ("old", "new", "floor", "fail-on")


@dataclass(frozen=True)
class UpgradeSettings:
    """What the table says.

    Attributes
    ----------
    old, new
        The releases that are compared where the command line names none.
    floor
        The oldest torch that the code is to run on.
    uses
        The code that is read then; paths are relative to the folder of the file.
    exclude, ignore
        What is left out, beside what the command line leaves out.
    fail_on
        The severity that fails, unless the command line says another one.
    """

    old: Optional[str] = None
    new: Optional[str] = None
    floor: Optional[str] = None
    uses: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Optional[Harm] = None


def read_settings(folder: Path) -> UpgradeSettings:
    """Read the first pyproject.toml in a folder or above it; settings without values if there is no table.

    Raises
    ------
    ValueError
        If the file is no TOML, or the table has a key or a value that means nothing; it says where.
    ResultError
        If the file cannot be read.
    """
    above = (parent / "pyproject.toml" for parent in (folder, *folder.parents))
    path = next((file for file in above if file.is_file()), None)
    if path is None:
        return UpgradeSettings()
    text = to_text(read_bytes(path), str(path))
    try:
        document = read_toml(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    table: Any = document
    for name in _TABLE.split("."):
        table = table.get(name, {}) if isinstance(table, dict) else {}
    if not isinstance(table, dict):
        raise ValueError(f"{path}: {_TABLE} is no table")
    for key, value in table.items():
        _check(f"{path}:{_place(text, key)}", key, value)
    uses = tuple(_shown(path.parent / each) for each in table.get("uses", ()))
    exclude, ignore = (tuple(table.get(key, ())) for key in ("exclude", "ignore"))
    old, new, floor, fail_on = (table.get(key) for key in _TEXTS)
    return UpgradeSettings(old, new, floor, uses, exclude, ignore, fail_on)


def read_toml(text: str) -> dict[str, Any]:
    """Read TOML; raises ValueError, which says where, if it is none."""
    document: dict[str, Any] = tomllib.loads(text)
    return document


def check_release(where: str, text: str) -> None:
    """Raise ValueError if a text is no release."""
    if re.fullmatch(r"\d+(\.\d+)*", text) is None:
        raise ValueError(f"{where} is a release, such as 1.13, and not '{text}'")


def _shown(path: Path) -> Path:
    """Return a path as somebody in the current folder would type it."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def _place(text: str, key: str) -> str:
    """Return the line and the column of a key of the table."""
    table = text.find(f"[{_TABLE}]")
    match = re.compile(rf"^[ \t]*(?=[\"']?{re.escape(key)}\b)", re.M).search(text, max(table, 0))
    start = match.end() if match else 0
    return f"{text.count(chr(10), 0, start) + 1}:{start - text.rfind(chr(10), 0, start)}"


def _check(place: str, key: str, value: object) -> None:
    if key not in (*_LISTS, *_TEXTS):
        raise ValueError(f"{place}: [{_TABLE}] has no key '{key}'; it has {', '.join((*_TEXTS, *_LISTS))}")
    if key == "fail-on" and value not in SHOWN:
        raise ValueError(f"{place}: 'fail-on' is one of {', '.join(SHOWN)}")
    if key == "floor":
        check_release(f"{place}: 'floor'", str(value))
    if key in _TEXTS and not isinstance(value, str):
        raise ValueError(f"{place}: '{key}' is a text, such as \"2.4\"; put it in quotes")
    if key in _LISTS and not (isinstance(value, list) and all(isinstance(each, str) for each in value)):
        raise ValueError(f"{place}: '{key}' is a list of texts, such as [\"src\"]")
