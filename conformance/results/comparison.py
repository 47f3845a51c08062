"""What a run gave otherwise than is recorded for the same release and device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Optional

from conformance.results.model import Entry, Environment
from conformance.results.record import stored_results
from conformance.results.store import Results


@dataclass(frozen=True)
class Comparison:
    """How the entries of a run compare with recorded ones.

    Attributes
    ----------
    elsewhere
        In what the record's environment and settings differ. Where they do, only verdicts were compared.
    compared
        How many entries are recorded for the same claims, unchanged.
    new
        How many are not recorded, or for a claim that has changed since.
    differing
        What differs, in words, by id.
    """

    elsewhere: tuple[str, ...]
    compared: int
    new: int
    differing: Mapping[str, str]


def recorded_for(environment: Environment, folder: Path) -> Optional[Results]:
    """Return what a folder has for a release and device, in an equal environment if it can.

    Raises
    ------
    ResultError
        If a file can't be read.
    """
    name = Results(environment, "", 0, 0).name
    found = stored_results(folder).values()
    usable = [results for results in found if results.name == name and results.void is None]
    return min(usable, key=lambda results: results.environment != environment, default=None)


def compare(results: Results, recorded: Results) -> Comparison:
    """Compare the entries of a run with recorded ones; raises ResultError where one of these can't be read."""
    elsewhere = tuple(_differences(results, recorded))
    compared, differing = 0, {}
    for identity, entry in sorted(results.claims.items()):
        known = recorded.claims.get(identity)
        if known is None or known.claim != entry.claim:
            continue
        compared += 1
        if known.verdict != entry.verdict:
            differing[identity] = f"recorded as {known.verdict}, {entry.verdict} here"
        elif known != entry and not elsewhere:
            other = [field.name for field in fields(Entry) if getattr(known, field.name) != getattr(entry, field.name)]
            differing[identity] = f"{entry.verdict} as recorded, but not the same {', '.join(other)}"
    return Comparison(elsewhere, compared, len(results.claims) - compared, differing)


def _differences(results: Results, recorded: Results) -> Iterator[str]:
    """Yield in what the record differs, with its value."""
    for field in fields(Environment):
        value = getattr(recorded.environment, field.name)
        if value != getattr(results.environment, field.name):
            yield f"{field.name} {value}"
    for name in ("examples", "seed", "harness"):
        if getattr(recorded, name) != getattr(results, name):
            yield f"{name} {getattr(recorded, name)}"
