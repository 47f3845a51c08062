"""The table of how the cost of a run grows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.views.growth import growth_table, load_growth
from conformance.views.pieces import plain

MEASURED = {
    "times": [1, 2, 10],
    "seconds": [2, 4, 30],
    "examples": [100, 200, 1000],
    "seconds of those": [1, 2, 10],
}


def cells(folder: Path, text: str) -> list[str]:
    (folder / "benchmarks.json").write_text(text, encoding="utf-8")
    table = growth_table(load_growth(folder))
    return [] if table is None else [plain(cell) for row in (table.head, *table.rows) for cell in row]


def test_the_table_shows_cost_relative_to_few(tmp_path: Path) -> None:
    shown = cells(tmp_path, json.dumps({"measured": {"linearity": MEASURED}}))
    assert "1.50×" in shown  # ten times the claims took fifteen times as long
    assert "an example" in shown


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"measured": {"linearity": {"times": "<b>"}}}', "[" * 100_000])
def test_a_file_without_figures_gives_no_table(tmp_path: Path, text: str) -> None:
    assert cells(tmp_path, text) == []
