"""What a command has read, its session takes over: the same claims, in the same order."""

from __future__ import annotations

from conformance.language.corpus import default_root, is_decision_file, load_corpus, load_file
from conformance.language.sources import FILE_NAME
from conformance.runner.readahead import ReadAhead

FILES = [
    path for path in sorted(default_root().rglob("*.yaml")) if path.name != FILE_NAME and not is_decision_file(path)
]


def test_a_file_has_the_claims_that_a_session_would_read() -> None:
    """Tables too, whose rows may stand in one line."""
    corpus, _ = load_corpus([default_root()])
    ahead = ReadAhead(corpus, whole=True)
    for path in FILES[::10]:
        assert ahead.claims(path) == load_file(path, corpus.sources, default_root())[0], path
    assert ahead.whole is corpus


def test_a_file_that_was_not_read_has_no_answer() -> None:
    corpus, _ = load_corpus(FILES[:1])
    ahead = ReadAhead(corpus, whole=False)
    assert ahead.claims(FILES[0])
    assert ahead.claims(FILES[1]) is None
    assert ahead.whole is None
