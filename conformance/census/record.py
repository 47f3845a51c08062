"""The recorded coverage, for the reference: numbers only, no sentence. Nothing here needs torch.

``docs/results/census/torch-<version>.json`` is a JSON object with

- ``schema``: the version of this format, 1; ``torch``: whose docstrings were read; ``corpus``: the corpus's revision;
- ``objects``, ``sentences``: documented public objects, and all their sentences;
- ``stating``: how many objects have a claim in the four main families, and ``claims`` how many sentences these are;
- ``beyond``: sentences that claims encode and no rule finds;
- ``wanted``: what the corpus means to settle, by state;
- ``modules``: by module and family (``all`` for a page), the number of sentences in each state;
- ``rules``: by family, ``all`` and ``sentence``, precision and recall of the rules; ``judged``: on how many sentences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from conformance.results.cells import as_version
from conformance.results.store import read_record, replace_file

VERSION = 1
FOLDER = "census"

_COUNT = {"type": "integer", "minimum": 0}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_STATES = {
    "type": "object",
    "required": ["encoded", "no-claim", "untestable", "todo"],
    "additionalProperties": False,
    "properties": dict.fromkeys(("encoded", "no-claim", "untestable", "todo"), _COUNT),
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": [
        *("schema", "torch", "corpus", "objects", "sentences", "stating", "claims", "beyond", "wanted"),
        *("modules", "judged", "rules"),
    ],
    "additionalProperties": False,
    "properties": {
        "schema": {"const": VERSION},
        "torch": {"type": "string", "maxLength": 40},
        "corpus": {"type": "string", "pattern": "^[0-9a-f]{12}$"},
        **dict.fromkeys(("objects", "sentences", "stating", "claims", "beyond", "judged"), _COUNT),
        "wanted": _STATES,
        "modules": {
            "type": "object",
            "maxProperties": 1000,
            "additionalProperties": {"type": "object", "maxProperties": 20, "additionalProperties": _STATES},
        },
        "rules": {
            "type": "object",
            "maxProperties": 20,
            "additionalProperties": {
                "type": "object",
                "required": ["precision", "recall"],
                "additionalProperties": False,
                "properties": {"precision": _SHARE, "recall": _SHARE},
            },
        },
    },
}


@dataclass(frozen=True)
class Record:
    """A recorded census; the attributes are those of the file."""

    torch: str
    corpus: str
    objects: int
    sentences: int
    stating: int
    claims: int
    beyond: int
    wanted: Mapping[str, int]
    modules: Mapping[str, Mapping[str, Mapping[str, int]]]
    judged: int
    rules: Mapping[str, Mapping[str, float]]


def save_record(record: Record, folder: Path) -> Path:
    """Write a record into a folder of results."""
    fields = {"schema": VERSION, **vars(record)}
    modules = fields.pop("modules")
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in fields.items()]
    rows = [f"{json.dumps(module)}: {json.dumps(rows)}" for module, rows in modules.items()]
    path = folder / FOLDER / f"torch-{record.torch}.json"
    replace_file(path, "{\n" + "\n".join(lines) + '\n"modules": {\n' + ",\n".join(rows) + "\n}\n}\n")
    return path


def load_record(path: Path) -> Record:
    """Read a record.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no JSON, or is of another format.
    """
    document = read_record(path, SCHEMA, "conformance census --results DIR")
    return Record(**{name: value for name, value in document.items() if name != "schema"})


def newest_record(folder: Path) -> Optional[Record]:
    """Read the record of the newest torch in a folder of results, if there is one."""
    found = [load_record(path) for path in sorted((folder / FOLDER).glob("torch-*.json"))]
    return max(found, key=lambda record: as_version(record.torch)) if found else None
