"""Result files: JSON Lines, a header and then one claim on each line, sorted by id.

They are read as hostile text. A line is decoded when its entry is asked for, so that a question about one claim does
not wait for all the others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Optional, TypeVar

from conformance.base.codec import encode, to_line
from conformance.base.json_files import ResultError, parse, read_bytes, replace_file, to_text
from conformance.results.model import HARNESS, VERSION, Entry, Environment, Header

T = TypeVar("T")
#: The ending of a result file.
SUFFIX = ".jsonl"
#: The command that makes a result file.
MEASURE = "conformance run"
_MOST_CLAIMS = 100_000
_START = re.compile(rb'\{"id":"([^"\\\x00-\x1f]{1,1000})",')
_STARTS = re.compile(rb"\n" + _START.pattern)


class Entries(Mapping[str, T], Generic[T]):
    """The entries of a file by id; each is decoded when it is asked for, once.

    Asking raises `ResultError` where the line does not fit. Most releases give the same line for a claim, so files that
    share ``decoded`` decode it once.
    """

    def __init__(self, file: EntryFile, cls: type[T], decoded: dict[bytes, T]) -> None:
        self._file = file
        self._cls = cls
        self._decoded = decoded

    def __getitem__(self, identity: str) -> T:
        line = self.line(identity)
        known = self._decoded.get(line)
        if known is None:
            file = self._file
            place = f"{file.path}:{file.starts[identity][0]}"
            known = self._decoded[line] = parse("{" + to_text(line, place), self._cls, place, file.remedy)
        return known

    def line(self, identity: str) -> bytes:
        """Return what the file says of an entry behind its id, not decoded; the same line is the same entry."""
        start = self._file.starts[identity][1]
        return self._file.content[start : self._file.content.find(b"\n", start)]

    def naming(self, *fields: str) -> Iterator[tuple[str, T]]:
        """Yield the entries that may have one of some fields, with their ids: no other is decoded."""
        marks = [f'"{field}":'.encode() for field in fields]
        named = (identity for identity in self if any(mark in self.line(identity) for mark in marks))
        yield from ((identity, self[identity]) for identity in named)

    def __contains__(self, identity: object) -> bool:
        return identity in self._file.starts

    def __iter__(self) -> Iterator[str]:
        return iter(self._file.starts)

    def __len__(self) -> int:
        return len(self._file.starts)


@dataclass(frozen=True)
class EntryFile:
    """What a file holds, and for each entry the number of its line and the byte at which it goes on behind the id."""

    path: Path
    remedy: str
    content: bytes
    starts: Mapping[str, tuple[int, int]]


@dataclass
class Results:
    """What one run measured in one environment on one device; ``claims`` maps id to entry."""

    environment: Environment
    corpus: str
    examples: int
    seed: int
    claims: Mapping[str, Entry] = field(default_factory=dict)
    void: Optional[str] = None
    harness: int = HARNESS

    @property
    def name(self) -> str:
        """The file's name without its ending, such as ``torch-2.13.0-cpu``."""
        return f"torch-{self.environment.torch}-{self.environment.device.replace(':', '-')}"

    @property
    def header(self) -> Header:
        """The first line of the file."""
        return Header(VERSION, self.environment, self.corpus, self.examples, self.seed, self.void, self.harness)

    @classmethod
    def of(cls, header: Header, claims: Mapping[str, Entry]) -> Results:
        """Return what a file with this header holds."""
        parts = (header.environment, header.corpus, header.examples, header.seed)
        return cls(*parts, claims, header.void, header.harness)

    def measured_like(self, environment: Environment, examples: int, seed: int) -> bool:
        """Return whether a run in this environment, by the present code, would give the entries of unchanged claims."""
        mine = (self.environment, self.examples, self.seed, self.harness)
        return self.void is None and mine == (environment, examples, seed, HARNESS)


def load_results(path: Path, decoded: Optional[dict[bytes, Entry]] = None, remedy: str = MEASURE) -> Results:
    """Read a result file.

    Parameters
    ----------
    decoded
        What files that are read together share: each line as it was decoded.
    remedy
        The command that makes such a file, for messages.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no result file, or has another format. An entry that does not fit raises
        it when it is asked for.
    """
    header, file = _read(path, remedy)
    return Results.of(header, Entries(file, Entry, {} if decoded is None else decoded))


def save_results(results: Results, path: Path) -> None:
    """Write a result file; what stood there before is replaced at once or not at all."""
    replace_file(path, "".join(result_lines(results)))


def result_lines(results: Results) -> Iterator[str]:
    """Yield the lines of a result file, each with its end."""
    yield header_line(results)
    for identity in sorted(results.claims):
        yield entry_line(identity, results.claims[identity])


def header_line(results: Results) -> str:
    """Return the first line of a result file, with its end."""
    return to_line(encode(results.header)) + "\n"


def entry_line(identity: str, entry: Entry) -> str:
    """Return the line of one claim, with its end."""
    return to_line({"id": identity, **encode(entry)}) + "\n"


def read_lines(path: Path) -> tuple[str, bytes]:
    """Return the first line of a file, and its whole content, which ends with the end of a line."""
    content = read_bytes(path)
    content += b"" if content.endswith(b"\n") else b"\n"
    return to_text(content[: content.index(b"\n")], f"{path}:1"), content


def later_lines(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield number and first byte of each line after the first one that is not empty."""
    begin, number = content.index(b"\n") + 1, 1
    while begin < len(content):
        end, number = content.index(b"\n", begin), number + 1
        if end > begin:
            yield number, begin
        begin = end + 1


def _read(path: Path, remedy: str) -> tuple[Header, EntryFile]:
    first, content = read_lines(path)
    _refuse_other_format(first, path, remedy)
    header = parse(first, Header, f"{path}:1", remedy)
    starts = _starts_at_once(content)
    if starts is not None:
        return header, EntryFile(path, remedy, content, starts)
    starts = {}
    for number, begin in later_lines(content):
        start = _START.match(content, begin)
        identity = start[1].decode("utf-8", "replace") if start else ""
        if start is None or identity in starts:
            what = f"a second entry of {identity}" if start else "no entry of a claim"
            raise ResultError(f"{path}:{number}: {what}; make it again with '{remedy}'")
        starts[identity] = (number, start.end())
    if len(starts) > _MOST_CLAIMS:
        raise ResultError(f"{path}: more than {_MOST_CLAIMS} entries; it was not read")
    return header, EntryFile(path, remedy, content, starts)


def _starts_at_once(content: bytes) -> Optional[dict[str, tuple[int, int]]]:
    """Return where each entry starts; None for a file with an odd line, which takes a look at each."""
    found = [(start[1], start.end()) for start in _STARTS.finditer(content, content.index(b"\n"))]
    starts = {identity.decode("utf-8", "replace"): (line, end) for line, (identity, end) in enumerate(found, start=2)}
    is_plain = len(starts) == len(found) == content.count(b"\n") - 1 and len(found) <= _MOST_CLAIMS
    return starts if is_plain else None


def _refuse_other_format(first: str, path: Path, remedy: str) -> None:
    """Say plainly where a file is of another version: format 1 was one JSON object over many lines."""
    try:
        version = json.loads(first).get("schema")
    except (ValueError, RecursionError, AttributeError):
        version = None
    if type(version) is not int or version != VERSION:
        told = (
            f"format {version}" if type(version) is int and 0 < version < 1000 else "no result file of a known format"
        )
        raise ResultError(f"{path}: {told}; this conformance reads format {VERSION}, so make it again with '{remedy}'")


def result_files(folder: Path) -> list[Path]:
    """Return the result files that stand in a folder, by name.

    Raises
    ------
    ResultError
        If the only ones are of format 1, which had another ending.
    """
    found = sorted(folder.glob(f"torch-*{SUFFIX}"))
    older = [] if found else sorted(folder.glob("torch-*.json"))
    if older:
        raise ResultError(f"{older[0]}: format 1; this conformance reads format {VERSION}: remove it and measure again")
    return found
