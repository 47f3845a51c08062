"""Scripts to paste: each is whole, needs torch alone, and is built from text without running it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.run.scripts.observation import name_script, observing_script
from conformance.tests.result_files import SIMPLE, make_claim

BEFORE = "given: {x: tensor(floating), y: tensor_like(x)}\ndo: x.add_(y)\nexpect: equal(x, before.x + before.y)"
RECIPES = {"x": "torch.tensor([1., 2.])"}


def shown(script: str) -> str:
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


PRINTED = {
    ("shares", "y"): "True",
    ("same", "y"): "False",
    ("leaf", "y"): "True",
    ("requires-grad", "y"): "False",
    ("node", "y"): "None",
    ("dtype", "y"): "torch.float32",
    ("value", "y"): "tensor([1., 2.])",
    ("error", ""): "nothing was raised",
    ("warning", ""): "[]",
}


def test_a_script_prints_what_changed(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, SIMPLE)
    scripts = [observing_script(claim, RECIPES, kind, name) for kind, name in PRINTED]
    # One process for all of them, since importing torch takes seconds.
    assert shown(f"for script in {scripts!r}:\n    exec(script, {{}})").splitlines() == list(PRINTED.values())


def test_a_script_asserts_the_claim_on_inputs_as_they_were(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, BEFORE)
    recipes = {"x": "torch.tensor([1.])", "y": "torch.ones_like(x)"}
    script = observing_script(claim, recipes, "judged")
    assert "before.y = torch.ones_like(before.x)" in script
    assert shown(script) == ""


@pytest.mark.parametrize("recipe", ["1\nimport os", "import os", "(" * 5000, "1 if", "x = 3"])
def test_what_is_no_expression_is_no_recipe(tmp_path: Path, recipe: str) -> None:
    claim = make_claim(tmp_path, SIMPLE)
    script = observing_script(claim, {"x": recipe}, "leaf", "y")
    assert "import os" not in script
    assert "# the recorded recipe of 'x' is no expression" in script


def test_a_name_that_is_none_stays_out(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, SIMPLE)
    script = observing_script(claim, {"x; import os #": "1"}, "leaf", "y; import os")
    assert [type(node) for node in ast.parse(script).body] == [ast.Import, ast.Assign]


def test_scripts_about_a_name() -> None:
    assert "detach" in shown(name_script("torch.Tensor.detach"))
