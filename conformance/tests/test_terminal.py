"""What a failed claim says in the terminal: complete, and harmless whatever a spec or a result file says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.language.model import Claim
from conformance.results.model import Entry, FailedPart, Outcome
from conformance.run.failure import failure_text
from conformance.tests.result_files import SIMPLE, entry, make_claim

HOSTILE = "no\x1b[2J\u202e\r"


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path / "specs", SIMPLE)


def test_a_failure_has_all_that_is_needed_to_act(claim: Claim) -> None:
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


def test_a_failure_can_not_drive_the_terminal(claim: Claim) -> None:
    told = failure_text(replace(claim, title=HOSTILE), Outcome(entry(claim, "crashed", detail=HOSTILE), HOSTILE))
    assert all(line.isprintable() for line in told.split("\n"))
