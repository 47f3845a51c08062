"""The list of sources."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.language.corpus import default_root
from conformance.language.model import Place, Source
from conformance.language.problems import Problem, Problems
from conformance.language.sources import FILE_NAME, SourceList, read_sources

PLACE = Place("spec.yaml", 1, 1)


def sources_of(path: Path) -> tuple[SourceList, list[Problem]]:
    problems = Problems()
    return read_sources(path, problems), problems.sorted()


def test_the_projects_own_list_has_the_four_articles_and_all_their_rows() -> None:
    sources, problems = sources_of(default_root() / FILE_NAME)
    assert problems == []
    assert {letter: len(article.rows) for letter, article in sources.articles.items()} == {
        "A": 15,
        "B": 29,
        "C": 11,
        "D": 11,
    }
    loose = {row.id for article in sources.articles.values() for row in article.rows.values() if row.loose}
    assert loose == {"A13", "B6", "B8", "B15", "B24", "B26", "B29", "C1", "C5", "C6", "D10"}
    for article in sources.articles.values():
        assert list(article.rows) == [f"{article.letter}{number}" for number in range(1, len(article.rows) + 1)]


@pytest.mark.parametrize(
    ("source", "url"),
    [
        (Source("docs", "torch.Tensor.detach", "k", None, PLACE), "generated/torch.Tensor.detach.html"),
        (Source("docs", "torch.nn.Parameter", "k", None, PLACE), "generated/torch.nn.parameter.Parameter.html"),
        (Source("docs", "torch.Tensor", "k", None, PLACE), "tensors.html#torch.Tensor"),
        (Source("note", "autograd-mechanics", "k", None, PLACE), "notes/autograd.html"),
        (Source("release", "0.4.0", "k", None, PLACE), "releases/tag/v0.4.0"),
    ],
)
def test_a_source_has_an_address(source: Source, url: str) -> None:
    sources, _ = sources_of(default_root() / FILE_NAME)
    found = sources.url(source)
    assert found is not None
    assert found.endswith(url)
    assert found.startswith("https://")


def test_what_is_not_known_is_none() -> None:
    sources, _ = sources_of(default_root() / FILE_NAME)
    article = Source("article", "D", None, "D1", PLACE)
    assert sources.url(article) is None
    assert sources.articles["D"].date is None
    assert sources.title(article) == sources.articles["D"].title
    assert sources.title(Source("docs", "torch.clone", "k", None, PLACE)) == "torch.clone"


def test_mistakes_in_the_list_are_problems(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text(
        "docs: {base: https://a.b/{object}}\n"
        "notes:\n"
        "  one: {title: One, url: somewhere}\n"
        "  two: {titel: Two, url: https://a.b}\n"
        "articles:\n"
        "  A: {title: T, rows: {A1: text, B1: text, A2: {text: more, loose: yes}}}\n"
        "release: {}\n"
    )
    sources, problems = sources_of(path)
    found = [re.sub(r"^.*?:(\d+):\d+ (E\d+).*", r"\1 \2", str(problem)) for problem in problems]
    assert found == ["1 E005"] or found == ["3 E703", "4 E102", "4 E101", "6 E102", "6 E301", "6 E008", "7 E101"]
    assert sources.articles == {}
