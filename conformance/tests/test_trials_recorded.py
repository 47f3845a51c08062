"""Recorded trials: read, compared between releases, and written beside those of other releases."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.base.json_files import ResultError
from conformance.lab.trials import measuring
from conformance.lab.trials.__main__ import main
from conformance.lab.trials.calls import Call, load_calls
from conformance.lab.trials.measuring import Measured, try_calls
from conformance.lab.trials.record import record
from conformance.language.model import Place
from conformance.results.model import Environment
from conformance.results.trials.model import BASE, Fact
from conformance.results.trials.recorded import INPUTS, RecordedTrials
from conformance.results.trials.rows import UNTRIED, Row

FIXTURE = Path(__file__).parent / "fixtures" / "trials"
RESHAPE, DETACH = "torch.Tensor.reshape", "torch.Tensor.detach"
GIVEN = (("x", "torch.ones(2, 3)"),)
VIEW, COPY = Fact("memory", "x", "view"), Fact("memory", "x", "own memory")


@pytest.fixture
def recorded() -> RecordedTrials:
    return RecordedTrials(FIXTURE)


def test_a_name_has_calls_that_return_and_calls_that_raise(recorded: RecordedTrials) -> None:
    trials = recorded.of(RESHAPE)
    assert trials is not None
    (usual,), (wrong,) = trials.usual, trials.wrong
    assert (trials.release, usual.text, wrong.text) == ("2.1.2", "x.reshape(-1)", "x.reshape(5)")
    assert usual.base.value("memory", "x") == "view"
    assert [group.inputs for group in usual.other] == [
        ("transposed", "expanded"),
        ("no grad", "int64"),
        ("float8_e5m2",),
    ]
    assert usual.other[2].error == "RuntimeError: not supported"
    assert usual.same == ("float64", "(0, 3)", "4-d", "inference_mode()")
    assert wrong.base.error.startswith("ValueError: shape")


def test_what_a_release_can_not_make_is_not_the_same_there(recorded: RecordedTrials) -> None:
    trials = recorded.of(RESHAPE, "2.0")
    assert trials is not None
    assert "float8_e5m2" not in (*trials.usual[0].same, *trials.usual[0].other)


def test_what_was_not_tried_is_neither_the_same_nor_something_else(recorded: RecordedTrials) -> None:
    trials = recorded.of(RESHAPE)
    assert trials is not None
    assert "transposed" not in trials.wrong[0].observations()


def test_a_release_without_a_line_was_not_measured(recorded: RecordedTrials) -> None:
    assert recorded.of(DETACH, "2.0") is None
    assert recorded.of("torch.no_such_name") is None
    assert recorded.differences(DETACH, "1.13", "2.0") == ()


def test_an_unmeasured_release_is_passed_over(recorded: RecordedTrials) -> None:
    (difference,) = recorded.history(DETACH)
    assert (difference.old, difference.new, difference.inputs[:2]) == ("1.13.1", "2.1.2", (BASE, "float64"))
    assert (difference.before, difference.after) == ((VIEW,), (Fact("memory", "x", "shares storage"),))
    assert difference.is_ordinary


def test_releases_are_compared_input_by_input(recorded: RecordedTrials) -> None:
    (difference,) = recorded.differences(RESHAPE, "2.0", "2.1")
    assert difference.call == "x.reshape(5)"
    assert "expanded" in difference.inputs
    assert "transposed" not in difference.inputs
    assert "float8_e5m2" not in difference.inputs
    assert [fact.value for fact in (*difference.before, *difference.after)] == ["RuntimeError", "ValueError"]


def test_trials_are_printed_with_what_changed_in_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(FIXTURE, tmp_path / "trials")
    assert main(["show", RESHAPE, "--results", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [f"{RESHAPE}: x.reshape(-1)", "    x = torch.arange(6.).reshape(2, 3).requires_grad_()"]
    assert "    transposed, expanded: memory of its own, grad_fn ReshapeAliasBackward" in lines
    assert main(["show", DETACH, "--results", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["    before: view of x", "    after: shares memory with x"]


@pytest.mark.parametrize("line", ["1.13-\tbase\tnonsense", "9.9-\tbase", "1.13-", "a\tb\tc=d"])
def test_a_line_that_can_not_be_read_is_refused(tmp_path: Path, line: str) -> None:
    for path in FIXTURE.iterdir():
        (tmp_path / path.name).write_text(
            path.read_text("utf-8").replace("call\tx.reshape(5)", f"{line}\ncall\tx"), "utf-8"
        )
    with pytest.raises(ResultError, match="take the file from git again"):
        RecordedTrials(tmp_path).of(RESHAPE)


def test_a_folder_that_is_not_there_has_no_releases(tmp_path: Path) -> None:
    recorded = RecordedTrials(tmp_path / "none")
    assert (recorded.releases, recorded.names, recorded.of(RESHAPE)) == ((), (), None)


def measured(torch: str, calls: dict[str, list[Row]], made: tuple[str, ...] = ("float64", "transposed")) -> Measured:
    environment = Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
    place = Place("here.yaml", 1, 1)
    tried = tuple((Call(RESHAPE, "", text, {}, place), tuple(rows)) for text, rows in calls.items())
    return Measured(environment, made, tried)


def base(*facts: Fact) -> Row:
    return Row((BASE,), facts, GIVEN, ("x",))


def test_a_release_changes_only_the_lines_of_what_changed(tmp_path: Path) -> None:
    rows = [base(VIEW), Row(("transposed",), (COPY,)), Row((UNTRIED, "float64"))]
    record(measured("2.0.1", {"x.f()": rows, "x.g()": [base()]}), tmp_path, whole=True)
    before = (tmp_path / "torch.Tensor.txt").read_text("utf-8").splitlines()
    record(measured("2.1.2", {"x.f()": [base(COPY), *rows[1:]], "x.g()": [base()]}), tmp_path, whole=True)
    after = (tmp_path / "torch.Tensor.txt").read_text("utf-8").splitlines()
    assert [line for line in before if line not in after] == [before[2]]
    assert [line.split("\t")[0] for line in after if line not in before] == ["2.0", "2.1-"]
    (difference,) = RecordedTrials(tmp_path).differences(RESHAPE, "2.0.1", "2.1.2")
    assert difference.inputs == (BASE,)  # on transposed, it was a copy before
    assert (difference.before, difference.after) == ((VIEW,), (COPY,))


def test_calls_tried_again_replace_those_of_their_release(tmp_path: Path) -> None:
    record(measured("2.0.1", {"x.f()": [base(VIEW)], "x.g()": [base(VIEW)]}), tmp_path, whole=True)
    record(measured("2.0.1", {"x.f()": [base(COPY)]}), tmp_path, whole=False)
    trials = RecordedTrials(tmp_path).of(RESHAPE)
    assert trials is not None
    assert {one.text: one.base.value("memory", "x") for one in trials} == {"x.f()": "own memory", "x.g()": "view"}


def test_calls_that_are_not_written_any_more_go(tmp_path: Path) -> None:
    record(measured("2.0.1", {"x.f()": [base(VIEW)], "x.g()": [base(VIEW)]}), tmp_path, whole=True)
    record(measured("2.1.2", {"x.f()": [base(VIEW)]}), tmp_path, whole=True)
    recorded = RecordedTrials(tmp_path)
    assert recorded.measured(RESHAPE, "x.g()") == ()
    assert recorded.measured(RESHAPE, "x.f()") == ("2.0.1", "2.1.2")


def test_what_is_recorded_twice_is_the_same(tmp_path: Path) -> None:
    one = measured("2.0.1", {"x.f()": [base(VIEW), Row(("transposed",), (COPY,))]})
    record(one, tmp_path, whole=True)
    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    record(one, tmp_path, whole=True)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert INPUTS in files


def calls_in(tmp_path: Path, text: str) -> tuple[Call, ...]:
    path = tmp_path / "made_up.yaml"
    path.write_text(f"calls:\n  torch.Tensor.clone:\n{text}", encoding="utf-8")
    calls, problems = load_calls([path])
    assert not problems
    return calls


def test_a_call_that_ends_the_process_is_an_outcome_of_that_input(tmp_path: Path) -> None:
    calls = calls_in(tmp_path, "  - os.abort() if x.ndim == 4 else x.clone()\n  - x.clone()\n")
    crashing, other = (rows for _, rows in try_calls(calls).calls)
    assert [row.inputs for row in crashing if Fact("error", "", "crash") in row.facts] == [("channels-last", "4-d")]
    assert Fact("memory", "x", "own memory") in crashing[0].facts
    assert Fact("memory", "x", "own memory") in other[0].facts


def test_a_call_that_always_ends_the_process_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(measuring, "_MOST_DEATHS", 0)
    ((_, (row,)),) = try_calls(calls_in(tmp_path, "  - os._exit(3)\n")).calls
    assert row.facts[0] == Fact("error", "", "crash")


def test_two_measurements_write_the_same_bytes(tmp_path: Path) -> None:
    spec = tmp_path / "made_up.yaml"
    call = """torch.nn.Conv2d(1, 1, 3, padding_mode="mirror")"""
    spec.write_text(f"calls:\n  torch.nn.Conv2d: ['{call}']\n  torch.rand: [torch.rand(x.shape)]\n", encoding="utf-8")
    for number in range(2):
        assert main(["measure", str(spec), "--results", str(tmp_path / str(number))]) == 0
    first, second = ({path.name: path.read_bytes() for path in (tmp_path / it / "trials").iterdir()} for it in "01")
    assert b"padding_mode must be one of {" in first["torch.nn.txt"]
    assert first == second


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "calls.yaml"
    spec.write_text("calls:\n  torch.Tensor.detach:\n  - x.detach()\n  - x.data\n", "utf-8")
    assert main(["check", str(spec)]) == 0
    assert main(["measure", str(spec), "-k", "detach()", "--results", str(tmp_path)]) == 0
    assert main(["show", "torch.Tensor.detach", "--results", str(tmp_path)]) == 0
    assert main(["show", "torch.no_such_name", "--results", str(tmp_path)]) == 2
    assert main(["measure", str(spec), "-k", "no such call"]) == 2
    shown = capsys.readouterr()
    assert "2 calls of 1 names, no mistakes" in shown.out
    assert "shares memory with x" in shown.out
    assert "no call has 'no such call'" in shown.err


def test_a_run_that_is_stopped_says_what_is_lost(tmp_path: Path) -> None:
    begun, results = tmp_path / "begun", tmp_path / "results"
    waiting = f"open('{begun}', 'w').close(); __import__('time').sleep(60)"
    calls = f'calls:\n  torch.Tensor.clone: [x.clone()]\n  torch.Tensor.detach: ["{waiting}"]\n'
    (tmp_path / "calls.yaml").write_text(calls, encoding="utf-8")
    command = [sys.executable, "-m", "conformance", "trials", "measure", "calls.yaml", "--results", str(results)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as running:
        end = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < end:
            time.sleep(0.05)
        running.terminate()
        _, printed = running.communicate(timeout=60)
    lost = "1 of 2 calls were tried; what they did is lost; name files of calls, or use -k, to try fewer at a time"
    assert (running.returncode, printed) == (143, f"stopped: {lost}\n")
    assert not results.exists()
