"""Documentation as a second axis: whether what is true is written down, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from conformance.language.model import Claim
from conformance.results.aspects import sentence_sources, truth
from conformance.results.cells import cell
from conformance.results.store import Results

TRUE = "documented and true"
FALSE = "documented and false"
BEFORE = "true before it was documented"
AFTER = "no longer documented but still true"
UNDOCUMENTED = "true, and the docstring does not say it"
STATES = (TRUE, FALSE, BEFORE, AFTER, UNDOCUMENTED)


def documentation_states(claim: Claim, columns: Sequence[Results]) -> dict[str, Optional[str]]:
    """Say for each release how a claim's docstring sentence and its truth go together.

    Parameters
    ----------
    columns
        Result files of one device, oldest release first.

    Returns
    -------
    dict
        Release → one of `STATES`; None where either side is unknown, where the claim cites no docstring, or where it is
        false and no docstring says it.
    """
    measured = [(results.environment["torch"], *_seen(claim, results)) for results in columns]
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


def _seen(claim: Claim, results: Results) -> tuple[Optional[bool], Optional[bool]]:
    entry = cell(claim, results).entry
    sources = sentence_sources(claim)
    if entry is None or not sources:
        return None, None
    keys = entry.get("keys", [])
    documented = any(key is not None for key in keys) if len(keys) == len(sources) else None
    stands = truth(entry["verdict"])
    return documented, None if stands in (None, "open") else stands == "true"
