"""Answers that outlive a process, and a project that was read before."""

from __future__ import annotations

import os
import pickle
import stat
from pathlib import Path

import pytest

from conformance.base import cache
from conformance.base.cache import content_key
from conformance.usage import FileUses, project, read_project


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


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


class Planted:
    """An entry that leaves a mark where it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[Path]]:
        return Path.touch, (self.mark,)


def folder_of_entries(tmp_path: Path) -> Path:
    cache.keep("0" * 64, "good")
    return tmp_path / "cache" / "torch-conformance" / "kept"


def test_nobody_else_may_read_or_write_the_folder(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        folder = folder_of_entries(tmp_path)
    finally:
        os.umask(before)
    made = (tmp_path / "cache", folder.parent, folder)
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700] * 3
    assert stat.S_IMODE((folder / ("0" * 64)).stat().st_mode) == 0o600
    assert cache.recall("0" * 64) == "good"


@pytest.mark.parametrize("place", ["torch-conformance", "torch-conformance/kept", "torch-conformance/kept/planted"])
@pytest.mark.parametrize("spoil", ["group", "others", "owner", "link"])
def test_an_entry_that_another_user_can_plant_does_not_run(tmp_path: Path, place: str, spoil: str) -> None:
    entry = folder_of_entries(tmp_path) / "planted"
    mark = tmp_path / "it ran"
    entry.write_bytes(pickle.dumps(Planted(mark)))
    entry.chmod(0o600)
    spoilt = tmp_path / "cache" / place
    if spoil == "link":
        moved = spoilt.rename(tmp_path / "elsewhere")
        spoilt.symlink_to(moved)
    elif spoil == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(spoilt, 12345, -1)
    else:
        spoilt.chmod(spoilt.stat().st_mode | (0o020 if spoil == "group" else 0o002))
    assert cache.recall("planted") is None
    assert not mark.exists()
    if spoilt != entry:  # nothing is written there either
        cache.keep("1" * 64, "more")
        assert not (entry.parent / ("1" * 64)).exists()


def test_a_planted_entry_would_run(tmp_path: Path) -> None:
    """Otherwise the test above shows nothing."""
    entry = folder_of_entries(tmp_path) / "planted"
    entry.write_bytes(pickle.dumps(Planted(tmp_path / "it ran")))
    entry.chmod(0o600)
    cache.recall("planted")
    assert (tmp_path / "it ran").exists()


def test_what_is_no_file_is_passed_over(tmp_path: Path) -> None:
    folder = folder_of_entries(tmp_path)
    os.mkfifo(folder / "pipe", 0o600)
    (folder / "device").symlink_to("/dev/zero")
    (folder / "folder").mkdir()
    for name in ("pipe", "device", "folder"):
        assert cache.recall(name) is None
    for number in range(60):
        cache.keep(f"{number:064}", number)
    assert len(list(folder.iterdir())) <= 51  # the folder among them
    cache.keep("pipe", "replaced")
    assert cache.recall("pipe") == "replaced"
