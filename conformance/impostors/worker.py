"""The process in which claims meet impostors, so that torch may crash or hang there."""

from __future__ import annotations

import multiprocessing
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, Optional

#: Room for the name of the running attempt, in bytes.
NOTE_SIZE = 256


class Options(NamedTuple):
    """What all processes are told: the device, Python files with further impostors, and which ones to use (all)."""

    device: str
    plugins: tuple[str, ...]
    only: tuple[str, ...]


def serve(requests: Connection, note: Any, log: str, options: Options) -> None:
    """Confront claims as they come until the other end is closed.

    Parameters
    ----------
    requests
        Gives a claim, the attempts to leave out, the impostors under which torch crashed, and a hint; takes a
        `Finding`. The first message that it takes is the environment and the impostors.
    note
        Shared memory for the name of the running attempt.
    log
        Path of a file for what torch and the claims print.
    options
        What all processes are told.
    """
    _redirect(log)
    # This process was spawned, and hands that on; a program's processes start as they do by default.
    multiprocessing.set_start_method(None, force=True)
    from conformance.impostors.campaign import confront
    from conformance.impostors.registry import add_file, impostors
    from conformance.runner.environment import describe

    for plugin in options.plugins:
        add_file(Path(plugin))
    environment = describe(options.device)
    summaries = {name: item.summary for name, item in impostors().items()}
    only = [name for name in summaries if not options.only or name in options.only]
    requests.send((environment, {name: summaries[name] for name in only}))
    counter = 0

    def write(attempt: str) -> None:
        nonlocal counter
        counter += 1
        note.value = f"{counter} {attempt}".encode()[: NOTE_SIZE - 1]

    while True:
        try:
            claim, skip, crashed, hint = requests.recv()
        except (EOFError, OSError):
            return
        note.value = b""
        requests.send(confront(claim, environment, note=write, skip=skip, crashed=crashed, only=only, hint=hint))


def attempt_in(note: Any) -> Optional[str]:
    """Return the name of the attempt that was running when the process ended."""
    return note.value.decode("utf-8", "replace").partition(" ")[2] or None


def _redirect(log: str) -> None:
    # What a wrong torch prints is of no interest, and must not mix with the report.
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
