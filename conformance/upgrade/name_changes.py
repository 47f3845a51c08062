"""Entries from names: what is gone, which arguments a call can't pass any longer, which defaults and deprecations."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Optional

from conformance.base.release_spans import minor
from conformance.base.text import bounded
from conformance.language.model import Fix
from conformance.names.answers import NameDifference, differences
from conformance.names.lookup import Names
from conformance.names.model import Answer, Found, Gone, NotYet
from conformance.names.replacements import instead_of_argument
from conformance.upgrade.harm import Harm
from conformance.upgrade.model import ReportEntry, places_of
from conformance.upgrade.name_scripts import documentation_script, presence_script, signature_script
from conformance.upgrade.signatures import arrivals, broken, deprecated_passed, shape_of, takes_keyword
from conformance.usage import Call, Evidence, Kind, Use, UseGroup
from conformance.usage.matching import Breakage, known_names
from conformance.usage.torch_results import canonical

#: Of what torch says of a removal or deprecation; what to write instead is told apart.
_LONGEST = 200
#: An argument that a rewrite may add.
_KEYWORD = r"[A-Za-z_]\w*=(True|False|None|-?\d+(?:\.\d+)?|'[^'\\]*')"
#: Markup of a docstring around a name.
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
#: What is written in Python, so that its code can be read.
_IN_PYTHON = ("function", "class", "method", "classmethod", "staticmethod", "property")
_NO_OTHER_NAME = "no message of torch names a replacement"
_CALLED = (Kind.CALL, Kind.PASSED, Kind.DECORATOR, Kind.OPERATOR, Kind.BASE, Kind.NAME, Kind.ASSIGN)


class NameChanges:
    """Names in two releases, and in those between."""

    def __init__(self, names: Names, old: str, new: str) -> None:
        self.names = names
        self.old, self.new = minor(old), minor(new)
        minors = [minor(release) for release in names.releases]
        self._later = minors[minors.index(self.old) + 1 : minors.index(self.new) + 1]
        self._answers: dict[tuple[str, str], Answer] = {}
        self._meant: dict[tuple[str, ...], tuple[str, ...]] = {}

    def answer(self, name: str, release: str) -> Answer:
        """Return what a name is in a release."""
        key = name, release
        if key not in self._answers:
            self._answers[key] = self.names.lookup(name, release)
        return self._answers[key]

    def __contains__(self, name: str) -> bool:
        return any(isinstance(self.answer(name, release), (Found, Gone, NotYet)) for release in (self.old, self.new))

    def meant(self, use: Use) -> tuple[str, ...]:
        """Return the known names that a use may mean; the first alone where it is certain, since it is the nearest."""
        if use.names not in self._meant:
            self._meant[use.names] = known_names(use, self)
        known = self._meant[use.names]
        return known[:1] if use.evidence is Evidence.CERTAIN else known

    def entries(self, groups: Sequence[UseGroup]) -> list[ReportEntry]:
        """Return what differs at places of somebody's code."""
        found: dict[str, tuple[ReportEntry, dict[int, Evidence]]] = {}
        for number, (use, _) in enumerate(groups):
            said: set[tuple[str, ...]] = set()
            for name in self.meant(use):
                for entry, evidence in self._of_use(name, use):
                    # Methods of two classes that may be meant, and changed alike, are one entry.
                    alike = entry.id.rpartition(":")[2], entry.before, entry.after
                    if entry.kind == "default" and alike in said:
                        continue
                    said.add(alike)
                    _, sure = found.setdefault(entry.id, (entry, {}))
                    sure[number] = max(evidence, sure.get(number, Evidence.MAYBE))
        # One function under two names at the same places is told once.
        told: set[tuple[str, str, str, frozenset[str]]] = set()
        twins: set[str] = set()
        for entry, sure in found.values():
            if entry.kind in ("deprecated", "default"):
                at = frozenset(str(use) for number in sure for use in groups[number].places)
                key = entry.after, entry.id.rpartition(entry.subject)[2], entry.subject.rpartition(".")[2], at
                twins |= {entry.id} if key in told else set()
                told.add(key)
        return [
            replace(entry, places=places_of((groups[number], evidence) for number, evidence in sure.items()))
            for entry, sure in found.values()
            if not (entry.kind == "gone" and f"{entry.subject.rpartition('.')[0]}:gone" in found)
            and entry.id not in twins
        ]

    def of_torch(self) -> list[ReportEntry]:
        """Return what differs for public names, whoever uses them; a name that has several is told once."""
        plainest: dict[tuple[str, int], str] = {}
        for change in self.names.compare(self.old, self.new):
            if change.before is not None and change.before.kind not in ("external", "constant", "module"):
                key = change.name.rpartition(".")[2], id(change.before)
                plainest[key] = min(
                    plainest.get(key, change.name), change.name, key=lambda name: (name.count("."), name)
                )
        found = [entry for name in plainest.values() if "__" not in name for entry in self._of_name(name)]
        gone = {entry.subject for entry in found if entry.kind == "gone"}
        return [entry for entry in found if entry.subject.rpartition(".")[0] not in gone]

    def _of_use(self, name: str, use: Use) -> Iterator[tuple[ReportEntry, Evidence]]:
        if use.kind is Kind.OVERRIDE:
            return
        evidence = use.evidence
        for entry in self._of_name(name):
            if entry.kind == "gone" and not use.guarded:
                yield entry, Evidence.MAYBE if self._is_set_on_objects(name) else evidence
            elif entry.kind == "deprecated" and (use.kind in _CALLED or self._has_kind(name, "module")):
                # Whether a function that is only read is called can't be told.
                read = use.kind in (Kind.NAME, Kind.PASSED) and self._has_kind(name, "function")
                yield entry, Evidence.MAYBE if use.guarded else min(evidence, Evidence.LIKELY if read else evidence)
        if use.call is not None and use.kind in (Kind.CALL, Kind.PASSED):
            for entry, is_sure in self._of_call(self._documented(name), shape_of(use.call)):
                yield entry, evidence if is_sure and not use.guarded else Evidence.MAYBE

    def _documented(self, name: str) -> str:
        """Return the method that a class inherits under the name of the class that documents it."""
        found = self.answer(name, self.old)
        plain = canonical(found.canonical) if isinstance(found, Found) and found.record.kind == "method" else name
        return name if "._" in plain else plain

    def _has_kind(self, name: str, kind: str) -> bool:
        found = self.answer(name, self.new)
        return isinstance(found, Found) and found.record.kind == kind

    def _is_set_on_objects(self, name: str) -> bool:
        """Return whether only objects have a name: another function than the class's own may set it now."""
        found = self.answer(name, self.old)
        return isinstance(found, Found) and found.record.kind == "attribute"

    @cache  # noqa: B019 - one report, one object
    def _of_name(self, name: str) -> tuple[ReportEntry, ...]:
        found = differences(self.names, name, self.old, self.new)
        return tuple(entry for one in found if (entry := self._entry(one)) is not None)

    def _entry(self, found: NameDifference) -> Optional[ReportEntry]:
        if found.what == "gone":
            return self._gone(found)
        if found.what in ("warns", "deprecated"):
            return self._deprecated(found)
        return None

    def _gone(self, found: NameDifference) -> ReportEntry:
        known, module = self.answer(found.name, self.old), self.names.module_of(found.name, self.old)
        return ReportEntry(
            f"{found.name}:gone",
            "breaks",
            "gone",
            f"{found.name} is gone",
            "there",
            bounded(_ROLE.sub(r"\1", found.message), _LONGEST) or "no such name",
            f"since {found.since}",
            script=presence_script(known, module) if isinstance(known, Found) else "",
            instead=" or ".join(found.replacements[:3]) or self._without_replacement(known),
            subject=found.name,
        )

    def _without_replacement(self, known: Answer) -> str:
        """Return where the old release has the code of a name that nothing takes the place of."""
        if isinstance(known, Found) and known.record.kind in _IN_PYTHON and not known.canonical.startswith("torch._C"):
            module = self.names.module_of(known.canonical, self.old)
            return f"{_NO_OTHER_NAME}; its code in {module} of {self.old} shows what it did"
        return _NO_OTHER_NAME

    def _deprecated(self, found: NameDifference) -> ReportEntry:
        newest = self.names.lookup(found.name, self.names.releases[-1])
        how = "each use warns" if found.what == "warns" else "its documentation says so"
        module = self.names.module_of(found.name, self.new)
        return ReportEntry(
            f"{found.name}:deprecated",
            "warns",
            "deprecated",
            f"{found.name} is deprecated ({how})",
            "no warning" if found.what == "warns" else "not deprecated",
            bounded(_ROLE.sub(r"\1", found.message), _LONGEST),
            f"since {found.since}",
            script=documentation_script(found.name, module) if found.what == "deprecated" else "",
            notes=(f"gone since {newest.since}",) if isinstance(newest, Gone) else (),
            instead=" or ".join(found.replacements[:3]) or _NO_OTHER_NAME,
            subject=found.name,
        )

    def _of_deprecated_arguments(self, name: str, call: Call) -> Iterator[ReportEntry]:
        """Yield what is told of arguments that a call passes and whose default says now that they are deprecated."""
        for argument in self._deprecated_passed(name, call, self.new) - self._deprecated_passed(name, call, self.old):
            since = next(release for release in self._later if argument in self._deprecated_passed(name, call, release))
            what = f"{name}: {argument} is deprecated"
            ends = "not deprecated", "its default is 'deprecated': passing it warns"
            instead = instead_of_argument(name, argument)
            found = _of_argument(name, argument, "warns", what, ends, f"since {since}", instead)
            yield replace(found, kind="deprecated")

    def _deprecated_passed(self, name: str, call: Call, release: str) -> set[str]:
        known = self.answer(name, release)
        return deprecated_passed(call, known.record) if isinstance(known, Found) else set()

    @cache  # noqa: B019 - one report, one object
    def _of_call(self, name: str, call: Call) -> tuple[tuple[ReportEntry, bool], ...]:
        known = self.answer(name, self.old)
        module = self.names.module_of(name, self.old)
        script = signature_script(known, module) if isinstance(known, Found) else ""
        return tuple((replace(entry, script=script), is_sure) for entry, is_sure in self._told_of_call(name, call))

    def _told_of_call(self, name: str, call: Call) -> Iterator[tuple[ReportEntry, bool]]:
        yield from ((entry, True) for entry in self._of_deprecated_arguments(name, call))
        yield from self._of_arrivals(name, call)
        found = self._breakage(name, call, self.new)
        if found is None:
            return
        when = self._since(name, call, found)
        after = self.answer(name, self.new)
        assert isinstance(after, Found)
        # What a docstring names otherwise may still be taken by its old name, as `input` of torch.linalg.cholesky.
        is_sure = after.record.origin != "doc" or not {"input", "other"}.intersection(found.gone)
        for argument in found.gone:
            by_keyword = takes_keyword(after.record, argument)
            what = f"{name} takes {argument} by keyword only" if by_keyword else f"{name} no longer takes {argument}"
            instead = f"{argument}=…" if by_keyword else instead_of_argument(name, argument)
            yield _of_argument(name, argument, "breaks", what, ("taken", "TypeError"), when, instead), is_sure
        for argument in found.missing:
            what = f"{name} requires {argument} now"
            entry = _of_argument(name, argument, "breaks", what, ("not needed", "TypeError"), when, f"pass {argument}")
            yield entry, is_sure and found.is_certain
        for old, new in found.moved:
            what = f"{name} takes {new} where {old} stood"
            instead = f"{old}=… by keyword" if takes_keyword(after.record, old) else f"leave {old} out"
            yield _of_argument(name, old, "changes", what, (old, new), when, instead), True
        for argument, before, now in found.defaults:
            if _same_value(before, now):
                continue
            what = f"{name}: {argument} is {now} by default, was {before}"
            # None only says that torch chooses: what it chooses may be what it was.
            is_literal = "None" not in (before, now) and _is_literal(now)
            entry = _of_argument(name, argument, "changes", what, (before, now), when, f"{argument}={before}")
            yield replace(entry, kind="default"), found.is_certain and is_literal

    def _of_arrivals(self, name: str, call: Call) -> Iterator[tuple[ReportEntry, bool]]:
        """Yield what is told of arguments that the old release lacks and whose default changed after they came."""
        before = self.answer(name, self.old)
        known = [(release, self.answer(name, release)) for release in self._later]
        later = [(release, found.record) for release, found in known if isinstance(found, Found)]
        if not isinstance(before, Found) or [release for release, _ in later[-1:]] != self._later[-1:]:
            return
        for argument, came, first, since, last, is_sure in arrivals(call, before.record, later):
            # False at first means that nothing changed as the argument came; of 5.0 that can't be told.
            if (first, last) == ("False", "True"):
                what = f"{name}: {argument} is {last} by default, was {first} where it came"
                ends = f"no such argument; {argument}={first} where it came in {came}", last
                entry = _of_argument(name, argument, "changes", what, ends, f"since {since}", f"{argument}={first}")
                yield replace(entry, kind="default"), is_sure

    def _breakage(self, name: str, call: Call, release: str) -> Optional[Breakage]:
        before, after = self.answer(name, self.old), self.answer(name, release)
        if not isinstance(before, Found) or not isinstance(after, Found):
            return None
        return broken(call, before.record, after.record)

    def _since(self, name: str, call: Call, found: Breakage) -> str:
        """Return since when it is so: the first release of those that go on to the new one."""
        first = self._later[-1]
        for release in reversed(self._later):
            if self._breakage(name, call, release) != found:
                break
            first = release
        return f"since {first}"


def _of_argument(
    name: str, argument: str, severity: Harm, what: str, ends: tuple[str, str], when: str, instead: str = ""
) -> ReportEntry:
    return ReportEntry(
        f"{name}:{argument}",
        severity,
        "argument",
        what,
        *ends,
        when,
        instead=instead,
        subject=name,
        fixes=(Fix(name, keyword=instead),) if re.fullmatch(_KEYWORD, instead) else (),
    )


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return False
    return True


def _same_value(one: str, other: str) -> bool:
    """Return whether two defaults are the same, or one can't be told from its text."""
    if {"...", "Ellipsis"} & {one, other} or other == "'deprecated'":
        return True
    try:
        return bool(ast.literal_eval(one) == ast.literal_eval(other))
    except (ValueError, SyntaxError, TypeError):
        return one.rpartition(".")[2] == other.rpartition(".")[2]
