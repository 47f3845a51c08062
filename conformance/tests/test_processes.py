"""A worker's process may die, hang, print, leak or answer nonsense: each is told, and the next request is served."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest

from conformance.base.processes.worker import Limits, ServiceFailed, StartFailed, Worker, WorkerDied, wait_for_any

Make = Callable[..., Worker]
SMALL = Limits(seconds=5.0, memory=300 * 2**20, output=2**20)


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Make workers, which end with the test."""
    made: list[Worker] = []

    def worker(limits: Limits = SMALL, options: Any = "none") -> Worker:
        made.append(Worker("conformance.tests.small_service:make", options, tmp_path, limits))
        return made[-1]

    yield worker
    for worker_made in made:
        worker_made.close()


def died(worker: Worker, request: str) -> WorkerDied:
    with pytest.raises(WorkerDied) as caught:
        worker.ask(request)
    assert worker.ask("again")["request"] == "again"
    return caught.value


def test_it_greets_and_answers_in_one_process(make: Make) -> None:
    worker = make(options=["some", "options"])
    assert worker.greeting() == {"options": ["some", "options"]}
    assert worker.ask("one")["process"] == worker.ask("two")["process"]
    assert worker.served == 2


def test_no_process_imports_torch_for_itself(make: Make) -> None:
    assert make().ask("sys") == []


def test_a_death_is_told_with_the_last_step_and_the_last_words(make: Make) -> None:
    end = died(make(), "die the last words")
    assert (end.reason, end.timed_out) == ("killed by SIGABRT", False)
    assert (end.progress.text, end.printed) == ("dying", "the last words")


def test_a_service_may_tell_a_death_that_it_prevented(make: Make) -> None:
    assert died(make(), "leave").reason == "wanted to leave"


@pytest.mark.parametrize(
    ("request_", "reason", "timed_out"),
    [
        ("hang", "no verdict after 3 s", True),
        ("steps 20", "no verdict after 3 s", True),
        (f"hold {2**29}", "took more than 300 MiB of memory", False),
        ("print", "printed more than 1 MiB", False),
        ("garbage", "something else than an answer came through the pipe of the answers", False),
    ],
)
def test_a_limit_ends_the_process(make: Make, request_: str, reason: str, timed_out: bool) -> None:
    end = died(make(Limits(seconds=3.0, memory=300 * 2**20, output=2**20)), request_)
    assert (end.reason, end.timed_out) == (reason, timed_out)


def test_with_a_limit_for_each_step_progress_counts(make: Make) -> None:
    worker = make(Limits(seconds=1.0, each_step=True))
    assert worker.ask("steps 10")["request"] == "steps 10"
    assert died(worker, "hang").progress.text == "hanging"


def test_a_request_that_was_not_taken_up_goes_to_another_process(make: Make) -> None:
    worker = make()
    first = worker.ask("exit-later")
    time.sleep(1.0)
    assert worker.ask("next")["process"] != first["process"]


@pytest.mark.parametrize("request_", ["restart", f"keep {2**28}"])
def test_a_process_that_is_no_longer_as_it_was_is_replaced(make: Make, request_: str) -> None:
    worker = make(Limits(seconds=5.0, memory=2**29))
    first = worker.ask(request_)
    assert not worker.is_running
    assert worker.ask("next")["process"] != first["process"]
    assert worker.served == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere each process imports for itself")
def test_processes_that_follow_each_other_import_once(make: Make) -> None:
    worker = make()
    imported_by = worker.ask("imported-by")
    first = worker.ask("restart")["process"]
    assert worker.ask("imported-by") == imported_by
    assert worker.ask("next")["process"] not in (first, imported_by)


def test_all_processes_end_with_the_worker(make: Make) -> None:
    worker = make()
    processes = [worker.ask("one")["process"], worker.ask("imported-by")]
    worker.close()
    assert not any(Path(f"/proc/{process}").exists() for process in processes)


def test_a_copy_of_the_process_says_nothing(make: Make) -> None:
    worker = make()
    assert worker.ask("fork")["request"] == "fork"
    assert worker.ask("next")["request"] == "next"


def test_a_mistake_of_the_service_is_told_as_one(make: Make) -> None:
    with pytest.raises(ServiceFailed, match=r"KeyError: 'a mistake'"):
        make().ask("mistake")


def test_a_process_that_does_not_start_is_told_with_what_it_printed(make: Make) -> None:
    with pytest.raises(StartFailed, match="ImportError: this is broken"):
        make(options="broken").greeting()
    with pytest.raises(StartFailed, match="exited with status 1"):
        make(options="broken").ask("anything")


def test_an_import_that_kills_is_told_with_what_it_printed(tmp_path: Path) -> None:
    worker = Worker("conformance.tests.deadly_service:make", None, tmp_path, SMALL)
    for _ in range(2):
        with pytest.raises(StartFailed, match=r"(?s)killed by SIGABRT.*the last words of an import"):
            worker.greeting()
    worker.close()


def test_several_workers_work_at_once(make: Make) -> None:
    workers = [make() for _ in range(3)]
    for number, worker in enumerate(workers):
        worker.send(f"number {number}")
    answers: dict[int, str] = {}
    end = time.monotonic() + 60
    while len(answers) < 3 and time.monotonic() < end:
        wait_for_any(workers, 0.5)
        for number, worker in enumerate(workers):
            if number not in answers and (answer := worker.poll()) is not None:
                answers[number] = answer["request"]
    assert answers == {0: "number 0", 1: "number 1", 2: "number 2"}
