"""What makes a recorded result stale, in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

import pytest

from conformance.language.model import Claim
from conformance.results.model import Entry, Verdict
from conformance.results.record import stored_results
from conformance.results.staleness import against_corpus, against_fresh, gaps
from conformance.results.store import Results
from conformance.tests.result_files import SIMPLE, entry, make_corpus, release, save


def current(claim: Claim, **fields: Any) -> Entry:
    return entry(claim, sentences=("0123abcd",), **fields)


def recorded_of(torch: str, claims: dict[str, Entry]) -> Results:
    results = release(torch, claims).results
    assert results is not None
    return results


def test_what_is_current_is_not_stale(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE)
    [claim] = corpus.claims
    assert list(against_corpus(recorded_of("2.4.1", {claim.id: current(claim)}), corpus)) == []


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"claim": "00000000"}, "was measured in an older form"),
        ({"sentences": ("0123abcd", None)}, "was measured with fewer or more sources"),
        ({"sentences": ()}, "was measured with fewer or more sources"),
        ({"verdict": "refuted"}, "is refuted"),
    ],
)
def test_what_is_stale_is_told(tmp_path: Path, fields: dict[str, Any], why: str) -> None:
    corpus = make_corpus(tmp_path, SIMPLE)
    [claim] = corpus.claims
    recorded = recorded_of("2.4.1", {claim.id: replace(current(claim), **fields)})
    assert list(against_corpus(recorded, corpus)) == [f"torch-2.4.1-cpu: {claim.id} {why}"]


def test_a_claim_that_is_gone_is_stale_and_one_not_measured_is_a_gap(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE)
    [claim] = corpus.claims
    recorded = recorded_of("2.4.1", {"torch.gone/claim": current(claim)})
    assert list(against_corpus(recorded, corpus)) == ["torch-2.4.1-cpu: torch.gone/claim is not in the corpus"]
    assert gaps(recorded, corpus) == [claim.id]


@pytest.mark.parametrize(
    ("verdict", "fingerprint", "stale", "missing"),
    [("refuted", None, True, False), ("refuted", "00000000", False, True), ("holds", None, False, False)],
)
def test_what_is_out_of_date_on_another_device_is_a_gap(
    tmp_path: Path, verdict: Verdict, fingerprint: Optional[str], stale: bool, missing: bool
) -> None:
    corpus = make_corpus(tmp_path, SIMPLE)
    [claim] = corpus.claims
    measured = current(claim, verdict=verdict)
    claims = {claim.id: replace(measured, claim=fingerprint or measured.claim), "torch.gone/claim": measured}
    recorded = release("2.4.1", claims, device="cuda").results
    assert recorded is not None
    assert list(against_corpus(recorded, corpus)) == [f"torch-2.4.1-cuda: {claim.id} is refuted"] * stale
    assert gaps(recorded, corpus) == [claim.id] * missing


def test_a_fresh_run_is_compared_by_the_byte_where_the_environment_is_the_same(tmp_path: Path) -> None:
    [claim] = make_corpus(tmp_path / "specs", SIMPLE).claims

    def saved(name: str, examples: int, python: str) -> Results:
        results = release("2.4.1", {claim.id: current(claim, examples=examples)}, python=python)
        return stored_results(save(tmp_path / name, results))["torch-2.4.1-cpu"]

    recorded = saved("recorded", 3, "3.11")
    [line] = against_fresh(recorded, saved("fresh", 4, "3.11"))
    assert f'a fresh run gives {{"id":"{claim.id}"' in line
    assert list(against_fresh(recorded, saved("elsewhere", 4, "3.12"))) == []
