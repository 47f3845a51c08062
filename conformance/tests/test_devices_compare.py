"""A device is compared with the CPU: each of the ten faults of the stand-in is told by its harm, with a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.tests.conftest import HEADER, claim_text
from conformance.tests.standin import BACKEND, FAULT, why_not

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

FLOATS = 'given: {x: \'tensor(dtype=torch.float32, shape=(2, 3), layout="contiguous", state="plain")\'}\n'
LEAF = "given: {x: 'tensor(dtype=torch.float32, shape=(2, 3), state=\"leaf\")'}\n"
CLAIMS = {
    "copies": f"{FLOATS}do: y = x.clone()\nexpect: independent(x, y)",
    "views": f"{FLOATS}do: y = x.unfold(0, 1, 1)\nexpect: shares_storage(x, y)",
    "differentiates": f"{LEAF}do: y = x.exp()\nexpect: y.requires_grad",
    "keeps-dtype": f"{FLOATS}do: y = x.sum()\nexpect: y.dtype == x.dtype",
    "raises": f"{FLOATS}do: x.mm(torch.ones(5, 5))\nraises: RuntimeError\ncontrol: {{'5, 5': '3, 5'}}",
    "keeps-device": f"{FLOATS}do: y = x.abs()\nexpect: y.device == x.device",
    "is-leaf": f"{LEAF}do: y = x.detach()\nexpect: y.is_leaf",
    "writes": f"{FLOATS}do: x.fill_(7)\nexpect: x.eq(7).all()",
    "counts": f"{FLOATS}do: |\n  first = version(x)\n  x.mul_(torch.ones(1))\nexpect: version(x) > first",
}
#: Each fault: the claim that tells of it, its harm, and a line of the script that shows it.
FAULTS = {
    "a copy that shares": ("copies", "changes", "y = x.clone()"),
    "a view that copies": ("views", "changes", "y = x.unfold(0, 1, 1)"),
    "a lost gradient": ("differentiates", "changes", "assert y.requires_grad"),
    "a wrong dtype": ("keeps-dtype", "changes", "assert y.dtype == x.dtype"),
    "a missing error": ("raises", "changes", "x.mm(torch.ones(5, 5, device=device))"),
    "a wrong message": ("raises", "wording", "x.mm(torch.ones(5, 5, device=device))"),
    "a wrong device": ("keeps-device", "changes", "assert y.device == x.device"),
    "a leaf that is none": ("is-leaf", "changes", "assert y.is_leaf"),
    "a skipped write": ("writes", "changes", "x.fill_(7)"),
    "a stale version counter": ("counts", "changes", "x.mul_(torch.ones(1, device=device))"),
}


def run(folder: Path, *arguments: object, fault: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), FAULT: fault}
    command = [sys.executable, "-m", "conformance", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with specs, and the results of the CPU."""
    made = tmp_path_factory.mktemp("faults")
    claims = "".join(claim_text(body, identity=name) for name, body in CLAIMS.items())
    (made / "specs.yaml").write_text(HEADER + claims, encoding="utf-8")
    ran = run(made, "run", "specs.yaml", "--device", "cpu", "--results", "cpu", "-n", "0")
    assert ran.returncode == 0, ran.stdout
    return made


def results_with(fault: str) -> str:
    return f"results-{fault}".replace(" ", "-")


def differences(folder: Path, fault: str) -> list[Any]:
    there = results_with(fault)
    chosen = ("--import", BACKEND, "--device", "standin", "--results", there, "-n", "0")
    ran = run(folder, "run", "specs.yaml", *chosen, fault=fault)
    assert ran.returncode == 0, ran.stdout
    files = [next(folder.glob(f"{name}/torch-*.jsonl")) for name in ("cpu", there)]
    compared = run(folder, "compare", *files, "--specs", "specs.yaml", "--json")
    assert compared.returncode in (0, 1), compared.stderr
    found: list[Any] = json.loads(compared.stdout)["differences"]
    return found


def test_a_device_without_a_fault_does_as_the_cpu_does(folder: Path) -> None:
    assert differences(folder, "") == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_by_its_harm(folder: Path, fault: str) -> None:
    claim, harm, line = FAULTS[fault]
    found = {one["id"].partition("/")[2]: one for one in differences(folder, fault)}
    assert claim in found
    assert found[claim]["harm"] == harm
    assert line in found[claim]["script"]
    assert 'device="standin"' in found[claim]["script"]


def test_calls_on_two_devices_are_compared(folder: Path) -> None:
    """Trials of a device lie beside its result file, and apart from those of the CPU."""
    fault = "a copy that shares"
    calls = folder / "calls.yaml"
    calls.write_text("calls:\n  torch.Tensor.clone: [x.clone()]\n", encoding="utf-8")
    for arguments in (("cpu",), (results_with(fault), "--import", BACKEND, "--device", "standin")):
        ran = run(folder, "trials", "measure", calls, "--results", *arguments, fault=fault)
        assert ran.returncode == 0, ran.stderr
    [call] = [one for one in differences(folder, fault) if not one["is_claim"] and one["script"]]
    assert (call["id"], call["harm"]) == ("torch.Tensor.clone: x.clone()", "changes")
    assert (
        'x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True, device="standin")' in call["script"]
    )
