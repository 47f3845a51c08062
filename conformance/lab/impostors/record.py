"""The record of a mutation run: which operators kill each claim. Nothing here needs torch.

``docs/results/impostors/torch-<version>-<device>.json`` is a JSON object with the fields of `Record`; each claim stands
on a line of its own, sorted by id. There are no times, paths or dates, so that equal runs give equal files. A claim
without an entry was not judged: it is about timing or a group of processes, left open by its source, absent or
inapplicable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Optional

from conformance.base.codec import encode, to_line
from conformance.base.json_files import ResultError, read_json, replace_file
from conformance.lab.impostors.outcome import Greeting, MutationOutcome, Noticing, PreviousResult
from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.model import Environment

VERSION = 1
#: The folder below result files in which records stand.
FOLDER = "impostors"


def _texts(pattern: Optional[str] = None) -> Any:
    return {"pattern": pattern, "longest": 2000}


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

    @property
    def name(self) -> str:
        """The file's name without its ending, such as ``torch-2.13.0-cpu``."""
        return record_name(self.environment.torch, self.environment.device)

    def is_like(self, other: MutationRecord) -> bool:
        """Return whether both are of the same operators in the same environment."""
        return (self.environment, dict(self.impostors)) == (other.environment, dict(other.impostors))

    def entry(self, claim: Claim) -> Optional[Killed]:
        """Return the entry of a claim; None where it, in its present form, was not judged."""
        found = self.claims.get(claim.id)
        return found if found is not None and found.claim == claim.fingerprint() else None


class Missed(NamedTuple):
    """An argument that a claim does not notice to be wrong although its sentence is about it.

    ``sibling`` is the id of another claim of the same subject that notices; empty where none does. ``reason`` is what
    the spec says of an argument that no claim notices.
    """

    operator: str
    argument: str
    sibling: str = ""
    reason: str = ""


def missed_arguments(found: Iterable[tuple[Claim, Noticing]]) -> dict[str, list[Missed]]:
    """Return by id what claims miss; those of one subject notice for each other."""
    found = list(found)
    noticed: dict[tuple[str, str, str], str] = {}
    missed: dict[str, list[Missed]] = defaultdict(list)
    for claim, noticing in found:
        for operator, arguments in noticing.noticed.items():
            for argument in arguments:
                noticed.setdefault((claim.subject, operator, argument), claim.id)
    for claim, noticing in found:
        reasons = dict(claim.unnoticed)
        for operator, arguments in noticing.missed.items():
            for argument in arguments:
                sibling = noticed.get((claim.subject, operator, argument), "")
                reason = "" if sibling else reasons.get(argument.rpartition("(")[2].rstrip(")"), "")
                missed[claim.id].append(Missed(operator, argument, sibling, reason))
    return missed


def record_name(torch: str, device: str) -> str:
    """Return the name of the record of an environment, without its ending."""
    return f"torch-{torch}-{device}"


def judged_entries(record: MutationRecord, claims: Iterable[Claim], operators: Collection[str]) -> dict[str, Killed]:
    """Return what a record says of claims that are as they were then, and were killed by operators that still exist."""
    found = ((claim, record.entry(claim)) for claim in claims)
    return {claim.id: entry for claim, entry in found if entry and set(entry.killers) <= set(operators)}


def new_operators(record: MutationRecord, greeting: Greeting) -> set[str]:
    """Return the operators that a record lacks; none where it was made elsewhere or with operators that went."""
    here = {item.name: item.statement for item in greeting.operators}
    extends = record.environment == greeting.environment and record.impostors.items() <= here.items()
    return here.keys() - record.impostors.keys() if extends else set()


def extended_entry(entry: Killed, outcome: MutationOutcome, operators: Iterable[str]) -> Killed:
    """Return an entry together with what new operators killed; ``operators`` are all, in order."""
    killers = {*entry.killers, *outcome.killers}
    return replace(
        entry,
        killers=tuple(name for name in operators if name in killers),
        standing=tuple(part for part in entry.standing if part not in outcome.killed_by),
        answers=(*entry.answers, *outcome.only_in_assertion),
        arguments=Noticing(
            {**entry.arguments.noticed, **outcome.arguments.noticed},
            {**entry.arguments.missed, **outcome.arguments.missed},
        ),
    )


def record_of(
    corpus: Corpus,
    outcomes: Mapping[str, MutationOutcome],
    greeting: Greeting,
    kept: Mapping[str, Killed] = MappingProxyType({}),
) -> MutationRecord:
    """Return the record of a run; ``kept`` has entries of claims that it left out."""
    statements = {item.name: item.statement for item in greeting.operators}
    order = list(statements)
    claims: dict[str, Killed] = {}
    for claim in corpus.claims:
        outcome = outcomes.get(claim.id)
        if claim.id in kept:
            claims[claim.id] = replace(kept[claim.id], unkillable=claim.unkillable)
        elif outcome is not None and outcome.status == "judged":
            claims[claim.id] = Killed(
                claim.fingerprint(),
                len(outcome.parts),
                tuple(sorted(outcome.killers, key=order.index)),
                tuple(part.name for part in outcome.survivors),
                outcome.only_in_assertion,
                claim.unkillable,
                outcome.arguments,
            )
    return MutationRecord(VERSION, greeting.environment, corpus.revision(), statements, claims)


def previous_results(record: MutationRecord, claims: Iterable[Claim]) -> dict[str, PreviousResult]:
    """Return what a record says about claims that are still as they were then."""
    found = ((claim, record.entry(claim)) for claim in claims)
    return {claim.id: PreviousResult(frozenset(e.killers), frozenset(e.standing)) for claim, e in found if e}


def left_to_run(record: MutationRecord, kept: Mapping[str, Killed]) -> dict[str, PreviousResult]:
    """Return what says of kept entries that only operators that the record lacks are to be run."""
    done = frozenset(record.impostors)
    return {name: PreviousResult(survivors=frozenset(entry.standing), done=done) for name, entry in kept.items()}


def save_record(record: MutationRecord, folder: Path) -> Path:
    """Write a record into a folder, under its name; the file that was there is replaced at once or not at all."""
    header = {
        "schema": record.schema,
        "environment": encode(record.environment),
        "corpus": record.corpus,
        "impostors": dict(record.impostors),
    }
    lines = [f"{to_line(name)}: {to_line(value)}," for name, value in header.items()]
    entries = [f"{to_line(name)}: {to_line(encode(record.claims[name]))}" for name in sorted(record.claims)]
    path = folder / f"{record.name}.json"
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
