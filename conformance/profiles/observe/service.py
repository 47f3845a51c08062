"""The process that imports torch: it measures calls one by one as the session asks."""

from __future__ import annotations

from typing import Any

import torch

from conformance.processes.service import Channel, Service, WorkEnded
from conformance.profiles.measuring import MeasureCall
from conformance.profiles.observe.measure import measure
from conformance.results.codec import encode
from conformance.worker.environment import describe
from conformance.worker.process_state import ProcessState


def make_service(channel: Channel, options: None) -> Service:
    """Make the service of a process that measures calls."""
    torch.set_num_threads(1)
    state = ProcessState(channel.descriptors)

    def answer(request: MeasureCall) -> Any:
        try:
            measured = measure(request.call, request.deadly, lambda number: channel.progress(str(number)))
        except Exception:
            raise  # a mistake of this package
        except BaseException as error:  # the call wanted to end this process later than where it was run
            raise WorkEnded(f"raised {type(error).__name__} after the call") from None
        state.leaks()
        channel.must_restart = state.must_restart
        return encode(measured)

    return Service(encode(describe("cpu")), answer)
