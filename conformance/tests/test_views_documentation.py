"""Four ways in which a sentence and its truth go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.language.model import Claim
from conformance.results.recorded import Measured
from conformance.show.sentences import AFTER, BEFORE, FALSE, TRUE, UNDOCUMENTED, documentation_states
from conformance.tests.result_files import SIMPLE, entry, make_claim, releases

HERE, GONE = ("0123abcd",), (None,)


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path, SIMPLE)


def states(claim: Claim, columns: list[Measured]) -> list[object]:
    return list(documentation_states(claim, columns).values())


def test_the_four_states(claim: Claim) -> None:
    columns = releases(
        claim,
        v1_9_0=entry(claim, sentences=GONE),
        v1_10_2=entry(claim, "diverges", sentences=HERE),
        v1_11_0=entry(claim, sentences=HERE),
        v1_12_1=entry(claim, sentences=GONE),
    )
    assert states(claim, columns) == [BEFORE, FALSE, TRUE, AFTER]


def test_never_documented_is_told_apart(claim: Claim) -> None:
    assert states(claim, releases(claim, v1_9_0=entry(claim, sentences=GONE))) == [UNDOCUMENTED]


def test_false_and_not_documented_is_no_state(claim: Claim) -> None:
    assert states(claim, releases(claim, v1_9_0=entry(claim, "diverges", sentences=GONE))) == [None]


def test_holes_and_absence_have_no_state(claim: Claim) -> None:
    columns = releases(claim, v1_9_0=None, v1_10_2=entry(claim, "absent", sentences=GONE), v1_11_0=entry(claim))
    assert states(claim, columns) == [None, None, None]


def test_a_claim_of_a_note_has_no_state(tmp_path: Path) -> None:
    note = make_claim(tmp_path, SIMPLE + "\nsources: [{note: autograd-mechanics, key: leaf}]")
    assert states(note, releases(note, v1_9_0=entry(note))) == [None]
