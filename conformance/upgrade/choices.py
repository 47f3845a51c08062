"""Which release a person means: ``2.4``, ``2.4.0``, ``torch==2.4.*``, ``latest`` or ``installed``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from packaging.version import InvalidVersion, Version

from conformance.base.torch_releases import RELEASES


class NotRecorded(Exception):
    """A release was not measured; the message gives the command that measures it."""


class Ends(NamedTuple):
    """Two recorded releases, and what a reader must know of the choice."""

    old: str
    new: str
    remarks: tuple[str, ...]


def choose_releases(old: str, new: str, recorded: Sequence[str]) -> Ends:
    """Find two releases among those that are recorded, the oldest of which stands first.

    Raises
    ------
    NotRecorded
        If one of them was not measured, or the first is the newer one.
    """
    remarks: list[str] = []
    first, last = (_recorded(text, recorded, remarks) for text in (old, new))
    if Version(first) > Version(last):
        raise NotRecorded(f"{first} is newer than {last}; give the older release first")
    if first == last:
        remarks.append("both are the same release")
    return Ends(first, last, tuple(remarks))


def _recorded(text: str, recorded: Sequence[str], remarks: list[str]) -> str:
    if text == "latest" and recorded:
        return recorded[-1]
    plain, wanted = _version(text)
    same = [release for release in recorded if Version(release).release[:2] == (*wanted.release, 0)[:2]]
    whole = len(wanted.release) > 2 and ".*" not in text
    exact = [release for release in same if Version(release).public == wanted.public] if whole else same
    if exact and not wanted.is_prerelease:
        return exact[-1]
    if same and not wanted.is_prerelease:
        nearest = min(same, key=lambda release: abs(Version(release).micro - wanted.micro))
        remarks.append(f"torch {plain} is not recorded; {nearest}, the nearest patch release, stands for it")
        return nearest
    raise NotRecorded(f"torch {plain} is not recorded (recorded: {', '.join(recorded) or 'none'}); {_measure(plain)}")


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
        how = "write 2.4, 2.4.1, torch==2.4.*, latest or installed"
        compare = "; 'conformance compare' compares two result files" if Path(text).is_file() else ""
        raise NotRecorded(f"{text!r} is no release; {how}{compare}") from None


def _measure(text: str) -> str:
    """Return what to do about a release that was not measured."""
    wanted = Version(text.partition("+")[0])
    known = [Version(release) for release in RELEASES]
    if all(release.release[:2] != (*wanted.release, 0)[:2] for release in known):
        if wanted > max(known):
            return f"{max(known)} is the newest that this version of conformance knows"
        return f"only releases from {min(known)} to {max(known)} can be measured"
    release = next(str(one) for one in known if one.release[:2] == (*wanted.release, 0)[:2])
    return f"measure it with: nox -s names -- {release}"
