"""A counterexample stands alone: the inputs, the program, what is false, and the helpers that it calls."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conformance.results.model import FailedPart
from conformance.run.scripts.counterexample import counterexample_script
from conformance.tests.result_files import make_claim

RECIPES = {"x": "torch.tensor([1., 2.])"}


def test_the_whole_script(tmp_path: Path) -> None:
    claim = make_claim(
        tmp_path,
        "given: {x: tensor()}\ndo: |\n  z = x + 0\n  y = z.add_(1)\nexpect: [y is z, 'equal(x, before.x + 1)']",
    )
    failed = FailedPart("expect", 1, "equal(x, before.x + 1)")
    script = counterexample_script(claim, claim.expectation, RECIPES, "cpu", failed)
    head, _, body = script.partition("\n\n\n")
    assert head.startswith("import torch\n\ndef equal(a, b):")
    assert body == (
        "x = torch.tensor([1., 2.])\n\nz = x + 0\ny = z.add_(1)\n"
        "from types import SimpleNamespace\nbefore = SimpleNamespace()\nbefore.x = torch.tensor([1., 2.])\n"
        "assert equal(x, before.x + 1)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert "AssertionError" in ran.stderr


def test_a_method_of_a_check_s_name_needs_no_helper(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, "given: {x: tensor()}\ndo: y = torch.equal(x, x)\nexpect: not y")
    script = counterexample_script(claim, claim.expectation, RECIPES, "cpu", FailedPart("expect", 0, "not y"))
    assert script == "import torch\n\nx = torch.tensor([1., 2.])\n\ny = torch.equal(x, x)\nassert not y\n"


def test_a_promised_error_is_printed_beside_the_promise(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, "given: {x: tensor()}\ndo: x.item()\nraises: {type: RuntimeError, promised: error}")
    script = counterexample_script(claim, claim.expectation, RECIPES, "cpu", FailedPart("raises"))
    assert script.endswith('else:\n    print("nothing was raised")  # promised: RuntimeError\n')
    assert "assert" not in script
