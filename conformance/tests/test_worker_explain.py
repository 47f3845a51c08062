"""What is told of a value is the same in every run."""

from __future__ import annotations

import multiprocessing
import re
import tempfile
from pathlib import Path

import pytest
import torch

from conformance.run.worker.explain import explain, shown


def test_temporary_folders_are_not_told() -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert shown(str(Path(folder, "x"))) == "'…/x'"
        assert shown(folder) == "'…/tmp…'"


def test_addresses_are_not_told_and_other_numbers_are() -> None:
    x = torch.ones(2)
    assert explain("x.data_ptr() == 7", {"x": x}).splitlines()[0] == "x.data_ptr() = 0x…"
    assert shown(object()) == "<object object at 0x…>"
    assert shown(2**31) == "2147483648"
    assert shown(2**63 - 1) == "9223372036854775807"


@pytest.mark.skipif(not hasattr(torch, "jagged"), reason="this torch has no nested tensors with a ragged dimension")
def test_how_many_ragged_dimensions_a_process_has_made_is_not_told() -> None:
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    assert shown(nested.shape) == "torch.Size([2, j…])"
    assert shown("j1 and (j)") == "'j1 and (j)'"


def test_numbers_of_processes_are_left_out() -> None:
    process = multiprocessing.get_context("fork").Process(target=print)
    assert re.fullmatch(r"<ForkProcess name='ForkProcess-…' parent=… initial>", shown(process))
