"""The recorded coverage, for the reference: numbers only, no sentence. Nothing here needs torch.

``docs/results/census/torch-<version>.json`` is a JSON object with

- ``schema``: the version of this format, 1; ``torch``: whose docstrings were read; ``corpus``: the corpus's revision;
- ``objects``, ``sentences``: documented public objects, and all their sentences;
- ``stating``: how many objects have a claim in the four families, and ``claims`` how many sentences these are;
- ``beyond``: sentences that claims encode and no rule finds;
- ``states``: how many sentences are in each state, those of pages included;
- ``modules``: by module and family (``all`` for a page), the number of sentences in each state;
- ``rules``: by family, ``all`` and ``sentence``, precision and recall of the rules; ``judged``: on how many sentences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional, get_args

from conformance.base.json_files import ResultError, read_json, replace_file
from conformance.base.release_spans import as_version

VERSION = 1
FOLDER = "census"
_REMEDY = "conformance census --results DIR"

State = Literal["encoded", "no-claim", "untestable", "todo"]
STATES: tuple[State, ...] = get_args(State)
_COUNT = {"least": 0}


def _count() -> Any:
    return field(metadata=_COUNT)


@dataclass(frozen=True)
class Score:
    """How often families are right, as shares."""

    precision: float = field(metadata={"least": 0})
    recall: float = field(metadata={"least": 0})

    def rounded(self) -> Score:
        """Return the score with the digits that are recorded."""
        return Score(round(self.precision, 3), round(self.recall, 3))


@dataclass(frozen=True)
class CensusRecord:
    """A recorded census; the attributes are those of the file.

    Attributes
    ----------
    rules, labelled : mapping of str to Score
        By family, of the rules alone and of the rules with the labels of readers.
    """

    torch: str = field(metadata={"longest": 40})
    corpus: str = field(metadata={"pattern": "^[0-9a-f]{12}$"})
    objects: int = _count()
    sentences: int = _count()
    stating: int = _count()
    claims: int = _count()
    beyond: int = _count()
    states: Mapping[str, int] = _count()
    modules: Mapping[str, Mapping[str, Mapping[str, int]]] = _count()
    judged: int = _count()
    rules: Mapping[str, Score] = _count()
    labelled: Mapping[str, Score] = _count()
    schema: int = VERSION


def save_record(record: CensusRecord, folder: Path) -> Path:
    """Write a record into a folder of results."""
    fields = asdict(record)
    modules = fields.pop("modules")
    header = {"schema": fields.pop("schema"), **fields}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in header.items()]
    rows = [f"{json.dumps(module)}: {json.dumps(found)}" for module, found in modules.items()]
    path = folder / FOLDER / f"torch-{record.torch}.json"
    replace_file(path, "{\n" + "\n".join(lines) + '\n"modules": {\n' + ",\n".join(rows) + "\n}\n}\n")
    return path


def load_record(path: Path) -> CensusRecord:
    """Read a record.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no JSON, or is of another format.
    """
    record = read_json(path, CensusRecord, _REMEDY)
    counted = [record.states, *(states for rows in record.modules.values() for states in rows.values())]
    if record.schema != VERSION or any(set(states) != set(STATES) for states in counted):
        raise ResultError(f"{path}: no census of format {VERSION}; make it again with '{_REMEDY}'")
    return record


def newest_record(folder: Path) -> Optional[CensusRecord]:
    """Read the record of the newest torch in a folder of results, if there is one."""
    found = [load_record(path) for path in sorted((folder / FOLDER).glob("torch-*.json"))]
    return max(found, key=lambda record: as_version(record.torch), default=None)
