"""The census on its page: the recorded numbers as tables; a record that is missing breaks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")

from conformance.census.record import Record, save_record
from conformance.language.corpus import Corpus
from conformance.language.sources import SourceList
from conformance.reference.census_page import census_page, load_census
from conformance.reference.content import Reference

STATES = {"encoded": 3, "no-claim": 1, "untestable": 0, "todo": 4}
RECORD = Record(
    torch="2.13.0",
    corpus="0123456789ab",
    objects=2132,
    sentences=18886,
    stating=2,
    claims=8,
    beyond=1,
    wanted=STATES,
    modules={"torch.frob": {"sharing": STATES}, "notes/frobs": {"all": {**STATES, "todo": 0}}},
    judged=300,
    rules={"sharing": {"precision": 0.875, "recall": 0.9}},
)


def shown(folder: Path) -> str:
    reference = Reference(Corpus((), SourceList(), folder), census=load_census(folder))
    return "\n".join(block.astext() for block in census_page(reference, "census"))


def test_the_page_shows_the_recorded_numbers(tmp_path: Path) -> None:
    save_record(RECORD, tmp_path)
    text = shown(tmp_path)
    for part in ("2,132", "Read from the docstrings of torch 2.13.0", "4 of 8", "torch.frob", "4/8", "50.0%", "87.5%"):
        assert part in text
    assert "notes/frobs" in text
    assert "100.0%" in text


def test_without_a_record_the_page_says_so(tmp_path: Path) -> None:
    assert shown(tmp_path) == "No census is recorded yet."
    (tmp_path / "census").mkdir()
    (tmp_path / "census" / "torch-2.13.0.json").write_text("{}")
    assert shown(tmp_path) == "No census is recorded yet."
