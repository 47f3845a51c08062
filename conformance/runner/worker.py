"""The process that imports torch: it judges claims one by one as the supervisor asks, so that torch may crash here.

Requests come as pickles on standard input, answers go as lines of JSON to a pipe of their own; whatever torch or a claim prints
goes to the log file that the supervisor gave.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import pickle
import signal
import sys
import traceback
from typing import Any, BinaryIO

#: Room for the recipes of the running example, in bytes.
NOTE_SIZE = 4096


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Parameters
    ----------
    arguments
        The number of the file descriptor to answer on, and the path of the file that holds the running example.
    """
    _die_with_parent()
    answers = os.fdopen(int(arguments[0]), "w", encoding="utf-8")
    requests = os.fdopen(os.dup(0), "rb")
    _detach_standard_input()
    with open(arguments[1], "r+b") as file, mmap.mmap(file.fileno(), NOTE_SIZE) as note:
        _serve(requests, answers, note)
    return 0


def _serve(requests: BinaryIO, answers: Any, note: mmap.mmap) -> None:
    from conformance.runner.environment import describe, devices
    from conformance.runner.judge import judge
    from conformance.runner.smoke import void

    environments = {device: describe(device) for device in devices()}
    _answer(answers, {"environments": environments, "void": void()})

    def write_note(example: Any) -> None:
        text = example.script().encode()[: NOTE_SIZE - 4]
        note[: 4 + len(text)] = len(text).to_bytes(4, "little") + text

    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        note[:4] = b"\0\0\0\0"
        if request["what"] == "pinned":
            _run_pinned(request, write_note)
            _answer(answers, {})
            continue
        try:
            outcome = judge(
                request["claim"],
                environments[request["device"]],
                examples=request["examples"],
                seed=request["seed"],
                note=write_note,
                crashes_confirmed=request["crashes_confirmed"],
            )
        except Exception:
            # Not torch's doing and not the claim's: the harness must say so rather than blame either.
            outcome = {"harness": traceback.format_exc()}
        _answer(answers, outcome)


def _run_pinned(request: dict[str, Any], write_note: Any) -> None:
    """Run the program on one recorded counterexample; a recorded crash ends this process here."""
    from conformance.runner.pinned import example_from_recipes
    from conformance.runner.program import plan
    from conformance.runner.trial import run_trial

    example = example_from_recipes(request["recipes"], request["device"])
    write_note(example)
    run_trial(plan(request["claim"]), example, request["device"])


def _answer(answers: Any, document: dict[str, Any]) -> None:
    answers.write(json.dumps(document) + "\n")
    answers.flush()


def _detach_standard_input() -> None:
    # A claim that reads standard input must not eat the requests.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
