"""Result files: what is written can be read, and what is not ours is refused with a message."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, Callable

import pytest

from conformance.results.store import ResultError, Results, load_folder, load_results, replace_file, save_results
from conformance.results.unfinished import read_unfinished

ENVIRONMENT = {
    "torch": "2.13.0",
    "build": "cpu",
    "python": "3.11",
    "numpy": "2.0.0",
    "hypothesis": "6.1",
    "device": "cpu",
    "system": "linux",
    "machine": "x86_64",
}
HOLDS = {"claim": "0123abcd", "verdict": "holds", "examples": 3, "example": {"x": "torch.tensor([1.])"}}


def results(**changes: Any) -> Results:
    return Results(
        {**ENVIRONMENT, **changes}, "0123456789ab", 20, 0, {"torch.Tensor.b/two": HOLDS, "torch.Tensor.a/one": HOLDS}
    )


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    save_results(results(), path)
    assert load_results(path) == results()


def test_each_claim_is_one_line_in_order(tmp_path: Path) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    save_results(results(), path)
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith('"torch.Tensor')]
    assert [line.split('"')[1] for line in lines] == ["torch.Tensor.a/one", "torch.Tensor.b/two"]


def test_what_a_crash_printed_is_not_stored(tmp_path: Path) -> None:
    crashed = results()
    crashed.claims = {
        "torch.Tensor.a/one": {"claim": "0123abcd", "verdict": "crashed", "detail": "d", "printed": "0x7f12"}
    }
    path = tmp_path / "torch-2.13.0-cpu.json"
    save_results(crashed, path)
    assert "0x7f12" not in path.read_text(encoding="utf-8")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    replace_file(path, "old")
    with pytest.raises(UnicodeEncodeError):
        replace_file(path, "new \ud800")
    assert path.read_text(encoding="utf-8") == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.json"]


def test_a_folder_is_ordered_by_release_and_device(tmp_path: Path) -> None:
    for torch, device in (("2.13.0", "cuda"), ("2.13.0", "cpu"), ("1.9.0", "cpu")):
        one = results(torch=torch, device=device)
        save_results(one, tmp_path / f"{one.name}.json")
    assert [item.name for item in load_folder(tmp_path)] == ["torch-1.9.0-cpu", "torch-2.13.0-cpu", "torch-2.13.0-cuda"]


def _without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda document: document.pop(name)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda document: document.update(schema=2), "format 2"),
        (_without("schema"), "format None"),
        (_without("environment"), "environment"),
        (lambda document: document["claims"]["torch.Tensor.a/one"].update(verdict="fine"), "verdict"),
        (lambda document: document["claims"]["torch.Tensor.a/one"].update(extra=1), "must not contain"),
        (lambda document: document.update(claims=[]), "claims"),
    ],
)
def test_a_document_that_breaks_the_schema_is_refused(
    tmp_path: Path, spoil: Callable[[dict[str, Any]], Any], message: str
) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    save_results(results(), path)
    document = json.loads(path.read_text(encoding="utf-8"))
    spoil(document)
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ResultError, match=message) as refused:
        load_results(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\x00", "null", "[]", '{"schema": 1}'])
def test_what_is_no_result_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13\.0-cpu\.json"):
        load_results(path)


def test_what_another_run_removes_meanwhile_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "unfinished"
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            folder.mkdir(exist_ok=True)
            path = folder / "torch-1.8.1-cpu.json"
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
