"""Claims that kill, hang, leak and disturb: each gets its verdict, and the next is measured as if nothing had been."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

import pytest

from conformance.language.model import Claim
from conformance.results.model import Entry
from conformance.run.supervisor import Supervisor

GOOD = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"

Read = Callable[[str], Claim]


def body(program: str, expect: str = "x is not None") -> str:
    lines = textwrap.indent(textwrap.dedent(program).strip(), "  ")
    return f"given: {{x: tensor()}}\ndo: |\n{lines}\nexpect: {expect}"


@pytest.fixture(scope="module")
def strict() -> Iterator[Supervisor]:
    """A supervisor with small limits, where no claim has a second chance."""
    supervisor = Supervisor(examples=2, seed=0, time_limit=15.0, memory_limit=400 * 2**20, judged_again=0)
    yield supervisor
    supervisor.close()


def judge_all(supervisor: Supervisor, claim: Claim, good: Claim) -> tuple[Entry, Entry]:
    return supervisor.judge(claim, "cpu").entry, supervisor.judge(good, "cpu").entry


DEADLY = {
    "segmentation fault": ("import ctypes\nctypes.string_at(0)", "crashed", "SIGSEGV"),
    "abort": ("import os\nos.abort()", "crashed", "SIGABRT"),
    "killed as by the system": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "crashed", "SIGKILL"),
    "exit": ("import os\nos._exit(3)", "crashed", "status 3"),
    "terminated": ("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)", "crashed", "SIGTERM"),
    "deep recursion in C": ("x = []\nfor _ in range(10**4): x = [x]\nrepr(x)", "refuted", "RecursionError"),
    "leak of gigabytes": (
        "import sys, time\nsys.kept = [bytearray(2**24) for _ in range(100)]\ntime.sleep(2)",
        "crashed",
        "took more than 400 MiB",
    ),
    "hundreds of megabytes printed": ("while True: print('x' * 2**20)", "crashed", "printed more than 64 MiB"),
    "megabytes written below Python": ("import os\nwhile True: os.write(2, b'x' * 2**16)", "crashed", "64 MiB"),
    "system exit": ("raise SystemExit(0)", "refuted", "SystemExit"),
    "interrupt": ("raise KeyboardInterrupt", "refuted", "KeyboardInterrupt"),
    "all descriptors closed": ("import os\nos.closerange(0, 4096)", "crashed", "closed the pipe"),
    "garbage as answers": (
        """
        import os
        for number in range(3, 64):
            try:
                os.write(number, b'garbage')
            except OSError:
                pass
        """,
        "crashed",
        "something else than an answer",
    ),
    "garbage as lines": (
        """
        import os
        for number in range(3, 64):
            try:
                os.write(number, b'{"number": 1}' + bytes([10]))
            except OSError:
                pass
        """,
        "crashed",
        "something else than an answer",
    ),
    "working directory": ("import os\nos.chdir('/')", "invalid", "working directory"),
    "signal handler": ("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)", "invalid", "signal handlers"),
    "alarm": ("import signal\nsignal.setitimer(signal.ITIMER_REAL, 1000)", "invalid", "signal handlers"),
    "no working directory": (
        "import os\nos.rmdir(os.getcwd()) if os.path.exists(os.getcwd()) else 0",
        "invalid",
        "directory",
    ),
}


@pytest.mark.parametrize("name", DEADLY)
def test_a_disturbing_claim_gets_its_verdict_and_the_next_one_its_own(
    name: str, strict: Supervisor, read_claim: Read
) -> None:
    program, verdict, reason = DEADLY[name]
    outcome, after = judge_all(strict, read_claim(body(program)), read_claim(GOOD))
    assert (outcome.verdict, reason in (outcome.detail or "")) == (verdict, True), outcome
    if verdict == "crashed" and "number" not in program:
        assert "while running on:\nx = torch." in (outcome.detail or "")
    assert after.verdict == "holds"


HARMLESS = {
    "forked copies": "import os\nos.fork()",
    # One copy, since each takes memory of its own and an example runs the program many times.
    "a forked copy that waits": (
        "import os, sys, time\nif not hasattr(sys, 'copied') and os.fork() == 0: time.sleep(1000)\nsys.copied = True"
    ),
    "a process": "import subprocess\nsubprocess.Popen(['sleep', '1000'])",
    "a process in a session of its own": (
        "import subprocess\nsubprocess.run(['sh', '-c', 'setsid sleep 1000 </dev/null >/dev/null 2>&1 &'])"
    ),
    "a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,), daemon=True).start()",
    "a stubborn thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "standard input closed": "import os\nos.closerange(0, 1)",
    "standard output replaced": "import io, sys\nsys.stdout = sys.stderr = io.StringIO()",
    "variables": "import os\nos.environ.clear()",
    "half a character": "y = '\\ud800'",
    "the temporary folder": "import shutil, tempfile\nshutil.rmtree(tempfile.gettempdir(), ignore_errors=True)",
    "much memory kept": "import sys\nsys.kept = getattr(sys, 'kept', None) or bytearray(2**27)",
    "ten megabytes printed": "print('x' * 2**16)",
    "standard input read": "import sys\nsys.stdin.read()",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_a_claim_leaves_behind_is_gone_for_the_next(name: str, strict: Supervisor, read_claim: Read) -> None:
    outcome, after = judge_all(strict, read_claim(body(HARMLESS[name])), read_claim(GOOD))
    assert outcome.verdict in ("holds", "invalid"), outcome
    assert after == strict.judge(read_claim(GOOD), "cpu").entry
    assert after.verdict == "holds"


def test_no_process_stays_behind(read_claim: Read, tmp_path: Path) -> None:
    list_of_processes = tmp_path / "processes"
    supervisor = Supervisor(examples=1, seed=0)
    try:
        program = f"""
            import os, time
            pid = os.fork()
            if pid == 0:
                time.sleep(1000)
            with open({str(list_of_processes)!r}, 'a') as file:
                file.write(f'{{pid}} ')
        """
        assert supervisor.judge(read_claim(body(program)), "cpu").entry.verdict == "holds"
    finally:
        supervisor.close()
    started = [int(number) for number in list_of_processes.read_text().split()]
    assert started
    assert wait_until(lambda: not any(Path(f"/proc/{number}/cmdline").exists() for number in started))


@pytest.mark.parametrize("where", ["assume", "expect"])
def test_leaving_python_outside_of_the_program_is_told(where: str, strict: Supervisor, read_claim: Read) -> None:
    leaving = "exec('raise SystemExit') is x"
    text = {
        "assume": f'given: {{x: tensor()}}\nassume: "{leaving}"\ndo: y = x.detach()\nexpect: y is not x',
        "expect": f'given: {{x: tensor()}}\ndo: y = x\nexpect: "{leaving}"',
    }[where]
    outcome, after = judge_all(strict, read_claim(text), read_claim(GOOD))
    assert (outcome.verdict, (outcome.detail or "").splitlines()[0]) == ("crashed", "raised SystemExit outside of 'do'")
    assert after.verdict == "holds"


def test_a_claim_that_ends_the_process_later_does_not_spoil_the_next(read_claim: Read) -> None:
    program = """
        import sys
        class Deadly:
            def __del__(self):
                import os
                os.abort()
        sys.deadly = getattr(sys, 'deadly', None) or Deadly()
    """
    supervisor = Supervisor(examples=2, seed=0)
    try:
        late = supervisor.judge(read_claim(body(program)), "cpu")
        waking = supervisor.judge(read_claim(body("import sys\nsys.__dict__.pop('deadly', None)")), "cpu")
        good = supervisor.judge(read_claim(GOOD), "cpu")
    finally:
        supervisor.close()
    assert late.entry.verdict == "holds"
    assert (waking.entry.verdict, waking.influenced) == ("holds", "crashed (killed by SIGABRT)")
    assert (good.entry.verdict, good.influenced) == ("holds", None)


def test_what_it_printed_last_is_told(strict: Supervisor, read_claim: Read) -> None:
    outcome = strict.judge(read_claim(body("import os\nprint('the last words')\nos.abort()")), "cpu")
    assert outcome.printed.endswith("the last words")


def test_a_claim_that_hangs_below_python_is_timed_out(read_claim: Read) -> None:
    impatient = Supervisor(examples=1, seed=0, time_limit=1.0)
    program = "import ctypes\nctypes.PyDLL(None).sleep(1000)"  # holds the lock of the interpreter
    try:
        outcome, after = judge_all(impatient, read_claim(body(program)), read_claim(GOOD))
    finally:
        impatient.close()
    assert outcome.verdict == "timed-out"
    assert after.verdict == "holds"


def test_the_folder_of_a_run_is_removed(read_claim: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = set(tmp_path.iterdir())
    supervisor = Supervisor(examples=1, seed=0)
    supervisor.judge(read_claim(body("open('left', 'w').close()")), "cpu")
    assert set(tmp_path.iterdir()) - before
    supervisor.close()
    assert {path.name for path in set(tmp_path.iterdir()) - before} <= {"made_up.yaml"}


def wait_until(met: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if met():
            return True
        time.sleep(0.05)
    return met()


def test_the_disk_does_not_fill(strict: Supervisor, read_claim: Read) -> None:
    folder = strict._scratch.path
    strict.judge(read_claim(body("while True: print('x' * 2**20)")), "cpu")
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 2**20
    assert folder.is_dir()
