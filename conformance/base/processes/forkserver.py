"""The process that imports what the work needs, once; each process that does the work is a copy of it.

Importing torch takes about a second, a copy a few milliseconds. This process does nothing else: it takes descriptors,
makes a copy, waits for its end and tells it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import socket
import sys
from contextlib import suppress

from conformance.base.processes import child_main
from conformance.base.processes.protection import detach, die_with, dump_no_core

_LONGEST_MESSAGE = 1 << 16


def main(arguments: list[str]) -> int:
    """Make copies until the parent closes its socket.

    Parameters
    ----------
    arguments
        The file descriptor of the socket; the process that must not end before this one; and what makes the service,
        as ``module:function``.
    """
    control = socket.socket(fileno=int(arguments[0]))
    die_with(int(arguments[1]))
    dump_no_core()
    if sys.platform == "linux":  # elsewhere, libraries that NumPy uses do not survive in a copy
        _import_early(arguments[2].partition(":")[0])
    detach(0, 1, 2)
    while True:
        message, descriptors, *_ = socket.recv_fds(control, _LONGEST_MESSAGE, 4)
        if not message:
            return 0
        server, copy = os.getpid(), os.fork()
        if copy == 0:
            control.close()
            return _work(json.loads(message), descriptors, server, arguments[2])
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(b"%d\n" % copy)
        control.sendall(b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]))


def _import_early(module: str) -> None:
    """Import what makes the service; a copy tries again where that fails, and tells why.

    What is imported stays. No garbage is looked for in it, then or later.
    """
    gc.disable()
    with suppress(Exception):
        importlib.import_module(module)
    gc.freeze()
    gc.enable()


def _work(folder: str, descriptors: list[int], server: int, service: str) -> int:
    os.setsid()  # Ctrl-C is for the parent, which then ends the process
    requests, output, answers, progress = descriptors
    for descriptor, standard in ((requests, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, standard)
    os.close(requests)
    os.close(output)
    return child_main.main([str(answers), str(progress), str(server), folder, service])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
