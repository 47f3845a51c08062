"""The record of a mutation run: which operators kill each claim. Nothing here needs torch.

``docs/results/impostors/torch-<version>-<device>.json`` is a JSON object with the fields of `MutationRecord`; each
claim stands on a line of its own, sorted by id. There are no times, paths or dates, so that equal runs give equal
files. A claim without an entry was not judged: it is about timing or a group of processes, left open by its source,
absent or inapplicable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Optional

from conformance.base.codec import encode, to_line
from conformance.base.json_files import ResultError, read_json, replace_file
from conformance.language.model import Claim
from conformance.results.model import Environment

VERSION = 1
#: The folder below result files in which records stand.
FOLDER = "impostors"


def _texts(pattern: Optional[str] = None) -> Any:
    return {"pattern": pattern, "longest": 2000}


@dataclass(frozen=True)
class Noticing:
    """What a claim made of operators that get an argument wrong: for each operator the arguments, as ``sum(dim)``.

    Attributes
    ----------
    noticed : mapping
        Where the claim became false, or its program raised.
    missed : mapping
        Where it did not although its sentence is about the argument.
    """

    noticed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    missed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Killed:
    """What killed one claim.

    Attributes
    ----------
    claim : str
        The claim's fingerprint.
    parts : int
        How many parts its expectation has.
    killers : tuple of str
        The operators that killed some part, in the order in which they are tried.
    standing : tuple of str
        The names of the parts that survived.
    answers : tuple of str
        The names of the parts that are killed only by mutating a call inside of an assertion.
    unkillable : str, optional
        The spec's reason why no operator can kill some part.
    arguments : Noticing
        Which arguments the claim notices to be wrong.
    """

    claim: str = field(metadata=_texts("^[0-9a-f]{8}$"))
    parts: int = field(metadata={"least": 0})
    killers: tuple[str, ...] = field(metadata=_texts())
    standing: tuple[str, ...] = field(default=(), metadata=_texts())
    answers: tuple[str, ...] = field(default=(), metadata=_texts())
    unkillable: Optional[str] = field(default=None, metadata=_texts())
    arguments: Noticing = field(default_factory=Noticing, metadata=_texts())


@dataclass(frozen=True)
class MutationRecord:
    """What a mutation run found.

    Attributes
    ----------
    schema : int
        The version of this format.
    environment : Environment
        Where it ran.
    corpus : str
        The revision of the corpus.
    impostors : mapping
        What each operator gets wrong, in the order in which they are tried.
    claims : mapping
        What killed each claim, by id.
    """

    schema: int
    environment: Environment
    corpus: str = field(metadata=_texts("^[0-9a-f]{12}$"))
    impostors: Mapping[str, str] = field(metadata=_texts())
    claims: Mapping[str, Killed]

    def entry(self, claim: Claim) -> Optional[Killed]:
        """Return the entry of a claim; None where it, in its present form, was not judged."""
        entry = self.claims.get(claim.id)
        return entry if entry is not None and entry.claim == claim.fingerprint() else None


def record_path(folder: Path, environment: Environment) -> Path:
    """Return where the record of an environment stands in a folder, such as ``torch-2.13.0-cpu.json``."""
    return folder / f"torch-{environment.torch}-{environment.device}.json"


def save_record(record: MutationRecord, folder: Path) -> Path:
    """Write a record into a folder; the file that was there is replaced at once or not at all."""
    header = {
        "schema": record.schema,
        "environment": encode(record.environment),
        "corpus": record.corpus,
        "impostors": dict(record.impostors),
    }
    lines = [f"{to_line(name)}: {to_line(value)}," for name, value in header.items()]
    entries = [f"{to_line(name)}: {to_line(encode(record.claims[name]))}" for name in sorted(record.claims)]
    path = record_path(folder, record.environment)
    replace_file(path, "{\n" + "\n".join(lines) + '\n"claims": {\n' + ",\n".join(entries) + "\n}\n}\n")
    return path


def load_record(path: Path) -> MutationRecord:
    """Read a record.

    Raises
    ------
    ResultError
        If it can't be read, is too large, is no JSON, or is of another format.
    """
    record = read_json(path, MutationRecord, "conformance impostors")
    if record.schema != VERSION:
        raise ResultError(f"{path}: of format {record.schema}; make it again with 'conformance impostors'")
    return record


class Missed(NamedTuple):
    """An argument that a claim does not notice to be wrong although its sentence is about it.

    ``sibling`` is the id of another claim of the same subject that notices; empty where none does. ``reason`` is what
    the spec says of an argument that no claim notices.
    """

    operator: str
    argument: str
    sibling: str = ""
    reason: str = ""


def missed_arguments(claims: Iterable[tuple[Claim, Noticing]]) -> dict[str, list[Missed]]:
    """Return by id what claims miss; those of one subject notice for each other."""
    claims = list(claims)
    noticed: dict[tuple[str, str, str], str] = {}
    missed: dict[str, list[Missed]] = defaultdict(list)
    for claim, noticing in claims:
        for operator, arguments in noticing.noticed.items():
            for argument in arguments:
                noticed.setdefault((claim.subject, operator, argument), claim.id)
    for claim, noticing in claims:
        reasons = dict(claim.unnoticed)
        for operator, arguments in noticing.missed.items():
            for argument in arguments:
                sibling = noticed.get((claim.subject, operator, argument), "")
                reason = "" if sibling else reasons.get(argument.rpartition("(")[2].rstrip(")"), "")
                missed[claim.id].append(Missed(operator, argument, sibling, reason))
    return missed
