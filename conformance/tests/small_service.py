"""A service for tests of the processes: it does what a request says."""

from __future__ import annotations

import multiprocessing
import os
import shlex
import subprocess
import sys
import time
from typing import Any

from conformance.base.processes.service import Channel, Service, WorkEnded

IMPORTED_BY = os.getpid()


def make(channel: Channel, options: Any) -> Service:
    if options == "broken":
        raise ImportError("this is broken")
    kept: list[Any] = []

    def answer(request: str) -> Any:
        name, _, value = request.partition(" ")
        if name == "steps":
            for number in range(int(value)):
                channel.progress(f"step {number}")
                time.sleep(0.2)
        elif name == "die":
            channel.progress("dying")
            print(value, flush=True)
            os.abort()
        elif name == "hang":
            channel.progress("hanging")
            time.sleep(1000)
        elif name == "keep":
            kept.append(b"x" * int(value))
            time.sleep(0.5)
        elif name == "hold":
            kept.append(b"x" * int(value))
            time.sleep(1000)
        elif name == "print":
            while True:
                print("x" * 2**16)
        elif name == "exit-later":
            os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"sleep 0.3; kill -9 {os.getpid()}")
        elif name == "restart":
            channel.must_restart = "is tired"
        elif name == "mistake":
            raise KeyError("a mistake")
        elif name == "leave":
            raise WorkEnded("wanted to leave")
        elif name == "fork":
            if os.fork() == 0:
                return "copy"
        elif name == "daemon":
            return {"request": request, "process": start_daemon("sleep", "1000")}
        elif name == "daemon-keeps":
            start_daemon(sys.executable, "-c", f"import time; kept = b'x' * {value}; time.sleep(1000)")
            time.sleep(30)
        elif name == "tracked":
            semaphore = multiprocessing.get_context("spawn").Semaphore()
            kept.append(semaphore)
            return {"request": request, "process": 0, "name": semaphore._semlock.name}  # type: ignore[attr-defined]
        elif name == "garbage":
            os.write(channel.descriptors[0], b'{"number": 1}\n')
        elif name == "imported-by":
            return IMPORTED_BY
        elif name == "sys":
            return sorted(name for name in sys.modules if name.partition(".")[0] in ("torch", "numpy"))
        return {"request": request, "process": os.getpid()}

    return Service({"options": options}, answer)


def start_daemon(*command: str) -> int:
    """Start a process in a session of its own, whose parent ends; return its id."""
    words = " ".join(map(shlex.quote, command))
    started = subprocess.run(
        ["sh", "-c", f"setsid {words} </dev/null >/dev/null 2>&1 & echo $!"], stdout=subprocess.PIPE, check=True
    )
    return int(started.stdout)
