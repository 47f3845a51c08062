"""The names of all releases as text: a line for what a name is in a range of releases, a file for a top-level module.

A line holds, separated by tabs: the name within its module (nothing for the module itself; ``Linear.{bias,weight}`` for
two), the releases, the kind with its target (``.*`` ends in the name itself), then fields such as
``inspect=(input, dim=None)``. ``== torch.nn.functional`` begins a module.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from conformance.base.json_files import ResultError, read_recorded
from conformance.names.model import ORIGINS, NameRecord

#: The file that ``conformance.lab.popularity`` writes: how many projects use each public name.
USES = "by-use.csv"
RELEASES = "# releases: "
SECTION = "== "
SINGLE = ("removed", "deprecated", "warns", "error")


def file_name(module: str) -> str:
    """Return the file in which a module is recorded."""
    return ".".join(module.split(".")[:2]) + ".txt"


def read_releases(folder: Path) -> tuple[str, ...]:
    """Return the recorded releases, oldest first; none where nothing is recorded.

    Raises
    ------
    ResultError
        If the file that lists them is damaged.
    """
    path = folder / file_name("torch")
    lines = read_recorded(path).splitlines()
    for line in lines:
        if line.startswith(RELEASES):
            return tuple(line[len(RELEASES) :].split())
    if not lines:
        return ()
    raise ResultError(f"{path}: no line begins with '{RELEASES.strip()}'; take the file from git again")


def split_sections(text: str) -> dict[str, str]:
    """Return the lines of each section of a file, by what stands in its heading, such as a module."""
    parts = (part.partition("\n") for part in f"\n{text}".split(f"\n{SECTION}")[1:])
    return {heading: body for heading, _, body in parts}


def uses_of(folder: Path) -> dict[str, int]:
    """Return the names that programs use, each with the number of projects that do; none where nothing was counted."""
    rows = (line.split(",") for line in read_recorded(folder / USES).splitlines() if "," in line)
    return {name: int(projects) for name, projects, *_ in rows if projects.isdigit()}


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
        elif key in SINGLE:
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


@lru_cache(10_000)
def expand(ranges: str, minors: tuple[str, ...]) -> tuple[str, ...]:
    """Return the releases of ``1.8-1.12,2.1-``."""
    found: list[str] = []
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        end = minors.index(last or minors[-1] if dash else first)
        found += minors[minors.index(first) : end + 1]
    return tuple(found)
