"""Text that may come from anyone, made fit for a person: no control characters, one line, near names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str, *, keep: str = "\n") -> str:
    """Return text that can't drive a terminal: control characters are escaped.

    Parameters
    ----------
    keep
        Control characters that stay.
    """
    plain = text
    for one in keep:
        plain = plain.replace(one, "")
    if plain.isprintable():
        return text
    return "".join(one if one in keep or one.isprintable() else ascii(one)[1:-1] for one in text)


def drives_terminal(text: str) -> bool:
    """Return whether text has control characters, bidirectional controls or halves of surrogate pairs."""
    return _CONTROL.search(text) is not None


def one_line(text: str) -> str:
    """Fold text into one line."""
    return " ".join(text.split())


def bounded(text: str, longest: int) -> str:
    """Fold text into one line of at most so many characters."""
    folded = one_line(text)
    return folded if len(folded) <= longest else f"{folded[: longest - 1]}…"


def did_you_mean(name: str, known: Iterable[str], *, most: int = 1) -> str:
    """Return ``; did you mean 'near'?``, or nothing where no name is near."""
    near = difflib.get_close_matches(name, sorted(known), n=most, cutoff=0.6)
    return f"; did you mean {', '.join(map(repr, near))}?" if near else ""


def listed(names: Sequence[str]) -> str:
    """Return names as a phrase: ``a, b or c``."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " or " + names[-1]


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 mistake``, ``2 mistakes``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or f'{noun}s'}"
