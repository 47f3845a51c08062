"""Which environment this process measures."""

from __future__ import annotations

import platform
import sys

import hypothesis
import numpy
import torch

from conformance.inputs.devices import accelerator
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
        accelerator=None if (other := accelerator(device)) is None else other.hardware,
    )
