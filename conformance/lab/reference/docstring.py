"""NumPy-style docstrings of the vocabulary, taken apart without importing what they belong to."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

_FIELDS = ("Parameters", "Other Parameters", "Returns", "Yields", "Raises", "Attributes")


@dataclass(frozen=True)
class Part:
    """A paragraph, a list of ``items``, or a block of code in a ``language``."""

    text: str = ""
    language: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """What stands under one heading; ``fields`` are a name, a type and a description each."""

    heading: str
    parts: tuple[Part, ...] = ()
    fields: tuple[tuple[str, str, str], ...] = ()


def docstring_blocks(doc: str) -> tuple[Block, ...]:
    """Return the parts of a docstring under their headings."""
    # The heading of the text before the first one is empty.
    split = re.split(r"^(\S.*)\n-{3,}$", "\n" + doc, flags=re.MULTILINE)
    pairs = zip(["", *split[1::2]], split[0::2])
    return tuple(_block(heading.strip(), body.strip("\n")) for heading, body in pairs if heading or body.strip())


def _block(heading: str, body: str) -> Block:
    if heading in _FIELDS:
        return Block(heading, fields=tuple(_fields(body.splitlines())))
    return Block(heading, parts=tuple(_part(text) for text in re.split(r"\n\s*\n", body) if text.strip()))


def _fields(lines: Sequence[str]) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            found.append((name.strip(), kind.strip(), ""))
        elif line.strip() and found:
            name, kind, told = found[-1]
            found[-1] = (name, kind, f"{told} {line.strip()}".strip())
    return found


def _part(text: str) -> Part:
    text = text.strip("\n")
    if text.lstrip().startswith(">>>"):
        return Part(textwrap.dedent(text), "pycon")
    if text.startswith("    "):
        return Part(textwrap.dedent(text), "python")
    if re.match(r"[-*] ", text):
        return Part(items=tuple(" ".join(item[2:].split()) for item in re.split(r"\n(?=[-*] )", text)))
    folded = " ".join(text.split())
    return Part(folded[:-1] if folded.endswith("::") else folded)
