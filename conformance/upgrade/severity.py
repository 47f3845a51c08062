"""How much a change can hurt."""

from __future__ import annotations

import builtins

#: From the most to the least harmful.
SEVERITIES = ("breaking", "behaviour", "notice", "documentation", "improvement")

MEANING = {
    "breaking": "a documented promise that held is false now, or the name is gone",
    "behaviour": "something else happens, though no promise of the documentation is broken by it",
    "notice": "what a person reads changed: the wording of a message, a warning, the name of a grad_fn",
    "documentation": "the documentation changed, and what torch does did not",
    "improvement": "a promise that was false is true now, or a name is new",
}

#: Within one severity: what goes unnoticed hurts more than what stops the program at once.
_KINDS = (
    "crash",
    "silent",
    "vanished",
    "loud",
    "silent on some",
    "loud on some",
    "shares",
    "same",
    "view-of",
    "history",
    "requires-grad",
    "leaf",
    "dtype",
    "value",
    "observed",
    "divergence",
    "flags",
    "error",
    "tier",
    "unsupported",
    "warning",
    "message",
    "node",
    "promise",
    "sentence",
    "appeared",
    "fixed",
)


def rank(severity: str) -> int:
    """Return 0 for the most harmful severity, and more for each less harmful one."""
    return SEVERITIES.index(severity)


def kind_rank(kind: str) -> int:
    """Return the place of a kind of change among those of the same severity."""
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS)


def still_caught(old: str, new: str) -> bool:
    """Say whether ``except old`` catches ``new`` too, as far as the classes are Python's own."""
    before, after = getattr(builtins, old, None), getattr(builtins, new, None)
    if isinstance(before, type) and isinstance(after, type):
        return issubclass(after, before)
    return old in ("Exception", "BaseException")
