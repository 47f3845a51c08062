"""Is the harness itself sound on this torch? Where one of these facts fails, the whole column is void."""

from __future__ import annotations

from typing import Callable, Optional

import numpy
import torch

from conformance.checks import vocabulary

_CHECKS = vocabulary()


def _copy_is_independent(device: str) -> bool:
    x = torch.tensor([1.0, 2.0], device=device)
    y = torch.tensor([1.0, 2.0], device=device)
    return bool(_CHECKS["independent"](x, y)) and not _CHECKS["shares_storage"](x, y) and bool(_CHECKS["equal"](x, y))


def _slice_shares(device: str) -> bool:
    x = torch.tensor([1.0, 2.0], device=device)
    y = x[:]
    return (
        bool(_CHECKS["shares_storage"](x, y))
        and bool(_CHECKS["sees_writes"](x, y))
        and not _CHECKS["independent"](x, y)
    )


def _probing_restores(device: str) -> bool:
    x = torch.tensor([1.0, 2.0], device=device)
    version = x._version
    _CHECKS["sees_writes"](x, x[:])
    return bool(x.tolist() == [1.0, 2.0] and x._version == version)


def _values_differ(device: str) -> bool:
    x = torch.tensor([1.0, 2.0], device=device)
    return not _CHECKS["equal"](x, torch.tensor([1.0, 3.0], device=device))


def _errors_reach_python(device: str) -> bool:
    try:
        torch.ones(2, device=device) + torch.ones(3, device=device)
    except RuntimeError:
        return True
    return False


def _array_shares(device: str) -> bool:
    # An array is on the CPU, whatever is under test.
    array = numpy.array([1.0, 2.0])
    return bool(_CHECKS["shares_storage"](torch.as_tensor(array), array))


FACTS: dict[str, Callable[[str], bool]] = {
    "two new tensors are equal and independent": _copy_is_independent,
    "a slice shares memory with its base": _slice_shares,
    "a probing write leaves the tensor as it was": _probing_restores,
    "tensors of different values are not equal": _values_differ,
    "an error of torch reaches Python": _errors_reach_python,
    "as_tensor shares memory with an array": _array_shares,
}


def void(device: str = "cpu") -> Optional[str]:
    """Return why nothing measured on a device may be believed, or None."""
    for fact, check in FACTS.items():
        try:
            sound = check(device)
        except Exception as error:
            return f"the smoke claim '{fact}' raised {type(error).__name__}: {error}".partition("\n")[0]
        if not sound:
            return f"the smoke claim '{fact}' is false"
    return None
