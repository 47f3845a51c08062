"""Reading files that may come from anyone, and replacing files so that nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

from conformance.base.codec import DecodeError, Json, decode
from conformance.base.files import Unreadable, Why, read_bounded, replace_content
from conformance.base.text import printable

T = TypeVar("T")
#: The largest file of ours that is read, in bytes.
LARGEST = 64 * 2**20
_LONGEST_MESSAGE = 600


class ResultError(Exception):
    """A file of results can't be used; the message says which, why and what to do."""

    def __init__(self, message: str) -> None:
        # What a file says, or how it is called, must neither make a second line nor drive the terminal.
        super().__init__(printable(message[:_LONGEST_MESSAGE], keep=""))


def read_bytes(path: Path) -> bytes:
    """Read a file of ours.

    Raises
    ------
    ResultError
        If it can't be read, as `conformance.base.files.read_bounded` tells, or is larger than `LARGEST`.
    """
    try:
        return read_bounded(path, LARGEST)
    except Unreadable as error:
        raise ResultError(f"{path}: {error}") from None


def read_recorded(path: Path) -> str:
    """Return the text of a file that is recorded in git; nothing where there is no such file.

    Raises
    ------
    ResultError
        If it can't be read.
    """
    try:
        return read_bounded(path, LARGEST).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ResultError(f"{path}: not UTF-8 at byte {error.start}; take the file from git again") from None
    except Unreadable as error:
        if error.why is Why.MISSING:
            return ""
        raise ResultError(f"{path}: {error}") from None


def to_text(content: bytes, place: str) -> str:
    """Decode UTF-8; ``place`` is the file, or the file and line, that a `ResultError` names."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ResultError(f"{place}: not UTF-8 at byte {error.start}") from None


def read_json(path: Path, cls: type[T], remedy: str) -> T:
    """Read a file that holds one JSON document.

    Parameters
    ----------
    cls
        The dataclass that it is read as.
    remedy
        The command that makes such a file, for the message.

    Raises
    ------
    ResultError
        As `read_bytes`, and if it is no UTF-8 or JSON, or does not fit the class.
    """
    return parse(to_text(read_bytes(path), str(path)), cls, str(path), remedy)


def parse(text: str, cls: type[T], place: str, remedy: str) -> T:
    """Decode JSON; ``place`` is the file, or the file and line, that an error names."""
    try:
        document: Json = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{place}: no JSON: {error}; make it again with '{remedy}'") from None
    try:
        return decode(cls, document)
    except DecodeError as error:
        raise ResultError(f"{place}: {error}; make it again with '{remedy}'") from None


def replace_file(path: Path, text: str) -> None:
    """Replace a file's content at once: a full disk or an interruption leaves the old one whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_content(path, text.encode())
