"""Which environment this process measures."""

from __future__ import annotations

import platform
import sys

import hypothesis
import numpy
import torch

from conformance.results.model import Device, Environment


def describe(device: Device) -> Environment:
    """Describe this process as an environment on one device."""
    release, _, build = str(torch.__version__).partition("+")
    return Environment(
        torch=release,
        build=build or "default",
        python=f"{sys.version_info.major}.{sys.version_info.minor}",
        numpy=str(numpy.__version__),
        device=device,
        system=platform.system().lower(),
        machine=platform.machine().lower(),
        hypothesis=str(hypothesis.__version__),
        accelerator=torch.cuda.get_device_name(0) if device == "cuda" else None,
    )


def devices() -> tuple[Device, ...]:
    """Return the devices found, ``cpu`` first."""
    return ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)
