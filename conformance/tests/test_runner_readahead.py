"""What a command has read, its session takes over: the same claims, in the same order."""

from __future__ import annotations

from pathlib import Path

from conformance.language.changes import change_files
from conformance.language.corpus import default_root, is_spec_file, load_corpus, load_file, spec_files
from conformance.run.readahead import ReadAhead

FILES = sorted([*spec_files(default_root()), *change_files(default_root())])
CORPUS, _ = load_corpus([default_root()])
#: Files with claims; others have an answer alone, and a session has nothing to do with them.
OF_CLAIMS = list(dict.fromkeys(Path(claim.place.path).resolve() for claim in CORPUS.claims))


def test_a_session_of_pytest_finds_the_same_files_by_their_places() -> None:
    assert [path for path in sorted(default_root().rglob("*.y*ml")) if is_spec_file(path)] == FILES


def test_a_file_has_the_claims_that_a_session_would_read() -> None:
    """Tables too, whose rows may stand in one line."""
    ahead = ReadAhead(CORPUS, whole=True)
    for path in OF_CLAIMS[::10]:
        assert ahead.claims(path) == load_file(path, CORPUS.sources, default_root())[0], path
    assert ahead.is_whole


def test_a_file_that_was_not_read_has_no_answer() -> None:
    corpus, _ = load_corpus(OF_CLAIMS[:1])
    ahead = ReadAhead(corpus, whole=False)
    assert ahead.claims(OF_CLAIMS[0])
    assert ahead.claims(OF_CLAIMS[1]) is None
    assert not ahead.is_whole
