"""What a title must be: short, a fact in the present tense, without a full stop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from conformance.language.forms import MAXIMUM_TITLE

_WORDING = re.compile(
    r"\b(should|shall|will|would|ought)\b"
    r"|^(tests?|testing|verif(?:y|ies)|ensures?|asserts?)\b"
    r"|\b(tests?|checks?) (?:that|if|whether)\b",
    re.IGNORECASE,
)


class TitleMistake(NamedTuple):
    """A mistake in a title: the offset of its first character, its code, and what to do."""

    offset: int
    code: str
    message: str


def title_mistakes(title: str) -> Iterator[TitleMistake]:
    """Return what is wrong with a title."""
    if len(title) > MAXIMUM_TITLE:
        message = f"the title has {len(title)} characters, and {MAXIMUM_TITLE} are the most; shorten it"
        yield TitleMistake(0, "E305", message)
    match = _WORDING.search(title)
    if match:
        advice = "state a fact in the present tense, such as 'The result shares storage'"
        yield TitleMistake(match.start(), "E306", f"'{match.group()}' in a title; {advice}")
    if title.endswith("."):
        yield TitleMistake(len(title) - 1, "E307", "the title ends with a full stop; remove it")
