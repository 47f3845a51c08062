"""Documentation as a second axis: whether what is true is written down, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from conformance.language.model import Claim
from conformance.views.aspects import sentence_sources
from conformance.views.recorded import Measured
from conformance.views.verdicts import truth

TRUE = "documented and true"
FALSE = "documented and false"
BEFORE = "true before it was documented"
AFTER = "no longer documented but still true"
UNDOCUMENTED = "true, and the docstring does not say it"
STATES = (TRUE, FALSE, BEFORE, AFTER, UNDOCUMENTED)


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


def _seen(claim: Claim, measured: Measured) -> tuple[Optional[bool], Optional[bool]]:
    entry = measured.cell(claim).entry
    sources = sentence_sources(claim)
    if entry is None or not sources:
        return None, None
    sentences = entry.sentences
    documented = any(item is not None for item in sentences) if len(sentences) == len(sources) else None
    told = truth(entry.verdict)
    return documented, None if told in (None, "open") else told == "true"
