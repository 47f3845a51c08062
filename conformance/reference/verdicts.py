"""How a verdict is shown: a word, a symbol and a colour class, never the colour alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Appearance:
    """The word and the symbol that stand for a verdict, the class its colours hang on, and its meaning."""

    word: str
    symbol: str
    style: str
    meaning: str


APPEARANCES = {
    "holds": Appearance("holds", "✓", "good", "every example tried satisfied it"),
    "diverges": Appearance("diverges", "≠", "known", "false exactly as recorded"),
    "refuted": Appearance("refuted", "✗", "bad", "a counterexample that no recorded divergence explains"),
    "changed": Appearance("changed", "✗", "bad", "false, but not as recorded"),
    "fixed": Appearance("fixed", "↑", "bad", "a recorded divergence no longer happens: the record is out of date"),
    "unspecified": Appearance("unspecified", "~", "open", "the source leaves it open; what happened is recorded"),
    "absent": Appearance("absent", "–", "none", "this torch has no such subject"),
    "inapplicable": Appearance("inapplicable", "·", "none", "the claim's own conditions exclude this environment"),
    "crashed": Appearance("crashed", "†", "bad", "the interpreter died while the claim was tried"),
    "timed-out": Appearance("timed out", "…", "bad", "the time limit passed while the claim was tried"),
    "invalid": Appearance("invalid", "!", "bad", "the claim itself is broken"),
}

#: A verdict of ``diverges`` where every recorded divergence is about some inputs only.
IN_PART = Appearance("false for some inputs", "◐", "known", "false exactly as recorded, and only for some inputs")

HOLE = Appearance("not measured", "□", "hole", "nothing is known here; it does not mean false")

FALSE = ("refuted", "changed", "diverges")
UNEXPECTED = ("refuted", "changed", "fixed", "crashed", "timed-out", "invalid")


def appearance(verdict: Optional[str]) -> Appearance:
    """Give the appearance of a verdict; `None`, and a word that is no verdict, are holes."""
    return APPEARANCES.get(verdict or "", HOLE)
