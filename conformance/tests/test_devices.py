"""Devices other than the CPU, on a stand-in that needs no hardware: what a run does there, and what is told of it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.base.processes.environment import processors
from conformance.lab.trials import measuring
from conformance.lab.trials.calls import load_calls
from conformance.lab.trials.measuring import try_calls
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim, Conditions
from conformance.results.conditions import admits
from conformance.results.model import Entry
from conformance.results.trials.model import Fact
from conformance.results.trials.rows import Row
from conformance.run.scripts.placement import placed_text
from conformance.run.supervisor import Supervisor
from conformance.run.worker.device_use import names_device
from conformance.tests.conftest import HEADER, claim_text
from conformance.tests.standin import BACKEND, FAULT, why_not

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

Judge = Callable[..., Entry]
READING = "given: {x: tensor()}\ndo: y = x.clone()\nexpect: equal(x, y)"


@pytest.fixture(scope="module")
def standin() -> Iterator[Supervisor]:
    shared = Supervisor(
        examples=10, seed=0, judged_again=0, devices=("cpu", "standin", "standin:1"), imports=(BACKEND,)
    )
    yield shared
    shared.close()


@pytest.fixture
def judge_there(standin: Supervisor, read_claim: Callable[[str], Claim]) -> Judge:
    return lambda body, device="standin": standin.judge(read_claim(body), device).entry


def python(code: str, fault: str = "") -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), FAULT: fault}
    code = f"import torch, {BACKEND}\n{code}"
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def run(folder: Path, *arguments: object, fault: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", FAULT: fault, "COLUMNS": "120"}
    command = [sys.executable, "-m", "conformance", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def run_there(folder: Path, *arguments: object, fault: str = "") -> subprocess.CompletedProcess[str]:
    return run(folder, "run", "--import", BACKEND, "--device", "standin", "-n", "0", *arguments, fault=fault)


def test_a_device_is_found_under_its_own_name(standin: Supervisor) -> None:
    assert standin.found == ("cpu", "standin")
    assert [*standin.environments] == ["cpu", "standin", "standin:1"]
    assert standin.environments["standin"].accelerator == "a stand-in"
    assert standin.void("standin") is standin.void("standin:1") is None


def test_the_stand_in_is_left_out_with_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert why_not() == "the stand-in device has to be compiled, and there is no c++"


def test_memory_of_the_stand_in_is_not_that_of_the_cpu() -> None:
    """What takes an address there for one here ends with a signal."""
    code = f"import ctypes, torch, {BACKEND}\nctypes.string_at(torch.ones(2, device='standin').data_ptr(), 1)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=300)
    assert ran.returncode == -signal.SIGSEGV, ran.stderr


def test_an_index_chooses_a_device(judge_there: Judge) -> None:
    body = "given: {x: tensor()}\ndo: y = x.clone()\nexpect: y.device.index == 1"
    assert judge_there(body, "standin:1").verdict == "holds"
    assert judge_there(body, "standin").verdict == "refuted"


@pytest.mark.parametrize(
    ("registering", "why"),
    [
        ("pass", "it has no device type mine; --import the package that adds it"),
        ("torch.utils.rename_privateuse1_backend('mine')", "there is no torch.mine.is_available()"),
        (
            "torch.utils.rename_privateuse1_backend('mine')\n"
            "torch._register_device_module('mine', type('mine', (), {'is_available': lambda: True}))",
            'torch.empty(1, device="mine") raises NotImplementedError: Could not run',
        ),
    ],
)
def test_why_a_device_is_not_found_is_told(tmp_path: Path, registering: str, why: str) -> None:
    (tmp_path / "torch_mine.py").write_text(f"import torch\n{registering}\n", encoding="utf-8")
    (tmp_path / "specs.yaml").write_text(HEADER + claim_text(READING), encoding="utf-8")
    ran = run(tmp_path, "run", "specs.yaml", "--import", "torch_mine", "--device", "mine", "-n", "0")
    assert ran.returncode == 2
    assert f"--device mine: this torch finds only cpu: {why}" in ran.stderr


@pytest.mark.parametrize(
    ("asked", "device", "admitted"),
    [
        ("cpu", "cpu", True),
        ("accelerator", "cpu", False),
        ("accelerator", "mps", True),
        ("cuda", "cuda:1", True),
        ("cuda", "xpu", False),
        ("standin", "standin", True),
    ],
)
def test_a_condition_takes_any_device(standin: Supervisor, asked: str, device: str, admitted: bool) -> None:
    from dataclasses import replace

    environment = replace(standin.environments["cpu"], device=device)
    assert admits(Conditions(device=asked), environment) is admitted


SHARING = [
    ("y = x.clone()", "independent(x, y)"),
    ("y = x[...]", "shares_storage(x, y) and sees_writes(x, y) and same_memory(x, y)"),
    ("y = x.clone()", "not shares_storage(x, y) and not sees_writes(x, y)"),
    ("y = x.detach()", "is_view_of(y, x) is False and equal(x, y)"),
]


@pytest.mark.parametrize(("program", "expect"), SHARING)
def test_memory_of_a_device_is_looked_at(judge_there: Judge, program: str, expect: str) -> None:
    entry = judge_there(f"given:\n  x: tensor(min_size=1, writable=True)\ndo: {program}\nexpect: {expect}")
    assert (entry.verdict, entry.detail) == ("holds", None)


def test_allocations_of_a_device_are_counted(judge_there: Judge) -> None:
    body = "do: y = torch.zeros(3, device=device)\nexpect: allocates(y.clone) == 12 and allocates(y.t) == 0"
    assert judge_there(body).verdict == "holds"


DIVERGING = """
given: {x: "tensor(dtype=torch.float32, shape=(2,))"}
do: y = x + 1
expect: y.device.type != "cpu"
diverges:
  - kind: docs-wrong
    instead: {expect: INSTEAD}
    example: {x: "torch.zeros(2)"}
    note: It stays where it is.
    link: none-filed
"""


def test_a_divergence_that_happens_here_too_is_shown_on_this_device(judge_there: Judge) -> None:
    body = DIVERGING.replace('y.device.type != "cpu"', "y.ndim == 2").replace("INSTEAD", "y.ndim == 1")
    entry = judge_there(body)
    assert entry.verdict == "diverges"
    assert 'x = torch.zeros(2, device="standin")' in (entry.counterexample or "")
    on_cpu = judge_there(body, "cpu")
    assert on_cpu.verdict == "diverges"
    assert "x = torch.zeros(2)\n" in (on_cpu.counterexample or "")


def test_a_divergence_of_the_cpu_alone_is_none_here(judge_there: Judge) -> None:
    body = DIVERGING.replace("INSTEAD", 'y.device.type == "cpu"')
    assert judge_there(body, "cpu").verdict == "diverges"
    assert judge_there(body).verdict == "holds"


def test_what_diverges_here_in_another_way_is_refuted(judge_there: Judge) -> None:
    body = DIVERGING.replace('!= "cpu"', '== "mars"').replace("INSTEAD", 'y.device.type == "cpu"')
    assert judge_there(body, "cpu").verdict == "diverges"
    assert judge_there(body).verdict == "refuted"


@pytest.mark.parametrize(
    ("recipe", "there"),
    [
        ("torch.zeros(4, 3)", "torch.zeros(4, 3, device=device)"),
        ("torch.tensor([1.], device='cpu').t()", "torch.tensor([1.], device='cpu').t()"),
        ("torch.nn.Linear(2, 1)", "torch.nn.Linear(2, 1).to(device)"),
        ("torch.nn.Parameter(torch.ones(2,))", "torch.nn.Parameter(torch.ones(2,device=device))"),
        ("torch.Generator()", "torch.Generator(device=device)"),
        ("a = 'é'; y = torch.eye(1) + x.ones(2)  # two", "a = 'é'; y = torch.eye(1, device=device) + x.ones(2)  # two"),
        ("equal(y,\ntorch.ones(1))\nand y", "equal(y,\ntorch.ones(1, device=device))\nand y"),
        ("torch.zeros_like(x)", "torch.zeros_like(x)"),
        ("torch.as_tensor(x)", "torch.as_tensor(x)"),
        ("np.zeros(3)", "np.zeros(3)"),
    ],
)
def test_what_names_no_device_is_made_on_the_one_under_test(recipe: str, there: str) -> None:
    assert placed_text(recipe, "device") == there


def test_a_claim_of_which_nothing_was_tried_is_not_said_to_miss_the_device(judge_there: Judge) -> None:
    entry = judge_there("given: {x: tensor()}\nassume: x.ndim > 99\ndo: y = x.clone()\nexpect: equal(x, y)")
    assert (entry.verdict, entry.weak_evidence) == ("unsupported", ())
    assert "were left out by the inputs" in (entry.detail or "")


def test_a_claim_that_never_touches_the_device_is_not_counted(judge_there: Judge) -> None:
    body = "do: y = torch.get_default_dtype()\nexpect: y is torch.float32"
    entry = judge_there(body)
    assert (entry.verdict, [weak.code for weak in entry.weak_evidence]) == ("inapplicable", ["V005"])
    assert judge_there(body, "cpu").verdict == "holds"


def test_claims_about_an_accelerator_put_something_there() -> None:
    """A run takes their word for it: by an input, a name in the program, or memory pinned for it."""
    corpus, _ = load_own_corpus()
    about = [claim for claim in corpus.claims if claim.applies.device not in (None, "cpu")]
    assert len(about) > 150
    for claim in about:
        texts = [claim.do.text if claim.do else "", *(one.text for one in claim.expectation.expect)]
        inputs = [fragment.text for _, fragment in claim.given]
        has_input = any(re.match(r"tensor(?!.*device=\"cpu\")", text) for text in inputs)
        names = any(names_device("cuda", text) or "pin" in text or "device=0" in text for text in texts + inputs)
        assert has_input or names, f"{claim.place}: {claim.id}"


MODULE = """
given: {n: 'integer(1, 5)'}
do: |
  m = torch.nn.Linear(n, 2)
  y = m(torch.ones(n))
expect: not y.is_leaf and y.TEST
"""


def test_a_program_that_names_no_device_runs_on_the_one_under_test(judge_there: Judge) -> None:
    body = MODULE.replace("TEST", "type() == 'torch.standin.FloatTensor'")
    assert judge_there(body).verdict == "holds"
    entry = judge_there(body, "cpu")
    assert entry.verdict == "refuted"
    assert "device" not in (entry.counterexample or "device")
    raising = """
    given: {n: 'integer(1, 5)'}
    do: y = torch.ones(n, 2).mm(torch.ones(3, n))
    raises: {type: RuntimeError, promised: type}
    control: {"3, n": "2, n"}
    """
    assert judge_there(raising).verdict == judge_there(raising, "cpu").verdict


def test_a_device_on_which_views_copy_is_void() -> None:
    code = """
from conformance.run.worker.smoke import void
print(void("cpu"), void("standin"))
library = torch.library.Library("aten", "IMPL")
library.impl("as_strided", lambda x, *place: torch.as_strided(x.cpu(), *place).to(x.device), "PrivateUse1")
print(void("cpu"), void("standin"))
"""
    assert python(code).splitlines() == [
        "None None",
        "None the smoke claim 'a slice shares memory with its base' is false",
    ]


def test_a_claim_that_fails_in_a_kernel_is_said_to_lose_the_device(tmp_path: Path) -> None:
    specs, expected = tmp_path / "specs.yaml", tmp_path / "expected.yaml"
    body = "do: y = torch._assert_async(torch.zeros(1, device=device))\nexpect: y is None"
    specs.write_text(HEADER + claim_text(body), encoding="utf-8")
    expected.write_text("standin: {}\n", encoding="utf-8")
    told = run_there(tmp_path, specs, "--expected", expected).stdout
    assert "  verdict  crashed: the interpreter died or lost the device while the claim was tried\n" in told
    lost = "lost the device standin: RuntimeError: standin error: device-side assert triggered"
    assert f"  because  {lost}\n" in told


def test_what_a_device_advises_after_an_error_is_no_part_of_why_it_is_void() -> None:
    code = """
from conformance.run.worker import smoke
def fails(device):
    torch._assert_async(torch.zeros(1, device=device))
    torch.standin.synchronize()
smoke.FACTS["nothing fails"] = fails
print(smoke.void("standin"))
"""
    told = "the smoke claim 'nothing fails' raised RuntimeError: standin error: device-side assert triggered"
    assert python(code) == told


def test_the_generator_of_a_device_starts_each_example_where_that_of_the_cpu_does(judge_there: Judge) -> None:
    body = """
    given: {n: 'integer(1, 9)'}
    do: |
      there = torch.rand(n, device=device)
      here = torch.rand(n)
    expect: equal(there.cpu(), here)
    """
    assert judge_there(body).verdict == "holds"


def test_a_failure_that_shows_later_is_of_the_claim_that_made_it(judge_there: Judge) -> None:
    entry = judge_there(
        "given: {x: tensor()}\ndo: torch._assert_async(torch.zeros(1, device=device))\nexpect: x is not None"
    )
    assert entry.verdict == "crashed"
    told, _, rest = (entry.detail or "").partition("\n")
    assert told == "lost the device standin: RuntimeError: standin error: device-side assert triggered"
    assert "debugging" not in rest
    assert judge_there(READING).verdict == "holds"


def test_a_device_that_every_example_loses_is_a_divergence_and_no_lack(judge_there: Judge) -> None:
    body = """
    given: {x: tensor()}
    do: torch._assert_async(torch.zeros_like(x, device=device).sum())
    raises: RuntimeError
    diverges:
      - when: {device: accelerator}
        kind: platform
        instead: {crashes: true}
        example: {x: "torch.ones(1)"}
        note: A test.
        link: none-filed
    """
    assert judge_there(body).verdict == "diverges"


def test_what_fails_on_one_device_leaves_another_its_claims_to_judge_again(read_claim: Callable[[str], Claim]) -> None:
    false = read_claim("given: {x: tensor()}\ndo: y = x.clone()\nexpect: y is x")
    supervisor = Supervisor(examples=1, seed=0, judged_again=1, devices=("cpu", "standin"), imports=(BACKEND,))
    try:
        judged = [supervisor.judge(false, device) for device in ("standin", "standin", "standin", "cpu")]
    finally:
        supervisor.close()
    # The first is alone, and the second is judged again.
    assert [one.unsure for one in judged] == [False, False, True, False]


def test_another_current_device_is_a_leak(judge_there: Judge) -> None:
    entry = judge_there("given: {x: tensor()}\ndo: torch.standin.set_device(1)\nexpect: x is not None")
    assert (entry.verdict, entry.detail) == ("invalid", "it leaks global state: current device of standin")
    stream = "torch.standin.set_stream(torch.Stream(device))"
    entry = judge_there(f"given: {{x: tensor()}}\ndo: {stream}\nexpect: x is not None")
    assert (entry.verdict, entry.detail) == ("invalid", "it leaks global state: current stream of standin")


def test_too_little_memory_is_no_refutation(judge_there: Judge) -> None:
    body = "given: {n: 'integer(30, 40)'}\ndo: y = torch.empty(2 ** n, device=device)\nexpect: y.is_leaf"
    entry = judge_there(body)
    assert (entry.verdict, entry.detail) == (
        "unsupported",
        "no example could be judged: standin has too little memory",
    )
    promised = body.replace("expect: y.is_leaf", "raises: {type: torch.OutOfMemoryError, promised: type}")
    assert judge_there(promised).verdict == "holds"


def test_memory_of_a_device_is_bounded() -> None:
    code = """
from conformance.inputs.devices import accelerator, is_out_of_memory
accelerator("standin:1").limit(2**20)
try:
    torch.empty(2**20, device="standin:1")
except RuntimeError as error:
    print(is_out_of_memory(error))
print(torch.empty(2**20, device="standin:0").device)
"""
    assert python(code).splitlines() == ["True", "standin:0"]


def test_a_kernel_that_a_device_lacks_is_no_refutation(judge_there: Judge) -> None:
    body = "given: {x: 'tensor(dtype=torch.float32, shape=(3,))'}\ndo: y = torch.kthvalue(x, 1)\nexpect: len(y) == 2"
    entry = judge_there(body)
    assert entry.verdict == "unsupported"
    assert entry.missing_kernels == {"NotImplementedError": ("aten::kthvalue.values",)}
    assert judge_there(body, "cpu").verdict == "holds"


def test_an_operator_that_cuda_does_not_implement_yet_is_no_refutation(judge_there: Judge) -> None:
    message = "NYI: CUDA sspaddmm is not implemented"
    body = f"given: {{x: tensor()}}\ndo: |\n  y = x.clone()\n  raise RuntimeError('{message}')\n"
    entry = judge_there(f"{body}expect: y is not x")
    assert entry.verdict == "unsupported"
    assert entry.missing_kernels == {"RuntimeError": ("sspaddmm",)}
    assert judge_there(f"{body}raises: {{type: RuntimeError, promised: type}}").verdict == "unsupported"
    promised = f"raises: {{type: RuntimeError, message: '{message}', promised: message}}"
    assert judge_there(f"{body}{promised}").verdict == "holds"
    assert judge_there(f"{body}expect: y is not x", "cpu").verdict == "refuted"


FALSE = "given: {x: tensor()}\ndo: y = x.clone()\nexpect: y.device.type == 'cpu'"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    path = tmp_path / "specs.yaml"
    claims = claim_text(READING, identity="copies") + claim_text(FALSE, identity="on-the-cpu")
    path.write_text(HEADER + claims, encoding="utf-8")
    return path


def test_a_first_run_is_not_red_and_says_what_nobody_reviewed(specs: Path, tmp_path: Path) -> None:
    first = run_there(tmp_path, specs)
    assert first.returncode == 0, first.stdout
    assert "1 unreviewed on standin: nobody has looked" in first.stdout
    assert "refuted   torch.Tensor.detach/on-the-cpu" in first.stdout
    assert "every other verdict is as expected" in first.stdout


def test_expected_failures_are_written_and_kept_to(specs: Path, tmp_path: Path) -> None:
    expected = tmp_path / "expected.yaml"
    accepting = run_there(tmp_path, specs, "--expected", expected, "--accept")
    assert accepting.returncode == 0, accepting.stdout
    text = expected.read_text(encoding="utf-8")
    assert "torch.Tensor.detach/on-the-cpu:\n    verdict: refuted\n    reason: not looked at yet" in text
    expected.write_text(text.replace("not looked at yet", "it is another device"), encoding="utf-8")
    assert run_there(tmp_path, specs, "--expected", expected).returncode == 0
    again = run_there(tmp_path, specs, "--expected", expected, "--accept")
    assert again.returncode == 0
    assert "reason: it is another device" in expected.read_text(encoding="utf-8")
    more = (
        expected.read_text(encoding="utf-8") + "  torch.Tensor.detach/copies: {verdict: refuted, reason: it once did}\n"
    )
    expected.write_text(more, encoding="utf-8")
    passing = run_there(tmp_path, specs, "--expected", expected)
    assert passing.returncode == 1
    assert "expected.yaml:8:3: remove that, since it passes (reason: it once did)" in passing.stdout
    expected.write_text(text.replace("refuted", "crashed"), encoding="utf-8")
    otherwise = run_there(tmp_path, specs, "--expected", expected)
    assert otherwise.returncode == 1
    assert "  expected crashed at " in otherwise.stdout
    assert "expected.yaml:5:3: correct that (reason: not looked at yet)" in otherwise.stdout
    expected.write_text("standin: {}\n", encoding="utf-8")
    failing = run_there(tmp_path, specs, "--expected", expected)
    assert failing.returncode == 1
    assert "1 needs attention:" in failing.stdout


@pytest.mark.skipif(processors() < 2, reason="there is one processor")
def test_a_run_on_two_devices_has_processes_for_the_claims_on_both(specs: Path, tmp_path: Path) -> None:
    claims = (claim_text("do: y = torch.zeros(2)\nexpect: y.is_leaf", identity=f"leaf-{n}") for n in range(110))
    specs.write_text(HEADER + "".join(claims), encoding="utf-8")
    both = run_there(tmp_path, specs, "--device", "cpu", "-n", "auto", "--examples", "1")
    assert "created: 2/2 workers" in both.stdout
    assert "110 claims" in both.stdout
    one = run(tmp_path, "run", specs, "--device", "cpu", "-n", "auto", "--examples", "1")
    assert "workers" not in one.stdout


LACKING = "given: {x: 'tensor(dtype=torch.float32, shape=(3,))'}\ndo: y = torch.kthvalue(x, 1)\nexpect: len(y) == 2"


def test_what_a_device_does_not_support_is_written_down_by_kernel(specs: Path, tmp_path: Path) -> None:
    specs.write_text(HEADER + claim_text(LACKING) + claim_text(READING, identity="copies"), encoding="utf-8")
    expected = tmp_path / "expected.yaml"
    expected.write_text("standin: {}\n", encoding="utf-8")
    unlisted = run_there(tmp_path, specs, "--expected", expected)
    assert unlisted.returncode == 1
    assert "1 needs attention:\n  unsupported specs.yaml::" in unlisted.stdout
    assert "because  no example could be judged: this torch has no kernel for aten::kthvalue.values" in unlisted.stdout
    accepting = run_there(tmp_path, specs, "--expected", expected, "--accept")
    assert f"expected failures: {expected}: 0 claims and 1 missing kernel; give each a reason" in accepting.stdout
    assert "standin:\n  aten::kthvalue.values:\n    verdict: unsupported\n" in expected.read_text(encoding="utf-8")
    assert run_there(tmp_path, specs, "--expected", expected).returncode == 0
    # What was measured before is looked at again, so that it is reported in each run.
    folder = tmp_path / "results"
    for _ in range(2):
        assert run_there(tmp_path, specs, "--expected", expected, "--results", folder).returncode == 0
    expected.write_text("standin: {}\n", encoding="utf-8")
    assert run_there(tmp_path, specs, "--expected", expected, "--results", folder).returncode == 1


def test_another_verdict_than_on_the_cpu_is_written_down(specs: Path, tmp_path: Path) -> None:
    specs.write_text(HEADER + claim_text(DIVERGING.replace("INSTEAD", "y.device.type == 'cpu'")), encoding="utf-8")
    expected = tmp_path / "expected.yaml"
    expected.write_text("standin: {}\n", encoding="utf-8")
    both = ("--device", "cpu", "--expected", expected)
    assert run_there(tmp_path, specs, "--expected", expected).returncode == 0  # nothing to compare with
    differing = run_there(tmp_path, specs, *both)
    assert differing.returncode == 1
    claim = "torch.Tensor.detach/made-up"
    assert f"1 needs attention:\n  holds     {claim}[standin], diverges on the CPU" in differing.stdout
    assert run_there(tmp_path, specs, *both, "--accept").returncode == 0
    assert f"{claim}:\n    verdict: holds\n" in expected.read_text(encoding="utf-8")
    assert run_there(tmp_path, specs, *both).returncode == 0
    specs.write_text(HEADER + claim_text(DIVERGING.partition("diverges")[0].replace("cpu", "mars")), encoding="utf-8")
    shared = run_there(tmp_path, specs, *both)
    assert shared.returncode == 1
    assert f"remove that: on the CPU, too, the verdict on {claim} is holds" in shared.stdout


def test_the_linter_lists_what_is_made_on_the_cpu(tmp_path: Path) -> None:
    """Places are those of the program; a claim about one device, or with ``device=``, has nothing to list."""
    bodies = {
        "window": "do: y = torch.hann_window(4)\nexpect: y.ndim == 1",
        "module": "do: m = torch.nn.Linear(1, 1)\nexpect: m.weight.cpu().ndim == 2",
        "of-the-cpu": "applies: {device: cpu}\ndo: y = torch.ones(2)\nexpect: y.ndim == 1",
        "placed": "do: y = torch.ones(2, device=device)\nexpect: y.ndim == 1",
    }
    path = tmp_path / "specs.yaml"
    path.write_text(
        HEADER + "".join(claim_text(body, identity=name) for name, body in bodies.items()), encoding="utf-8"
    )
    ran = run(tmp_path, "check", "specs.yaml", "--devices")
    assert ran.returncode == 0, ran.stdout
    assert ran.stdout.splitlines()[:-1] == [
        "specs.yaml:7:9 torch.hann_window() is on the CPU; write device=device (a run on a device does so)",
        "specs.yaml:13:9 torch.nn.Linear() has its parameters on the CPU; write .to(device) (this program says what is "
        "where, so it stays there)",
    ]


def tried_there(folder: Path, *calls: str) -> list[tuple[Row, ...]]:
    path = folder / "calls.yaml"
    path.write_text("calls:\n  torch.Tensor:\n" + "".join(f"  - {call}\n" for call in calls), encoding="utf-8")
    read, problems = load_calls([path])
    assert not problems
    return [rows for _, rows in try_calls(read, device="standin", imports=(BACKEND,)).calls]


def test_calls_are_tried_on_a_device(tmp_path: Path) -> None:
    copying, leaving, filling, making, lacking = tried_there(
        tmp_path, "x.clone()", "x.cpu()", "x.fill_(7)", "torch.zeros(3)", "torch.kthvalue(x, 1)"
    )
    assert Fact("memory", "x", "own memory") in copying[0].facts
    assert not [fact for fact in (*copying[0].facts, *making[0].facts) if fact.aspect == "device"]
    assert Fact("device", "", "cpu") in leaving[0].facts
    assert Fact("writes", "x", "elements") in filling[0].facts
    assert Fact("error", "", "NotImplementedError") in lacking[0].facts


def test_too_little_memory_of_a_device_is_no_outcome_of_a_call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measuring, "_MEMORY", 2**20)
    small, large = tried_there(tmp_path, "torch.empty(2**10)", "torch.empty(2**20)")
    assert Fact("shape", "", "(1024,)") in small[0].facts
    assert large == ()


def test_a_call_that_loses_the_device_is_told_so_and_the_next_is_tried(tmp_path: Path) -> None:
    losing, other = tried_there(tmp_path, "torch._assert_async(torch.zeros(()))", "x.clone()")
    told = "lost the device standin: RuntimeError: standin error: device-side assert triggered"
    assert Fact("message", "", told) in losing[0].facts
    assert Fact("memory", "x", "own memory") in other[0].facts


def test_trials_of_a_device_lie_apart_from_those_of_the_cpu(tmp_path: Path) -> None:
    (tmp_path / "calls.yaml").write_text("calls:\n  torch.Tensor.clone: [x.clone()]\n", encoding="utf-8")
    there = ("--results", "results", "--device", "standin")
    measured = run(tmp_path, "trials", "measure", "calls.yaml", "--import", BACKEND, *there)
    assert measured.returncode == 0, measured.stderr
    assert [*(tmp_path / "results" / "trials").iterdir()] == [tmp_path / "results" / "trials" / "standin"]
    assert "memory of its own" in run(tmp_path, "trials", "show", "torch.Tensor.clone", *there).stdout
    assert run(tmp_path, "trials", "show", "torch.Tensor.clone", *there[:2]).returncode == 2
    lacking = run(tmp_path, "trials", "measure", "calls.yaml", "--device", "standin")
    assert lacking.returncode == 2
    assert "--device standin: this torch finds only cpu" in lacking.stderr
