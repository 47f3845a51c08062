"""Whether the claims of a line prove it: on the newest release that the line is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.language.model import Answer, AnswerLine, Claim, Conditions, Divergence, Expectation, Place
from conformance.language.problems import Problems
from conformance.results.model import Entry, Environment, Often, Tiers, Verdict
from conformance.results.proofs import check_lines, standing_of
from conformance.results.store import Results

PLACE = Place("a.yaml", 1, 1)
HOLDS, FALSE, ABSENT, EXCLUDED = (
    Entry("0" * 8, verdict) for verdict in ("holds", "diverges", "absent", "inapplicable")
)


def release(torch: str, **claims: Entry) -> Results:
    environment = Environment(torch, "default", "3.13", "2.3", "cpu", "linux", "x86_64")
    return Results(environment, "0" * 12, 0, 0, claims)


def codes(line: AnswerLine, releases: Sequence[Results], *claims: Claim) -> list[str]:
    problems = Problems()
    check_lines([Answer("torch.clone", (line,), PLACE)], {claim.id: claim for claim in claims}, releases, problems)
    return [problem.code for problem in problems.sorted()]


@pytest.mark.parametrize(
    ("observed", "error", "kind", "message", "standing"),
    [
        (("always",), None, None, None, "true"),
        (("always", "sometimes"), None, None, None, "sometimes"),
        (("never",), None, None, None, "sometimes"),
        ((), "always", "always", "never", "true"),
        ((), "always", "sometimes", None, "sometimes"),
        (("always",), "never", None, None, "sometimes"),
    ],
)
def test_what_nobody_promised_proves_a_line_only_if_it_is_always_so(
    observed: tuple[Often, ...], error: Often, kind: Often, message: Often, standing: str
) -> None:
    tiers = Tiers(error, kind, message) if error else None
    assert standing_of(Entry("0" * 8, "unspecified", observed=observed, tiers=tiers)) == standing


@pytest.mark.parametrize(
    ("verdict", "standing"),
    [("holds", "true"), ("refuted", "false"), ("crashed", "false"), ("absent", "absent"), ("timed-out", "unmeasured")],
)
def test_a_verdict_says_how_a_claim_stands(verdict: Verdict, standing: str) -> None:
    assert standing_of(Entry("0" * 8, verdict)) == standing


def test_the_newest_release_that_has_the_subject_counts() -> None:
    line = AnswerLine("It is so.", ("c",), PLACE)
    assert codes(line, [release("2.0.1", c=FALSE), release("2.1.2", c=HOLDS)]) == []
    assert codes(line, [release("2.0.1", c=HOLDS), release("2.1.2", c=FALSE)]) == ["EA05"]
    assert codes(line, [release("2.0.1", c=HOLDS), release("2.1.2", c=ABSENT)]) == []
    assert codes(line, [release("2.0.1", c=FALSE), release("2.1.2", c=ABSENT)]) == ["EA05"]
    assert codes(line, [release("2.0.1", c=HOLDS), release("2.1.2", c=EXCLUDED)]) == ["EA08"]


def test_a_line_about_some_releases_is_judged_on_the_newest_of_these() -> None:
    releases = [release("2.0.1", c=HOLDS), release("2.1.2", c=FALSE)]
    assert codes(AnswerLine("It is so.", ("c",), PLACE, torch="<2.1"), releases) == []
    assert codes(AnswerLine("It is so.", ("c",), PLACE, "sparse tensors", "<2.1"), releases) == ["EA06"]


def test_an_exception_may_be_about_a_gpu_alone() -> None:
    line = AnswerLine("It is so.", ("c",), PLACE, "on CUDA")
    divergence = Divergence("platform", Conditions(device="cuda"), None, Expectation(), (), "", "", None, PLACE)
    claim = Claim("c", "torch.clone", "", "errors", (), PLACE)
    assert codes(line, [release("2.1.2", c=HOLDS)], claim) == ["EA06"]
    assert codes(line, [release("2.1.2", c=HOLDS)], replace(claim, diverges=(divergence,))) == []


def test_a_claim_about_a_gpu_may_stand_beside_one_that_is_measured() -> None:
    on_gpu = Claim("g", "torch.clone", "", "errors", (), PLACE, applies=Conditions(device="cuda"))
    releases = [release("2.1.2", c=HOLDS, g=EXCLUDED)]
    assert codes(AnswerLine("It is so.", ("c", "g"), PLACE), releases, on_gpu) == []
    assert codes(AnswerLine("It is so.", ("g",), PLACE), releases, on_gpu) == ["EA08"]
