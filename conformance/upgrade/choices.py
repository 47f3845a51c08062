"""Which releases a person means: ``2.4``, ``2.4.0``, ``torch==2.4.*``, ``latest``, ``installed``, or a result file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Optional

from packaging.version import InvalidVersion, Version

from conformance.releases import RELEASES
from conformance.results.store import SUFFIX, load_results
from conformance.views.recorded import Measured, Recorded, load_recorded


class NotRecorded(Exception):
    """A release was not measured; the message gives the command that measures it."""


def release_path(old: str, new: str, folder: Path, device: str) -> tuple[list[Measured], tuple[str, ...]]:
    """Find two releases and the recorded ones between them, and what a reader must know of the choice.

    Raises
    ------
    NotRecorded
        If a version was not measured on the device.
    conformance.results.files.ResultError
        If a file can't be used.
    """
    named = [_file(old), _file(new)]
    device = next((item.device for item in named if item is not None), device)
    recorded = (load_recorded(folder) if folder.is_dir() else Recorded()).on(device)
    remarks: list[str] = []
    ends = [item or _recorded(text, recorded, device, remarks) for item, text in zip(named, (old, new))]
    for item, text in zip(ends, (old, new)):
        if item.void:
            raise NotRecorded(f"{text}: its results are void: {item.void}; {_measure(item.torch)}")
    first, last = ends
    if first.version > last.version:
        raise NotRecorded(f"{first.torch} is newer than {last.torch}; give the older release first")
    between = [item for item in recorded if first.version < item.version < last.version and not item.void]
    if first.version == last.version:
        remarks.append("both are the same release")
    return [first, *between, last], tuple(remarks)


def _file(text: str) -> Optional[Measured]:
    path = Path(text)
    return Measured.of(load_results(path)) if path.suffix in (".json", SUFFIX) or path.is_file() else None


def _recorded(text: str, recorded: Sequence[Measured], device: str, remarks: list[str]) -> Measured:
    if text == "latest" and recorded:
        return [item for item in recorded if not item.void][-1]
    plain, wanted = _version(text)
    same = [item for item in recorded if item.version.release[:2] == (*wanted.release, 0)[:2]]
    whole = len(wanted.release) > 2 and ".*" not in text
    exact = [item for item in same if item.version.public == wanted.public] if whole else same
    if exact and not wanted.is_prerelease:
        return exact[-1]
    if same and not wanted.is_prerelease:
        nearest = min(same, key=lambda item: abs(item.version.micro - wanted.micro))
        remarks.append(f"torch {plain} is not recorded; {nearest.torch}, the nearest patch release, stands for it")
        return nearest
    known = ", ".join(item.torch for item in recorded) or "none"
    raise NotRecorded(f"torch {plain} is not recorded on {device} (recorded: {known}); {_measure(plain)}")


def _version(text: str) -> tuple[str, Version]:
    plain = text.strip()
    if plain == "installed":
        try:
            plain = version("torch")
        except PackageNotFoundError:
            raise NotRecorded("no torch is installed here; name a release") from None
    plain = re.sub(r"^(?:torch\s*)?(?:==|~=|>=|<=)?\s*v?|(?:\.\*)+$", "", plain)
    try:
        return plain, Version(plain)
    except InvalidVersion:
        raise NotRecorded(
            f"{text!r} is neither a version nor a result file; write 2.4, 2.4.1, torch==2.4.*, latest or installed"
        ) from None


def _measure(text: str) -> str:
    """Return what to do about a release that was not measured."""
    version = text.partition("+")[0]
    known = [Version(release) for release in RELEASES]
    wanted = Version(version)
    if all(release.release[:2] != (*wanted.release, 0)[:2] for release in known):
        if wanted > max(known):
            return f"{max(known)} is the newest that this conformance knows"
        return f"only releases from {min(known)} to {max(known)} can be measured"
    pattern = f"{version}.*" if version.count(".") < 2 else version
    return f"measure it with: nox -s conformance -- --torch '{pattern}'"
