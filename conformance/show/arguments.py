"""Arguments of functions: which names take one, by the signatures of the newest release, and what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Optional

from conformance.names.lookup import Names
from conformance.names.modules import is_private
from conformance.names.parameters import parse_signature
from conformance.names.store import minor, parse_line, read_names, read_releases
from conformance.show.findings import ArgumentFinding
from conformance.show.index import Index

_SECTION = "\n== "
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)(?:\s*=\s*\S+)?")
_MOST_TAKERS = 6
_MOST_LINES = 3
#: Names to which an argument is traced, since each takes a look-up.
_MOST_TRACED = 60


def find_argument(text: str, index: Index, names: Names) -> Optional[ArgumentFinding]:
    """Return what is known of an argument of functions."""
    match = _ARGUMENT.fullmatch(text.rstrip("?"))
    if match is None:
        return None
    argument = match[1]
    found = dict(takers(argument, names.folder))
    if not found:
        return None
    count = len(found)
    mentions = re.compile(rf"\b{re.escape(argument)}\b")
    lines = [(one.subject, line) for one in index.answers() for line in one.lines if mentions.search(line.says)]
    # A line with `copy=` speaks of the argument, one with "a copy" does not.
    lines = [one for one in lines if f"{argument}=" in one[1].says] or lines
    public = _as_people_write(found, index, names)
    subjects = (index.subject(name) for name, _ in public)
    claims = [one for it in subjects if it is not None for one in it.claims if mentions.search(one.title)]
    places = {name: place for place, (name, _) in enumerate(public)}
    lines.sort(key=lambda pair: places.get(pair[0], len(places)))
    uses = max((one.uses for name, _ in public if (one := index.subject(name)) is not None), default=0)
    shown = tuple(public[:_MOST_TAKERS])
    return ArgumentFinding(argument, shown, count, tuple(lines[:_MOST_LINES]), tuple(claims), uses)


def _as_people_write(found: dict[str, str], index: Index, names: Names) -> list[tuple[str, str]]:
    """Return the names that programs use for what takes an argument, those used most first, with the default."""
    subjects = {one.name: one for last in {it.rpartition(".")[2] for it in found} for one in index.ending(last)}
    by_use = sorted(subjects.values(), key=lambda one: (-one.uses, not one.is_known, len(one.name)))
    public: list[tuple[str, str]] = []
    for one in by_use[:_MOST_TRACED]:
        answer = names.lookup(one.name, names.releases[-1])
        canonical = getattr(answer, "canonical", "")
        if canonical in found:
            public.append((one.name, found.pop(canonical)))
    return public or sorted(found.items())


def takers(argument: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each public name that takes an argument in the newest release, in full, with the default or nothing.

    Parameters
    ----------
    folder
        The folder of recorded names.
    """
    releases = tuple(map(minor, read_releases(folder)))
    mentioned = re.compile(rf"[(, *]{re.escape(argument)}[,)=]")
    for path in sorted(folder.glob("torch*.txt")):
        text = read_names(path)
        if not mentioned.search(text):
            continue
        for section in text.split(_SECTION)[1:]:
            module, _, body = section.partition("\n")
            lines = () if is_private(module) else (line for line in body.splitlines() if mentioned.search(line))
            for line in lines:
                yield from _takers_in(module, line, argument, releases)


def _takers_in(module: str, line: str, argument: str, releases: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, present, record in parse_line(line, releases):
        if releases[-1] not in present or is_private(name):
            continue
        for signature in record.signatures:
            found = [one for one in parse_signature(signature) or () if one.name == argument]
            if found:
                yield f"{module}.{name}", found[0].default or ""
                break
