"""Where an entry comes from: the machine, the torch and the code that measured it.

A result file says nothing of this, so that two machines write the same bytes. A list beside it has a digest of each
entry, which no other machine, torch or code would write.
"""

from __future__ import annotations

import hashlib
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Union

from conformance.base.codec import encode, to_line
from conformance.base.files import Unreadable, read_bounded
from conformance.base.json_files import ResultError, read_json, replace_file
from conformance.base.processes.environment import processor
from conformance.results.model import Entry, Environment, Header
from conformance.results.store import MEASURE, Results, entry_line

PACKAGE = Path(__file__).resolve().parents[1]
#: The code that decides on an entry.
MEASURING = ("run/worker", "inputs", "checks", "run/scripts")
_LARGEST_ID = 1000


@dataclass(frozen=True)
class Origin:
    """What measured an entry."""

    machine: str
    torch: str
    code: str
    environment: Environment
    examples: int
    seed: int

    @classmethod
    def here(cls, results: Union[Results, Header]) -> Origin:
        """Return the origin of results that this machine measured, with this code and the torch that is installed."""
        return cls(_machine(), _torch(), _code(), results.environment, results.examples, results.seed)

    def digest(self, identity: str, entry: Entry) -> str:
        """Return a digest of an entry of a claim that comes from here."""
        return hashlib.sha256(self._line + entry_line(identity, entry).encode("utf-8", "replace")).hexdigest()[:16]

    @property
    def mark(self) -> str:
        """A short text that tells it from other origins."""
        return hashlib.sha256(self._line).hexdigest()[:16]

    @cached_property
    def _line(self) -> bytes:
        return to_line(encode(self)).encode()


@dataclass(frozen=True)
class _Digests:
    """What is beside a result file: where its entries come from, and the digest of each."""

    origin: Origin
    entries: Mapping[str, str]


def save_digests(folder: Path, results: Results) -> None:
    """Note beside a result file that all its entries were measured here."""
    origin = Origin.here(results)
    digests = {identity: origin.digest(identity, entry) for identity, entry in results.claims.items()}
    replace_file(_path(folder, results), to_line(encode(_Digests(origin, digests))) + "\n")


def measured_here(folder: Path, results: Results) -> dict[str, Entry]:
    """Return the entries of a result file that this machine measured, as they are; none where nothing says so."""
    origin = Origin.here(results)
    try:
        known = read_json(_path(folder, results), _Digests, MEASURE)
    except ResultError:
        return {}
    entries = {}
    for identity in results.claims:
        with suppress(ResultError):  # a damaged line
            entry = results.claims[identity]
            if known.entries.get(identity) == origin.digest(identity, entry):
                entries[identity] = entry
    return entries


def _path(folder: Path, results: Results) -> Path:
    return folder / f".{results.name}.measured-here.json"


@cache
def _machine() -> str:
    """Tell this machine from others: by its id, its processor, and what the user's own folder on it holds.

    Machines may share a home, and containers an id. Where nothing can be written, each process is a machine of its own.
    """
    base = os.environ.get("XDG_STATE_HOME", "")
    parts = [processor()]
    with suppress(Unreadable):
        parts.append(read_bounded(Path("/etc/machine-id"), _LARGEST_ID).decode("utf-8", "replace"))
    try:
        path = Path(
            base if Path(base).is_absolute() else Path.home() / ".local" / "state", "torch-conformance", "machine"
        )
        if not path.exists():
            replace_file(path, uuid.uuid4().hex)
        parts.append(read_bounded(path, _LARGEST_ID).decode("utf-8", "replace"))
    except (OSError, RuntimeError, Unreadable):
        parts.append(uuid.uuid4().hex)
    return _digest(parts)


@cache
def _torch() -> str:
    """Tell apart builds of one version: by what the installer listed, and by each file that is newer than its list."""
    found = find_spec("torch")
    if found is None or found.origin is None:
        return ""
    folder = Path(found.origin).parent
    lists = [path for path in folder.parent.glob("torch-*.dist-info/RECORD") if path.is_file()]
    installed = max((path.stat().st_mtime_ns for path in lists), default=0)
    return _digest([*(path.read_text("utf-8", "replace") for path in lists), *_changed(folder, installed)])


def _changed(folder: Path, since: int) -> Iterator[str]:
    """Yield name, size and time of each file below a folder that was written later, without what Python compiled."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            status = Path(place, name).lstat()
            if status.st_mtime_ns > since:
                yield f"{place}/{name} {status.st_size} {status.st_mtime_ns}"


@cache
def _code() -> str:
    files = sorted(path for folder in MEASURING for path in (PACKAGE / folder).rglob("*.py"))
    return _digest(f"{path.relative_to(PACKAGE).as_posix()}\0{path.read_text('utf-8')}" for path in files)


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
