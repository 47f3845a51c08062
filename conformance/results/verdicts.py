"""How a verdict is shown, and what it tells about a claim: one table for every output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

from conformance.results.model import Verdict

#: What a verdict tells about the claim.
Truth = Literal["true", "false", "crash", "open"]
#: How a claim stands in a release: its truth, no such name, or excluded by its conditions.
Standing = Literal["true", "false", "crash", "open", "absent", "excluded"]


@dataclass(frozen=True)
class Appearance:
    """How a verdict is shown; never by its colour alone.

    ``word`` and ``symbol`` stand on pages, ``mark`` in tables of the terminal; colours hang on the class ``style``.
    """

    word: str
    symbol: str
    mark: str
    style: str
    meaning: str


APPEARANCES: dict[Verdict, Appearance] = {
    "holds": Appearance("holds", "✓", "yes", "good", "every example tried satisfied it"),
    "diverges": Appearance("diverges", "≠", "NO", "known", "false exactly as recorded"),
    "refuted": Appearance("refuted", "✗", "NO!", "bad", "a counterexample that no recorded divergence explains"),
    "diverges-differently": Appearance(
        "diverges differently", "✗", "NO!", "bad", "false, but not as recorded: update 'diverges'"
    ),
    "unexpected-pass": Appearance(
        "unexpected pass", "↑", "passes!", "bad", "a recorded divergence no longer happens: update 'diverges'"
    ),
    "unspecified": Appearance(
        "unspecified", "~", "open", "open", "left open or not promised; what happened is recorded"
    ),
    "absent": Appearance("absent", "–", "absent", "none", "this torch has no such subject"),
    "inapplicable": Appearance(
        "inapplicable",
        "·",
        "n/a",
        "none",
        "the claim's own conditions exclude this environment, or it puts nothing on this device",
    ),
    "unsupported": Appearance(
        "not supported", "∅", "n/s", "none", "this device lacks what every example needs, such as an operator"
    ),
    "crashed": Appearance(
        "crashed", "†", "crash!", "bad", "the interpreter died or lost the device while the claim was tried"
    ),
    "timed-out": Appearance("timed out", "…", "hang!", "bad", "the time limit passed while the claim was tried"),
    "invalid": Appearance("invalid", "!", "invalid!", "bad", "the claim can't be judged"),
}

#: A verdict of ``diverges`` where every recorded divergence is about some inputs only.
IN_PART = Appearance(
    "false for some inputs", "◐", "partly", "known", "false exactly as recorded, and only for some inputs"
)
#: No verdict.
NOT_MEASURED = Appearance("not measured", "□", "?", "gap", "nothing is known here; it does not mean false")

_TRUTH: dict[Verdict, Truth] = {
    "holds": "true",
    "unexpected-pass": "true",
    "refuted": "false",
    "diverges": "false",
    "diverges-differently": "false",
    "crashed": "crash",
    "timed-out": "crash",
    "unspecified": "open",
}


def truth(verdict: Verdict) -> Optional[Truth]:
    """Return what a verdict tells about the claim; `None` where it tells nothing."""
    return _TRUTH.get(verdict)


def standing(verdict: Verdict) -> Optional[Standing]:
    """Return how a claim stands; `None` where it can't be judged."""
    if verdict == "absent":
        return "absent"
    return "excluded" if verdict in ("inapplicable", "unsupported") else truth(verdict)
