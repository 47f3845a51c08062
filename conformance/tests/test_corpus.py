"""The corpus itself and what is recorded of it: complete, current, and found in its sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from conformance.census.docstrings import docstring
from conformance.census.sentences import find_sentences
from conformance.language.corpus import default_root, load_corpus
from conformance.results.schema import result_schema
from conformance.results.staleness import against_corpus, holes
from conformance.results.store import load_folder, load_results

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "docs" / "results"
CORPUS, PROBLEMS = load_corpus([default_root()])
WRITTEN_FROM = "2.13"


def test_the_corpus_has_no_mistakes() -> None:
    assert [str(problem) for problem in PROBLEMS] == []


def test_every_row_of_every_article_is_encoded() -> None:
    rows = {(letter, row) for letter, article in CORPUS.sources.articles.items() for row in article.rows}
    encoded = {
        (source.name, source.row) for claim in CORPUS.claims for source in claim.sources if source.kind == "article"
    }
    assert len(rows) == 66
    assert rows - encoded == set()


@pytest.mark.skipif(not torch.__version__.startswith(WRITTEN_FROM), reason="keys are written from one release")
def test_every_key_finds_one_sentence_of_the_documentation() -> None:
    wrong = []
    for claim in CORPUS.claims:
        for source in claim.sources:
            if source.kind == "docs":
                found = set(find_sentences(docstring(source.name), source.key or ""))
                if len(found) != 1:
                    wrong.append(f"{source.place}: '{source.key}' is in {len(found)} sentences of {source.name}")
    assert wrong == []


@pytest.mark.parametrize("name", ["torch-2.13.0-cpu", "torch-1.9.0-cpu"])
def test_the_two_worlds_are_recorded(name: str) -> None:
    assert load_results(RECORDED / f"{name}.json").void is None


@pytest.mark.parametrize("results", load_folder(RECORDED), ids=lambda results: results.name)
def test_what_is_recorded_is_current_and_as_expected(results: object) -> None:
    assert list(against_corpus(results, CORPUS)) == []  # type: ignore[arg-type]


def test_no_claim_lacks_its_input_on_the_release_it_was_written_from() -> None:
    results = load_results(RECORDED / "torch-2.13.0-cpu.json")
    lacking = [
        name for name, entry in results.claims.items() if entry["verdict"] == "inapplicable" and "detail" in entry
    ]
    assert lacking == []


def test_the_default_release_has_no_holes() -> None:
    assert holes(load_results(RECORDED / "torch-2.13.0-cpu.json"), CORPUS) == []


def test_an_ordinary_entry_is_small() -> None:
    path = RECORDED / "torch-2.13.0-cpu.json"
    sizes = sorted(len(line) for line in path.read_text(encoding="utf-8").splitlines() if '"verdict":"holds"' in line)
    assert sizes[len(sizes) // 2] < 400


def test_the_published_schema_is_current() -> None:
    import json

    assert json.loads((RECORDED / "schema.json").read_text(encoding="utf-8")) == result_schema()


def test_the_readme_shows_the_recorded_run() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    results = load_results(RECORDED / "torch-2.13.0-cpu.json")
    examples = sum(entry.get("examples", 0) for entry in results.claims.values())
    shown = re.search(r"torch 2\.13\.0 .*: (\d+) claims, ([\d,]+) examples", readme)
    assert shown is not None
    assert (int(shown[1]), int(shown[2].replace(",", ""))) == (len(results.claims), examples)
