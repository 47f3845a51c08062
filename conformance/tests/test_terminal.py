"""What a person reads in the terminal: complete, and harmless whatever a spec or a result file says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.language.corpus import Corpus
from conformance.results.model import Entry, Fact, Facts, FailedPart, Flags, Outcome, Tiers
from conformance.terminal import show as terminal
from conformance.terminal.failure import failure_text
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_corpus, release, save
from conformance.views.recorded import Measured

HOSTILE = "no\x1b[2J\u202e\r"
DIVERGING = (
    SIMPLE
    + """
diverges:
  - when: {torch: ">=2.1", device: cpu}
    where: x.is_neg()
    kind: torch-bug
    instead: {expect: ["not shares_storage(y, x)"]}
    example: {x: "torch.zeros(2)"}
    note: A copy is made.
    link: none-filed
"""
)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    corpus = make_corpus(tmp_path / "specs", DIVERGING)
    monkeypatch.setattr(terminal, "find_claims", lambda name: corpus.claims)
    return corpus


def shown(corpus: Corpus, folder: Path, *found: Measured, name: str = "detach") -> str:
    return terminal.show(name, save(folder / "results", *found))


def test_a_table_says_where_a_claim_is_false_and_for_which_inputs(corpus: Corpus, tmp_path: Path) -> None:
    [claim] = corpus.claims
    false = entry(claim, "diverges", divergence=(0,))
    told = shown(corpus, tmp_path, release("2.0.1", {claim.id: entry(claim)}), release("2.1.2", {claim.id: false}))
    assert "measured on torch 2.0.1 to 2.1.2 (2 releases) on cpu" in told
    assert "          yes 2.0.1 cpu\n          partly 2.1.2 cpu\n" in told
    assert "instead (torch >=2.1, the device cpu, where x.is_neg()): A copy is made." in told
    assert "harm not said yet, corner inputs (negative bit): `torch.Tensor.detach`: not so: Claim number 0" in told
    assert "false, the worst first" not in shown(corpus, tmp_path / "good", release("2.0.1", {claim.id: entry(claim)}))


def test_an_error_that_is_not_promised_is_told_with_its_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = RAISING + "\nguarantee: unspecified\nsources: [{docs: torch.Tensor.item, key: few words, says: limits}]"
    corpus = make_corpus(tmp_path / "specs", body)
    monkeypatch.setattr(terminal, "find_claims", lambda name: corpus.claims)
    [claim] = corpus.claims
    always, never = (entry(claim, "unspecified", tiers=Tiers(often)) for often in ("always", "never"))
    found = release("2.0.1", {claim.id: always}), release("2.1.2", {claim.id: never})
    table, page = (shown(corpus, tmp_path, *found, name=name) for name in ("item", claim.id))
    for told in (table, page):
        assert "not promised; happens: raises (2.0.1 cpu)" in told
        assert "not promised; happens: does not raise (2.1.2 cpu)" in told
    assert "few words” (it names a limit)" in page
    assert "# looks for RuntimeError" in page


@pytest.mark.parametrize("gap", ["missing", "older", "void"])
def test_what_was_not_measured_is_a_question_mark(corpus: Corpus, tmp_path: Path, gap: str) -> None:
    [claim] = corpus.claims
    older = {claim.id: replace(entry(claim), claim="00000000")}
    other = release("2.1.2", {} if gap == "missing" else older, void="broken" if gap == "void" else None)
    told = shown(corpus, tmp_path, release("2.0.1", {claim.id: entry(claim)}), other)
    assert "          yes 2.0.1 cpu\n          ? 2.1.2 cpu\n" in told


def test_nothing_measured_is_said(corpus: Corpus, tmp_path: Path) -> None:
    told = terminal.show("detach", tmp_path / "none")
    assert "measured on no release yet" in told
    assert "  ?       Claim number 0" in told


def test_the_page_of_a_claim_shows_the_newest_example_that_counts(corpus: Corpus, tmp_path: Path) -> None:
    [claim] = corpus.claims
    facts = Facts(names={"y": Fact("tensor([1.])", Flags("float32", leaf=True, shares=("x",)))})
    good = entry(claim, facts=facts, counterexample="assert 0\n")
    stale = replace(good, claim="00000000")
    told = shown(
        corpus, tmp_path, release("2.0.1", {claim.id: good}), release("2.1.2", {claim.id: stale}), name=claim.id
    )
    assert "on torch 2.0.1, with x = torch.tensor([1., 2.]):\n    y = tensor([1.])" in told
    assert "# float32, leaf, shares memory with x" in told
    assert "where it is false, on torch 2.0.1:\n\n    assert 0" in told
    assert "2.1.2, with" not in told


def test_what_a_result_file_says_can_not_drive_the_terminal(corpus: Corpus, tmp_path: Path) -> None:
    [claim] = corpus.claims
    hostile = entry(claim, facts=Facts(names={"y": Fact(HOSTILE)}), counterexample=HOSTILE)
    told = shown(corpus, tmp_path, release("2.0.1", {claim.id: hostile}), name=claim.id)
    assert all(line.isprintable() for line in told.split("\n"))
    assert "\\x1b[2J\\u202e" in told


def test_a_failure_has_all_that_is_needed_to_act(corpus: Corpus) -> None:
    [claim] = corpus.claims
    failed = Entry(
        claim.fingerprint(),
        "refuted",
        failed=FailedPart("expect", 0, "shares_storage(y, x)"),
        detail="y = a\nx = b",
        counterexample="import torch\nassert 0\n",
    )
    told = failure_text(claim, Outcome(failed, "the last words"))
    assert told.startswith(f"{claim.title}\n  claim    {claim.id}\n  source   docstring of torch.Tensor.detach, at “")
    for part in (
        f"  spec     {claim.place}",
        "  verdict  refuted: a counterexample that no recorded divergence explains",
        "  false    expect[0]: shares_storage(y, x)",
        "  because  y = a\n           x = b",
        "  last lines printed:\n    the last words",
        "  smallest counterexample:\n\n    import torch\n    assert 0",
    ):
        assert part in told


def test_a_failure_can_not_drive_the_terminal(corpus: Corpus) -> None:
    [claim] = corpus.claims
    told = failure_text(replace(claim, title=HOSTILE), Outcome(entry(claim, "crashed", detail=HOSTILE), HOSTILE))
    assert all(line.isprintable() for line in told.split("\n"))
