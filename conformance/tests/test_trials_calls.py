"""Calls are read and checked without torch."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.lab.trials.calls import Call, load_calls


def read(tmp_path: Path, text: str) -> tuple[list[Call], list[str]]:
    path = tmp_path / "made_up.yaml"
    path.write_text(text, encoding="utf-8")
    calls, problems = load_calls([path])
    return list(calls), [f"{problem.place.line}:{problem.place.column} {problem.code}" for problem in problems]


@pytest.mark.parametrize(
    ("item", "setup", "text"),
    [
        ("x.reshape(-1)", "", "x.reshape(-1)"),
        ("b = io.BytesIO(); torch.save(x, b); b.seek(0)", "b = io.BytesIO(); torch.save(x, b)", "b.seek(0)"),
        ('"with torch.no_grad(): y = x + 1"', "", "with torch.no_grad(): y = x + 1"),
        ("x += 1", "", "x += 1"),
    ],
)
def test_the_last_statement_is_the_call(tmp_path: Path, item: str, setup: str, text: str) -> None:
    (call,), problems = read(tmp_path, f"calls:\n  torch.f:\n  - {item}\n")
    assert not problems
    assert (call.setup, call.text) == (setup, text)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("x +* 2", "3:8 E201"),
        ("x.f(z)", "3:9 E202"),
        ("{call: x.f(), given: {x: torch.ones(}}", "3:40 E201"),
        ("{call: x.f(), given: {x: later}}", "3:30 E202"),
        ("{call: x.f(), given: {x: torch.ones(2), z: torch.ones(2)}}", "3:48 E209"),
        ("{cal: x.f()}", "3:5 E102"),
        ("{call: x.f(), values: false}", "3:19 E101"),
        ("[x.f()]", "3:5 E103"),
        ("x.f(1)\n  - x.f(1)", "4:5 E302"),
    ],
)
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, item: str, problem: str) -> None:
    _, problems = read(tmp_path, f"calls:\n  torch.f:\n  - {item}\n")
    assert problem in problems


def test_the_first_call_of_a_function_is_also_tried_with_out(tmp_path: Path) -> None:
    calls, problems = read(
        tmp_path,
        "out: [torch.f]\nouts: [torch.g]\ncalls:\n  torch.f: [torch.f(x), torch.f(y)]\n  torch.g: [torch.g(x)]\n",
    )
    assert not problems
    assert {call.text: call.given.get("out") for call in calls} == {
        "torch.f(x)": None,
        "torch.f(y)": None,
        "torch.f(x, out=out)": "torch.empty_like(torch.f(x))",
        "torch.g(x)": None,
        "torch.g(x, out=out)": "tuple(map(torch.empty_like, torch.g(x)))",
    }


@pytest.mark.parametrize(
    ("names", "problem"), [("[torch.f, torch.h]", "1:16 E304"), ("torch.f", "1:6 E103"), ("[[torch.f]]", "1:7 E103")]
)
def test_a_mistake_in_the_functions_with_out_is_reported(tmp_path: Path, names: str, problem: str) -> None:
    assert read(tmp_path, f"out: {names}\ncalls:\n  torch.f: [torch.f(x)]\n")[1] == [problem]


def test_the_first_call_of_a_name_is_the_plainest(tmp_path: Path) -> None:
    calls, _ = read(tmp_path, "calls:\n  torch.f: [torch.f(x), torch.f(y)]\n  torch.a: [torch.a(x)]\n")
    assert [call.text for call in calls if call.is_plainest] == ["torch.a(x)", "torch.f(x)"]


def test_a_subject_is_a_name_in_torch(tmp_path: Path) -> None:
    assert read(tmp_path, "calls:\n  numpy.f:\n  - x.f()\n")[1] == ["2:3 E304"]


def test_the_calls_of_the_corpus_have_no_mistake() -> None:
    calls, problems = load_calls()
    assert not problems
    assert len(calls) > 5_000


def test_reading_calls_needs_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import conformance.lab.trials.__main__, conformance.lab.trials.calls as calls; calls.load_calls()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
