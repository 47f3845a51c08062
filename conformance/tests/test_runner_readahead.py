"""What a command has read, its session takes over: the same claims, in the same order."""

from __future__ import annotations

from conformance.language.corpus import default_root, is_spec_file, load_corpus, load_file, spec_files
from conformance.runner.readahead import ReadAhead

FILES = spec_files(default_root())


def test_a_session_of_pytest_finds_the_same_files_by_their_places() -> None:
    assert [path for path in sorted(default_root().rglob("*.y*ml")) if is_spec_file(path)] == FILES


def test_a_file_has_the_claims_that_a_session_would_read() -> None:
    """Tables too, whose rows may stand in one line."""
    corpus, _ = load_corpus([default_root()])
    ahead = ReadAhead(corpus, whole=True)
    for path in FILES[::10]:
        assert ahead.claims(path) == load_file(path, corpus.sources, default_root())[0], path
    assert ahead.is_whole


def test_a_file_that_was_not_read_has_no_answer() -> None:
    corpus, _ = load_corpus(FILES[:1])
    ahead = ReadAhead(corpus, whole=False)
    assert ahead.claims(FILES[0])
    assert ahead.claims(FILES[1]) is None
    assert not ahead.is_whole
