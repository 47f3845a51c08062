"""Writing the decision files: one for each module, stable, and easy to compare line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

from conformance.census.coverage import Entry
from conformance.census.objects import PublicObject
from conformance.language.corpus import decision_files
from conformance.language.decisions import (
    ENCODED,
    FOLDER,
    TODO,
    UNTESTABLE,
    Decision,
    Decisions,
    file_of,
    module_of,
    read_decisions,
)
from conformance.language.documents import surprise
from conformance.language.problems import Problem, Problems
from conformance.results.store import replace_file

_WIDTH = 120
_HEADER = """\
# Decisions of the census about {module}: for each object, its sentences that carry a claim, by hash, in order.
# 'conformance census --write' brings this up to date; docs/census.rst says what the decisions mean.
"""


@dataclass
class Adopted:
    """What came of taking decisions in.

    Attributes
    ----------
    taken : int
        Decisions that are new.
    conflicts : list of str
        What contradicts a decision that stands already; that one stays.
    needless : int
        Decisions on sentences that a claim encodes.
    unknown : int
        Decisions on sentences that no rule finds, or that this torch does not have.
    """

    taken: int = 0
    conflicts: list[str] = field(default_factory=list)
    needless: int = 0
    unknown: int = 0


def load_decisions(root: Path, claims: Optional[Collection[str]] = None) -> tuple[Decisions, list[Problem]]:
    """Read every decision file of a corpus."""
    problems = Problems()
    found: Decisions = {}
    for path in decision_files(root):
        found.update(read_decisions(path, problems, claims))
    return found, problems.sorted()


def read_foreign(paths: Iterable[Path]) -> tuple[Decisions, list[Problem]]:
    """Read decisions from elsewhere: in any order, and with hashes unquoted that look like numbers."""
    found: Decisions = {}
    told: list[Problem] = []
    for path in paths:
        problems = Problems()
        for name, decisions in read_decisions(path, problems).items():
            found.setdefault(name, {}).update(decisions)
        told += [problem for problem in problems.sorted() if problem.code != "E008"]
    return found, told


def adopt(foreign: Decisions, known: Decisions, entries: Sequence[Entry], objects: Sequence[PublicObject]) -> Adopted:
    """Add decisions from elsewhere to the known ones, which win."""
    called = {alias: found.name for found in objects for alias in found.aliases}
    present = {(entry.name, entry.hash): entry for entry in entries}
    result = Adopted()
    for alias, decisions in foreign.items():
        name = called.get(alias, alias)
        for digest, decision in decisions.items():
            entry = present.get((name, digest))
            standing = known.get(name, {}).get(digest)
            if decision.kind in (TODO, ENCODED):
                continue
            if entry is None:
                result.unknown += 1
            elif entry.state == ENCODED:
                result.needless += 1
            elif standing is None or standing.kind in (TODO, ENCODED):
                known.setdefault(name, {})[digest] = decision
                result.taken += 1
            elif not standing.same_as(decision):
                told = f"{decision.place}: {name} {digest} is {standing.kind} in the corpus and {decision.kind} here"
                result.conflicts.append(told)
    return result


def write_decisions(root: Path, entries: Iterable[Entry]) -> list[Path]:
    """Write the decision file of each module that the entries are about; give the files that changed."""
    modules: dict[str, dict[str, dict[str, Decision]]] = {}
    for entry in entries:
        modules.setdefault(module_of(entry.name), {}).setdefault(entry.name, {})[entry.hash] = entry.decision
    changed = []
    for module, objects in sorted(modules.items()):
        path = root / FOLDER / file_of(module)
        text = decisions_text(module, objects)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            replace_file(path, text)
            changed.append(path)
    return changed


def decisions_text(module: str, objects: Mapping[str, Mapping[str, Decision]]) -> str:
    """Give the content of a module's file."""
    lines = [_HEADER.format(module=module).rstrip()]
    for name in sorted(objects):
        lines.append(f"{name}:")
        for digest, decision in objects[name].items():
            lines += _decision_lines(digest, decision)
    return "\n".join(lines) + "\n"


def _decision_lines(digest: str, decision: Decision) -> list[str]:
    key = f"'{digest}'" if surprise(digest) else digest
    if decision.kind == ENCODED:
        line = f"  {key}: [{', '.join(decision.claims)}]"
        return [line] if len(line) <= _WIDTH else [f"  {key}:", *(f"    - {claim}" for claim in decision.claims)]
    if decision.kind == UNTESTABLE:
        quoted = decision.reason.replace("'", "''")
        return [f"  {key}: {{untestable: '{quoted}'}}"]
    return [f"  {key}: {decision.kind}"]
