"""The corpus as it was read before: where nothing changed, no YAML is read again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Optional

from conformance.base.cache import content_key, kept
from conformance.base.files import NotEntered, files_below
from conformance.base.recorded_folder import recorded_folder
from conformance.base.text import count_of
from conformance.language.causes import cause_files
from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.display_path import display_path
from conformance.language.problems import Problem
from conformance.language.sources import FILE_NAME


def check_key(folders: Sequence[Path], root: Path) -> Optional[str]:
    """Return a key for all that decides on the mistakes in folders; None where a file can't be read.

    That is the YAML below them, the sources of the corpus at ``root``, and the recorded names.
    """
    names = sorted((recorded_folder() / "names").glob("*.txt"))
    return content_key(chain(_files(folders, root), names), "check", str(root.resolve()))


def own_key(what: str, files: Iterable[Path] = ()) -> Optional[str]:
    """Return a key for what follows from the project's own corpus and other files; None if one can't be read."""
    root = default_root()
    # Messages name files as they are seen from the folder where the command runs.
    return content_key(chain(_files([root], root), files), what, display_path(root))


def load_own_corpus() -> tuple[Corpus, list[Problem]]:
    """Read the project's own corpus as `load_corpus` does; where nothing changed, from what was read before."""
    problems: list[Problem] = []

    def read() -> Corpus:
        corpus, found = load_corpus([default_root()])
        problems.extend(found)
        corpus.revision()  # so that fingerprints are kept too
        return corpus

    return kept(own_key("corpus"), Corpus, read, lambda: not problems), problems


def corpus_of(paths: Optional[Sequence[Path]]) -> Corpus:
    """Return the claims of spec files, by default of the project's own corpus.

    Raises
    ------
    ValueError
        If a file has a mistake: what would be said without its claims may be false.
    """
    corpus, problems = load_corpus(paths) if paths else load_own_corpus()
    if problems:
        raise ValueError(f"{problems[0]}; {count_of(len(problems), 'mistake')}: run 'conformance check'")
    return corpus


def _files(folders: Sequence[Path], root: Path) -> Iterator[Path]:
    yield from (root / FILE_NAME, *cause_files(root))
    for folder in folders:
        yield folder
        yield folder.absolute().parent / FILE_NAME  # whether there is one tells what a folder is for
        not_entered: list[NotEntered] = []
        yield from sorted(Path(file) for file in files_below(folder, not_entered) if fnmatch(file, "*.y*ml"))
        if not_entered:
            raise PermissionError(not_entered[0].path)  # There is no key for what was not read.
