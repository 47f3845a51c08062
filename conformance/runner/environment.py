"""Which environment a run measures, and whether a claim's conditions admit it."""

from __future__ import annotations

import platform
import sys
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.language.model import Conditions


def describe(device: str) -> dict[str, str]:
    """Describe this process as an environment on one device (the block of that name in a result file)."""
    import hypothesis
    import numpy
    import torch

    release, _, build = str(torch.__version__).partition("+")
    environment = {
        "torch": release,
        "build": build or "default",
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": str(numpy.__version__),
        "hypothesis": str(hypothesis.__version__),
        "device": device,
        "system": platform.system().lower(),
        "machine": platform.machine().lower(),
    }
    if device == "cuda":
        environment["accelerator"] = torch.cuda.get_device_name(0)
    return environment


def devices() -> list[str]:
    """Return the devices found, ``cpu`` first."""
    import torch

    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


def admits(conditions: Conditions, environment: dict[str, Any]) -> bool:
    """Say whether an environment satisfies a claim's or a divergence's conditions."""
    for name in ("torch", "numpy", "python"):
        specifier = getattr(conditions, name)
        if specifier is not None and not _contains(specifier, str(environment[name])):
            return False
    return all(getattr(conditions, name) in (None, environment[name]) for name in ("device", "system"))


def _contains(specifier: str, version: str) -> bool:
    # A nightly of 2.16 is judged as 2.16: it has what that release will have.
    return SpecifierSet(specifier).contains(Version(Version(version).base_version), prereleases=True)
