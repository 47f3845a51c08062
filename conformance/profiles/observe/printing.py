"""Results as text: four digits, the same on every release and machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
import torch

_LONGEST = 120
_MOST_ELEMENTS = 24
_DEPTH = 3


def printed(value: Any) -> Optional[str]:
    """Return a result in four digits; None for what has no value that could be printed."""
    try:
        text = _printed(value, _DEPTH)
    except (RuntimeError, TypeError, NotImplementedError, ValueError, OverflowError):
        return None
    return text if text is None or len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _printed(value: Any, depth: int) -> Optional[str]:
    if isinstance(value, torch.Tensor):
        if value.layout is not torch.strided or value.device.type == "meta" or value.is_quantized:
            return None
        value = value.detach()
        return _listed(value.reshape(-1)[:_MOST_ELEMENTS].tolist() if value.dim() else value.item())
    if isinstance(value, np.ndarray):
        return None if value.dtype.hasobject else _listed(value.reshape(-1)[:_MOST_ELEMENTS].tolist())
    if isinstance(value, (bool, int, float, complex)):
        return number(value)
    if isinstance(value, (str, torch.Size, torch.dtype, type(None))):
        return None if isinstance(value, str) and ("0x" in value or "/" in value) else repr(value)
    if depth and isinstance(value, Mapping):
        value = tuple(value.values())
    if depth and isinstance(value, (tuple, list)):
        items = [_printed(item, depth - 1) for item in value]
        return None if None in items else f"({', '.join(item for item in items if item is not None)})"
    return None


def _listed(value: Any) -> str:
    return f"[{' '.join(map(number, value))}]" if isinstance(value, list) else number(value)


def number(value: Any) -> str:
    """Return a number in four digits; whole numbers and truth values in full."""
    if isinstance(value, complex):
        return f"{number(value.real)}{'' if number(value.imag).startswith('-') else '+'}{number(value.imag)}j"
    if isinstance(value, float):
        # What rounding made of a zero must not differ between machines.
        return "0" if value == 0 or abs(value) < 1e-6 else f"{value:.4g}"
    return str(value)
