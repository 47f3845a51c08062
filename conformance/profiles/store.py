"""Profile files: JSON Lines, a header, a line for each domain and shared finding, and then one call on each line.

They are read as hostile text, and a line is decoded when its profile is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Optional

from conformance.profiles.model import VERSION, Domain, Profile, ProfileHeader
from conformance.profiles.sharing import Finding, Shared, StoredProfile, by_key, domain_key, restored, stored
from conformance.results.codec import encode, to_line
from conformance.results.files import ResultError, parse, replace_file
from conformance.results.model import Environment
from conformance.results.store import SUFFIX, Entries, EntryFile, later_lines, read_lines

REMEDY = "conformance profiles measure"
_MOST_CALLS = 100_000
_RECENT = 64
_START = re.compile(
    rb'\{"(?:domain":"(?P<domain>[\w-]{4})|shared":"(?P<shared>[\w-]{4})'
    rb'|id":"(?P<call>[0-9a-f]{8})","subject":"(?P<subject>[\w.]{1,300}))"'
)


@dataclass
class Profiles:
    """What was measured in one environment.

    Attributes
    ----------
    environment
        Where.
    domains
        What inputs were tried, for each way in which they are given, by its key.
    calls
        The profile of each call, by the fingerprint of the call.
    subjects
        The fingerprints of the calls of each name.
    """

    environment: Environment
    domains: Mapping[str, Domain]
    calls: Mapping[str, Profile]
    subjects: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return f"torch-{self.environment.torch}-{self.environment.device}"

    def domain(self, profile: Profile) -> Optional[Domain]:
        """Return what was tried of a call; None where the file does not say."""
        return self.domains.get(domain_key(profile.given))

    def of(self, subject: str) -> list[Profile]:
        """Return the profiles of a name."""
        return [self.calls[identity] for identity in self.subjects.get(subject, ())]


#: For each kind of line and each key: its number, and where it goes on behind the key.
Starts = Mapping[str, Mapping[str, tuple[int, int]]]


@dataclass
class Decoded:
    """Files and lines as they were read, for files that are read together: most releases have the same lines."""

    files: dict[Path, tuple[ProfileHeader, bytes, Starts]] = field(default_factory=dict)
    domains: dict[bytes, Domain] = field(default_factory=dict)
    shared: dict[bytes, Finding] = field(default_factory=dict)
    calls: dict[bytes, StoredProfile] = field(default_factory=dict)


def load_profiles(path: Path, decoded: Optional[Decoded] = None) -> Profiles:
    """Read a profile file.

    Parameters
    ----------
    decoded
        What files that are read together share.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no profile file, or has another format. A profile that does not fit
        raises it when it is asked for.
    """
    header, content = _open(path)
    starts: dict[str, dict[str, tuple[int, int]]] = {"domain": {}, "shared": {}, "call": {}}
    subjects: dict[str, list[str]] = {}
    for number, begin in later_lines(content):
        start = _START.match(content, begin)
        if start is None:
            raise ResultError(f"{path}:{number}: no profile of a call; make it again with '{REMEDY}'")
        kind = "call" if start["call"] else "shared" if start["shared"] else "domain"
        identity = start[kind].decode("ascii")
        if identity in starts[kind]:
            raise ResultError(f"{path}:{number}: a second {kind} {identity}; make it again with '{REMEDY}'")
        # What is left of the line is without its id.
        starts[kind][identity] = (number, content.index(b",", begin) + 1)
        if kind == "call":
            subjects.setdefault(start["subject"].decode("ascii"), []).append(identity)
    if len(starts["call"]) > _MOST_CALLS:
        raise ResultError(f"{path}: more than {_MOST_CALLS} profiles; it was not read")
    return _profiles(path, header, content, starts, subjects, decoded or Decoded())


def load_profiles_of(path: Path, subject: str, decoded: Optional[Decoded] = None) -> Profiles:
    """Read the calls of one name in a profile file, and no other line.

    Parameters
    ----------
    decoded
        What files that are read together share.

    Raises
    ------
    ResultError
        As `load_profiles`, but not for what stands in other lines.
    """
    decoded = decoded or Decoded()
    if path not in decoded.files:
        header, content = _open(path)
        decoded.files[path] = header, content, _before_calls(content)
    header, content, starts = decoded.files[path]
    calls: dict[str, tuple[int, int]] = {}
    named = b'","subject":"%s",' % subject.encode()
    place = content.find(named)
    while place >= 0:  # much faster than a pattern
        begin = content.rfind(b"\n", 0, place) + 1
        start = _START.match(content, begin)
        if start is not None and start.end("call") == place:
            calls[start["call"].decode("ascii")] = (content.count(b"\n", 0, begin) + 1, place + 2)
        place = content.find(named, place + 1)
    return _profiles(path, header, content, {**starts, "call": calls}, {subject: [*calls]}, decoded)


def _before_calls(content: bytes) -> Starts:
    """Return where the lines before those of calls go on behind their key, with their numbers, by kind and key."""
    starts: dict[str, dict[str, tuple[int, int]]] = {"domain": {}, "shared": {}}
    for number, begin in later_lines(content):
        kind = content[begin + 2 : begin + 8].decode("ascii", "replace")
        if kind not in starts:
            break
        key = content[begin + 11 : begin + 15].decode("ascii", "replace")
        starts[kind].setdefault(key, (number, begin + 17))
    return starts


def _open(path: Path) -> tuple[ProfileHeader, bytes]:
    first, content = read_lines(path)
    _refuse_other_format(first, path)
    return parse(first, ProfileHeader, f"{path}:1", REMEDY), content


def _profiles(
    path: Path,
    header: ProfileHeader,
    content: bytes,
    starts: Starts,
    subjects: Mapping[str, Sequence[str]],
    decoded: Decoded,
) -> Profiles:
    domains, shared, calls = (EntryFile(path, REMEDY, content, starts[kind]) for kind in ("domain", "shared", "call"))
    known = Entries(domains, Domain, decoded.domains)
    found = _Calls(path, Entries(calls, StoredProfile, decoded.calls), Entries(shared, Finding, decoded.shared), known)
    return Profiles(header.environment, known, found, subjects)


class _Calls(Mapping[str, Profile]):
    """The profiles of a file by the fingerprint of the call; each is put together when it is asked for."""

    def __init__(
        self,
        path: Path,
        lines: Mapping[str, StoredProfile],
        shared: Mapping[str, Finding],
        domains: Mapping[str, Domain],
    ) -> None:
        self._path = path
        self._lines = lines
        self._shared = shared
        self._domains = domains
        self._restored = lru_cache(_RECENT)(self._restore)  # what is looked at is looked at many times in a row

    def __getitem__(self, identity: str) -> Profile:
        return self._restored(identity)

    def _restore(self, identity: str) -> Profile:
        line = self._lines[identity]
        try:
            return restored(line, self._shared, self._domains)
        except KeyError as error:
            missing = f"{self._path}: {identity} names {error}, which is not there; make it again with '{REMEDY}'"
            raise ResultError(missing) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def save_profiles(profiles: Profiles, path: Path) -> None:
    """Write a profile file; what stood there before is replaced at once or not at all."""
    shared = Shared(profiles.calls.values())
    entries = sorted(profiles.calls.items(), key=lambda item: (item[1].subject, item[1].call, item[0]))
    documents = [
        encode(ProfileHeader(VERSION, profiles.environment)),
        *({"domain": key, **encode(domain)} for key, domain in sorted(profiles.domains.items())),
        *({"shared": key, **encode(finding)} for key, finding in shared.findings.items()),
        *({"id": name, **encode(stored(one, shared, profiles.domain(one)))} for name, one in entries),
    ]
    replace_file(path, "".join(to_line(document) + "\n" for document in documents))


def _refuse_other_format(first: str, path: Path) -> None:
    try:
        version = json.loads(first).get("schema")
    except (ValueError, RecursionError, AttributeError):
        version = None
    if type(version) is not int or version != VERSION:
        shown = f"format {version}" if type(version) is int and 0 < version < 1000 else "no profile file"
        raise ResultError(f"{path}: {shown}; this conformance reads format {VERSION}, so make it again with '{REMEDY}'")


__all__ = ["REMEDY", "SUFFIX", "Decoded", "Profiles", "by_key", "load_profiles", "load_profiles_of", "save_profiles"]
