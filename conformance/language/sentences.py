"""Docstrings as sentences, and the hash under which a sentence is known.

A sentence itself is never stored in the repository: results and decisions keep its hash only.
"""

from __future__ import annotations

import hashlib
import re
from typing import Optional

# An abbreviation's full stop ends no sentence.
_ABBREVIATIONS = ("e.g", "i.e", "etc", "cf", "vs", "Eq", "Fig", "resp", "approx", "w.r.t")
_BOUNDARY = re.compile(r"(?<=[.!?])[\"')`]*\s+(?=[\"'(`:*_]*[A-Z0-9`:*])")
_HEADINGS = "Args|Arguments|Keyword args|Keyword arguments|Return|Returns|Raises|Examples?|Notes?|Warnings?"
# A block ends at an empty line, before a list item, a heading, or an argument's entry: "name (type, optional): ".
_BLOCK = re.compile(
    rf"\n\s*\n|\n\s*(?=(?:[-*]|\d+\.)\s)|\n(?=\s*(?:\.\. )?(?:{_HEADINGS})\s*::?)|\n(?=\s*\*{{0,2}}\w+ \([^\n]*\):\s)",
    re.IGNORECASE,
)
_DIRECTIVE = re.compile(rf"^\s*(?:\.\. [\w-]+::|(?:{_HEADINGS})\s*::?)\s*", re.IGNORECASE)


def sentences(docstring: str) -> list[str]:
    """Split a docstring into its sentences.

    Parameters
    ----------
    docstring
        The text as ``__doc__`` has it.

    Returns
    -------
    list of str
        Each sentence on one line, white space folded, in order; code blocks of the interpreter (``>>>``) are left out.
    """
    text = "\n".join(line for line in docstring.expandtabs().splitlines() if not _is_code(line))
    found: list[str] = []
    for block in _BLOCK.split(text):
        folded = " ".join(_DIRECTIVE.sub("", block, count=1).split())
        found.extend(_split(folded))
    return found


def sentence_hash(sentence: str) -> str:
    """Eight hexadecimal digits of a sentence, the same under any change of white space."""
    return hashlib.sha256(" ".join(sentence.split()).encode()).hexdigest()[:8]


def find_sentences(docstring: Optional[str], key: str) -> list[str]:
    """Return the sentences of a docstring that contain a key (its white space folded)."""
    folded = " ".join(key.split())
    return [sentence for sentence in sentences(docstring or "") if folded in sentence]


def _is_code(line: str) -> bool:
    return line.lstrip().startswith((">>>", "... "))


def _split(text: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        head = text[start : match.start()]
        if head.rstrip("\"')`").rstrip(".").endswith(_ABBREVIATIONS):
            continue
        parts.append(text[start : match.end()].strip())
        start = match.end()
    tail = text[start:].strip()
    return [part for part in (*parts, tail) if part]
