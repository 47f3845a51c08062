"""Reading a whole corpus: every file, every problem, and the claims that have none."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from conformance.base.cache import content_key, kept
from conformance.base.files import NotEntered, files_below, files_in
from conformance.base.garbage_collection import without_collection
from conformance.base.recorded_folder import default_root as default_root
from conformance.base.text import count_of
from conformance.language.answers import check_proofs, read_answer
from conformance.language.causes import FOLDER as CAUSES_FOLDER
from conformance.language.causes import cause_files, check_use
from conformance.language.changes import FOLDER as CHANGES_FOLDER
from conformance.language.changes import change_files, read_changes
from conformance.language.changes import check_notes as check_notes_of_changes
from conformance.language.decisions import FOLDER as DECISIONS_FOLDER
from conformance.language.decisions import read_decisions
from conformance.language.display_path import display_path
from conformance.language.documents import has_broken, open_document
from conformance.language.drafts import Draft
from conformance.language.input_domains import narrows
from conformance.language.messages import FOLDER as MESSAGES_FOLDER
from conformance.language.messages import check_claims as check_claims_of_messages
from conformance.language.messages import message_files, read_messages
from conformance.language.model import Answer, Change, Claim, Message, NoChange, Place
from conformance.language.problems import Problem, Problems
from conformance.language.reading import Reader
from conformance.language.release_notes import FOLDER as NOTES_FOLDER
from conformance.language.release_notes import ReleaseNotes, check_claims, note_files, read_release_notes
from conformance.language.rules import (
    Context,
    check_claim,
    check_entry,
    check_file_place,
    check_uniqueness,
    place_in_corpus,
)
from conformance.language.sources import FILE_NAME, SourceList, read_sources

#: The folder of a corpus with tables of calls, which hold no claims; see `conformance.lab.trials.calls`.
CALLS_FOLDER = "calls"
# The folders of a corpus whose files hold no claims.
_WITHOUT_CLAIMS = (CALLS_FOLDER, CAUSES_FOLDER, NOTES_FOLDER, MESSAGES_FOLDER)


class Counts(NamedTuple):
    """How much a corpus has.

    Attributes
    ----------
    claims, entries : int
        Each row of a table is a claim; the table is one entry.
    unreasoned : int
        The entries that narrow an input by dtype, layout or autograd state without saying why.
    uncontrolled : int
        The entries that judge an error by less than its message, without a control.
    """

    claims: int
    entries: int
    unreasoned: int = 0
    uncontrolled: int = 0

    def in_words(self) -> str:
        """Return the numbers of claims and entries, such as ``12 claims in 3 entries``."""
        claims = count_of(self.claims, "claim")
        return claims if self.claims == self.entries else f"{claims} in {count_of(self.entries, 'entry', 'entries')}"


@dataclass(frozen=True)
class Corpus:
    """Claims, and the documents that they cite.

    Attributes
    ----------
    claims : tuple of Claim
        By id.
    sources : SourceList
        What ``sources.yaml`` names.
    root : Path
        The folder of the corpus, which holds ``sources.yaml``.
    notes : tuple of ReleaseNotes
        What release notes announce, in the order of the files.
    not_entered : tuple of NotEntered
        The folders that were passed over.
    answers : tuple of Answer
        By subject.
    messages : tuple of Message
        By id.
    changes : tuple of Change
        In the order of the files; their examples are among the claims.
    no_changes : tuple of NoChange
        Why other differences between releases change nobody's code.
    """

    claims: tuple[Claim, ...]
    sources: SourceList
    root: Path
    notes: tuple[ReleaseNotes, ...] = ()
    not_entered: tuple[NotEntered, ...] = ()
    answers: tuple[Answer, ...] = ()
    messages: tuple[Message, ...] = ()
    changes: tuple[Change, ...] = ()
    no_changes: tuple[NoChange, ...] = ()

    def without_examples(self) -> Corpus:
        """Return the corpus without the examples of changes, which no document promises."""
        return replace(self, claims=tuple(claim for claim in self.claims if not claim.is_example))

    def counts(self) -> Counts:
        """Return how many claims there are, and how many entries of spec files they come from."""
        narrow = (
            claim for claim in self.claims if claim.because is None and any(narrows(str(k)) for _, k in claim.given)
        )
        uncontrolled = (claim for claim in self.claims if claim.needs_control)
        return Counts(len(self.claims), _entries(self.claims), _entries(narrow), _entries(uncontrolled))

    def revision(self) -> str:
        """Twelve hexadecimal digits of what all claims measure."""
        digest = hashlib.sha256()
        for claim in self.claims:
            digest.update(f"{claim.id} {claim.fingerprint()}\n".encode())
        return digest.hexdigest()[:12]

    def cited(self) -> str:
        """Return a hash of the sentences that claims name by a key."""
        named = sorted({(source.name, source.key) for claim in self.claims for source in claim.sources if source.key})
        return hashlib.sha256(repr(named).encode()).hexdigest()


def _entries(claims: Iterable[Claim]) -> int:
    return len({claim.entry for claim in claims})


def is_whole(paths: Sequence[Path]) -> bool:
    """Return whether some paths are the project's own corpus, all of it and nothing else."""
    return [path.resolve() for path in paths] == [default_root().resolve()]


def load_corpus(
    paths: Sequence[Path], root: Optional[Path] = None, context: Optional[Context] = None
) -> tuple[Corpus, list[Problem]]:
    """Read spec files.

    Parameters
    ----------
    paths : sequence of Path
        Files, or folders of which every ``.yaml`` file is read, but those with decisions of the census: such a file
        is checked where it is given itself. The causes of a corpus are always read with it, and its release notes
        where the folder is given.
    root : Path, optional
        The corpus's folder: its ``sources.yaml`` is used, and a file below it must stand where its subject belongs.
        By default the project's own corpus. A folder among ``paths`` may have a ``sources.yaml`` too, which adds to it.
    context : Context, optional
        The vocabulary to check against; by default what `conformance.inputs` and `conformance.checks` define.

    Returns
    -------
    corpus : Corpus
        The claims without a problem.
    problems : list of Problem
        All problems of all files, by place.
    """
    root = default_root() if root is None else root
    problems = Problems()
    sources = SourceList()
    special = (CAUSES_FOLDER, NOTES_FOLDER, MESSAGES_FOLDER, CHANGES_FOLDER)
    paths = [file for path in paths for file in _opened(path, (DECISIONS_FOLDER, *special))]
    beside = [path.parent.parent for path in paths if folder_of(path) in special]
    folders = [root, *filter(os.path.isdir, paths), *beside]
    lists = [folder / FILE_NAME for folder in folders]
    for path in dict.fromkeys(path.resolve() for path in lists if os.path.isfile(path)):  # noqa: PTH113
        sources = sources.joined(_sources(path, problems))
    context = context or Context.default()
    drafts: list[Draft] = []
    answers: list[Answer] = []
    not_entered: list[NotEntered] = []
    with without_collection():
        of_claims = [path for path in paths if folder_of(path) not in (DECISIONS_FOLDER, *special)]
        for path in _files(of_claims, problems, not_entered):
            found, answer = _read(path, sources, root, context, problems)
            drafts.extend(found)
            answers.extend([answer] if answer is not None else [])
        good = check_uniqueness(drafts)
        files = _files_in(CHANGES_FOLDER, change_files, paths)
        of_releases = [read_changes(path, sources, context, problems) for path in files]
        changes = [change for one in of_releases for change in one.changes]
        no_changes = [decision for one in of_releases for decision in one.none]
        examples = [claim for change in changes for claim in change.examples]
        claims = sorted([*(draft.claim for draft in good), *examples], key=lambda claim: claim.id)
    for path in paths:
        if folder_of(path) == DECISIONS_FOLDER:
            read_decisions(path, problems)
    read = [read_release_notes(path, sources.releases, problems) for path in _files_in(NOTES_FOLDER, note_files, paths)]
    notes = tuple(one for one in read if one is not None)
    messages: dict[str, Message] = {}
    for path in _files_in(MESSAGES_FOLDER, message_files, paths):
        read_messages(path, messages, problems)
    if not problems and any(path.resolve() == root.resolve() for path in paths):
        check_use(sources.causes, claims, problems)
        ids = {claim.id for claim in claims}
        check_claims(notes, ids, problems)
        check_proofs(answers, ids, problems)
        check_claims_of_messages(tuple(messages.values()), ids, problems)
        check_notes_of_changes([*changes, *no_changes], notes, problems)
    answers.sort(key=lambda answer: answer.subject)
    in_order = tuple(messages[identity] for identity in sorted(messages))
    corpus = Corpus(
        tuple(claims),
        sources,
        root,
        notes,
        tuple(not_entered),
        tuple(answers),
        in_order,
        tuple(changes),
        tuple(no_changes),
    )
    return corpus, problems.sorted()


def load_file(
    path: Path, sources: SourceList, root: Optional[Path] = None, context: Optional[Context] = None
) -> tuple[list[Claim], list[Problem]]:
    """Read a spec file, or one of changes: its claims without a problem, in the order of the file; and all problems."""
    problems, context = Problems(), context or Context.default()
    with without_collection():
        if folder_of(path) == CHANGES_FOLDER:
            changes = read_changes(path, sources, context, problems).changes
            claims = [claim for change in changes for claim in change.examples]
        else:
            drafts, _ = _read(path, sources, root, context, problems)
            claims = [draft.claim for draft in check_uniqueness(drafts)]
    return claims, problems.sorted()


def spec_files(folder: Path, not_entered: Optional[list[NotEntered]] = None) -> list[Path]:
    """Return the spec files in a folder: not what has a folder of its own, nor what is hidden.

    Parameters
    ----------
    not_entered
        Gets the folders that were passed over.
    """
    not_entered = [] if not_entered is None else not_entered
    found = files_below(folder, not_entered, lambda inner: not Path(inner).name.startswith("."))
    return [
        file
        for file in sorted(map(Path, found))
        if fnmatch.fnmatchcase(file.name, "[!.]*.y*ml")
        and file != folder / FILE_NAME
        and folder_of(file) != DECISIONS_FOLDER
        and file.relative_to(folder).parts[0] not in (*_WITHOUT_CLAIMS, CHANGES_FOLDER)
    ]


def is_spec_file(path: Path) -> bool:
    """Return whether a file of YAML that stands anywhere holds claims, or examples of changes, as its place tells."""
    of_claims = folder_of(path) != DECISIONS_FOLDER and not any(
        folder.name in _WITHOUT_CLAIMS and (folder.parent / FILE_NAME).is_file() for folder in path.absolute().parents
    )
    return path.suffix in (".yaml", ".yml") and path.name != FILE_NAME and of_claims


def decision_files(folder: Path) -> list[Path]:
    """Give the files with decisions of the census in a corpus."""
    return [path for path in files_in(folder / DECISIONS_FOLDER, "*.yaml") if folder_of(path) == DECISIONS_FOLDER]


def folder_of(path: Path) -> str:
    """Return the folder of a corpus that a file stands directly in, which tells what it holds; empty where none."""
    return path.parent.name if os.path.isfile(path.parent.parent / FILE_NAME) else ""  # noqa: PTH113


def _opened(path: Path, special: Sequence[str]) -> list[Path]:
    """Return the files of a folder that has no claims of subjects, such as ``spec/changes``; another path is itself."""
    is_special = path.name in special and path.is_dir() and (path.parent / FILE_NAME).is_file()
    return sorted(path.glob("*.yaml")) if is_special else [path]


def _files_in(folder: str, below: Callable[[Path], list[Path]], paths: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of a folder of a corpus: those that are given, and those below the corpora that are given."""
    for path in paths:
        yield from (file for file in (path, *below(path)) if folder_of(file) == folder)


def _sources(path: Path, problems: Problems) -> SourceList:
    """Read a ``sources.yaml``; with causes beside it, as they were read before where that found no mistake."""
    causes = cause_files(path.parent)
    if not causes:
        return read_sources(path, problems)
    # Messages name files as they are seen from the folder where the command runs.
    key = content_key([path, *causes], "sources", str(Path.cwd()))
    before = len(problems)
    return kept(key, SourceList, lambda: read_sources(path, problems), lambda: len(problems) == before)


def _files(paths: Sequence[Path], problems: Problems, not_entered: list[NotEntered]) -> Iterator[Path]:
    seen: set[str] = set()
    for path in paths:
        if os.path.isdir(path):  # noqa: PTH112 - a `Path` raises where it may not look
            found = spec_files(path, not_entered)
            if not found and not not_entered:
                problems.add(Place(display_path(path), 1, 1), "E001", "no .yaml file in this folder; give another path")
        else:
            found = [path]
        for file in found:
            if file.suffix == ".yml":
                problems.add(Place(display_path(file), 1, 1), "E106", "spec files end in .yaml; rename this one")
            full = os.path.realpath(file)
            if full not in seen:
                seen.add(full)
                yield file


def _read(
    path: Path, sources: SourceList, root: Optional[Path], context: Context, problems: Problems
) -> tuple[list[Draft], Optional[Answer]]:
    """Read a file and return the claims that have no problem of their own, and the answer."""
    before_reading = len(problems)
    document = open_document(path, problems)
    if document is None:
        return [], None
    damaged = len(problems) > before_reading
    place = place_in_corpus(path, root)
    if place is not None:
        check_file_place(document, place, problems)
    good: list[Draft] = []
    reader = Reader(document, problems, sources.causes, own=place is None)
    entries = reader.claims()
    while True:
        # Reading an entry and checking it are one step: what either finds counts against its claims.
        before = len(problems)
        drafts = next(entries, None)
        if drafts is None:
            return good, read_answer(reader.top, document, problems)
        for draft in drafts:
            check_claim(draft, sources, context)
        check_entry(drafts, place)
        # A missing subject is the mistake of the file, told once, but leaves each of its claims without a name.
        named = all(draft.claim.subject for draft in drafts)
        if named and len(problems) == before and not (damaged and (document.replaced or _any_broken(drafts))):
            good.extend(drafts)


def _any_broken(drafts: Sequence[Draft]) -> bool:
    return any(has_broken(draft.node) for draft in drafts)
