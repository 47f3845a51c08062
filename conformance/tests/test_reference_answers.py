"""The table over subjects: only what a claim measured is an answer."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.language.corpus import load_corpus
from conformance.language.model import Claim
from conformance.results.model import Entry, Verdict
from conformance.tests import reference_site as sites
from conformance.views.answers import Question, answer_of, is_unconditional, use_of
from conformance.views.recorded import Cell, Measured

SPEC = """
subject: torch.Tensor.detach
claims:
"""


def claim_of(tmp_path: Path, do: str, expect: str, given: str = "tensor()", more: str = "") -> Claim:
    text = f"""{SPEC}
  - id: one
    title: A fact about it
    family: sharing
    sources: [{{docs: torch.Tensor.detach, key: a few words, says: states}}]
    given: {{x: {json.dumps(given)}}}
    do: {json.dumps(do)}
    expect: {json.dumps(expect)}
{more}
"""
    path = tmp_path / "one.yaml"
    path.write_text(text, encoding="utf-8")
    corpus, problems = load_corpus([path])
    assert not problems, problems
    return corpus.claims[0]


def cell(claim: Claim, verdict: Verdict, release: str = "2.13.0", divergence: tuple[int, ...] = ()) -> Cell:
    entry = Entry(claim.fingerprint(), verdict, divergence=divergence)
    return Cell(Measured(release, sites.environment(release)), claim, entry)


@pytest.mark.parametrize(
    ("expect", "question", "said"),
    [
        ("shares_storage(y, x)", "memory", {"yes"}),
        ("sees_writes(x, y)", "memory", {"yes"}),
        ("independent(y, x)", "memory", {"no"}),
        ("not shares_storage(y, x)", "memory", {"no"}),
        ("y.grad_fn is None", "graph", {"no"}),
        ("grad_fn(y) is None", "graph", {"no"}),
        ("y.is_leaf", "leaf", {"yes"}),
        ("not y.is_leaf", "leaf", {"no"}),
        ("same_object(y, x)", "object", {"yes"}),
        ("not same_object(y, x)", "object", {"no"}),
    ],
)
def test_expression_is_an_answer(tmp_path: Path, expect: str, question: Question, said: set[str]) -> None:
    claim = claim_of(tmp_path, "y = x.detach()", expect)
    found = answer_of(claim, question, [cell(claim, "holds")])
    assert found is not None
    assert (set(found.said), found.in_part) == (said, False)


@pytest.mark.parametrize(
    ("do", "expect"),
    [
        ("y = x.detach()", "y.is_leaf or x.is_leaf"),
        ("y = x.detach()", "x.is_leaf"),
        ("y = x.detach().clone()", "y.is_leaf"),
        ("y = x.clone()", "y.is_leaf"),
        ("y = x.detach()\ny.requires_grad_()", "y.is_leaf"),
    ],
)
def test_everything_else_is_no_answer(tmp_path: Path, do: str, expect: str) -> None:
    claim = claim_of(tmp_path, do, expect)
    assert answer_of(claim, "leaf", [cell(claim, "holds")]) is None


@pytest.mark.parametrize("verdict", ["absent", "inapplicable", "invalid", "crashed"])
def test_what_was_not_measured_is_no_answer(tmp_path: Path, verdict: Verdict) -> None:
    claim = claim_of(tmp_path, "y = x.detach()", "y.is_leaf")
    assert answer_of(claim, "leaf", [cell(claim, verdict)]) is None
    assert answer_of(claim, "leaf", []) is None


def test_false_claim_answers_with_its_divergence(tmp_path: Path) -> None:
    more = """    diverges:
      - kind: changed
        when: {torch: "<2"}
        instead: {expect: not y.is_leaf}
        example: {x: "torch.zeros(2)"}
        note: It was none.
        link: none-filed
"""
    claim = claim_of(tmp_path, "y = x.detach()", "y.is_leaf", more=more)
    old = cell(claim, "diverges", "1.9.0", divergence=(0,))
    assert answer_of(claim, "leaf", [old]).said == {"no"}  # type: ignore[union-attr]
    assert answer_of(claim, "leaf", [old, cell(claim, "holds")]).said == {"yes", "no"}  # type: ignore[union-attr]


def test_claim_with_conditions_does_not_speak_for_every_tensor(tmp_path: Path) -> None:
    assert is_unconditional(claim_of(tmp_path, "y = x.detach()", "y.is_leaf"))
    assert not is_unconditional(claim_of(tmp_path, "y = x.detach()", "y.is_leaf", given="tensor(floating)"))


def test_in_place_method_gives_its_tensor(tmp_path: Path) -> None:
    claim = sites.claims()["returns-itself"]
    assert use_of(claim) is not None


def test_page_shows_answers_with_links(tmp_path: Path) -> None:
    index = "Site\n====\n\n.. claim:answers::\n\n" + sites.INDEX.split("====\n", 1)[1]
    site = sites.build(sites.write_source(tmp_path, [sites.results("1.9.0"), sites.results("2.13.0")], index=index))
    assert (site.status, site.output) == (0, "")
    text = sites.text_of(site.page("index"))
    assert "torch.Tensor.detach Shares memory? depends on size: yes [1]; no [2]; false for some inputs of [2]" in text
    assert "Raises RuntimeError [1]" not in text
    link = rf'href="reference/{sites.DETACH}\.html#shares-storage"[^>]*>(<[^>]*>)*\[1\]'
    assert re.search(link, site.page("index"))


def test_page_without_results_says_so(tmp_path: Path) -> None:
    index = "Site\n====\n\n.. claim:answers::\n\n" + sites.INDEX.split("====\n", 1)[1]
    site = sites.build(sites.write_source(tmp_path, index=index))
    assert "No claim that was measured answers any of these questions" in sites.text_of(site.page("index"))
