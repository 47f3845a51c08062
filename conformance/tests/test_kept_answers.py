"""Answers that outlive a process, and a project that was read before."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import cache
from conformance.cache import Kept, content_key
from conformance.usage import FileUses, project, read_project


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_an_answer_is_computed_once(tmp_path: Path) -> None:
    key = content_key([tmp_path / "nothing"], "test")
    first = Kept(key)
    assert first.of("a", lambda: 1) == 1
    assert first.of("a", lambda: 2) == 1
    assert Kept(key).of("a", lambda: 3) == 3
    first.save()
    assert Kept(key).of("a", lambda: 4) == 1
    assert Kept().of("a", lambda: 5) == 5


def test_a_key_is_of_the_content_of_files_and_of_where_they_are(tmp_path: Path) -> None:
    one, two, link = tmp_path / "one", tmp_path / "two", tmp_path / "link"
    for file in (one, two):
        file.write_text("same")
    link.symlink_to(one)
    keys = {content_key([file], "test") for file in (one, two, link, tmp_path, tmp_path / "none")}
    assert len(keys) == 5
    one.write_text("other")
    assert content_key([one], "test") not in keys
    assert content_key([link], "test") not in keys


def test_a_project_that_did_not_change_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project, "_WORTH_KEEPING", 0)
    file = tmp_path / "code" / "code.py"
    file.parent.mkdir()
    file.write_text("import torch\ntorch.ones(1)\n")
    first = read_project([file.parent])
    read: list[str] = []

    def note(files: list[str], *_: object) -> list[FileUses]:
        read.extend(files)
        return []

    monkeypatch.setattr(project, "read_files", note)
    assert read_project([file.parent]) == first
    assert read == []
    file.write_text("import torch\ntorch.zeros(1)\n")
    assert read_project([file.parent]) != first
    assert read == [str(file)]
    assert cache.recall(None) is None
