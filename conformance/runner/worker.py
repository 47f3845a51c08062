"""The process that imports torch: it judges claims one by one as the supervisor asks, so that torch may crash here.

Requests come as pickles on standard input, answers go as lines of JSON to a pipe of their own; what torch or a claim
prints goes to another pipe, of which the supervisor keeps the end.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import pickle
import resource
import signal
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from conformance.runner.surroundings import Surroundings

#: Room for the number of the request and the recipes of the running example, in bytes.
NOTE_SIZE = 4096
#: What stands before the recipes: the number of the request taken up, and the length of the recipes.
NOTE_HEAD = 8
#: The exit status of a worker whose pipes a claim has closed.
CUT_OFF = 86
#: The longest text that a result file may hold.
LONGEST_TEXT = 20_000


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Parameters
    ----------
    arguments
        The file descriptors to answer on and of the file that holds the running example, the process that must not end
        before this one, and the folder for temporary files.
    """
    answers, note_file, parent = map(int, arguments[:3])
    _protect(parent)
    requests = os.fdopen(os.dup(0), "rb")
    _detach_standard_input()
    note = mmap.mmap(note_file, NOTE_SIZE)
    os.close(note_file)
    _use_folder(arguments[3])
    os.register_at_fork(after_in_child=lambda: _leave_pipes(parent=os.getppid(), pipes=(answers, requests.fileno())))
    return _Worker(requests, answers, note).serve()


class _Worker:
    """The loop of this process."""

    def __init__(self, requests: BinaryIO, answers: int, note: mmap.mmap) -> None:
        self._requests = requests
        self._answers = answers
        self._note = note
        self._process = os.getpid()

    def serve(self) -> int:
        from conformance.runner.environment import describe, devices
        from conformance.runner.smoke import void

        environments = {device: describe(device) for device in devices()}
        self._import_the_rest()
        self._surroundings = Surroundings((self._answers, self._requests.fileno()))
        self._answer({"number": 0, "environments": environments, "void": void()})
        while True:
            try:
                request = pickle.load(self._requests)
            except (EOFError, OSError):
                return 0
            self._note[:NOTE_HEAD] = request["number"].to_bytes(4, "little") + bytes(4)
            if request["what"] == "pinned":
                self._run_pinned(request)
                outcome: dict[str, Any] = {}
            else:
                outcome = self._judge(request, environments[request["device"]])
            self._end_of_claim(request["number"], outcome)

    def _import_the_rest(self) -> None:
        # The working directory is another one from now on: what a claim writes there is not for a checkout.
        import conformance.runner.judge
        import conformance.runner.pinned  # noqa: F401

    def _judge(self, request: dict[str, Any], environment: dict[str, str]) -> dict[str, Any]:
        from conformance.runner.judge import judge

        try:
            return judge(
                request["claim"],
                environment,
                examples=request["examples"],
                seed=request["seed"],
                note=self._write_note,
                crashes_confirmed=request["crashes_confirmed"],
            )
        except Exception:
            # Not torch's doing and not the claim's: the harness must say so rather than blame either.
            return {"harness": traceback.format_exc()}
        except BaseException as error:  # the claim wanted to end this process, outside of what 'do' may raise
            return {"ended": f"raised {type(error).__name__} outside of 'do'"}

    def _end_of_claim(self, number: int, outcome: dict[str, Any]) -> None:
        leaks = self._surroundings.leaks()
        if leaks and "verdict" in outcome:
            outcome = {"claim": outcome["claim"], "verdict": "invalid", "detail": "it leaks: " + ", ".join(leaks)}
        self._answer({"number": number, "outcome": outcome, "spent": self._surroundings.spent})

    def _run_pinned(self, request: dict[str, Any]) -> None:
        """Run the program on one recorded counterexample; a recorded crash ends this process here."""
        from conformance.runner.pinned import example_from_recipes
        from conformance.runner.program import plan
        from conformance.runner.trial import run_trial

        example = example_from_recipes(request["recipes"], request["device"])
        self._write_note(example)
        run_trial(plan(request["claim"]), example, request["device"])

    def _write_note(self, example: Any) -> None:
        if os.getpid() != self._process:
            os._exit(0)  # a copy of this process that a claim made and forgot
        text = example.script().encode("utf-8", "replace")[: NOTE_SIZE - NOTE_HEAD]
        self._note[4 : NOTE_HEAD + len(text)] = len(text).to_bytes(4, "little") + text

    def _answer(self, document: dict[str, Any]) -> None:
        if os.getpid() != self._process:
            os._exit(0)
        # A half of a surrogate pair, as an error message may hold, can't be written to a file.
        left = memoryview(json.dumps(_clipped(document), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        try:
            while left:
                left = left[os.write(self._answers, left) :]
        except OSError:
            os._exit(CUT_OFF)


def _clipped(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…"
    if isinstance(value, dict):
        return {name: _clipped(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_clipped(item) for item in value]
    return value


def _use_folder(folder: str) -> None:
    """Put temporary files, and what a claim writes to where it stands, into a folder that goes with the run."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    os.environ["TMPDIR"] = folder
    tempfile.tempdir = None
    os.chdir(folder)


def _leave_pipes(parent: int, pipes: tuple[int, ...]) -> None:
    """Keep a copy of this process, made by a claim, from talking to the supervisor and from staying behind."""
    for descriptor in pipes:
        with suppress(OSError):  # closed by the claim before
            os.close(descriptor)
    die_with(parent)


def _detach_standard_input() -> None:
    # A claim that reads standard input must not eat the requests.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _protect(parent: int) -> None:
    """End with the parent, be the first to go where memory runs out, and dump no core."""
    die_with(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write("1000")
    except OSError:
        pass  # not Linux, or not allowed


def die_with(parent: int) -> None:
    """Let the system end this process when its parent ends; Linux only, elsewhere the end of a pipe does it."""
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before this process asked
            os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
