"""How much a difference can hurt the code that meets it."""

from __future__ import annotations

from typing import Literal, get_args

Harm = Literal["breaks", "changes", "warns", "wording", "improvement"]
#: From the most to the least harmful. The first three are what people have to look at.
HARMS: tuple[Harm, ...] = get_args(Harm)
SHOWN: tuple[Harm, ...] = HARMS[:3]

MEANING: dict[Harm, str] = {
    "breaks": "the name or an argument is gone, or the call raises now",
    "changes": "the same call gives another result, memory, gradient, dtype or default",
    "warns": "a deprecation or another warning begins",
    "wording": "a message is worded otherwise, or a grad_fn has another name",
    "improvement": "what raised or was false works now, or a name is new",
}


def rank(harm: Harm) -> int:
    """Return 0 for the most harmful, and more for each less harmful one."""
    return HARMS.index(harm)
