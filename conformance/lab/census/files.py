"""The files of the census: decisions, one file for each module, easy to compare line by line; and what was read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.base.codec import decode
from conformance.base.json_files import replace_file
from conformance.lab.census.coverage import ClaimedSentence, ReadSentences
from conformance.lab.census.families import NO_LABELS, Labels
from conformance.language.corpus import decision_files
from conformance.language.decisions import (
    FOLDER,
    UNTESTABLE,
    Decision,
    Decisions,
    file_of,
    module_of,
    read_decisions,
)
from conformance.language.problems import Problem, Problems
from conformance.language.yaml_lookalikes import surprise

READ_FILE = "read.json"
LABELS_FILE = "labels.json"


@dataclass(frozen=True)
class _Labelled:
    labels: Labels


_HEADER = """\
# Decisions of the census about {module}: for each object, sentences by hash, in order; docs/census.rst explains them.
"""


def load_decisions(root: Path) -> tuple[Decisions, list[Problem]]:
    """Read every decision file of a corpus."""
    problems = Problems()
    found: Decisions = {}
    for path in decision_files(root):
        found.update(read_decisions(path, problems))
    return found, problems.sorted()


def write_decisions(root: Path, entries: Iterable[ClaimedSentence]) -> list[Path]:
    """Write the decision files of a corpus; return those that changed or went."""
    modules: dict[str, dict[str, dict[str, Decision]]] = {}
    for entry in entries:
        if entry.decision is not None:
            modules.setdefault(module_of(entry.name), {}).setdefault(entry.name, {})[entry.hash] = entry.decision
    texts = {root / FOLDER / file_of(module): decisions_text(module, modules[module]) for module in sorted(modules)}
    gone = [path for path in decision_files(root) if path not in texts]
    for path in gone:
        path.unlink()
    return _written(texts) + gone


def decisions_text(module: str, objects: Mapping[str, Mapping[str, Decision]]) -> str:
    """Return the content of a module's file."""
    lines = [_HEADER.format(module=module).rstrip()]
    for name in sorted(objects):
        lines.append(f"{name}:")
        for digest, decision in objects[name].items():
            key = f"'{digest}'" if surprise(digest) else digest
            quoted = decision.reason.replace("'", "''")
            text = f"{{untestable: '{quoted}'}}" if decision.kind == UNTESTABLE else decision.kind
            lines.append(f"  {key}: {text}")
    return "\n".join(lines) + "\n"


def load_labels(root: Path) -> Labels:
    """Return the families that readers gave to sentences where the rules give others.

    Raises
    ------
    ValueError
        If the file does not map hashes of sentences to lists of families, under ``labels``.
    """
    path = root / FOLDER / LABELS_FILE
    if not path.is_file():
        return NO_LABELS
    try:
        return decode(_Labelled, json.loads(path.read_text(encoding="utf-8"))).labels
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def load_read_sentences(root: Path) -> ReadSentences:
    """Return what the last ``conformance census --write`` read; nothing where there was none.

    Raises
    ------
    ValueError
        If the file is not as `write_read_sentences` writes it.
    """
    path = root / FOLDER / READ_FILE
    if not path.is_file():
        return ReadSentences()
    try:
        return decode(ReadSentences, json.loads(path.read_text(encoding="utf-8")))
    except ValueError:
        raise ValueError(
            f"{path} has another form; remove it, and 'conformance census --write' makes it anew"
        ) from None


def write_read_sentences(root: Path, entries: Iterable[ClaimedSentence]) -> list[Path]:
    """Write what a census read, a line for each object; return the file if it changed."""
    read = ReadSentences.from_entries(entries)
    parts = []
    for part, content in (("objects", read.objects), ("pages", read.pages)):
        lines = [f"{json.dumps(name)}: {json.dumps(hashes)}" for name, hashes in sorted(content.items())]
        parts.append(f'"{part}": {{\n' + ",\n".join(lines) + "\n}")
    return _written({root / FOLDER / READ_FILE: "{\n" + ",\n".join(parts) + "\n}\n"})


def _written(texts: Mapping[Path, str]) -> list[Path]:
    """Write the files whose text is another; return these."""
    changed = [path for path, text in texts.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    for path in changed:
        replace_file(path, texts[path])
    return changed
