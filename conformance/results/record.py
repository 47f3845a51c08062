"""The record: what was measured in every environment, in one file.

Most releases give the same entry for a claim. So each line has one claim: what all its entries have in common, and the
entries with the environments that gave them. A folder without a record has a result file for each environment
(`conformance.results.store`); one that stands beside a record counts, and not what the record has of it.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Optional

from conformance.base.codec import DecodeError, Json, decode, encode, to_line
from conformance.base.json_files import ResultError, read_bytes, replace_file, to_text
from conformance.results.model import Entry, Header
from conformance.results.store import SUFFIX, Results, load_results, result_files, save_results

#: The name of the file.
FILE = f"record{SUFFIX}"
_REMEDY = "take the file from git again, or remove it and measure again"
_VERSION = 1
_MOST_ENVIRONMENTS = 1000
_ORDER = tuple(field.name for field in fields(Entry))


@dataclass(frozen=True)
class _Environment:
    """The name of a result file without its ending, and its header."""

    name: str
    header: Header


@dataclass(frozen=True)
class _RecordHeader:
    """The first line: the format, and the environments in the order in which they came."""

    record: int
    environments: tuple[_Environment, ...]


class RecordedEntries(Mapping[str, Entry]):
    """The entries of one environment by the id of their claim; each is decoded when it is asked for, once.

    Asking raises `ResultError` where an entry does not fit.
    """

    def __init__(self, path: Path, claims: Mapping[str, dict[str, Json]], decoded: dict[int, Entry]) -> None:
        self._path = path
        self._claims = claims
        self._decoded = decoded

    def __getitem__(self, identity: str) -> Entry:
        written = self._claims[identity]
        known = self._decoded.get(id(written))  # environments share what is the same in them
        if known is None:
            try:
                known = self._decoded[id(written)] = decode(Entry, written)
            except DecodeError as error:
                raise ResultError(f"{self._path}: {identity}: {error}; {_REMEDY}") from None
        return known

    def naming(self, *facts: str) -> Iterator[tuple[str, Entry]]:
        """Yield the entries that have one of some facts, with their ids: no other is decoded."""
        for identity, written in self._claims.items():
            if not set(facts).isdisjoint(written.get("facts") or ()):
                yield identity, self[identity]

    def fields(self, identity: str) -> dict[str, Json]:
        """Return an entry as it is written."""
        return self._claims[identity]

    def __contains__(self, identity: object) -> bool:
        return identity in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def __len__(self) -> int:
        return len(self._claims)


def stored_results(folder: Path) -> dict[str, Results]:
    """Return what a folder has of every environment, by name: its result files, and what its record has.

    Raises
    ------
    ResultError
        If a file can't be used.
    """
    decoded: dict[bytes, Entry] = {}
    files = {path.stem: load_results(path, decoded) for path in result_files(folder)}
    return {**load_record(folder / FILE), **files}


def replaceable_results(folder: Path) -> Iterator[tuple[str, Results]]:
    """Yield what `stored_results` returns, without result files that can't be used: a run replaces these.

    Raises
    ------
    ResultError
        If the record can't be used, since a run replaces one environment of it.
    """
    for path in result_files(folder):
        with suppress(ResultError):
            yield path.stem, load_results(path)
    yield from load_record(folder / FILE).items()


def stored_result(folder: Path, name: str) -> Optional[Results]:
    """Return what a folder has of one environment; raises `ResultError` as `stored_results` does."""
    path = folder / f"{name}{SUFFIX}"
    return load_results(path) if path.exists() else load_record(folder / FILE).get(name)


def store_results(folder: Path, name: str, results: Results) -> Path:
    """Write what a run measured where `stored_result` finds it; return the path.

    That is the record of a folder, unless there is none, or a result file of this environment stands beside it.

    Raises
    ------
    OSError
        Where it can't be written; what stood there is as it was.
    ResultError
        If the record can't be read.
    """
    record, path = folder / FILE, folder / f"{name}{SUFFIX}"
    if path.exists() or not record.exists():
        save_results(results, path)
        return path
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # runs on two releases may end at once
        save_record({**load_record(record), name: results}, record)
    finally:
        os.close(descriptor)
    return record


def save_record(environments: Mapping[str, Results], path: Path) -> None:
    """Write the record of some environments, in their order."""
    headers = tuple(_Environment(name, results.header) for name, results in environments.items())
    lines = [to_line(encode(_RecordHeader(_VERSION, headers)))]
    for identity in sorted({identity for results in environments.values() for identity in results.claims}):
        entries: dict[str, tuple[dict[str, Json], list[int]]] = {}
        texts: dict[int, tuple[dict[str, Json], str]] = {}  # by identity, which holds while the dictionary is kept
        for number, results in enumerate(environments.values()):
            if identity in results.claims:
                written = _written(results.claims, identity)
                if id(written) not in texts:
                    known = {name: written[name] for name in _ORDER if name in written}
                    texts[id(written)] = written, to_line(known)
                    entries.setdefault(texts[id(written)][1], (known, []))
                entries[texts[id(written)][1]][1].append(number)
        lines.append(to_line(_line(identity, list(entries.values()))))
    replace_file(path, "\n".join(lines) + "\n")


def _written(claims: Mapping[str, Entry], identity: str) -> dict[str, Json]:
    return claims.fields(identity) if isinstance(claims, RecordedEntries) else encode(claims[identity])


def _line(identity: str, entries: Sequence[tuple[dict[str, Json], list[int]]]) -> dict[str, Json]:
    first = entries[0][0]
    alike = [name for name in first if all(name in known and known[name] == first[name] for known, _ in entries)]
    return {
        "id": identity,
        "alike": {name: first[name] for name in alike},
        "entries": [
            {"on": _spans(numbers), **{name: value for name, value in known.items() if name not in alike}}
            for known, numbers in entries
        ],
    }


def load_record(path: Path) -> dict[str, Results]:
    """Return what a record has of each environment, by name; nothing where there is no such file.

    Raises
    ------
    ResultError
        If it can't be read, or is no record.
    """
    if not path.exists():
        return {}
    first, *lines = to_text(read_bytes(path), str(path)).split("\n")
    try:
        document = json.loads(first)
        if document["record"] != _VERSION:
            raise ResultError(f"{path}: no record of format {_VERSION}; {_REMEDY}")
        header = decode(_RecordHeader, document)
    except (ValueError, RecursionError, LookupError, TypeError):
        raise ResultError(f"{path}:1: no first line of a record; {_REMEDY}") from None
    if len(header.environments) > _MOST_ENVIRONMENTS:
        raise ResultError(f"{path}:1: more than {_MOST_ENVIRONMENTS} environments; {_REMEDY}")
    found: list[dict[str, dict[str, Json]]] = [{} for _ in header.environments]
    for number, line in enumerate(lines, 2):
        if not line:
            continue
        try:
            row = json.loads(line)
            for entry in row["entries"]:
                written = {**row["alike"], **entry}
                for environment in _numbers(written.pop("on"), len(found)):
                    found[environment][str(row["id"])] = written
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            raise ResultError(f"{path}:{number}: no entries of a claim; {_REMEDY}") from None
    decoded: dict[int, Entry] = {}
    return {
        one.name: Results.of(one.header, RecordedEntries(path, claims, decoded))
        for one, claims in zip(header.environments, found)
    }


def _spans(numbers: Sequence[int]) -> str:
    """Return numbers as ranges, such as ``0-4,7``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join("-".join(map(str, span)) for span in spans)


def _numbers(spans: str, most: int) -> Iterator[int]:
    for span in spans.split(","):
        first, _, last = span.partition("-")
        begin, end = int(first), int(last or first)
        if not 0 <= begin <= end < most:
            raise ValueError(span)
        yield from range(begin, end + 1)
