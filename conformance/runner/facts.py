"""What one example showed beside the verdict: facts that may change between releases while the verdict stays."""

from __future__ import annotations

import re
from typing import Any

import numpy
import torch

from conformance.checks import NotJudged, vocabulary
from conformance.runner.explain import shown
from conformance.runner.trial import Trial

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PATH = re.compile(r"(?:/[\w.+-]+){2,}(?::\d+)?|[A-Za-z]:\\\S+")
# A number or a run of hexadecimal digits as long as an address.
_LONG = re.compile(r"(?<![\w.])(?:\d{10,}|[0-9a-f]{12,16})(?![\w.])")
_shares_storage = vocabulary()["shares_storage"]


def normalise(message: str) -> str:
    """Return the first sentence-like part of an error's or warning's message without numbers, addresses and paths."""
    line = (message.strip().splitlines() or [""])[0]
    line = line.split(" (Triggered internally at")[0]
    return _NUMBER.sub("N", _PATH.sub("PATH", _ADDRESS.sub("ADDRESS", line)))[:200]


def observe(trial: Trial, inputs: dict[str, Any], assigned: tuple[str, ...]) -> dict[str, Any]:
    """Collect the facts of a finished trial.

    Returns
    -------
    dict
        ``raises``: class and normalised message; ``warns``: the same for each warning; and for every name that the
        program assigned its printed form and flags, such as ``float32 leaf view-of=x shares=x``.
    """
    facts: dict[str, Any] = {}
    if trial.error is not None:
        facts["raises"] = [type(trial.error).__name__, normalise(str(trial.error))]
    if trial.warned:
        facts["warns"] = sorted({(name, normalise(message)) for name, message in trial.warned})
        facts["warns"] = [list(item) for item in facts["warns"]]
    for name in assigned:
        if name not in trial.namespace:
            continue
        value = trial.namespace[name]
        if isinstance(
            value, (torch.Tensor, numpy.ndarray, bool, int, float, str, tuple, list, type(None), torch.dtype)
        ):
            # After an error a tensor may claim memory that it does not have, so its elements are not read.
            printed = _printed(value) if trial.error is None else type(value).__name__
            facts[name] = [printed, *([flags] if (flags := _flags(value, inputs)) else [])]
    return facts


def _printed(value: Any) -> str:
    printed = shown(value)
    # Paths and addresses in a text or a list differ from run to run: their number and order too, as in a map of memory.
    if isinstance(value, (str, tuple, list)) and (_PATH.search(printed) or _LONG.search(printed)):
        return type(value).__name__
    return printed


def _flags(value: Any, inputs: dict[str, Any]) -> str:
    if isinstance(value, torch.Tensor):
        flags = [str(value.dtype).replace("torch.", "")]
        if value.device.type != "cpu":
            flags.append(value.device.type)
        flags.append("leaf" if value.is_leaf else "non-leaf")
        if value.requires_grad:
            flags.append("requires-grad")
        if value.grad_fn is not None:
            flags.append(f"grad_fn={type(value.grad_fn).__name__}")
        base = value._base if value._is_view() else None
    elif isinstance(value, numpy.ndarray):
        flags = [value.dtype.name, "writable" if value.flags.writeable else "read-only"]
        base = None
    else:
        return ""
    for name, other in inputs.items():
        if value is other:
            flags.append(f"same={name}")
        elif isinstance(other, (torch.Tensor, numpy.ndarray)):
            if base is not None and (base is other or getattr(other, "_base", None) is base):
                flags.append(f"view-of={name}")
            if _shares(value, other):
                flags.append(f"shares={name}")
    return " ".join(flags)


def _shares(value: Any, other: Any) -> bool:
    try:
        return bool(_shares_storage(value, other))
    except NotJudged:
        return False
    except Exception:  # a tensor without storage (sparse, meta) shares nothing that could be seen
        return False
