"""Sentences of the documentation: what became of them from release to release, and whether they are true there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Optional

from conformance.language.model import Claim, Source
from conformance.results.recorded import Cell, Measured
from conformance.results.verdicts import truth

#: How a sentence and its truth go together in a release.
TRUE = "documented and true"
FALSE = "documented and false"
BEFORE = "true before it was documented"
AFTER = "no longer documented but still true"
UNDOCUMENTED = "true, and the docstring does not say it"
STATES = (TRUE, FALSE, BEFORE, AFTER, UNDOCUMENTED)
_LONGEST = 2000


@dataclass(frozen=True)
class Sentences:
    """The sentences of one torch: object → hash → text. Empty where no torch was at hand."""

    torch: str = ""
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def find(self, source: Source, hashes: Sequence[str]) -> Optional[str]:
        """Return the sentence of a source: by a hash that was measured, else by the source's key."""
        texts = self.texts.get(source.name, {})
        for wanted in hashes:
            if wanted in texts:
                return texts[wanted][:_LONGEST]
        key = _folded(source.key or "")
        return next((text[:_LONGEST] for text in texts.values() if key and key in _folded(text)), None)


@dataclass(frozen=True)
class Trace:
    """What became of one sentence in one environment; the newest one that has it is what others are compared with."""

    measured: Measured
    state: Literal["there", "worded otherwise", "not there"]


def trace(claim: Claim, source: Source, cells: Sequence[Cell]) -> tuple[list[Trace], list[str]]:
    """Follow a documented sentence through the environments; also return its hashes, the newest torch's first."""
    position = sentence_sources(claim).index(source)
    found: list[tuple[Measured, Optional[str]]] = []
    for cell in cells:
        if cell.entry is not None and position < len(cell.entry.sentences):
            found.append((cell.measured, cell.entry.sentences[position]))
    hashes = list(dict.fromkeys(key for _, key in reversed(found) if key))
    return [Trace(measured, _state(key, hashes)) for measured, key in found], hashes


def documentation_states(claim: Claim, path: Sequence[Measured]) -> dict[str, Optional[str]]:
    """Return for each release how a claim's docstring sentence and its truth go together.

    Parameters
    ----------
    path
        Environments of one device, oldest release first.

    Returns
    -------
    dict
        Release → one of `STATES`; None where either side is unknown, where the claim cites no docstring, or where it is
        false and no docstring says it.
    """
    measured = [(item.torch, *_seen(claim, item)) for item in path]
    written = [position for position, (_, documented, _) in enumerate(measured) if documented]
    states: dict[str, Optional[str]] = {}
    for position, (release, documented, true) in enumerate(measured):
        if documented is None or true is None:
            states[release] = None
        elif documented:
            states[release] = TRUE if true else FALSE
        elif not true:
            states[release] = None
        elif written and written[0] < position:
            states[release] = AFTER
        else:
            states[release] = BEFORE if written else UNDOCUMENTED
    return states


def without_roles(sentence: str) -> str:
    """Leave out what only Sphinx reads in a docstring, such as ``:class:`` before a name."""
    named = re.sub(r":[A-Za-z][\w:+-]*:`([^`]*)`", r"`\1`", sentence)
    return re.sub(r"`~?([^`<]*?)(?: <[^`]*>)?`", r"`\1`", named)


def sentence_sources(claim: Claim) -> tuple[Source, ...]:
    """Return the docstring sources of a claim, in the order of an entry's ``sentences``."""
    return tuple(source for source in claim.sources if source.kind == "docs")


def _state(key: Optional[str], hashes: Sequence[str]) -> Literal["there", "worded otherwise", "not there"]:
    if key is None:
        return "not there"
    return "there" if key == hashes[0] else "worded otherwise"


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _seen(claim: Claim, measured: Measured) -> tuple[Optional[bool], Optional[bool]]:
    entry = measured.cell(claim).entry
    sources = sentence_sources(claim)
    if entry is None or not sources:
        return None, None
    sentences = entry.sentences
    documented = any(item is not None for item in sentences) if len(sentences) == len(sources) else None
    told = truth(entry.verdict)
    return documented, None if told in (None, "open") else told == "true"
