"""For which inputs a claim is false, as the table of a subject says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.views.falsehoods import false_where, falsehoods
from conformance.lab.views.running_text import plain
from conformance.tests.result_files import entry, make_claim, release

DIVERGES = """
diverges:
- kind: torch-bug
  note: It does not.
  link: none-filed
  instead: {expect: not y.is_leaf}
"""
GIVEN = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: y.is_leaf" + DIVERGES
EXAMPLE = "  example: {x: 'torch.tensor([1.])'}\n"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (GIVEN + EXAMPLE, ["false for all inputs"]),
        (GIVEN + "  where: x.requires_grad\n" + EXAMPLE, ["false where x.requires_grad"]),
        ("do: y = torch.ones(2).detach()\nexpect: y.is_leaf" + DIVERGES, []),
    ],
)
def test_the_table_of_a_subject_says_for_which_inputs(tmp_path: Path, body: str, told: list[str]) -> None:
    claim = make_claim(tmp_path, body)
    cells = [
        release(torch, {claim.id: entry(claim, "diverges", divergence=(0,))}).cell(claim) for torch in ("2.0", "2.1")
    ]
    assert [plain(text) for text in false_where(claim, cells)] == told


def test_releases_are_named_where_it_holds_in_others(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, GIVEN + EXAMPLE)
    cells = [
        release("2.0", {claim.id: entry(claim)}).cell(claim),
        release("2.1", {claim.id: entry(claim, "diverges", divergence=(0,))}).cell(claim),
    ]
    assert [plain(text) for text in false_where(claim, cells)] == ["false on torch 2.1 (cpu)"]


CRASHES = GIVEN.replace("{expect: not y.is_leaf}", "{crashes: true}") + EXAMPLE


@pytest.mark.parametrize(
    ("when", "told"),
    [
        ("", "the interpreter crashes"),
        ("  when: {device: cpu}\n", "the interpreter crashes"),
        ("  when: {device: cuda}\n", "an assertion in a kernel fails, and the process can't use the device any more"),
        (
            "  when: {device: accelerator}\n",
            "an assertion in a kernel fails, and the process can't use the device any more",
        ),
    ],
)
def test_a_crash_on_a_device_is_the_loss_of_the_device(tmp_path: Path, when: str, told: str) -> None:
    (recorded,) = falsehoods(make_claim(tmp_path, CRASHES + when), [])
    assert [plain(text) for text in recorded.instead] == [told]
