"""A device that needs no hardware, ``standin``, to try the project on; only tests use it, on the torch at hand.

``--import conformance.tests.standin.backend`` adds it to torch.
"""

from __future__ import annotations

import shutil
from importlib.metadata import version

#: What to import for it.
BACKEND = "conformance.tests.standin.backend"
#: The environment variable that names a fault of the device, see `conformance.tests.standin.backend.FAULTS`.
FAULT = "STANDIN_FAULT"


def why_not() -> str:
    """Return why the device can't be had here; empty where it can."""
    if tuple(map(int, version("torch").split(".")[:2])) < (2, 13):
        return "the stand-in device is written for torch 2.13 and later"
    lacking = [name for name in ("c++", "ninja") if shutil.which(name) is None]
    return f"the stand-in device has to be compiled, and there is no {lacking[0]}" if lacking else ""
