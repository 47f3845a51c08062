"""A check of what has not changed reads no claims again, and is never wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.base.cache import keep, keep_bytes, recall, recall_bytes
from conformance.language import corpus, corpus_cache
from conformance.language.corpus_cache import load_own_corpus
from conformance.tests.conftest import HEADER, claim_text

GOOD = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"
BAD = "given: {x: tensor()}\ndo: y = x.detach(\nexpect: not y.requires_grad"


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "specs" / "mine.yaml"
    file.parent.mkdir()
    file.write_text(HEADER + claim_text(GOOD, identity="good-one"), encoding="utf-8")
    return file


def check(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, bool]:
    """Return the status of the command, and whether it read claims."""
    read: list[Sequence[Path]] = []
    load = corpus.load_corpus

    def noted(paths: Sequence[Path]) -> Any:
        read.append(paths)
        return load(paths)

    with monkeypatch.context() as patched:
        patched.setattr(corpus, "load_corpus", noted)
        return main(["check", str(folder)]), bool(read)


def test_what_has_not_changed_is_not_read_again(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(spec.parent, monkeypatch) == (0, True)
    first = capsys.readouterr().out
    assert check(spec.parent, monkeypatch) == (0, False)
    assert capsys.readouterr().out == first == "1 claim, no mistakes\n"


def test_claims_and_entries_are_counted_apart(
    spec: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = claim_text("given: {x: 'tensor(state=\"leaf\")'}\ndo: y = x.$op()\nexpect: y is not None", identity="table")
    reasoned = claim_text(f"{GOOD}\nbecause: Why".replace("tensor()", "'tensor(dtype=torch.uint8)'"), identity="third")
    rows = "    each: [{id: one, op: neg}, {id: two, op: abs}]\n"
    spec.write_text(HEADER + reasoned + table.replace("id: table\n    ", "") + rows, encoding="utf-8")
    told = "3 claims in 2 entries, no mistakes; 1 entry narrows dtypes, layouts or states without `because`\n"
    for _ in range(2):
        assert check(spec.parent, monkeypatch)[0] == 0
        assert capsys.readouterr().out == told


def test_a_change_is_always_seen(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(spec.parent, monkeypatch) == (0, True)
    good = spec.read_text(encoding="utf-8")
    spec.write_text(HEADER + claim_text(BAD, identity="good-one"), encoding="utf-8")
    assert check(spec.parent, monkeypatch) == (2, True)
    assert check(spec.parent, monkeypatch) == (2, True)  # mistakes are not remembered
    spec.write_text(good, encoding="utf-8")
    assert check(spec.parent, monkeypatch) == (0, False)
    (spec.parent / "again.yaml").write_text(good, encoding="utf-8")
    assert check(spec.parent, monkeypatch) == (2, True)


@pytest.mark.parametrize("spoil", [b"", b"many", b"\xff"])
def test_a_damaged_cache_is_no_answer(
    spoil: bytes, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert check(spec.parent, monkeypatch) == (0, True)
    whole = {entry: entry.read_bytes() for entry in (tmp_path / "cache" / "torch-conformance" / "kept").iterdir()}
    for entry in whole:
        entry.write_bytes(spoil)
    assert check(spec.parent, monkeypatch) == (0, True)
    assert {entry: entry.read_bytes() for entry in whole} == whole


def test_without_a_cache_folder_it_checks_all_the_same(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert check(spec.parent, monkeypatch) == (0, True)
    assert check(spec.parent, monkeypatch) == (0, True)


def test_the_corpus_that_is_kept_is_the_one_that_is_read(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = spec.parent
    monkeypatch.setattr(corpus_cache, "default_root", lambda: root)
    (root / "sources.yaml").write_text("docs: {base: 'https://docs/{object}.html'}\n", encoding="utf-8")
    read, _ = load_own_corpus()
    assert [claim.id.rpartition("/")[2] for claim in read.claims] == ["good-one"]
    with monkeypatch.context() as patched:
        patched.setattr(corpus_cache, "load_corpus", lambda paths: pytest.fail("it was read again"))
        assert load_own_corpus() == (read, [])
    spec.write_text(HEADER + claim_text(GOOD, identity="other-one"), encoding="utf-8")
    again, _ = load_own_corpus()
    assert [claim.id.rpartition("/")[2] for claim in again.claims] == ["other-one"]
    spec.write_text(HEADER + claim_text(BAD, identity="other-one"), encoding="utf-8")
    assert load_own_corpus()[1]
    assert load_own_corpus()[1]  # mistakes are told each time


def test_what_is_kept_serves_every_folder_from_which_files_have_the_same_names(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = spec.parent
    monkeypatch.setattr(corpus_cache, "default_root", lambda: root)
    (root / "sources.yaml").write_text("docs: {base: 'https://docs/{object}.html'}\n", encoding="utf-8")
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "one")
    assert load_own_corpus()[0].claims[0].place.path == spec.as_posix()
    with monkeypatch.context() as patched:
        patched.setattr(corpus_cache, "load_corpus", lambda paths: pytest.fail("it was read again"))
        monkeypatch.chdir(tmp_path / "other")
        assert load_own_corpus()[0].claims[0].place.path == spec.as_posix()
    monkeypatch.chdir(tmp_path)
    assert load_own_corpus()[0].claims[0].place.path == "specs/mine.yaml"


def test_of_entries_that_end_alike_the_newest_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    keep("a-key", "a value")
    for number in range(4):
        keep_bytes(f"{number}.index", b"%d" % number, most=2)
    assert [recall_bytes(f"{number}.index") for number in range(4)] == [None, None, b"2", b"3"]
    assert recall("a-key") == "a value"
