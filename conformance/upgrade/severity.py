"""How much a change can hurt the code that meets it."""

from __future__ import annotations

import builtins
from typing import Literal, get_args

#: From the most to the least harmful. The first three are shown; the others are counted, and shown on request.
Severity = Literal["breaks", "changes", "warns", "corner", "wording", "documentation", "improvement"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
SHOWN: tuple[Severity, ...] = SEVERITIES[:3]

MEANING: dict[Severity, str] = {
    "breaks": "the name or an argument is gone, or the call raises now",
    "changes": "the same call gives another result, memory, gradient, dtype or default",
    "warns": "a deprecation or another warning begins",
    "corner": "something else happens for unusual inputs, or with calls that raised before",
    "wording": "what a person reads changed: a message, the name of a grad_fn",
    "documentation": "the documentation changed, and what torch does did not",
    "improvement": "what raised or was false works now, or a name is new",
}

#: Within one severity: what goes unnoticed hurts more than what stops the program at once.
_KINDS = (
    *("crash", "gone", "argument", "silent", "vanished", "loud", "default", "shares", "same", "view-of", "history"),
    *("requires-grad", "leaf", "dtype", "value", "observed", "divergence", "flags", "error", "tier", "no-kernel"),
    *("deprecated", "warning", "message", "node", "promise", "sentence", "appeared", "fixed"),
)


def rank(severity: Severity) -> int:
    """Return 0 for the most harmful severity, and more for each less harmful one."""
    return SEVERITIES.index(severity)


def kind_rank(kind: str) -> int:
    """Return the place of a kind of change among those of the same severity."""
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def still_caught(old: str, new: str) -> bool:
    """Return whether ``except old`` catches ``new`` too, as far as the classes are Python's own."""
    before, after = getattr(builtins, old, None), getattr(builtins, new, None)
    if isinstance(before, type) and isinstance(after, type):
        return issubclass(after, before)
    return old in ("Exception", "BaseException")
