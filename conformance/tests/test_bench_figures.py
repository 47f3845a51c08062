"""The benchmark measures, names the machine, and records ratios; how good they are is no matter of a test."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.lab.bench import answers
from conformance.lab.bench.__main__ import machine, table
from conformance.lab.bench.measures import passing_examples, seconds_of_passed_tests
from conformance.lab.bench.time_by_step import CHECKS, PROGRAMS, REST, PartTimer

ROOT = Path(__file__).resolve().parents[2]


def test_quick_measures_are_printed_and_recorded(tmp_path: Path) -> None:
    only = ["--only", "sweep", "--only", "by_hand", "--only", "collection", "--only", "first_verdict"]
    ran = subprocess.run(
        [sys.executable, "-m", "conformance.lab.bench", "--quick", *only, "--write", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ran.returncode == 0, ran.stderr
    recorded = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))
    assert recorded["machine"]["processor"]
    assert recorded["measured"]["collection"]["claims"] >= 2000
    assert recorded["measured"]["sweep"]["sweep"] > recorded["measured"]["sweep"]["loop"] > 0
    with open(tmp_path / "benchmarks.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 5
    assert all(row[0] in ran.stdout and row[1] in ran.stdout for row in rows)


def test_a_figure_is_a_ratio_of_what_was_measured() -> None:
    measured = {
        "throughput": {"examples": 5000, "seconds": 0.5, "claims": 10, "memory MiB": 75.2},
        "by_hand": {"a": {"claim": 1.0, "by hand": 3.0}, "b": {"claim": 1.0, "by hand": 5.0}},
        "sweep": {"sweep": 6.0, "loop": 2.0, "loop with writes": 4.0},
        "protection": {"in this process": 10.0, "in a worker": 10.5},
        "linearity": {"times": [1.0, 10.0], "seconds": [2.0, 21.0]},
        "processes": {"one": 9.0, "two": 5.0, "alone": 3.0, "two at once": 4.0},
        "parts": {"programs": 3.0, "Hypothesis": 1.0},
        "answers": {"check": {"command": 0.6, "imports": 0.2, "modules": 100}},
    }
    assert [value for _, value, _ in table(measured)] == [
        "10,000",
        "75 MiB",
        "75%",
        "25%",
        "4.0",
        "1.5",
        "3.0",
        "5.0%",
        "3.0 (0.60 s)",
        "1.05",
        "1.80",
        "1.50",
    ]


def test_a_part_is_charged_what_no_part_inside_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 3.0, 7.0, 15.0, 31.0])
    monkeypatch.setattr("conformance.lab.bench.time_by_step.time.process_time", lambda: next(clock))

    class Steps:
        def program(self) -> str:
            return self.check()

        def check(self) -> str:
            return "checked"

    timer = PartTimer()
    timer.wrap(Steps, "program", PROGRAMS)
    timer.wrap(Steps, "check", CHECKS)
    assert Steps().program() == "checked"
    timer.enter(REST)
    assert {part: seconds for part, seconds in timer.seconds.items() if seconds} == {
        REST: 1.0 + 16.0,
        PROGRAMS: 2.0 + 8.0,
        CHECKS: 4.0,
    }


def test_the_steps_of_a_run_are_there_to_be_timed() -> None:
    judge_one = (
        "from conformance.lab.bench import measures as m; m.claims = (lambda all: lambda step: all(1)[:1])(m.claims)"
    )
    program = f"{judge_one}; taken = m.parts(1); assert taken['programs'] and taken['inputs'], taken"
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=300)


def test_a_command_is_compared_with_the_imports_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_TIMES", 1)
    taken = answers.ask("--version")
    assert taken["command"] > 0
    assert taken["imports"] > 0
    assert taken["modules"] > 50


def test_the_machine_is_named() -> None:
    assert {"processor", "cores", "python", "torch"} <= machine().keys()


def test_another_suite_is_timed_by_its_tests_that_pass(tmp_path: Path) -> None:
    (tmp_path / "test_made_up.py").write_text(
        "from hypothesis import given, settings, strategies as st\n"
        "@settings(max_examples=7, database=None)\n@given(st.integers())\ndef test_passes(n): pass\n"
        "@settings(max_examples=7, database=None)\n@given(st.integers())\ndef test_fails(n): assert n < 0\n"
        "def test_plain(): pass\n"
        "def test_skipped(): __import__('pytest').skip()\n"
    )
    options = ["--hypothesis-show-statistics", "--junitxml=report.xml", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "test_made_up.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    passed = seconds_of_passed_tests((tmp_path / "report.xml").read_text(encoding="utf-8"))
    assert set(passed) == {"test_made_up.py::test_passes", "test_made_up.py::test_plain"}
    assert passing_examples(ran.stdout)["test_made_up.py::test_passes"] == 7
