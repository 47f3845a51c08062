"""Runs that are stopped, killed, starved of disk and run twice at once: nothing measured is lost or mixed up."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

import pytest

from conformance.results.origin import Origin
from conformance.results.store import load_results
from conformance.results.unfinished import read_unfinished
from conformance.tests.conftest import HEADER, claim_text
from conformance.tests.small_checkout import NAME, environment, make_checkout, run, start


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a small corpus, since a result file is only written for the whole of one."""
    return make_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def undisturbed(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The result file of a run that nothing disturbed."""
    results = tmp_path_factory.mktemp("undisturbed")
    ran = run(checkout, results)
    assert ran.returncode == 0, ran.stdout
    [path] = results.glob("torch-*.jsonl")
    assert left_in(results) == [path.name]
    return path


def left_in(results: Path) -> list[str]:
    """Return what a run left in a folder beside the file that says what was measured here."""
    return [path.name for path in results.iterdir() if not path.match(".torch-*.measured-here.json")]


def wait_for(met: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(0.01)


def measured(results: Path) -> int:
    """Return of how many claims an unfinished run has kept the outcomes so far."""
    return len({identity for left in read_unfinished(results) for identity in left.claims})


def unfinished(results: Path) -> Sequence[Path]:
    return sorted((results / "unfinished").glob("torch-*.jsonl"))


def descendants(process: int) -> set[int]:
    found = {process}
    while True:
        more = {
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and parent_of(entry) in found and int(entry.name) not in found
        }
        if not more:
            return found
        found |= more


def parent_of(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("processes", "number", "whole_group", "status"),
    [
        ("2", signal.SIGINT, True, 130),
        ("2", signal.SIGINT, False, 130),
        ("2", signal.SIGTERM, False, 143),
        ("2", signal.SIGTERM, True, 143),
        ("2", signal.SIGHUP, False, 129),
        ("2", signal.SIGKILL, False, -9),
        ("0", signal.SIGINT, True, 130),
        ("0", signal.SIGTERM, False, 143),
        ("0", signal.SIGKILL, False, -9),
    ],
)
def test_a_stopped_run_keeps_what_it_measured_and_goes_on(
    checkout: Path, undisturbed: Path, tmp_path: Path, processes: str, number: int, whole_group: bool, status: int
) -> None:
    running = start(checkout, tmp_path, "-n", processes)
    wait_for(lambda: measured(tmp_path) >= 3)
    started = descendants(running.pid)
    if whole_group:
        os.killpg(running.pid, number)
    else:
        os.kill(running.pid, number)
    if status == 143:
        os.kill(running.pid, signal.SIGTERM)  # again, as who is impatient does
    printed, _ = running.communicate(timeout=60)
    assert running.returncode == status, printed
    wait_for(lambda: not any(map(is_running, started)), 30)
    kept = measured(tmp_path)
    assert 3 <= kept < len(load_results(undisturbed).claims)
    assert "Traceback" not in printed
    if number != signal.SIGKILL:
        assert "continue with --resume" in printed
    resumed = run(checkout, tmp_path, "--resume")
    assert resumed.returncode == 0, resumed.stdout
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()
    assert left_in(tmp_path) == [undisturbed.name]


def test_the_next_run_removes_what_a_killed_one_left(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary, results = tmp_path / "temporary", tmp_path / "results"
    for folder in (temporary, results):
        folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    running = start(checkout, results, "-n", "2")
    wait_for(lambda: measured(results) >= 1)
    started = descendants(running.pid)
    running.kill()
    running.communicate(timeout=60)
    assert any(temporary.iterdir())
    wait_for(lambda: not any(map(is_running, started)), 30)
    assert run(checkout, results, "-k", "never-requires-grad").returncode == 0
    assert list(temporary.iterdir()) == []


def test_a_mutation_run_that_is_asked_to_end_leaves_nothing(checkout: Path, tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "conformance", "impostors", "-n", "2"],
        cwd=checkout,
        env={**environment(checkout), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    wait_for(lambda: len(descendants(running.pid)) >= 5 and any(tmp_path.iterdir()))
    started = descendants(running.pid)
    running.terminate()
    printed, _ = running.communicate(timeout=60)
    assert running.returncode == 143, printed
    assert "Traceback" not in printed
    assert not any(map(is_running, started))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("imported", ["conformance.base.processes.child_handle", "conformance.language.corpus"])
def test_a_signal_before_anything_runs_gives_the_same_status(checkout: Path, tmp_path: Path, imported: str) -> None:
    """The options are still being declared, or the specs read."""
    specs = tmp_path / "specs"
    specs.mkdir()
    text = (checkout / "spec" / "tensor" / f"{NAME}.yaml").read_text(encoding="utf-8")
    for number in range(200):
        (specs / f"copy{number}.yaml").write_text(text, encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "conformance", "run", str(specs)],
        cwd=checkout,
        env=environment(checkout),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    while imported not in running.stderr.readline():
        pass
    running.terminate()
    _, printed = running.communicate(timeout=60)
    assert (running.returncode, "Traceback" in printed) == (143, False), printed


def test_a_signal_while_processes_start_gives_the_same_status(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    running = start(checkout, tmp_path, "-n", "2")
    assert running.stdout is not None
    while "test session starts" not in running.stdout.readline():
        pass
    time.sleep(0.2)
    running.terminate()
    printed, _ = running.communicate(timeout=60)
    assert running.returncode == 143, printed


def test_a_damaged_end_costs_one_claim(checkout: Path, undisturbed: Path, tmp_path: Path) -> None:
    assert run(checkout, tmp_path, "-k", "storage").returncode == 0
    [path] = unfinished(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[:-40])
    resumed = run(checkout, tmp_path, "--resume", "-v", "-n", "2")
    assert resumed.returncode == 0
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()


@pytest.mark.parametrize(
    "spoil", [lambda text: "", lambda text: "[" * 10**6, lambda text: text.replace("holds", "fine")]
)
def test_what_is_no_unfinished_file_is_measured_again(
    checkout: Path, undisturbed: Path, tmp_path: Path, spoil: Callable[[str], str]
) -> None:
    path = tmp_path / "unfinished" / f"{undisturbed.stem}.{Origin.here(load_results(undisturbed)).mark}.x.jsonl"
    path.parent.mkdir()
    path.write_text(spoil(undisturbed.read_text(encoding="utf-8")), encoding="utf-8")
    assert run(checkout, tmp_path, "--resume").returncode == 0
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()


def test_other_settings_are_not_resumed(checkout: Path, tmp_path: Path) -> None:
    assert run(checkout, tmp_path, "-k", "storage", "--examples=3").returncode == 0
    [left] = unfinished(tmp_path)
    resumed = run(checkout, tmp_path, "--resume", "--examples=4")
    told = f"--resume can't continue {left}: it was measured with --examples 3 --seed 0; give these again"
    assert told in resumed.stdout.splitlines()
    [path] = tmp_path.glob("torch-*.jsonl")
    assert resumed.returncode == 0
    assert load_results(path).examples == 4


def test_what_another_machine_left_is_not_resumed_but_can_be_extended(checkout: Path, tmp_path: Path) -> None:
    assert run(checkout, tmp_path, "-k", "storage").returncode == 0
    [here] = unfinished(tmp_path)
    elsewhere = here.with_name(re.sub(r"[0-9a-f]{16}", "0" * 16, here.name))
    here.rename(elsewhere)
    resumed = run(checkout, tmp_path, "--resume", "-n", "2")
    [told] = [line for line in resumed.stdout.splitlines() if line.startswith("--resume")]
    assert told.startswith(
        f"--resume can't continue {elsewhere}: another machine, another build of torch or other code"
    )
    [result_file] = tmp_path.glob("torch-*.jsonl")
    assert told.endswith(f"copy it to {result_file} and run with --record instead")
    assert unfinished(tmp_path) == [elsewhere]
    shutil.copy(elsewhere, result_file)
    left = len(load_results(elsewhere).claims)
    extended = run(checkout, tmp_path, "--record")
    assert f"{left} kept from this record, whatever machine measured them" in extended.stdout


def test_a_part_measured_anew_removes_nothing(checkout: Path, tmp_path: Path) -> None:
    assert run(checkout, tmp_path, "-k", "storage").returncode == 0
    [first] = read_unfinished(tmp_path)
    assert run(checkout, tmp_path, "-k", "leaf or grad").returncode == 0
    [both] = read_unfinished(tmp_path)
    assert set(both.claims) > set(first.claims)


def test_a_full_disk_is_told_and_what_was_measured_stays(checkout: Path, undisturbed: Path, tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    variables = {"PYTHONDONTWRITEBYTECODE": "1"}
    ran = run(checkout, tmp_path, "--override-ini=cache_dir=/dev/null/none", before=little_room, variables=variables)
    assert ran.returncode == 2
    assert "File too large" in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
    assert not list(tmp_path.glob("torch-*.jsonl"))
    assert 0 < measured(tmp_path) < len(load_results(undisturbed).claims)
    assert run(checkout, tmp_path, "--resume").returncode == 0
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()


def test_two_runs_at_once_do_not_harm_each_other(checkout: Path, undisturbed: Path, tmp_path: Path) -> None:
    both = [start(checkout, tmp_path) for _ in range(2)]
    wait_for(lambda: len(unfinished(tmp_path)) == 2)
    for running in both:
        printed, _ = running.communicate(timeout=120)
        assert running.returncode == 0, printed
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()
    assert left_in(tmp_path) == [undisturbed.name]


@pytest.mark.parametrize(
    ("more", "variables"),
    [
        (["-n", "2"], {}),
        ([], {"PYTHONHASHSEED": "4711", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}),
        (
            ["-n", "2"],
            {"PYTEST_ADDOPTS": "-k nothing", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "no_such_module"},
        ),
        (["spec/tensor"], {"OMP_NUM_THREADS": "3", "TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": "/nonexistent"}),
    ],
)
def test_nothing_around_changes_a_byte(
    checkout: Path, undisturbed: Path, tmp_path: Path, more: list[str], variables: dict[str, str]
) -> None:
    ran = run(checkout, tmp_path, *more, variables=variables)
    assert ran.returncode == 0, ran.stdout
    assert (tmp_path / undisturbed.name).read_bytes() == undisturbed.read_bytes()


def determinism(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "conformance.lab.bench.determinism", "3"],
        cwd=checkout,
        env=environment(checkout),
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_order_changes_nothing(checkout: Path) -> None:
    ran = determinism(checkout)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "3 of 3 runs gave the same bytes"


def test_a_claim_that_depends_on_what_ran_before_is_told(checkout: Path, tmp_path: Path) -> None:
    own = tmp_path / "checkout"
    shutil.copytree(checkout, own)
    program = "import sys\n  y = x.clone()\n  sys.seen = getattr(sys, 'seen', 0) + 1\n  z = str(sys.seen // 100)"
    claims = [
        claim_text(f"given: {{x: tensor()}}\ndo: |\n  {program}\nexpect: y is not x", identity=f"number-{number}")
        for number in range(4)
    ]
    text = "".join(claims).replace("current graph}", "current graph, says: states}")
    (own / "spec" / "tensor" / f"{NAME}.yaml").write_text(HEADER + text, encoding="utf-8")
    shutil.rmtree(own / "spec" / "causes")
    ran = determinism(own)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "not the same" in ran.stdout
    assert "/number-" in ran.stdout


def test_a_claim_that_kills_torch_is_one_line_of_a_whole_run(checkout: Path, tmp_path: Path) -> None:
    """The other claims are measured in the same run, and the deadly one has its evidence."""
    specs = tmp_path / "specs"
    specs.mkdir()
    program = "import os\n  print('\\x1b[31mthe last words')\n  os.abort()"
    deadly = f"given: {{x: tensor()}}\ndo: |\n  {program}\nexpect: x is not None"
    good = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"
    (specs / "made_up.yaml").write_text(
        HEADER + claim_text(deadly, identity="deadly") + claim_text(good, identity="good"), encoding="utf-8"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "conformance", "run", str(specs)],
        cwd=tmp_path,
        env=environment(checkout),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1
    assert "killed by SIGABRT" in ran.stdout
    assert "while running on" in ran.stdout
    assert "the last words" in ran.stdout
    assert "1 holds, 1 crashed" in ran.stdout
    assert "\x1b" not in ran.stdout
