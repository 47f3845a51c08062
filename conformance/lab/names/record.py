"""Writing the names of releases as `conformance.names.store` reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.base.json_files import ResultError, read_recorded
from conformance.base.release_spans import as_version, minor
from conformance.lab.names.selection import select
from conformance.names.model import MeasuredNames, NameRecord, Section
from conformance.names.store import (
    RELEASES,
    SECTION,
    SINGLE,
    file_name,
    parse_line,
    read_releases,
)

_HEADER = "# Names of torch, measured; 'conformance names record' writes this file."
#: How many characters the names of one line may have together, so that a change can be read.
_LONGEST_GROUP = 200
#: The records of one name by release.
History = dict[str, NameRecord]


def read_file(path: Path, minors: tuple[str, ...]) -> dict[str, dict[str, History]]:
    """Return the records of a file by module, name and release.

    Raises
    ------
    ResultError
        If a line can't be read.
    """
    modules: dict[str, dict[str, History]] = {}
    module: dict[str, History] = {}
    for number, line in enumerate(read_recorded(path).splitlines(), start=1):
        if line.startswith(SECTION):
            module = modules.setdefault(line[len(SECTION) :], {})
        elif line and not line.startswith("#"):
            try:
                for name, releases, record in parse_line(line, minors):
                    module.setdefault(name, {}).update(dict.fromkeys(releases, record))
            except (ValueError, TypeError):
                raise ResultError(f"{path}:{number}:1: this line can't be read; take the file from git again") from None
    return modules


def record(measured: Iterable[MeasuredNames], folder: Path) -> list[Path]:
    """Write the names of releases beside those that a folder holds; return the files of the folder.

    A release that is recorded already is replaced.
    """
    new = {minor(item.torch): item for item in measured}
    old = read_releases(folder)
    kept = [release for release in old if minor(release) not in new]
    releases = sorted([*kept, *(item.torch for item in new.values())], key=as_version)
    minors = tuple(minor(release) for release in releases)
    modules: dict[str, dict[str, History]] = {}
    old_minors = tuple(minor(release) for release in old)
    for path in sorted(folder.glob("*.txt")):
        for module, names in read_file(path, old_minors).items():
            modules[module] = {name: _without(history, new) for name, history in names.items()}
        path.unlink()
    for release, item in new.items():
        for module, section in select(item.modules).items():
            _add(modules.setdefault(module, {}), section, release)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    for module, names in sorted(modules.items()):
        lines = list(_lines(names, minors))
        if lines:
            files.setdefault(file_name(module), []).extend(["", f"{SECTION}{module}", *lines])
    for file, lines in files.items():
        text = "\n".join([_HEADER, RELEASES + " ".join(releases), *lines])
        (folder / file).write_text(text + "\n", encoding="utf-8")
    return sorted(folder / file for file in files)


def _without(history: History, releases: Iterable[str]) -> History:
    dropped = set(releases)
    return {release: record for release, record in history.items() if release not in dropped}


def _add(names: dict[str, History], section: Section, release: str) -> None:
    for name, item in section.items():
        names.setdefault(name, {})[release] = item


def _lines(names: dict[str, History], minors: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of a module; names of which the same is known share a line."""
    groups: dict[tuple[str, str, NameRecord], list[str]] = {}
    for name, history in sorted(names.items()):
        states: dict[NameRecord, list[str]] = {}
        for release in sorted(history, key=as_version):
            states.setdefault(history[release], []).append(release)
        for item, releases in states.items():
            key = name.rpartition(".")[0], contract(releases, minors), _shared(name, item)
            groups.setdefault(key, []).append(name)
    chunks = ((chunk, key) for key, group in groups.items() for chunk in _chunks(group))
    for chunk, (_, ranges, item) in sorted(chunks, key=lambda pair: (pair[0][0], _place(pair[1][1]))):
        yield write_line(chunk, ranges, item)


def _place(ranges: str) -> tuple[int, ...]:
    """Return what sorts the lines of a name by their releases, as the files have them that are in git."""
    return tuple(int(part) for part in ranges.partition("-")[0].split(".") if part.isdigit())


def _shared(name: str, record: NameRecord) -> NameRecord:
    """Return the record with ``.*`` for its own name in the target, so that re-exports of one module are alike."""
    return replace(record, target=record.target[: -len(name)] + "*") if record.target.endswith("." + name) else record


def _chunks(names: list[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    length = 0
    for name in names:
        if chunk and (length + len(name) > _LONGEST_GROUP or not name):
            yield chunk
            chunk, length = [], 0
        chunk.append(name)
        length += len(name) + 1
    if chunk:
        yield chunk


def write_line(names: list[str], releases: str, record: NameRecord) -> str:
    """Return the line that `parse_line` reads; several names are members of one class, or of none."""
    prefix = names[0][: names[0].rfind(".") + 1]
    grouped = names[0] if len(names) == 1 else prefix + "{" + ",".join(name[len(prefix) :] for name in names) + "}"
    fields = [grouped, releases, f"{record.kind} {record.target}".strip()]
    fields += [f"{record.origin}={signature}" for signature in record.signatures]
    fields += [f"base={base}" for base in record.bases]
    fields += [f"{key}={getattr(record, key)}" for key in SINGLE if getattr(record, key)]
    return "\t".join(field.replace("\t", " ").replace("\n", " ") for field in fields)


def contract(releases: Iterable[str], minors: tuple[str, ...]) -> str:
    """Return releases as ranges; one that reaches the newest release stays open."""
    positions = sorted(minors.index(release) for release in releases)
    runs: list[list[int]] = []
    for position in positions:
        if runs and position == runs[-1][1] + 1:
            runs[-1][1] = position
        else:
            runs.append([position, position])
    return ",".join(_run(first, last, minors) for first, last in runs)


def _run(first: int, last: int, minors: tuple[str, ...]) -> str:
    if last == len(minors) - 1:
        return f"{minors[first]}-"
    return minors[first] if first == last else f"{minors[first]}-{minors[last]}"
