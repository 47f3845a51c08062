"""Nothing stays behind: processes in sessions of their own, shared memory, temporary folders; also after SIGKILL."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

import pytest

from conformance.base.processes.ending import EndSignals
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import Limits, Worker, WorkerDied

LIMITS = Limits(seconds=20.0, memory=300 * 2**20)
MAKE = "conformance.tests.small_service:make"

if sys.platform != "linux":
    pytest.skip("orphans are adopted on Linux only", allow_module_level=True)


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(met: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_process_in_a_session_of_its_own_ends_with_the_worker(tmp_path: Path) -> None:
    worker = Worker(MAKE, "none", tmp_path, LIMITS)
    daemon = worker.ask("daemon")["process"]
    assert is_running(daemon)
    worker.stop()
    assert not is_running(daemon)


def test_it_ends_also_where_the_worker_dies(tmp_path: Path) -> None:
    worker = Worker(MAKE, "none", tmp_path, LIMITS)
    daemon = worker.ask("daemon")["process"]
    with pytest.raises(WorkerDied, match="SIGABRT"):
        worker.ask("die now")
    assert not is_running(daemon)


def test_its_memory_counts(tmp_path: Path) -> None:
    worker = Worker(MAKE, "none", tmp_path, LIMITS)
    with pytest.raises(WorkerDied, match="took more than 300 MiB of memory"):
        worker.ask(f"daemon-keeps {2**29}")


def test_what_cleans_up_after_others_is_let_do_so(tmp_path: Path) -> None:
    worker = Worker(MAKE, "none", tmp_path, LIMITS)
    semaphore = Path("/dev/shm", "sem." + worker.ask("tracked")["name"].lstrip("/"))
    assert semaphore.exists()
    worker.stop()
    assert not semaphore.exists()


def test_shared_memory_named_after_the_worker_is_removed(tmp_path: Path) -> None:
    worker = Worker(MAKE, "none", tmp_path, LIMITS)
    process = worker.ask("one")["process"]
    left, other = (Path("/dev/shm", f"torch_{number}_1_0") for number in (process, f"{process}0"))
    for path in (left, other):
        path.touch()
    try:
        worker.stop()
        assert (left.exists(), other.exists()) == (False, True)
    finally:
        other.unlink()


KILLED = f"""
import time
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.processes.worker import Limits, Worker
scratch = ScratchFolder()
worker = Worker({MAKE!r}, "none", scratch.path, Limits(60.0))
print(worker.ask("daemon")["process"], worker.ask("one")["process"], scratch.path, flush=True)
worker.ask("hang")
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_after_sigkill_processes_end_and_the_folder_goes_with_the_next_one(temporary: Path) -> None:
    running = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    daemon, worker, folder = running.stdout.readline().split()
    with ScratchFolder():
        assert Path(folder).is_dir(), "its process runs"
    running.kill()
    running.wait()
    wait_for(lambda: not is_running(int(daemon)) and not is_running(int(worker)))
    with ScratchFolder():
        assert not Path(folder).exists()
    assert list(temporary.iterdir()) == []


def test_only_abandoned_folders_of_ours_are_removed(temporary: Path) -> None:
    with ScratchFolder() as path:
        pass
    assert not path.exists()
    (temporary / "conformance-run-of-somebody").mkdir()
    (temporary / "conformance-run-of-somebody" / "files").mkdir()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for process in (ended.pid, os.getpid()):  # killed while it made a folder, and making one
        (temporary / f"conformance-run-{process}-new" / "files").mkdir(parents=True)
    abandoned, elsewhere = temporary / f"conformance-run-{os.getpid()}-abandoned", temporary / "elsewhere"
    for folder in (abandoned, elsewhere):
        (folder / "files").mkdir(parents=True)
        (folder / "in-use").touch()
    (temporary / "conformance-run-0-link").symlink_to(elsewhere)
    os.mkfifo(temporary / "conformance-run-0-pipe")
    with ScratchFolder() as first, ScratchFolder() as second:
        assert first.is_dir()
        shutil.rmtree(first)  # as a program may do with its temporary folder
        assert second.is_dir()
        names = {path.name for path in temporary.iterdir()} - {first.parent.name, second.parent.name}
    left = {"of-somebody", f"{os.getpid()}-new", "0-link", "0-pipe"}
    assert names == {*(f"conformance-run-{name}" for name in left), "elsewhere"}
    assert (elsewhere / "files").is_dir()


def test_the_first_signal_interrupts_and_decides_on_the_status() -> None:
    with EndSignals() as signals:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGHUP)
        with pytest.raises(KeyboardInterrupt):
            signals.check()
        assert signals.status(0) == 143


def test_a_signal_while_results_are_written_only_decides_on_the_status() -> None:
    with EndSignals() as signals:
        signals.check()
        signals.finish()
        os.kill(os.getpid(), signal.SIGTERM)
        signals.check()
        assert signals.status(1) == 143
    with EndSignals() as signals:
        assert signals.status(1) == 1


INTERRUPTED = """
import sys
from conformance.base.processes.ending import EndSignals
with EndSignals() as signals:
    try:
        exec("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")
    except KeyboardInterrupt:
        pass
sys.exit(signals.status(0))
"""


def test_a_signal_inside_exec_gives_the_same_status(tmp_path: Path) -> None:
    """As when a class of the standard library is being made while modules are imported."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED, encoding="utf-8")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])}
    ran = subprocess.run([sys.executable, "-m", "interrupted"], env=variables, check=False)
    assert ran.returncode == 143
