"""Look up names in the recorded releases: each file is read when a name in it is first asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError, read_recorded
from conformance.base.recorded_folder import recorded_folder
from conformance.base.release_spans import minor
from conformance.names.model import Answer, Found, Gone, NameRecord, Never, NotMeasured, NotYet
from conformance.names.modules import ROOTS, is_detailed, is_private, moved_name
from conformance.names.replacements import dotted_name, find_replacements, without_gaps
from conformance.names.store import file_name, grouped_names, parse_line, read_releases, split_sections

#: How many aliases and bases are followed, so that a circle ends.
_DEPTH = 32
# A suggestion is at most so much less like the name than the best one.
_FAR = 0.3
#: Modules whose classes are the same in every Python that torch runs on, as far as anybody uses them.
_OF_PYTHON = (
    "builtins",
    "enum",
    "collections",
    "collections.abc",
    "abc",
    "contextlib",
    "typing",
    "threading",
    "pickle",
)


class UnknownRelease(Exception):
    """The names of that release are not recorded; the message lists those that are."""


@dataclass(frozen=True)
class Span:
    """The same answer for a run of releases."""

    releases: tuple[str, ...]
    answer: Answer


@dataclass(frozen=True)
class NameChange:
    """A name that differs between two releases; `before` or `after` is None where it is not there."""

    name: str
    before: Optional[NameRecord]
    after: Optional[NameRecord]


@dataclass(frozen=True)
class _Hit:
    module: str
    local: str
    record: NameRecord

    @property
    def canonical(self) -> str:
        return f"{self.module}.{self.local}" if self.local else self.module


@dataclass(frozen=True)
class _Unknown:
    reason: str


class Names:
    """The recorded names of every release.

    Parameters
    ----------
    folder
        Where the files are; by default beside the recorded results.
    """

    def __init__(self, folder: Optional[Path] = None) -> None:
        self.folder = folder or recorded_folder() / "names"
        self.releases = read_releases(self.folder)
        self._minors = tuple(minor(release) for release in self.releases)
        self._files: dict[str, dict[str, str]] = {}
        self._sections: dict[str, dict[str, list[str]]] = {}
        #: By module, the names that have members.
        self._owners: dict[str, set[str]] = {}
        self._parsed: dict[tuple[str, str], dict[str, NameRecord]] = {}
        self._hits: dict[tuple[str, str], _Hit | _Unknown | None] = {}

    def lookup(self, name: str, release: str) -> Answer:
        """Return what a name is in a release; where it is not there, since when, or from when on.

        Parameters
        ----------
        name
            A dotted name; ``nn.Linear`` is taken as ``torch.nn.Linear``.
        release
            ``2.4.1`` or ``2.4``.

        Raises
        ------
        UnknownRelease
            If no patch of that minor release is recorded.
        ResultError
            If a file is damaged.
        """
        name, asked = _qualified(name), minor(release)
        if asked not in self._minors:
            recorded = ", ".join(self.releases) or "none"
            raise UnknownRelease(f"the names of torch {release} are not recorded; recorded are: {recorded}")
        hit = self._resolve(name, asked)
        if isinstance(hit, _Unknown):
            return NotMeasured(name, hit.reason)
        if hit is not None and not hit.record.removed:
            return Found(name, hit.canonical, hit.record)
        return self._absent(name, asked, hit)

    def canonical(self, name: str, release: str) -> str:
        """Return where a name is defined that a release has; nothing where it is not there."""
        hit = self._resolve(name, minor(release))
        return hit.canonical if isinstance(hit, _Hit) and not hit.record.removed else ""

    def module_of(self, name: str, release: str) -> str:
        """Return the longest part of a name, from its beginning on, that is a module in a release."""
        parts = name.split(".")
        modules = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
        hits = ((module, self._resolve(module, minor(release))) for module in modules)
        return next((one for one, hit in hits if isinstance(hit, _Hit) and hit.record.kind == "module"), parts[0])

    def history(self, name: str) -> tuple[Span, ...]:
        """Return what a name is in each recorded release, as runs of releases with the same answer.

        Where a name is defined may change from one release to the next; that alone begins no new run.
        """
        answers = [(release, self.lookup(name, release)) for release in self.releases]
        runs = groupby(answers, key=lambda pair: _without_place(pair[1]))
        spans = (tuple(run) for _, run in runs)
        return tuple(Span(tuple(release for release, _ in span), span[-1][1]) for span in spans)

    def may_have(self, name: str) -> bool:
        """Return whether some recorded release has or had a name, or none of them can tell."""
        answers = [span.answer for span in self.history(name)]
        return any(isinstance(answer, (Found, Gone)) for answer in answers) or all(
            isinstance(answer, NotMeasured) for answer in answers
        )

    def compare(self, old: str, new: str, under: str = "torch", private: bool = False) -> tuple[NameChange, ...]:
        """Return every name below `under` that is gone, new or another in the newer release, sorted by name.

        A name that can't be judged in one of the two, because its module can't be imported there, is left out.
        """
        before, after = minor(old), minor(new)
        return tuple(sorted(self._changes(before, after, under, private), key=lambda change: change.name))

    def suggest(self, name: str, limit: int = 3) -> tuple[str, ...]:
        """Return recorded public names that are like a name: members of the class or module that it names first."""
        name = _qualified(name)
        parent, _, last = name.rpartition(".")
        members = difflib.get_close_matches(last, sorted(self._members(parent)), n=limit, cutoff=0.75)
        by_last: dict[str, list[str]] = {}
        for known in self.public_names():
            by_last.setdefault(known.rpartition(".")[2], []).append(known)
        ends = {last[0], last[-1]}
        near = [other for other in by_last if abs(len(other) - len(last)) <= 2 and {other[0], other[-1]} & ends]
        same = [other for other in near if other.lower() == last.lower()]
        close = difflib.get_close_matches(last, near, n=limit, cutoff=0.75)
        found = [
            *(known for other in same for known in by_last[other]),
            *(known for other in close for known in _plainest(by_last[other])),
        ]
        likeness = {known: difflib.SequenceMatcher(None, name, known).ratio() for known in found}
        best = max(likeness.values(), default=0.0)
        found = sorted((known for known in found if likeness[known] > best - _FAR), key=lambda known: -likeness[known])
        ranked = dict.fromkeys([*(f"{parent}.{member}" for member in members), *found])
        return tuple([known for known in ranked if known != name][:limit])

    def _members(self, name: str) -> set[str]:
        """Return the public members of a class or module in the newest release, inherited ones too."""
        hit = self._resolve(name, self._minors[-1]) if name and self._minors else None
        if isinstance(hit, _Hit) and hit.record.kind == "module":
            return {
                local
                for local in self._names_in(hit.module)
                if local and not local.startswith("_") and "." not in local
            }
        if not isinstance(hit, _Hit) or hit.record.kind != "class":
            return set()
        prefix = f"{hit.local}."
        own = {local[len(prefix) :] for local in self._names_in(hit.module) if local.startswith(prefix)}
        inherited = [self._members(base) for base in hit.record.bases]
        return {member for member in own.union(*inherited) if not member.startswith("_") and "." not in member}

    def replacements(self, message: str, name: str, release: str) -> tuple[str, ...]:
        """Return the names that a message about `name` gives as replacements, without those that the release lacks."""
        texts = find_replacements(message, name)
        found = ((text, self._resolve(dotted_name(text), minor(release))) for text in texts)
        return tuple(
            text for text, hit in found if hit is not None and not (isinstance(hit, _Hit) and hit.record.removed)
        )

    def _absent(self, name: str, asked: str, hit: Optional[_Hit]) -> Answer:
        position = self._minors.index(asked)
        usable = [index for index, release in enumerate(self._minors) if self._is_usable(name, release)]
        earlier = [index for index in usable if index < position]
        message = hit.record.removed if hit is not None else self._said_when_removed(name)
        if earlier:
            return self._gone(name, earlier[-1] + 1, asked, message)
        if usable:
            return NotYet(name, self._minors[usable[0]])
        if message:
            return Gone(name, self._minors[0], message, self.replacements(message, name, asked))
        return Never(name)

    def _said_when_removed(self, name: str) -> str:
        """Return what the last release with the name said when it only raised, for one without the name."""
        hits = [self._resolve(name, release) for release in reversed(self._minors)]
        return next((hit.record.removed for hit in hits if isinstance(hit, _Hit) and hit.record.removed), "")

    def _gone(self, name: str, since: int, asked: str, message: str) -> Gone:
        last = self._resolve(name, self._minors[since - 1])
        assert isinstance(last, _Hit)
        message = message or last.record.deprecated
        replacements = self.replacements(message, name, asked)
        if not replacements and last.record.kind == "external":
            replacements = (last.record.target,)
        if not replacements and last.canonical != name and self._is_usable(last.canonical, asked):
            replacements = (last.canonical,)
        return Gone(name, self._minors[since], message, replacements)

    def _is_usable(self, name: str, release: str) -> bool:
        hit = self._resolve(name, release)
        return isinstance(hit, _Hit) and not hit.record.removed

    def _resolve(self, name: str, release: str, depth: int = _DEPTH) -> _Hit | _Unknown | None:
        if depth < _DEPTH:
            return self._follow(name, release, depth)
        key = name, release
        if key not in self._hits:
            self._hits[key] = self._follow(name, release, depth)
        return self._hits[key]

    def _follow(self, name: str, release: str, depth: int) -> _Hit | _Unknown | None:
        root, *rest = name.split(".")
        if root not in ROOTS:
            return _Unknown(f"{root} is no part of torch")
        found = self._in_module(root, rest, release, depth)
        moved = "" if isinstance(found, _Hit) or depth < 0 else moved_name(name, release)
        return (self._resolve(moved, release, depth - 1) if moved else None) or found

    def _in_module(self, module: str, rest: list[str], release: str, depth: int) -> _Hit | _Unknown | None:
        own = self._record(module, "", release)
        if own is None or depth < 0:
            return None
        if own.removed or not rest:
            return _Hit(module, "", own)
        if own.error:
            return _Unknown(f"{module} can't be imported where it was measured: {own.error}")
        first, *others = rest
        record = self._record(module, first, release)
        is_module = self._record(f"{module}.{first}", "", release) is not None
        found: _Hit | _Unknown | None = None
        if record is not None and not (is_module and record.kind == "module"):
            found = self._in_value(_Hit(module, first, record), others, release, depth)
        # "from torch.autograd.variable import Variable" finds the module that a function of that name hides.
        if is_module and (not isinstance(found, _Hit) or (others and found.record.removed)):
            found = self._in_module(f"{module}.{first}", others, release, depth - 1) or found
        if found is None and record is None and not is_detailed(module):
            return _Unknown(f"{module} is deep inside torch: only its public classes and functions are recorded")
        return found

    def _in_value(self, hit: _Hit, rest: list[str], release: str, depth: int) -> _Hit | _Unknown | None:
        record = hit.record
        if depth < 0:
            return None
        if record.kind == "alias":
            return self._resolve(".".join([record.target, *rest]), release, depth - 1)
        if not rest or record.removed:
            return hit
        if record.kind == "class":
            return self._in_class(hit, rest, release, depth)
        if record.kind == "constant" and record.target.split(".")[0] in ROOTS:
            return self._resolve(".".join([record.target, *rest]), release, depth - 1)
        return _Unknown(f"{hit.canonical} is {_a(record)}; what is in it is not recorded")

    def _in_class(self, hit: _Hit, rest: list[str], release: str, depth: int) -> _Hit | _Unknown | None:
        first, *others = rest
        record = self._record(hit.module, f"{hit.local}.{first}", release)
        if record is not None:
            return self._in_value(_Hit(hit.module, f"{hit.local}.{first}", record), others, release, depth - 1)
        if is_private(hit.module) and hit.record == NameRecord("class") and not self._has_members(hit):
            return _Unknown(f"{hit.canonical} is private and shown by no public module: its members are not recorded")
        unknown: Optional[_Unknown] = None
        for base in hit.record.bases:
            found = self._in_base(base, hit, rest, release, depth)
            if isinstance(found, _Hit):
                return found
            unknown = unknown or found
        return unknown

    def _has_members(self, hit: _Hit) -> bool:
        if hit.module not in self._owners:
            parts = (name.split(".") for name in self._names_in(hit.module))
            self._owners[hit.module] = {".".join(some[:end]) for some in parts for end in range(1, len(some))}
        return hit.local in self._owners[hit.module]

    def _in_base(self, base: str, hit: _Hit, rest: list[str], release: str, depth: int) -> _Hit | _Unknown | None:
        if base.split(".")[0] in ROOTS:
            return self._resolve(".".join([base, *rest]), release, depth - 1)
        known = _is_inherited(base, rest[0])
        if known is None:
            return _Unknown(f"{hit.canonical} inherits from {base}, whose members are not recorded")
        return (
            _Hit(hit.module, f"{hit.local}.{rest[0]}", NameRecord("external", f"{base}.{rest[0]}")) if known else None
        )

    def _changes(self, before: str, after: str, under: str, private: bool) -> Iterator[NameChange]:
        for module, local in self._all_names(private):
            name = f"{module}.{local}" if local else module
            if f"{name}.".startswith(f"{under}."):
                old, new = self._resolve(name, before), self._resolve(name, after)
                if isinstance(old, _Unknown) or isinstance(new, _Unknown):
                    continue
                was, now = old.record if old else None, new.record if new else None
                if _differ(was, now):
                    yield NameChange(name, was, now)

    def _all_names(self, private: bool) -> Iterator[tuple[str, str]]:
        for path in sorted(self.folder.glob("*.txt")):
            for module in self._file(path.name):
                if private or not is_private(module):
                    yield from ((module, local) for local in self._names_in(module) if private or not is_private(local))

    def records(self, release: str) -> Iterator[tuple[str, NameRecord]]:
        """Yield every public name below ``torch`` that a release has, with what its module records of it."""
        for module, local in self._all_names(private=False):
            record = self._record(module, local, minor(release)) if module.startswith("torch") else None
            if record is not None:
                yield f"{module}.{local}" if local else module, record

    def public_names(self) -> Iterator[str]:
        """Yield every name of which no part is private, of any recorded release."""
        for module, local in self._all_names(private=False):
            yield f"{module}.{local}" if local else module

    def _record(self, module: str, local: str, release: str) -> Optional[NameRecord]:
        key = module, local
        if key not in self._parsed:
            self._parsed[key] = self._parse(module, local)
        return self._parsed[key].get(release)

    def _parse(self, module: str, local: str) -> dict[str, NameRecord]:
        found: dict[str, NameRecord] = {}
        for line in self._names_in(module).get(local, ()):
            try:
                for name, releases, record in parse_line(line, self._minors):
                    if name == local:
                        told = without_gaps(record.deprecated, f"{module}.{local}")
                        own = record if told == record.deprecated else replace(record, deprecated=told)
                        found.update(dict.fromkeys(releases, own))
            except (ValueError, TypeError):
                path = self.folder / file_name(module)
                raise ResultError(f"{path}: a line of {module} can't be read: {line[:80]!r}") from None
        return found

    def _names_in(self, module: str) -> dict[str, list[str]]:
        """Return the lines of a module by each name that they speak of."""
        if module not in self._sections:
            lines: dict[str, list[str]] = {}
            for line in filter(None, self._file(file_name(module)).get(module, "").splitlines()):
                for name in grouped_names(line.partition("\t")[0]):
                    lines.setdefault(name, []).append(line)
            self._sections[module] = lines
        return self._sections[module]

    def _file(self, file: str) -> dict[str, str]:
        """Return the text of each module in a file."""
        if file not in self._files:
            self._files[file] = split_sections(read_recorded(self.folder / file))
        return self._files[file]


def _is_inherited(base: str, member: str) -> Optional[bool]:
    """Return whether a class outside torch has a member; None where the class is not looked at."""
    module, _, name = base.rpartition(".")
    found = getattr(importlib.import_module(module), name, None) if module in _OF_PYTHON else None
    return None if found is None else hasattr(found, member)


def _qualified(name: str) -> str:
    return name if name.split(".")[0] in ROOTS else f"torch.{name}"


def _differ(old: Optional[NameRecord], new: Optional[NameRecord]) -> bool:
    """Return whether a user could see the difference: from where a class inherits is torch's own matter."""
    if old is None or new is None:
        return old is not new
    return not (old.removed and new.removed) and replace(old, bases=()) != replace(new, bases=())


def _without_place(answer: Answer) -> object:
    return answer.record if isinstance(answer, Found) else answer


def _plainest(names: list[str]) -> list[str]:
    return sorted(names, key=lambda name: (name.count("."), name))[:2]


def _a(record: NameRecord) -> str:
    return f"an {record.kind}" if record.kind[0] in "aeiou" else f"a {record.kind}"
