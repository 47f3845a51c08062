"""The names of all releases as text: a line for what a name is in a range of releases, a file for a top-level module.

A line holds, separated by tabs: the name within its module (nothing for the module itself; ``Linear.{bias,weight}`` for
two), the releases, the kind with its target (``.*`` ends in the name itself), then fields such as
``inspect=(input, dim=None)``. ``== torch.nn.functional`` begins a module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.base.files import Unreadable, Why, read_bounded
from conformance.names.model import ORIGINS, MeasuredNames, NameRecord, Section
from conformance.names.selection import select

_HEADER = "# Names of torch, measured; 'python -m conformance.names record' writes this file."
_RELEASES = "# releases: "
_SECTION = "== "
#: How many characters the names of one line may have together, so that a change can be read.
_LONGEST_GROUP = 200
_LARGEST = 64 * 2**20
_SINGLE = ("removed", "deprecated", "warns", "error")

#: The records of one name by release.
History = dict[str, NameRecord]


class StoreError(Exception):
    """The recorded names can't be read; the message says where and why."""


def minor(release: str) -> str:
    """Return ``2.4`` of ``2.4.1``: each minor release is measured once, so lines name them by it."""
    return ".".join(release.split("+")[0].split(".")[:2])


def release_key(release: str) -> tuple[int, ...]:
    """Return the key that sorts releases."""
    return tuple(int(part) for part in release.split(".") if part.isdigit())


def file_name(module: str) -> str:
    """Return the file in which a module is recorded."""
    return ".".join(module.split(".")[:2]) + ".txt"


def read_releases(folder: Path) -> tuple[str, ...]:
    """Return the recorded releases, oldest first; none where nothing is recorded.

    Raises
    ------
    StoreError
        If the file that lists them is damaged.
    """
    path = folder / file_name("torch")
    lines = read_names(path).splitlines()
    for line in lines:
        if line.startswith(_RELEASES):
            return tuple(line[len(_RELEASES) :].split())
    if not lines:
        return ()
    raise StoreError(f"{path}: no line begins with '{_RELEASES.strip()}'; take the file from git again")


def read_names(path: Path) -> str:
    """Return the text of a file of names; nothing where there is no such file.

    Raises
    ------
    StoreError
        If it can't be read.
    """
    try:
        return read_bounded(path, _LARGEST).decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: not UTF-8 at byte {error.start}; take the file from git again") from None
    except Unreadable as error:
        if error.why is Why.MISSING:
            return ""
        raise StoreError(f"{path}: {error}") from None


def parse_line(line: str, minors: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], NameRecord]]:
    """Yield the names of a line, each with its releases and its record."""
    names, ranges, kind, *fields = line.split("\t")
    kind, _, target = kind.partition(" ")
    signatures: list[str] = []
    bases: list[str] = []
    single: dict[str, str] = {}
    origin = ""
    for field in fields:
        key, _, value = field.partition("=")
        if key in ORIGINS:
            origin = key
            signatures.append(value)
        elif key == "base":
            bases.append(value)
        elif key in _SINGLE:
            single[key] = value
    record = NameRecord(kind, target, tuple(signatures), origin, tuple(bases), **single)
    releases = expand(ranges, minors)
    for name in grouped_names(names):
        own = replace(record, target=target[:-1] + name) if target.endswith(".*") else record
        yield name, releases, own


def grouped_names(names: str) -> list[str]:
    """Return the names of ``Linear.{bias,weight}``."""
    prefix, brace, inner = names.partition("{")
    return [prefix + name for name in inner.rstrip("}").split(",")] if brace else [names]


def write_line(names: list[str], releases: str, record: NameRecord) -> str:
    """Return the line that `parse_line` reads; several names are members of one class, or of none."""
    prefix = names[0][: names[0].rfind(".") + 1]
    grouped = names[0] if len(names) == 1 else prefix + "{" + ",".join(name[len(prefix) :] for name in names) + "}"
    fields = [grouped, releases, f"{record.kind} {record.target}".strip()]
    fields += [f"{record.origin}={signature}" for signature in record.signatures]
    fields += [f"base={base}" for base in record.bases]
    fields += [f"{key}={getattr(record, key)}" for key in _SINGLE if getattr(record, key)]
    return "\t".join(field.replace("\t", " ").replace("\n", " ") for field in fields)


def expand(ranges: str, minors: tuple[str, ...]) -> tuple[str, ...]:
    """Return the releases of ``1.8-1.12,2.1-``."""
    found: list[str] = []
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        end = minors.index(last or minors[-1] if dash else first)
        found += minors[minors.index(first) : end + 1]
    return tuple(found)


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


def read_file(path: Path, minors: tuple[str, ...]) -> dict[str, dict[str, History]]:
    """Return the records of a file by module, name and release.

    Raises
    ------
    StoreError
        If a line can't be read.
    """
    modules: dict[str, dict[str, History]] = {}
    module: dict[str, History] = {}
    for number, line in enumerate(read_names(path).splitlines(), start=1):
        if line.startswith(_SECTION):
            module = modules.setdefault(line[len(_SECTION) :], {})
        elif line and not line.startswith("#"):
            try:
                for name, releases, record in parse_line(line, minors):
                    module.setdefault(name, {}).update(dict.fromkeys(releases, record))
            except (ValueError, TypeError):
                raise StoreError(f"{path}:{number}:1: this line can't be read; take the file from git again") from None
    return modules


def record(measured: Iterable[MeasuredNames], folder: Path) -> list[Path]:
    """Write the names of releases beside those that a folder holds; return the files of the folder.

    A release that is recorded already is replaced.
    """
    new = {minor(item.torch): item for item in measured}
    old = read_releases(folder)
    kept = [release for release in old if minor(release) not in new]
    releases = sorted([*kept, *(item.torch for item in new.values())], key=release_key)
    minors = tuple(minor(release) for release in releases)
    modules: dict[str, dict[str, History]] = {}
    old_minors = tuple(minor(release) for release in old)
    for path in sorted(folder.glob("*.txt")):
        for module, names in read_file(path, old_minors).items():
            modules[module] = {name: _without(history, new) for name, history in names.items()}
        path.unlink()
    for release, item in new.items():
        for module, section in select(item.sections).items():
            _add(modules.setdefault(module, {}), section, release)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    for module, names in sorted(modules.items()):
        lines = list(_lines(names, minors))
        if lines:
            files.setdefault(file_name(module), []).extend(["", f"{_SECTION}{module}", *lines])
    for file, lines in files.items():
        text = "\n".join([_HEADER, _RELEASES + " ".join(releases), *lines])
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
        for release in sorted(history, key=release_key):
            states.setdefault(history[release], []).append(release)
        for item, releases in states.items():
            key = name.rpartition(".")[0], contract(releases, minors), _shared(name, item)
            groups.setdefault(key, []).append(name)
    chunks = ((chunk, key) for key, group in groups.items() for chunk in _chunks(group))
    for chunk, (_, ranges, item) in sorted(
        chunks, key=lambda pair: (pair[0][0], release_key(pair[1][1].split("-")[0]))
    ):
        yield write_line(chunk, ranges, item)


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
