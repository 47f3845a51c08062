"""The census on its page: the recorded numbers as tables; a record that is missing breaks nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")

from conformance.base.json_files import ResultError
from conformance.lab.census.record import CensusRecord, Score, newest_record, save_record
from conformance.tests import reference_site as sites

STATES = {"encoded": 3, "no-claim": 1, "untestable": 0, "todo": 4}
RECORD = CensusRecord(
    torch="2.13.0",
    corpus="0123456789ab",
    objects=2132,
    sentences=18886,
    stating=2,
    claims=8,
    beyond=1,
    states=STATES,
    modules={"torch.frob": {"sharing": STATES}, "notes/frobs": {"all": {**STATES, "todo": 0}}},
    judged=300,
    rules={"sharing": Score(0.875, 0.9)},
    labelled={"sharing": Score(0.925, 0.97)},
)


INDEX = "Site\n====\n\n.. claim:census::\n\n" + sites.INDEX.split("====\n", 1)[1]


def shown(folder: Path, text: Optional[str] = None) -> str:
    source = sites.write_source(folder, index=INDEX)
    if text is None:
        save_record(RECORD, source / "results")
    elif text:
        (source / "results" / "census").mkdir()
        (source / "results" / "census" / "torch-2.13.0.json").write_text(text)
    built = sites.build(source)
    return sites.text_of(built.page("index"))


def test_the_page_shows_the_recorded_numbers(tmp_path: Path) -> None:
    text = shown(tmp_path)
    for part in ("2,132", "Read from the docstrings of torch 2.13.0", "4 of 8", "torch.frob", "4/8", "50.0%"):
        assert part in text
    assert "92.5% 97.0% 87.5% 90.0%" in " ".join(text.split())
    assert "notes/frobs" in text
    assert "100.0%" in text


@pytest.mark.parametrize("text", ["", "{}"])
def test_without_a_record_the_page_says_so(tmp_path: Path, text: str) -> None:
    assert "No census is recorded yet." in shown(tmp_path, text)


@pytest.mark.parametrize("states", [{}, {**STATES, "todo": -1}, {**STATES, "other": 1}])
def test_record_with_other_states_is_refused(tmp_path: Path, states: dict[str, int]) -> None:
    save_record(replace(RECORD, states=states), tmp_path)
    with pytest.raises(ResultError, match="census"):
        newest_record(tmp_path)
