"""The words that the stubs of torch give a reader of code."""

from __future__ import annotations

from pathlib import Path

from conformance.lab.names.__main__ import main
from conformance.usage.torch_data import RESULTS


def _lists(path: Path) -> dict[str, list[str]]:
    paragraphs = path.read_text(encoding="utf-8").split("\n== ")[1:]
    return {head: text.split() for head, _, text in (paragraph.partition("\n") for paragraph in paragraphs)}


def test_words_of_the_installed_torch(tmp_path: Path) -> None:
    assert main(["results", "--into", str(tmp_path / "words.txt")]) == 0
    lists = _lists(tmp_path / "words.txt")
    assert {"add", "add_", "relu"} <= set(lists["methods: one tensor"])
    assert {"max", "median"} <= set(lists["methods: one or several tensors"])
    assert {"chunk", "topk"} <= set(lists["functions: several tensors"])
    assert {"item", "numel", "tolist"} & set(lists["methods: no tensor"]) >= {"numel", "tolist"}
    assert {"data", "grad", "T"} <= set(lists["attributes: one tensor"])
    assert "eval" in lists["torch.nn.Module: methods that return the object"]


def test_recorded_words_have_the_same_lists(tmp_path: Path) -> None:
    main(["results", "--into", str(tmp_path / "words.txt")])
    assert _lists(RESULTS).keys() == _lists(tmp_path / "words.txt").keys()
