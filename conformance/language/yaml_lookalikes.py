"""Plain text that some YAML program reads as something else than text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Optional

_SURPRISES = [
    (re.compile(r"(?i:yes|no|on|off|true|false)"), "a truth value"),
    (re.compile(r"~|(?i:null)"), "nothing"),
    (re.compile(r"[-+]?0o?[0-7_]+"), "an octal number"),
    (re.compile(r"[-+]?0[xb][0-9a-fA-F_]+"), "a number in another base"),
    (re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"), "a number in base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?"), "a date"),
    (
        re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)[eE][-+]?[0-9]+"),
        "a number to some programs, text to others",
    ),
    (re.compile(r"[-+]?\.(?i:inf|nan)"), "a number"),
    (re.compile(r"[-+]?[0-9][0-9_]*"), "a whole number"),
    (re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9_]+)"), "a number"),
    (re.compile(r"="), "a special value"),
]

_PLAIN_IN_CODE = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|True|False")


@lru_cache(maxsize=8192)
def surprise(value: str) -> Optional[str]:
    """Return what some YAML program reads plain text as, where that is not text."""
    if len(value) > 40 or (" " in value and not value[:1].isdigit()):
        return None
    return next((what for pattern, what in _SURPRISES if pattern.fullmatch(value)), None)


def is_plain_code(value: str) -> bool:
    """Whether plain text that YAML reads as a number or truth value means the same to Python."""
    return _PLAIN_IN_CODE.fullmatch(value) is not None


def cut_at_comma(text: str) -> bool:
    """Whether text looks like a part of a call that YAML cut at a comma: its brackets don't match."""
    return any(text.count(opening) != text.count(closing) for opening, closing in ("()", "[]", "{}"))
