"""Running text as pieces: plain words, code and links, without the markup of any output.

Whatever comes from a spec or a result file enters an output as the text of a piece, and every output escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Optional, Union
from urllib.parse import urlsplit

from conformance.base.text import printable

#: The longest text that is shown, in characters.
LONGEST = 20_000
#: What the reference has objects of.
Kind = Literal["claim", "subject", "article", "row", "release", "cause"]
_CODE = re.compile(r"(?<!\w)(`{1,2})(?=\S)(.+?)\1(?!\w)")


@dataclass(frozen=True)
class Target:
    """An object of the reference that a piece leads to."""

    kind: Kind
    name: str


@dataclass(frozen=True)
class Piece:
    """A part of running text.

    Attributes
    ----------
    code : bool
        Whether it is code.
    address : str, optional
        The web address that it leads to.
    target : Target, optional
        The object of the reference that it leads to.
    """

    text: str
    code: bool = False
    address: Optional[str] = None
    target: Optional[Target] = None


Text = tuple[Piece, ...]


@dataclass(frozen=True)
class Table:
    """A small table; a cell is running text."""

    head: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


def bounded(text: object) -> str:
    """Return a text without control characters, cut where it is too long for a page; it says so then."""
    shown = printable(str(text), keep="\n\t")
    if len(shown) <= LONGEST:
        return shown
    return f"{shown[:LONGEST]}\n… {len(shown) - LONGEST} more characters"


def words(text: object) -> Text:
    """Return a text as one plain piece."""
    return (Piece(bounded(text)),)


def code(text: object) -> Text:
    """Return a text as one piece of code."""
    return (Piece(bounded(text), code=True),)


def prose(text: object) -> Text:
    """Return running text in which `code` or ``code`` is code."""
    parts = _CODE.split(bounded(text))
    pieces = [Piece(part, code=position % 3 == 2) for position, part in enumerate(parts) if position % 3 != 1]
    return tuple(piece for piece in pieces if piece.text)


def linked(text: str, kind: Kind, name: str) -> Text:
    """Return running text that leads to an object of the reference."""
    target = Target(kind, name)
    return tuple(Piece(piece.text, piece.code, target=target) for piece in prose(text))


def link(text: Optional[str], address: Optional[str]) -> Text:
    """Return a link to a web page. An address that is no web address is shown as text and leads nowhere."""
    return (Piece(bounded(text or address or ""), address=address if is_web_address(address) else None),)


def text_of(*parts: Union[str, Text]) -> Text:
    """Join parts of running text; a string is plain words."""
    pieces: list[Piece] = []
    for part in parts:
        pieces.extend(words(part) if isinstance(part, str) else part)
    return tuple(pieces)


def joined(items: Iterable[Text], separator: str = ", ") -> Text:
    """Join texts with a separator between them."""
    pieces: list[Piece] = []
    for item in items:
        pieces.extend((Piece(separator), *item) if pieces else item)
    return tuple(pieces)


def plain(text: Text) -> str:
    """Return the words of a text."""
    return "".join(piece.text for piece in text)


def is_web_address(address: object) -> bool:
    """Return whether a text is an address that a browser may be sent to."""
    if not isinstance(address, str) or len(address) > LONGEST or re.search(r"[\s\x00-\x1f\\]", address):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
