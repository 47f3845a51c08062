"""The process that imports torch: it tries calls one by one as the session asks."""

from __future__ import annotations

from typing import Any

import torch

from conformance.base.codec import encode
from conformance.base.processes.service import Channel, Service, WorkEnded
from conformance.inputs.device import set_current_device
from conformance.inputs.devices import absence, accelerator, devices, import_extensions
from conformance.lab.trials.calls import Call
from conformance.lab.trials.measuring import TriedCall, TryCall
from conformance.lab.trials.observe.trying import buildable_inputs, try_call
from conformance.run.protocol import Measuring
from conformance.run.worker.environment import describe
from conformance.run.worker.process_state import ProcessState
from conformance.run.worker.smoke import void


def make_service(channel: Channel, options: Measuring) -> Service:
    """Make the service of a process that tries calls on one device; without that, or in vain, the process ends."""
    torch.set_num_threads(1)
    import_extensions(options.imports)
    (device,) = options.devices
    if (why := absence(device)) is not None:
        raise SystemExit(f"--device {device}: this torch finds only {', '.join(devices())}: {why}")
    if (of_torch := accelerator(device)) is not None:
        of_torch.limit(options.memory)
    if (why := void(device)) is not None:
        raise SystemExit(f"--device {device}: {why}; nothing that is measured there can be trusted")
    set_current_device(device)
    state = ProcessState(channel.descriptors)

    def answer(request: TryCall) -> Any:
        try:
            rows = try_call(request.call, request.deadly, lambda number: channel.progress(str(number)))
        except (Exception, WorkEnded):  # a mistake of this package, or a device that is lost
            raise
        except BaseException as error:  # the call wanted to end this process later than where it was run
            raise WorkEnded(f"raised {type(error).__name__} after the call") from None
        state.leaks()
        channel.must_restart = state.must_restart or _left_by(request.call)
        return encode(TriedCall(tuple(rows)))

    return Service({"environment": encode(describe(device)), "inputs": buildable_inputs()}, answer)


def _left_by(call: Call) -> str:
    """Return what a call leaves that can't be put back: whether sparse tensors are checked has no way to "not said"."""
    return "said whether sparse tensors are checked" if "invariants" in f"{call.setup} {call.text}" else ""
