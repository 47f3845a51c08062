"""The plot of how the cost of a run grows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.language.corpus import Corpus
from conformance.language.sources import SourceList
from conformance.reference.content import Reference
from conformance.reference.scaling import load_scaling, scaling_plot

MEASURED = {
    "times": [1, 2, 10],
    "seconds": [2, 4, 30],
    "examples": [100, 200, 1000],
    "seconds of those": [1, 2, 10],
}


def page(folder: Path, text: str) -> str:
    (folder / "benchmarks.json").write_text(text, encoding="utf-8")
    reference = Reference(Corpus((), SourceList(), folder), scaling=load_scaling(folder))
    return "\n".join(node.astext() for node in scaling_plot(reference, "benchmarks"))


def test_the_table_shows_cost_relative_to_few(tmp_path: Path) -> None:
    shown = page(tmp_path, json.dumps({"measured": {"linearity": MEASURED}}))
    assert "1.50×" in shown  # ten times the claims took fifteen times as long
    assert "an example" in shown


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"measured": {"linearity": {"times": "<b>"}}}', "[" * 100_000])
def test_a_file_without_figures_gives_no_plot(tmp_path: Path, text: str) -> None:
    assert "not measured" in page(tmp_path, text)
