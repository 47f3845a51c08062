"""A claim in a list and on its own: how it stands on each release, and nothing of what was not measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.language.model import Claim
from conformance.results.model import Fact, Facts, Flags, Tiers
from conformance.results.recorded import Recorded, in_order
from conformance.show.claim_lines import claim_line
from conformance.show.claim_page import claim_page
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_claim, release

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
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path / "specs", DIVERGING)


def test_a_line_says_where_a_claim_is_false_and_for_which_inputs(claim: Claim) -> None:
    false = entry(claim, "diverges", divergence=(0,))
    found = in_order([release("2.0.1", {claim.id: entry(claim)}), release("2.1.2", {claim.id: false})])
    line = claim_line(claim, found)
    assert line.marks == (("yes", "2.0.1 cpu"), ("partly", "2.1.2 cpu"))
    assert line.notes == ("instead (torch >=2.1, the device cpu, where x.is_neg()): A copy is made.",)
    assert line.is_false


def test_an_error_that_is_not_promised_is_told_with_its_releases(tmp_path: Path) -> None:
    sources = "sources: [{docs: torch.Tensor.item, key: few words, says: limits}]"
    claim = make_claim(tmp_path / "specs", f"{RAISING}\nguarantee: unspecified\n{sources}")
    always, never = (entry(claim, "unspecified", tiers=Tiers(often)) for often in ("always", "never"))
    found = in_order([release("2.0.1", {claim.id: always}), release("2.1.2", {claim.id: never})])
    line, page = claim_line(claim, found), claim_page(claim, found)
    assert line.notes == (
        "not promised; happens: raises (2.0.1 cpu)",
        "not promised; happens: does not raise (2.1.2 cpu)",
    )
    assert not line.is_false
    assert "few words” (it names a limit)" in page
    assert "# looks for RuntimeError" in page


@pytest.mark.parametrize("gap", ["missing", "older", "void"])
def test_what_was_not_measured_is_a_question_mark(claim: Claim, gap: str) -> None:
    older = {claim.id: replace(entry(claim), claim="00000000")}
    other = release("2.1.2", {} if gap == "missing" else older, void="broken" if gap == "void" else None)
    line = claim_line(claim, in_order([release("2.0.1", {claim.id: entry(claim)}), other]))
    assert line.marks == (("yes", "2.0.1 cpu"), ("?", "2.1.2 cpu"))
    assert claim_line(claim, Recorded()).newest == "?"


def test_the_page_of_a_claim_shows_the_newest_example_that_counts(claim: Claim) -> None:
    facts = Facts(names={"y": Fact("tensor([1.])", Flags("float32", leaf=True, shares=("x",)))})
    good = entry(claim, facts=facts, counterexample="assert 0\n")
    stale = replace(good, claim="00000000")
    page = claim_page(claim, in_order([release("2.0.1", {claim.id: good}), release("2.1.2", {claim.id: stale})]))
    assert "on torch 2.0.1, with x = torch.tensor([1., 2.]):\n    y = tensor([1.])" in page
    assert "# float32, leaf, shares memory with x" in page
    assert "where it is false, on torch 2.0.1:\n\n    assert 0" in page
    assert "2.1.2, with" not in page
