"""Profile files: JSON Lines, a header, a line for each domain and shared finding, and then one call on each line.

They are read as hostile text, and a line is decoded when its profile is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from conformance.profiles.model import VERSION, Domain, Profile, ProfileHeader
from conformance.profiles.sharing import Finding, Shared, StoredProfile, domain_key, restored, stored
from conformance.results.codec import encode, to_line
from conformance.results.files import ResultError, parse, replace_file
from conformance.results.model import Environment
from conformance.results.store import SUFFIX, Entries, EntryFile, later_lines, read_lines

REMEDY = "conformance profiles measure"
_MOST_CALLS = 100_000
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
    domains, shared, calls = (EntryFile(path, REMEDY, content, starts[kind]) for kind in starts)
    known = dict(Entries(domains, Domain, {}))
    found = _Calls(path, Entries(calls, StoredProfile, {}), Entries(shared, Finding, {}), known)
    return Profiles(header.environment, list(known.values()), found, subjects)


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

    def __getitem__(self, identity: str) -> Profile:
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
    domains = {domain_key(domain): domain for domain in profiles.domains}
    shared = Shared(profiles.calls.values())
    entries = sorted(profiles.calls.items(), key=lambda item: (item[1].subject, item[1].call, item[0]))
    documents = [
        encode(ProfileHeader(VERSION, profiles.environment)),
        *({"domain": key, **encode(domain)} for key, domain in sorted(domains.items())),
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


__all__ = ["REMEDY", "SUFFIX", "Profiles", "load_profiles", "save_profiles"]
