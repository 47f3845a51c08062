"""The verdicts of a claim on several devices, in as few chips as say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.views.verdict_chips import brief
from conformance.language.model import Claim
from conformance.results.model import Verdict
from conformance.tests.result_files import SIMPLE, entry, make_claim, release, releases


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path / "specs", SIMPLE)


@pytest.mark.parametrize(
    ("on_cuda", "shown"),
    [
        ("holds", [("", ["holds"])]),
        ("diverges", [("cpu", ["holds"]), ("cuda", ["diverges"])]),
    ],
)
def test_devices_that_agree_share_a_chip(claim: Claim, on_cuda: Verdict, shown: list[tuple[str, list[str]]]) -> None:
    columns = releases(claim, v2_10_0=entry(claim), v2_11_0=entry(claim))
    columns.append(release("2.11.0", {claim.id: entry(claim, on_cuda)}, device="cuda"))
    lines = brief(claim, [column.cell(claim) for column in columns])
    assert [(line.device, [chip.word for chip in line.chips]) for line in lines] == shown


def test_of_three_devices_those_that_agree_are_named_together(claim: Claim) -> None:
    verdicts: dict[str, Verdict] = {"cpu": "holds", "cuda": "absent", "xpu": "holds"}
    columns = [release("2.11.0", {claim.id: entry(claim, verdicts[device])}, device=device) for device in verdicts]
    assert [line.device for line in brief(claim, [column.cell(claim) for column in columns])] == ["cpu, xpu", "cuda"]
