"""Arguments of functions: which names take one, by the signatures of the newest release, and what is said of it."""

from __future__ import annotations

import re
from typing import Optional

from conformance.show.index import Index
from conformance.show.model import ArgumentFinding

_ARGUMENT = re.compile(r"([A-Za-z_]\w*)(?:\s*=\s*\S+)?")
_MOST_TAKERS = 6
_MOST_LINES = 3


def find_argument(text: str, index: Index) -> Optional[ArgumentFinding]:
    """Return what is known of an argument of functions."""
    match = _ARGUMENT.fullmatch(text.rstrip("?"))
    takers = index.takers(match[1]) if match is not None else {}
    if match is None or not takers:
        return None
    argument = match[1]
    mentions = re.compile(rf"\b{re.escape(argument)}\b")
    lines = [
        (answer.subject, line)
        for answer in index.answers(argument)
        for line in answer.lines
        if mentions.search(line.says)
    ]
    # A line with `copy=` speaks of the argument, one with "a copy" does not.
    lines = [pair for pair in lines if f"{argument}=" in pair[1].says] or lines
    names: dict[str, tuple[str, str]] = {}
    for name, taker, default in index.public_takers(argument):
        names.setdefault(taker, (name, default))
    public = [*names.values()] or sorted(takers.items())
    subjects = [subject for name, _ in public if (subject := index.subject(name)) is not None]
    claims = [claim for subject in subjects for claim in subject.claims if mentions.search(claim.title)]
    places = {name: place for place, (name, _) in enumerate(public)}
    lines.sort(key=lambda pair: places.get(pair[0], len(places)))
    uses = max((subject.uses for subject in subjects), default=0)
    shown = tuple(public[:_MOST_TAKERS])
    return ArgumentFinding(argument, shown, len(takers), tuple(lines[:_MOST_LINES]), tuple(claims), uses)
