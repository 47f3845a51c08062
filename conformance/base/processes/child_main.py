"""The process that does the work: it serves requests one by one, and may die at any of them.

Requests come as pickles on standard input, answers go as lines of JSON to a pipe of their own; what the work prints
goes to another pipe, of which the parent keeps the end.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance.base.processes.keeper import work_in_a_copy
from conformance.base.processes.progress import ProgressWriter
from conformance.base.processes.protection import be_first_to_go, detach, empty, keep_from_copies, move_to
from conformance.base.processes.service import Channel, MakeService, WorkEnded

#: The exit status of a process that can't answer any more, since the work has closed its pipes.
CUT_OFF = 86


def main(arguments: list[str]) -> int:
    """Serve requests until standard input ends.

    Parameters
    ----------
    arguments
        The file descriptors of the pipe for answers and of the progress file; the process that must not end before
        this one; the folder for temporary files; and what makes the service, as ``module:function``.
    """
    answers, progress_file, parent = map(int, arguments[:3])
    work_in_a_copy(parent, (answers, progress_file))
    be_first_to_go()
    requests = os.fdopen(os.dup(0), "rb")
    detach(0)
    progress = ProgressWriter(progress_file)
    folder = Path(arguments[3])
    move_to(folder)
    empty(folder)
    descriptors = (answers, requests.fileno())
    keep_from_copies(descriptors)
    channel = Channel(descriptors, progress)
    module, _, name = arguments[4].partition(":")
    make_service: MakeService = getattr(importlib.import_module(module), name)
    service = make_service(channel, pickle.load(requests))
    _send(answers, channel, {"number": 0, "answer": service.greeting, "process": os.getpid()})
    while True:
        try:
            number, request = pickle.load(requests)
        except (EOFError, OSError):
            return 0
        progress.take_up(number)
        try:
            document = {"number": number, "answer": service.answer(request)}
        except WorkEnded as end:
            document = {"number": number, "ended": str(end)}
        except Exception:
            document = {"number": number, "failure": traceback.format_exc()}
        empty(folder)
        _send(answers, channel, {**document, "restart": channel.must_restart})


def _send(answers: int, channel: Channel, document: Mapping[str, Any]) -> None:
    channel.leave_if_copied()
    # A half of a surrogate pair, as an error message may hold, can't be written.
    left = memoryview(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    try:
        while left:
            left = left[os.write(answers, left) :]
    except OSError:
        os._exit(CUT_OFF)
