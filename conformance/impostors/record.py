"""The record of a campaign: which impostors kill each claim. Nothing here needs torch.

``docs/results/impostors/torch-<version>-<device>.json`` is a JSON object with

- ``schema``: the version of this format, 1;
- ``environment``: the same as in a result file;
- ``corpus``: the revision of the corpus that was confronted;
- ``impostors``: an object that gives, for each impostor in the order in which they are tried, what is wrong with it;
- ``claims``: an object with one entry on a line for each claim that was judged, sorted by id:
  ``claim``, its fingerprint; ``parts``, how many parts its expectation has; ``killers``, the impostors that made some
  part false, in order; and, where there are any, ``standing``, the names of the parts that nothing made false;
  ``answers``, the names of those that only a wrong answer to their own question makes false; ``unkillable``, the spec's
  reason why none can.

A claim without an entry was not judged: it is about timing, left open by its source, absent or inapplicable. There are
no times, paths or dates, so that equal campaigns give equal files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.impostors.finding import Finding, Hint
from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.store import read_record, replace_file

VERSION = 1

_TEXT = {"type": "string", "maxLength": 2000}
_TEXTS = {"type": "array", "maxItems": 10_000, "items": _TEXT}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["schema", "environment", "corpus", "impostors", "claims"],
    "additionalProperties": False,
    "properties": {
        "schema": {"const": VERSION},
        "environment": {"type": "object", "additionalProperties": _TEXT},
        "corpus": {"type": "string", "pattern": "^[0-9a-f]{12}$"},
        "impostors": {"type": "object", "maxProperties": 10_000, "additionalProperties": _TEXT},
        "claims": {
            "type": "object",
            "maxProperties": 100_000,
            "additionalProperties": {
                "type": "object",
                "required": ["claim", "parts", "killers"],
                "additionalProperties": False,
                "properties": {
                    "claim": {"type": "string", "pattern": "^[0-9a-f]{8}$"},
                    "parts": {"type": "integer", "minimum": 0},
                    "killers": _TEXTS,
                    "standing": _TEXTS,
                    "answers": _TEXTS,
                    "unkillable": _TEXT,
                },
            },
        },
    },
}


@dataclass
class Record:
    """What a campaign showed; the attributes are those of the file."""

    environment: dict[str, str]
    corpus: str
    impostors: dict[str, str]
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file's name without its ending, such as ``torch-2.13.0-cpu``."""
        return f"torch-{self.environment['torch']}-{self.environment['device']}"

    def score(self) -> tuple[int, int, int]:
        """Return how many claims were killed in all parts, how many may stand for a reason, how many were judged."""
        entries = self.claims.values()
        killed = sum(not entry.get("standing") for entry in entries)
        excused = sum(bool(entry.get("standing")) and "unkillable" in entry for entry in entries)
        return killed, excused, len(self.claims)


def record_of(
    corpus: Corpus, findings: dict[str, Finding], environment: dict[str, str], impostors: dict[str, str]
) -> Record:
    """Return the record of a campaign."""
    claims: dict[str, dict[str, Any]] = {}
    for claim in corpus.claims:
        finding = findings.get(claim.id)
        if finding is None or finding.status != "judged":
            continue
        order = list(impostors)
        entry: dict[str, Any] = {
            "claim": claim.fingerprint(),
            "parts": len(finding.parts),
            "killers": sorted(finding.killers, key=order.index),
        }
        if finding.standing:
            entry["standing"] = [part.name for part in finding.standing]
        if finding.answers_only:
            entry["answers"] = finding.answers_only
        if claim.unkillable is not None:
            entry["unkillable"] = claim.unkillable
        claims[claim.id] = entry
    return Record(environment, corpus.revision(), impostors, claims)


def hints_from(record: Record, claims: Iterable[Claim]) -> dict[str, Hint]:
    """Return what a record says about claims that are still as they were then."""
    found: dict[str, Hint] = {}
    for claim in claims:
        entry = record.claims.get(claim.id)
        if entry is not None and entry["claim"] == claim.fingerprint():
            found[claim.id] = Hint(frozenset(entry["killers"]), frozenset(entry.get("standing", ())))
    return found


def save_record(record: Record, folder: Path) -> Path:
    """Write a record into a folder, under its name; the file that was there is replaced at once or not at all."""
    header = {
        "schema": VERSION,
        "environment": record.environment,
        "corpus": record.corpus,
        "impostors": record.impostors,
    }
    lines = [f"{json.dumps(name)}: {_compact(value)}," for name, value in header.items()]
    entries = [f"{json.dumps(name)}: {_compact(record.claims[name])}" for name in sorted(record.claims)]
    path = folder / f"{record.name}.json"
    replace_file(path, "{\n" + "\n".join(lines) + '\n"claims": {\n' + ",\n".join(entries) + "\n}\n}\n")
    return path


def load_record(path: Path) -> Record:
    """Read a record.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no JSON, or is of another format.
    """
    document = read_record(path, _SCHEMA, "conformance impostors")
    return Record(document["environment"], document["corpus"], document["impostors"], document["claims"])


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
