"""Profile files: JSON Lines, a header and then one call on each line, sorted by subject and call.

They are read as hostile text, and a line is decoded when its profile is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from conformance.profiles.model import VERSION, Domain, Profile, ProfileHeader
from conformance.results.codec import encode, to_line
from conformance.results.files import ResultError, parse, replace_file
from conformance.results.model import Environment
from conformance.results.store import SUFFIX, Entries, EntryFile, later_lines, read_lines

REMEDY = "conformance profiles measure"
_MOST_CALLS = 100_000
_START = re.compile(rb'\{"id":"([0-9a-f]{8})","subject":"([\w.]{1,300})"')


@dataclass
class Profiles:
    """What was measured in one environment.

    Attributes
    ----------
    environment
        Where.
    domains
        What inputs were tried, for each way in which they are given.
    calls
        The profile of each call, by the fingerprint of the call.
    subjects
        The fingerprints of the calls of each name.
    """

    environment: Environment
    domains: Sequence[Domain]
    calls: Mapping[str, Profile]
    subjects: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return f"torch-{self.environment.torch}-{self.environment.device}"

    def domain(self, profile: Profile) -> Optional[Domain]:
        """Return what was tried of a call; None where the file does not say."""
        return next((domain for domain in self.domains if domain.given == profile.given), None)

    def of(self, subject: str) -> list[Profile]:
        """Return the profiles of a name."""
        return [self.calls[identity] for identity in self.subjects.get(subject, ())]


def load_profiles(path: Path) -> Profiles:
    """Read a profile file.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no profile file, or has another format. A profile that does not fit
        raises it when it is asked for.
    """
    first, content = read_lines(path)
    _refuse_other_format(first, path)
    header = parse(first, ProfileHeader, f"{path}:1", REMEDY)
    starts: dict[str, tuple[int, int]] = {}
    subjects: dict[str, list[str]] = {}
    for number, begin in later_lines(content):
        start = _START.match(content, begin)
        if start is None:
            raise ResultError(f"{path}:{number}: no profile of a call; make it again with '{REMEDY}'")
        identity, subject = start[1].decode("ascii"), start[2].decode("ascii")
        if identity in starts:
            raise ResultError(f"{path}:{number}: a second profile of {identity}; make it again with '{REMEDY}'")
        # What is left of the line is the profile, without its id.
        starts[identity] = (number, content.index(b",", begin) + 1)
        subjects.setdefault(subject, []).append(identity)
    if len(starts) > _MOST_CALLS:
        raise ResultError(f"{path}: more than {_MOST_CALLS} profiles; it was not read")
    return Profiles(
        header.environment, header.domains, Entries(EntryFile(path, REMEDY, content, starts), Profile, {}), subjects
    )


def save_profiles(profiles: Profiles, path: Path) -> None:
    """Write a profile file; what stood there before is replaced at once or not at all."""
    header = ProfileHeader(VERSION, profiles.environment, tuple(profiles.domains))
    entries = sorted(profiles.calls.items(), key=lambda item: (item[1].subject, item[1].call, item[0]))
    lines = [to_line(encode(header)), *(to_line({"id": name, **encode(profile)}) for name, profile in entries)]
    replace_file(path, "\n".join(lines) + "\n")


def _refuse_other_format(first: str, path: Path) -> None:
    try:
        version = json.loads(first).get("schema")
    except (ValueError, RecursionError, AttributeError):
        version = None
    if type(version) is not int or version != VERSION:
        shown = f"format {version}" if type(version) is int and 0 < version < 1000 else "no profile file"
        raise ResultError(f"{path}: {shown}; this conformance reads format {VERSION}, so make it again with '{REMEDY}'")


__all__ = ["REMEDY", "SUFFIX", "Profiles", "load_profiles", "save_profiles"]
