"""Options are declared once, checked before anything runs, and mean the same to the command and to pytest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.__main__ import parser
from conformance.run.options import OF_PLUGIN, passed_on


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--examples=0", "not a number from 1"),
        ("--examples=-3", "not a number from 1"),
        ("--examples=many", "not a whole number"),
        ("--seed=1.5", "not a whole number"),
        ("--time-limit=nan", "not a number above 0"),
        ("--time-limit=inf", "not a number above 0"),
        ("--time-limit=0", "not a number above 0"),
        ("--memory-limit=-1", "not a number above 0"),
        ("--memory-limit=inf", "not a number above 0"),
        ("--results=/dev/null/here", "/dev/null is not a folder"),
        ("--device=The GPU", "not the name of a device"),
        ("--import=./mine.py", "not the name of a package"),
        ("-n-1", "not a number of processes"),
        ("-ntwo", "not a whole number"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(
    argument: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        parser().parse_args(["run", argument])
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_can_not_be_written_to_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(SystemExit):
        parser().parse_args(["run", f"--results={tmp_path / 'new'}"])
    assert f"{tmp_path} is not writable" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a /proc")
def test_a_file_system_that_takes_no_file_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["run", "--results=/proc/new"])
    assert "/proc is not writable" in capsys.readouterr().err


def test_what_is_chosen_is_passed_on() -> None:
    chosen = ["--device=cpu", "--examples=3", "--time-limit=2.5", "--resume", "-k", "a or b", "-n", "2", "-vv", "-x"]
    options = parser().parse_args(["run", *chosen])
    passed = passed_on(options)
    assert {"--device=cpu", "--examples=3", "--time-limit=2.5", "--resume", "-x", "--seed=0"} <= set(passed)
    assert passed.count("--verbose") == 2
    assert passed[passed.index("-k") + 1] == "a or b"
    assert not any(argument.startswith(("--results", "--junitxml", "--lf", "--durations")) for argument in passed)


def test_the_help_has_every_option_of_the_plugin() -> None:
    known = parser().parse_args(["run"])
    assert all(hasattr(known, option.destination) for option in OF_PLUGIN)


def test_the_list_of_commands_is_the_same_where_their_modules_are_not_imported() -> None:
    assert parser(only="").format_help() == parser().format_help()


def test_what_needs_no_command_imports_none() -> None:
    code = "import sys; import conformance.__main__ as cli; cli.parser(only=''); print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert [
        name for name in printed.split() if name.startswith("conformance.") and name != "conformance.__main__"
    ] == []
