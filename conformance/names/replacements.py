"""The names that torch gives in a message as a replacement for what is deprecated or removed."""

from __future__ import annotations

import re

_NAME = r"[`'\"*]*(?::\w+:)?[`'\"]*[~!]?((?:torch\.|nn\.|functorch\.)?[A-Za-z_]\w*(?:\.\w+)*)"
_BEFORE = (
    r"should be replaced with:?\s+(?:[\w, ]+=\s*)?",
    r"replaced (?:by|with):?\s+(?:the\s+)?",
    r"in favou?r of\s+(?:the\s+)?",
    r"renamed to\s+",
    r"(?:switch|migrate|moved?) to\s+(?:the\s+)?",
    r"\b[uU]se\s+(?:the\s+)?",
    r"now calls\s+",
    r"[Pp]lease see\s+(?:the\s+)?",
)
_WORDS = re.compile(f"(?:{'|'.join(_BEFORE)}){_NAME}")
_MORE = re.compile(rf"^(?:\([^)]*\))?[`'\"]*(?:\s*,\s*|\s+(?:or|and)\s+){_NAME}")


def find_replacements(message: str, name: str) -> tuple[str, ...]:
    """Return the full names that a message about `name` says to use instead, in its order.

    Words that are no name of torch are left out; ``nn.X`` and a bare name in backquotes are completed from `name`.
    """
    found: dict[str, None] = {}
    for match in _WORDS.finditer(message):
        _note(found, message, match.start(1), match.end(1), name)
        more = _MORE.match(message[match.end(1) :])
        if more:
            _note(found, message, match.end(1) + more.start(1), match.end(1) + more.end(1), name)
    return tuple(found)


def _note(found: dict[str, None], message: str, start: int, end: int, name: str) -> None:
    word = message[start:end].rstrip(".")
    full = word
    if word.startswith("nn."):
        full = f"torch.{word}"
    elif not word.startswith(("torch.", "functorch.")):
        if message[:start].endswith(":ref:`"):
            return
        quoted = message[start - 1 : start] in "`~" and message[start - 2 : start] != "``" and start > 0
        parent = name.rpartition(".")[0]
        full = f"{parent}.{word}" if quoted and "." not in word and parent else ""
    if full and full != name and message[end : end + 1] != "…":
        found[full] = None
