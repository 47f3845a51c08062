"""What is told of a value is the same in every run."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch

from conformance.runner.explain import explain, shown


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
