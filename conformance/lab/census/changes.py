"""The census of changes: differences between neighbouring releases that no entry of ``spec/changes`` explains.

What is measured of names and said without an entry is not listed: a name or an argument that is gone, a deprecation,
and a default that became another value. Nor is what raised before, since no code that runs depends on it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from conformance.base.recorded_folder import NAMES
from conformance.base.release_spans import minor
from conformance.base.text import bounded
from conformance.language.corpus import Corpus
from conformance.language.model import NoChange
from conformance.names.lookup import Names
from conformance.names.model import Found, NameRecord
from conformance.results.recorded import load_recorded
from conformance.results.trials.recorded import RecordedTrials
from conformance.upgrade.compare.differences import RecordDifference, claim_differences, trial_differences
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.signatures import signatures

#: The names that most programs use: of these every difference is explained.
COMMON = 400
#: What they say is another thing in every release, and is meant to be.
_VERSIONS = ("torch.__version__", "torch.version.cuda")
#: What has a method of tensors as a function, too.
_WITH_METHODS = ("torch", "torch.Tensor", "torch.nn.functional", "torch.linalg", "torch.special")
_ANNOUNCED = ("breaking", "deprecation")
_LONGEST = 1500


@dataclass(frozen=True)
class Unexplained:
    """A difference from the release before, or a note, that no change and no decision explains.

    Attributes
    ----------
    kind
        ``default``, ``deprecated``, ``call``, ``claim`` or ``note``.
    rank
        The place of the name among those that most programs use, from 1; None where it is not among them.
    """

    release: str
    name: str
    kind: str
    what: str
    rank: Optional[int] = None


@dataclass(frozen=True)
class ChangeCensus:
    """What no entry explains, what most programs use first, and the decisions that explain nothing.

    Attributes
    ----------
    differences
        How many differences and notes there are in all.
    """

    differences: int
    left: tuple[Unexplained, ...]
    unused: tuple[NoChange, ...]

    def common(self) -> int:
        """Return how many concern one of the names that most programs use."""
        return sum(one.rank is not None and one.rank <= COMMON for one in self.left)


def take_change_census(corpus: Corpus, folder: Path) -> ChangeCensus:
    """Compare each recorded release with the one before it.

    Parameters
    ----------
    folder
        The recorded results.
    """
    ranks, names = _ranks(folder / NAMES / "by-use.csv"), Names(folder / NAMES)
    every = [*_of_records(corpus, folder), *_of_names(names), *_of_notes(corpus)]
    matches = [(change.release, match) for change in corpus.changes for match in change.match]
    explained = {(release, _shared_name(match.name, release, names)) for release, match in matches}
    with_members = {(release, match.name) for release, match in matches if match.how == "use"}
    announced = {(change.release, note) for change in corpus.changes for note in change.notes}
    announced |= {(decision.release, note) for decision in corpus.no_changes for note in decision.notes}
    used: set[NoChange] = set()
    left: list[Unexplained] = []
    for one in every:
        is_known = (
            (one.release, one.name) in announced
            if one.kind == "note"
            else (one.release, _shared_name(one.name, one.release, names)) in explained
            or any((one.release, owner) in with_members for owner in _owners(one.name))
        )
        decisions = [decision for decision in corpus.no_changes if _decides(decision, one)]
        used.update(decisions)
        if not is_known and not decisions and not _is_said(one):
            left.append(Unexplained(one.release, one.name, one.kind, one.what, ranks.get(one.name)))
    order = sorted(left, key=lambda one: (one.rank or len(ranks) + 1, one.name, one.release))
    # The census lists no name that is gone; only the upgrade report needs a decision on one.
    asked = (one for one in corpus.no_changes if not one.notes and not one.what.startswith("gone: "))
    unused = (decision for decision in asked if decision not in used)
    return ChangeCensus(sum(not _is_said(one) for one in every), tuple(order), tuple(unused))


def _ranks(path: Path) -> Mapping[str, int]:
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {row["name"]: place for place, row in enumerate(csv.DictReader(lines), 1)}


def _shared_name(name: str, release: str, names: Names) -> str:
    """Return where a name is defined, so that all names of one object are the same.

    A function of tensors and the method of its name change together; of them it is the last part.
    """
    answer = names.lookup(name, release) if release in map(minor, names.releases) else None
    defined = answer.canonical if isinstance(answer, Found) else name
    owner, _, last = defined.rpartition(".")
    return last if owner in _WITH_METHODS else defined


def _owners(name: str) -> Iterator[str]:
    """Yield the classes and modules that a name belongs to."""
    while name := name.rpartition(".")[0]:
        yield name


def _decides(decision: NoChange, one: Unexplained) -> bool:
    return decision.release == one.release and decision.what in one.what and decision.concerns(one.name)


def _is_said(one: Unexplained) -> bool:
    """Return whether the report says it without an entry: a deprecation, or a default that is another, not None."""
    if one.kind == "default":
        return "None" not in one.what.partition(": ")[2].split(" → ")
    return one.kind == "deprecated"


def _of_records(corpus: Corpus, folder: Path) -> Iterator[Unexplained]:
    """Yield what claims and calls on ordinary inputs do otherwise, where it can harm somebody's code."""
    claims, trials = corpus.without_examples().claims, RecordedTrials(folder / "trials")
    recorded = load_recorded(folder).on("cpu")
    for old, new in zip(recorded, recorded[1:]):
        differences, _ = claim_differences(claims, old, new)
        for one in (*differences, *trial_differences(trials, old.torch, trials, new.torch)):
            if one.harm in SHOWN and one.is_ordinary and not one.raised and one.subject not in _VERSIONS:
                yield Unexplained(minor(new.torch), one.subject, "claim" if one.is_claim else "call", _what(one))


def _what(one: RecordDifference) -> str:
    parts = "; ".join(f"{part.what}: {part.before} → {part.after}" for part in one.parts)
    return bounded(f"{one.harm}: {one.id.partition(': ')[2] or one.title} [{one.title}] {parts}", _LONGEST)


def _of_names(names: Names) -> Iterator[Unexplained]:
    """Yield defaults that became another value, and deprecations that begin."""
    minors = [minor(release) for release in names.releases]
    for old, new in zip(minors, minors[1:]):
        for change in names.compare(old, new):
            if change.before is None or change.after is None:
                continue
            if change.after.deprecated and not change.before.deprecated:
                yield Unexplained(new, change.name, "deprecated", f"deprecated: {change.after.deprecated}")
            before, after = _defaults(change.before), _defaults(change.after)
            for argument in before.keys() & after.keys():
                ends = before[argument], after[argument]
                if ends[0] != ends[1]:
                    yield Unexplained(new, change.name, "default", f"{argument}: {ends[0]} → {ends[1]}")


def _defaults(record: NameRecord) -> Mapping[str, str]:
    read = signatures(record)
    return {one.name: one.default for one in read[0] if one.default is not None} if len(read) == 1 else {}


def _of_notes(corpus: Corpus) -> Iterator[Unexplained]:
    """Yield what notes call breaking or deprecated and a CPU can try."""
    for notes in corpus.notes:
        for note in notes.notes:
            # What notes say of names and arguments is measured, and said without an entry.
            if note.section in _ANNOUNCED and (note.measures.claims or note.measures.calls):
                yield Unexplained(note.by, note.id, "note", note.title)
