"""Load all that the pages are made from, when the first page asks for it; and say whether any of it changed."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Optional
from weakref import WeakKeyDictionary

from sphinx.builders import Builder
from sphinx.config import Config
from sphinx.util import logging

import conformance
from conformance.base.json_files import ResultError, read_bytes, read_json
from conformance.base.processes.environment import unoptimised
from conformance.base.recorded_folder import NAMES, TRIALS
from conformance.base.release_spans import as_version
from conformance.lab.census.record import CensusRecord, newest_record
from conformance.lab.impostors.record import MutationRecord, load_record
from conformance.lab.views.content import Content
from conformance.language.corpus import Corpus, load_corpus
from conformance.names.store import uses_of
from conformance.results.recorded import load_recorded
from conformance.results.trials.recorded import RecordedTrials
from conformance.show.sentences import Sentences

_PACKAGE = Path(conformance.__file__).parent
_IMPOSTORS = "impostors"
#: What of the package makes pages: where one of these changes, the pages do.
_MAKERS = ("lab", "base", "language", "names", "inputs", "checks", "results", "run", "show", "upgrade", "__main__.py")

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class _SentenceCache:
    """What `conformance.lab.census.docstrings` writes: object → hash → sentence."""

    torch: str = ""
    cited: str = ""
    sentences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sources:
    """The files that pages are made from.

    Attributes
    ----------
    spec : tuple of Path
        Folders or files of the corpus; without any, no page is made.
    results : tuple of Path
        The folders of result files; the first has all else that is recorded.
    sentences : Path, optional
        The cache of sentences of the installed documentation.
    """

    spec: tuple[Path, ...]
    results: tuple[Path, ...]
    sentences: Optional[Path]

    def digest(self) -> str:
        """Return what changes whenever a page would; raises ResultError where a file can't be read."""
        found = hashlib.sha256()
        for path in self._files():
            content = read_bytes(path)
            found.update(f"{path.name}\0{len(content)}\0".encode())
            found.update(content)
        return found.hexdigest()

    def _files(self) -> Iterator[Path]:
        for root in self.spec:
            yield from [root] if root.is_file() else _sorted_files(root, "*.yaml")
        for folder in self.results:
            yield from _sorted_files(folder, "*.json*")
            yield from _sorted_files(folder, "*.txt")
            yield from _sorted_files(folder, "*.csv")
        if self.sentences is not None and self.sentences.is_file():
            yield self.sentences
        for name in _MAKERS:
            path = _PACKAGE / name
            yield from [path] if path.is_file() else _sorted_files(path, "*.*")


class Library:
    """The content of a site, loaded when it is first asked for, and what writes the site."""

    def __init__(self, sources: Sources, builder: Builder) -> None:
        self.sources = sources
        self.builder = builder

    @cached_property
    def digest(self) -> str:
        """What changes whenever a page would."""
        return self.sources.digest()

    @cached_property
    def corpus(self) -> Corpus:
        """The claims without a mistake; the mistakes are warnings of the build."""
        corpus, problems = load_corpus(list(self.sources.spec))
        for problem in problems:
            _logger.warning("%s", problem, type="conformance", subtype="spec")
        return corpus.without_examples()

    @cached_property
    def content(self) -> Content:
        """All that the pages are made from."""
        results, read = next(iter(self.sources.results), None), _read_sentences(self.sources.sentences)
        return Content(
            self.corpus,
            load_recorded(*self.sources.results),
            Sentences(read.torch, read.sentences),
            _mutation(results / _IMPOSTORS) if results else None,
            _census(results) if results else None,
            RecordedTrials(results / TRIALS) if results else RecordedTrials(),
            uses_of(results / NAMES) if results else {},
        )


_LIBRARIES: WeakKeyDictionary[Config, Library] = WeakKeyDictionary()


def set_library(config: Config, library: Library) -> None:
    """Remember what a build is made from."""
    _LIBRARIES[config] = library


def library_of(config: Config) -> Library:
    """Return what a build is made from."""
    return _LIBRARIES[config]


def collect_sentences(path: Path, corpus: Optional[Corpus]) -> bool:
    """Write the cache of sentences with the torch of this Python, if there is one; return whether it was written.

    A cache of the same torch is left as it is, unless the claims cite other sentences now.

    Parameters
    ----------
    corpus
        What is read; None where it is what was read for the last build.
    """
    if importlib.util.find_spec("torch") is None:
        return False
    known = _read_sentences(path)
    if known.torch == _installed_torch() and (corpus is None or known.cited == corpus.cited()):
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "conformance.lab.census.docstrings", str(path)]
    done = subprocess.run(command, check=False, env=unoptimised()).returncode == 0 and path.is_file()
    if not done:
        _logger.warning("the sentences of the installed documentation can't be read", type="conformance")
    return done


def _installed_torch() -> Optional[str]:
    try:
        return importlib.metadata.version("torch").partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return None


def _sorted_files(folder: Path, pattern: str) -> Iterable[Path]:
    return sorted(path for path in folder.rglob(pattern) if path.is_file() and path.suffix != ".pyc")


def _read_sentences(path: Optional[Path]) -> _SentenceCache:
    if path is None or not path.exists():
        return _SentenceCache()
    try:
        return read_json(path, _SentenceCache, "nox -s docs")
    except ResultError as error:
        _logger.warning("%s", error, type="conformance", subtype="sentences")
        return _SentenceCache()


def _mutation(folder: Path) -> Optional[MutationRecord]:
    """Read the record of the newest torch in a folder; one that can't be read is told and left out."""
    records: list[MutationRecord] = []
    for path in sorted(folder.glob("torch-*.json")):
        try:
            records.append(load_record(path))
        except ResultError as error:
            _logger.info("%s", error)
    return max(records, key=lambda record: as_version(record.environment.torch), default=None)


def _census(folder: Path) -> Optional[CensusRecord]:
    try:
        return newest_record(folder)
    except ResultError as error:
        _logger.info("%s", error)
        return None
