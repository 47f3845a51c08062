"""One claim in one measured release: its entry, or a hole and why it is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from packaging.version import InvalidVersion, Version

from conformance.language.model import Claim
from conformance.results.store import Results, load_results

#: The last minor version of a series, so that what follows it is known to be its neighbour.
_LAST_MINOR = {0: 4, 1: 13}


@dataclass(frozen=True)
class Cell:
    """What one release showed for a claim; without an entry it is a hole, and ``hole`` says why."""

    release: str
    entry: Optional[dict[str, Any]]
    hole: str = ""


def cell(claim: Claim, results: Results) -> Cell:
    """Look up a claim in a result file.

    An entry of an older form of the claim says nothing about the present one, and a void file nothing at all.
    """
    release = results.environment["torch"]
    entry = results.claims.get(claim.id)
    if results.void:
        return Cell(release, None, "the whole file is void")
    if entry is None:
        return Cell(release, None, "not measured")
    if entry["claim"] != claim.fingerprint():
        return Cell(release, None, "measured in an older form of the claim")
    return Cell(release, entry)


def false_in_part(claim: Claim, entry: Mapping[str, Any]) -> bool:
    """Say whether a claim is false for some inputs only: each divergence that applied selects examples."""
    applied = [claim.diverges[number] for number in entry.get("divergence", ()) if number < len(claim.diverges)]
    return entry.get("verdict") == "diverges" and bool(applied) and all(item.where is not None for item in applied)


def release_order(results: Results) -> Version:
    """Return what sorts result files by release; what is no version comes first."""
    return as_version(results.environment["torch"])


def as_version(release: str) -> Version:
    """Read a release as a version; what is none counts as the oldest of all."""
    try:
        return Version(release)
    except InvalidVersion:
        return Version("0")


def load_device(folder: Path, device: str) -> list[Results]:
    """Read the result files of one device, oldest release first, one for each release.

    Where several environments measured a release, the file with the plain name ``torch-RELEASE-DEVICE.json`` counts.

    Raises
    ------
    conformance.results.store.ResultError
        If a file can't be used.
    """
    chosen: dict[str, Results] = {}
    for path in sorted(folder.glob("torch-*.json")):
        results = load_results(path)
        if results.environment["device"] != device:
            continue
        release = results.environment["torch"]
        if release not in chosen or path.stem == results.name:
            chosen[release] = results
    return sorted(chosen.values(), key=release_order)


def unmeasured_minors(older: str, newer: str) -> tuple[str, ...]:
    """Name the minor versions that lie between two releases: what neither of the two can speak for."""
    first, last = sorted((as_version(older), as_version(newer)))
    minors: list[str] = []
    major, minor = first.major, first.minor
    while (major, minor) < (last.major, last.minor):
        if minor >= _LAST_MINOR.get(major, 10**6):
            major, minor = major + 1, 0
        else:
            minor += 1
        if (major, minor) >= (last.major, last.minor) or len(minors) >= 100:
            break
        minors.append(f"{major}.{minor}")
    return tuple(minors)
