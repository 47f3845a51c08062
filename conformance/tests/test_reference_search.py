"""The search of the pages in a real browser: questions of public threads, names, messages, and how much it loads."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")

from conformance.base.recorded_folder import NAMES, TRIALS, recorded_folder
from conformance.lab import reference
from conformance.lab.reference.companion_files import write_file
from conformance.lab.reference.loaded import data_file, loaded_path
from conformance.lab.reference.pages import places_of
from conformance.lab.reference.search_index import FIRST, PAGES, search_files
from conformance.lab.views.content import Content
from conformance.language.corpus_cache import load_own_corpus
from conformance.names.store import uses_of
from conformance.results.recorded import load_recorded
from conformance.results.trials.recorded import RecordedTrials
from conformance.results.wording import is_like
from conformance.show.matching import words_of
from conformance.show.spelling import FUNCTIONS
from conformance.tests.browser import needs_browser, value_of

pytestmark = needs_browser

QUESTIONS = yaml.safe_load((Path(__file__).parent / "data" / "questions-site.yaml").read_text(encoding="utf-8"))
#: What is looked up beside the questions.
NAMES_ASKED = (
    "reshape",
    "torch.Tensor.reshape",
    "x.reshape(-1)",
    "F.relu",
    "nn.Linear",
    "detach()",
    "resahpe",
    "Torch.Cat",
)
WORDS_ASKED = ("weights_only torch.load default", "view dtype detaches")


@dataclass(frozen=True)
class Searched:
    """What the search found for each text: groups of rows with their heading; and the files that it loads."""

    found: dict[str, list[tuple[str, list[dict[str, Any]]]]]
    words: dict[str, list[str]]
    first: str
    messages: dict[str, tuple[list[str], list[str]]]

    def names(self, text: str) -> list[str]:
        """Return the names of the rows that stand first."""
        heading, rows = self.found[text][0]
        assert heading == ""
        return [row["name"] for row in rows]


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Searched:
    folder, results = tmp_path_factory.mktemp("search"), recorded_folder()
    corpus = load_own_corpus()[0].without_examples()
    trials = RecordedTrials(results / TRIALS)
    content = Content(corpus, load_recorded(results), trials=trials, uses=uses_of(results / NAMES))
    files = search_files(content, places_of(content, "reference"), lambda document: f"{document}.html")
    for name, text in {**files, PAGES: data_file({"pages": [{"pages": []}]}, {})}.items():
        write_file(folder / loaded_path(name), text)
    shutil.copytree(Path(reference.__file__).parent / "static", folder / "_static")
    page = folder / "asked.html"
    scripts = "".join(f'<script src="_static/{name}.js"></script>' for name in ("loaded", "search"))
    page.write_text(f'<!doctype html><html data-content_root="./"><body>{scripts}</body></html>', encoding="utf-8")
    texts = [*(question["question"] for question in QUESTIONS), *NAMES_ASKED, *WORDS_ASKED]
    given = json.dumps(texts).replace("<", "\\u003c")
    one = "[await conformance.search(text), conformance.wordsOf(text)]"
    ask = f"(async () => {{ const all = []; for (const text of {given}) all.push({one}); return all; }})()"
    told = value_of(ask, page)
    return Searched(
        dict(zip(texts, (found for found, _ in told))),
        dict(zip(texts, (words for _, words in told))),
        files[FIRST],
        {f"{one.type}: {one.texts[0]}": ([*one.texts], [*one.names]) for one in corpus.messages},
    )


def pages_about(question: dict[str, Any]) -> set[str]:
    """Return the names whose pages answer a question: a method stands for the function, and so the other way round."""
    names = {f"torch.Tensor.{FUNCTIONS[name]}" if name in FUNCTIONS else name for name in question["about"]}
    methods = {name.replace("torch.", "torch.Tensor.") for name in names}
    return names | methods | {name.replace("torch.Tensor.", "torch.") for name in names}


def test_questions_of_public_threads_have_the_right_page_among_the_first_three(searched: Searched) -> None:
    missed = {}
    for question in QUESTIONS:
        text, about = question["question"], pages_about(question)
        first = searched.names(text)[:3]
        right = [
            # The message that the question quotes, or one that names what answers it.
            any(is_like(one, text) for one in searched.messages[name][0])
            or not about.isdisjoint(searched.messages[name][1])
            if name in searched.messages
            else name in about
            for name in first
        ]
        if not any(right):
            missed[question["id"]] = first
    assert len(QUESTIONS) == 60
    assert all(question["source"]["url"].startswith("https://") for question in QUESTIONS)
    assert len(missed) <= 6, missed


def test_words_are_those_of_show(searched: Searched) -> None:
    assert searched.words == {text: words_of(text) for text in searched.words}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("reshape", "torch.Tensor.reshape"),
        ("torch.Tensor.reshape", "torch.Tensor.reshape"),
        ("x.reshape(-1)", "torch.Tensor.reshape"),
        ("F.relu", "torch.nn.functional.relu"),
        ("nn.Linear", "torch.nn.Linear"),
        ("detach()", "torch.Tensor.detach"),
        ("resahpe", "torch.Tensor.reshape"),
        ("Torch.Cat", "torch.cat"),
    ],
)
def test_a_name_in_any_spelling_stands_first(searched: Searched, text: str, name: str) -> None:
    assert searched.names(text)[0] == name


def test_a_result_shows_the_first_line_of_the_answer_and_its_verdict(searched: Searched) -> None:
    [row, *_] = searched.found["reshape"][0][1]
    assert row["href"] == "reference/torch.Tensor.reshape.html"
    assert row["says"].startswith("A view")
    assert row["mark"].startswith("good|✓ all ")


def test_what_changed_and_what_is_false_are_groups_below(searched: Searched) -> None:
    groups = dict(searched.found["weights_only torch.load default"])
    assert any("2.6" in row["mark"] and "breaks" in row["mark"] for row in groups["Changed"])
    groups = dict(searched.found["view dtype detaches"])
    assert any("view(dtype)" in row["name"] for row in groups["False, though documented"])
    assert searched.found["view dtype detaches"][0][0] == ""


def test_little_is_loaded_before_the_first_result(searched: Searched) -> None:
    script = Path(reference.__file__).parent / "static" / "search.js"
    assert len(searched.first) < 150_000
    assert script.stat().st_size < 25_000
