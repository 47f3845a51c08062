"""``conformance report-docs``: issue texts from the corpus and recorded results, without running anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

from conformance.__main__ import main
from conformance.lab.reporting.issue import issue_text, issue_title, unfiled
from conformance.lab.views.causes import CauseView, ranked_causes
from conformance.language.corpus import Corpus
from conformance.language.model import Source
from conformance.results.model import Verdict
from conformance.results.recorded import Measured, Recorded, in_order
from conformance.tests.result_files import entry, release, save
from conformance.tests.small_corpora import small_corpus

SENTENCE = "The frobbed tensor is a view."
SPEC = """\
subject: torch.frob
claims:
  - id: is-a-view-$op
    title: The result of $op is a view
    family: sharing
    sources: [{docs: torch.frob, key: is a view, says: states}]
    each: [{id: is-a-view-of-detach, op: detach}, {id: is-a-view-of-clone, op: clone}]
    given: {x: tensor()}
    do: y = x.$op()
    expect: is_view_of(y, x)
    diverges:
      - kind: docs-wrong
        when: {torch: ">=2"}
        instead: {expect: "not is_view_of(y, x)"}
        example: {x: "torch.zeros(2)"}
        note: It is a copy.
        link: none-filed
        wording: The frobbed tensor is a copy.
  - id: article-is-wrong
    title: The result is a leaf
    family: leaf
    sources: [{article: A, row: A1, says: states}]
    given: {x: tensor()}
    do: y = x.detach()
    expect: y.is_leaf
    diverges:
      - kind: docs-wrong
        instead: {expect: not y.is_leaf}
        example: {x: "torch.zeros(2)"}
        note: It is none.
        link: none-filed
  - id: reported
    title: The result shares storage
    family: sharing
    sources: [{docs: torch.frob, key: is a view, says: states}]
    given: {x: tensor()}
    do: y = x.detach()
    expect: shares_storage(y, x)
    diverges:
      - kind: torch-bug
        instead: {expect: "not shares_storage(y, x)"}
        example: {x: "torch.zeros(2)"}
        note: It does not.
        link: https://github.com/x/y/issues/1
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    sources = (
        "docs: {base: 'https://x.org/{object}.html'}\n"
        "articles: {A: {title: On frobs, language: en, rows: {A1: The result is a leaf}}}\n"
    )
    return small_corpus(tmp_path, sources, {"torch/frob.yaml": SPEC})


def measured(corpus: Corpus, torch: str, verdict: Verdict) -> Measured:
    fields: dict[str, Any] = {}
    if verdict == "diverges":
        fields = {"divergence": (0,), "counterexample": "import torch\n# measured\n", "detail": "y = a copy"}
    return release(torch, {claim.id: entry(claim, verdict, **fields) for claim in corpus.claims})


def quote(source: Source) -> Optional[str]:
    return SENTENCE


@pytest.fixture
def recorded(corpus: Corpus) -> Recorded:
    releases: tuple[tuple[str, Verdict], ...] = (("1.13.1", "holds"), ("2.1.2", "diverges"), ("2.13.0", "diverges"))
    return in_order([measured(corpus, torch, verdict) for torch, verdict in releases])


def test_a_table_makes_one_issue_and_what_is_reported_or_not_official_none(corpus: Corpus, recorded: Recorded) -> None:
    (report,) = unfiled(corpus, recorded)
    assert [claim.slug for claim in report.claims] == ["is-a-view-of-clone", "is-a-view-of-detach"]
    assert issue_title(report).startswith("[docs] torch.frob and 1 more: the documentation is wrong: ")


def test_what_the_newest_release_mended_is_not_reported(corpus: Corpus) -> None:
    releases: tuple[tuple[str, Verdict], ...] = (("2.1.2", "diverges"), ("2.13.0", "holds"))
    assert unfiled(corpus, in_order([measured(corpus, torch, verdict) for torch, verdict in releases])) == []
    assert unfiled(corpus, Recorded()) == []


def test_an_issue_has_the_sentence_the_script_the_releases_and_the_wording(corpus: Corpus, recorded: Recorded) -> None:
    text = issue_text(unfiled(corpus, recorded)[0], corpus, recorded, quote)
    assert text.count(f"- [`torch.frob`](https://x.org/torch.frob.html):\n  > {SENTENCE}") == 1
    assert "## What happens instead\n\nIt is a copy." in text
    assert "```python\nimport torch\n# measured\n```\n\nOn torch 2.13.0, cpu:\n\n```\ny = a copy\n```" in text
    assert "- as documented: torch 1.13.1, cpu\n- not as documented: torch 2.1.2 to 2.13.0, cpu" in text
    assert "> The frobbed tensor is a copy." in text
    assert "  > … is a view …" in issue_text(unfiled(corpus, recorded)[0], corpus, recorded, lambda source: None)
    assert str(corpus.root) not in text
    assert "frob.yaml" not in text


def test_a_sentence_is_quoted_without_the_marks_of_its_docstring(corpus: Corpus, recorded: Recorded) -> None:
    (view,) = unfiled(corpus, recorded)
    marked = "- See :func:`~torch.frob`, ``x``, :ref:`sparse <sparse-docs>` and the :attr:`i`\\th `y`."
    text = issue_text(view, corpus, recorded, lambda source: marked)
    assert "  > See `torch.frob`, `x`, `sparse` and the `i`th `y`." in text


def test_the_script_of_a_cause_stands_before_what_was_recorded(corpus: Corpus, recorded: Recorded) -> None:
    (view,) = unfiled(corpus, recorded)
    cause = replace(view.cause, script="import torch\nprint(1)\n")
    text = issue_text(replace(view, cause=cause), corpus, recorded, quote)
    assert "```python\nimport torch\nprint(1)\n```\n\n## Where" in text
    assert "# measured" not in text


def test_an_issue_says_when_the_tracker_was_searched(corpus: Corpus, recorded: Recorded) -> None:
    (view,) = unfiled(corpus, recorded)
    assert "tracker" not in issue_text(view, corpus, recorded, quote)
    searched = replace(view, cause=replace(view.cause, searched="2026-11-23"))
    assert "The tracker was searched on 2026-11-23: no report found." in issue_text(searched, corpus, recorded, quote)


def test_the_wording_for_a_bug_is_for_the_case_that_it_stays(corpus: Corpus, recorded: Recorded) -> None:
    (view,) = unfiled(corpus, recorded)
    assert "## Proposed wording\n\n> The frobbed" in issue_text(view, corpus, recorded, quote)
    bug = replace(view, cause=replace(view.cause, kind="torch-bug"))
    assert "## Wording for the documentation, if this stays\n\n> The" in issue_text(bug, corpus, recorded, quote)


def unmeasured(corpus: Corpus) -> CauseView:
    return next(view for view in ranked_causes(corpus.claims, Recorded()) if len(view.claims) == 2)


def test_without_results_the_recorded_example_makes_the_script(corpus: Corpus) -> None:
    text = issue_text(unmeasured(corpus), corpus, Recorded(), lambda source: None)
    assert "x = torch.zeros(2)\ny = x.clone()\nassert is_view_of(y, x)" in text
    assert "not measured yet" in text
    assert SENTENCE not in text


def test_the_script_alone_shows_that_the_documentation_is_wrong(corpus: Corpus) -> None:
    text = issue_text(unmeasured(corpus), corpus, Recorded(), quote)
    program = text.partition("```python\n")[2].partition("\n```")[0]
    with pytest.raises(AssertionError):
        exec(compile(program, "script", "exec"), {})


def test_the_command_writes_files_and_lists(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("conformance.language.corpus_cache.default_root", lambda: corpus.root)
    results = str(save(tmp_path / "results", measured(corpus, "2.13.0", "diverges")))
    assert main(["report-docs", "--list", "--results", results]) == 0
    assert "docs-wrong  torch.frob/is-a-view-of-clone" in capsys.readouterr().out
    folder = tmp_path / "issues"
    assert main(["report-docs", "--output", str(folder), "--results", results]) == 0
    index, path = sorted(folder.iterdir())
    assert path.name == "torch.frob-is-a-view-of-clone-0.md"
    assert path.read_text().startswith("# [docs] torch.frob")
    assert index.name == "README.md"
    assert f"]({path.name}): harm not said yet, everywhere" in index.read_text()
    assert main(["report-docs", "torch.frob/no-such-claim"]) == 2
    assert "nothing to report about 'torch.frob/no-such-claim'" in capsys.readouterr().err
