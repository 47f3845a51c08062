"""Result files: what is written can be read, and what is not ours is refused with a message."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest

from conformance.base.json_files import ResultError, replace_file
from conformance.results.model import Entry, Environment
from conformance.results.store import Results, load_results, result_files, save_results
from conformance.results.unfinished import read_unfinished

ENVIRONMENT = Environment("2.13.0", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64", "6.1")
HOLDS = Entry("0123abcd", "holds", 3, example={"x": "torch.tensor([1.])"})
NAME = "torch-2.13.0-cpu.jsonl"


def results(**changes: Any) -> Results:
    claims = {"torch.Tensor.b/two": HOLDS, "torch.Tensor.a/one": HOLDS}
    return Results(replace(ENVIRONMENT, **changes), "0123456789ab", 20, 0, claims)


def saved(folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    """Save a file, and return it with what is on its lines."""
    save_results(results(), folder / NAME)
    return folder / NAME, [json.loads(line) for line in (folder / NAME).read_text(encoding="utf-8").splitlines()]


def write(path: Path, documents: list[Any]) -> None:
    path.write_text("".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in documents), encoding="utf-8")


def read_all(path: Path) -> dict[str, Entry]:
    return dict(load_results(path).claims)


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    loaded = load_results(path)
    assert replace(loaded, claims=dict(loaded.claims)) == results()


def test_each_claim_is_one_line_in_order(tmp_path: Path) -> None:
    _, lines = saved(tmp_path)
    assert [line.get("id") for line in lines] == [None, "torch.Tensor.a/one", "torch.Tensor.b/two"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "new \ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.json"]


def test_files_that_share_what_is_decoded_give_the_same_entry(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    decoded: dict[bytes, Entry] = {}
    one, other = load_results(path, decoded), load_results(path, decoded)
    assert one.claims["torch.Tensor.a/one"] is other.claims["torch.Tensor.b/two"]


def test_a_last_line_without_its_end_is_read(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert read_all(path) == results().claims


def _without(name: str) -> Callable[[list[dict[str, Any]]], Any]:
    return lambda lines: lines[0].pop(name)


@pytest.mark.parametrize(
    ("spoil", "line", "message"),
    [
        (lambda lines: lines[0].update(schema=1), "", "format 1; this conformance reads format 2"),
        (_without("schema"), "", "no result file of a known format"),
        (_without("environment"), ":1", "field 'environment' is missing"),
        (lambda lines: lines[1].update(verdict="fine"), ":2", "verdict: 'fine' where one of"),
        (lambda lines: lines[2].update(extra=1), ":3", "unknown field 'extra'"),
        (lambda lines: lines.insert(1, {"claim": "0123abcd"}), ":2", "no entry of a claim"),
        (lambda lines: lines.append(lines[1]), ":4", "a second entry of torch.Tensor.a/one"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_line(
    tmp_path: Path, spoil: Callable[[list[dict[str, Any]]], Any], line: str, message: str
) -> None:
    path, lines = saved(tmp_path)
    spoil(lines)
    write(path, lines)
    with pytest.raises(ResultError) as refused:
        read_all(path)
    assert str(refused.value).startswith(f"{path}{line}: {message}")
    assert "conformance run" in str(refused.value)


def test_an_entry_that_does_not_fit_is_refused_only_when_it_is_asked_for(tmp_path: Path) -> None:
    path, lines = saved(tmp_path)
    lines[1]["verdict"] = "fine"
    write(path, lines)
    claims = load_results(path).claims
    assert claims["torch.Tensor.b/two"] == HOLDS
    with pytest.raises(ResultError, match="verdict"):
        claims["torch.Tensor.a/one"]


def test_bytes_that_are_no_text_are_refused_by_their_line(tmp_path: Path) -> None:
    path, _ = saved(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"torch.tensor([1.])", b"\xff\xfe", 1))
    with pytest.raises(ResultError, match=r"jsonl:2: not UTF-8"):
        read_all(path)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00", "null", "[]", '{"schema": 2}'])
def test_what_is_no_result_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / NAME
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13\.0-cpu\.jsonl"):
        load_results(path)


def test_files_of_the_old_format_alone_are_no_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "torch-2.13.0-cpu.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13\.0-cpu\.json: format 1"):
        result_files(tmp_path)
    path, _ = saved(tmp_path)
    assert result_files(tmp_path) == [path]


def test_what_another_run_removes_meanwhile_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "unfinished"
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            folder.mkdir(exist_ok=True)
            path = folder / "torch-1.8.1-cpu.jsonl"
            path.write_text("{\n}\n")
            path.unlink()
            folder.rmdir()

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for _ in range(3000):
            assert list(read_unfinished(tmp_path)) == []
    finally:
        stop.set()
        other.join()
