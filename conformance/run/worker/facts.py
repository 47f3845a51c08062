"""What one example showed beside the verdict: facts that may change between releases while the verdict stays."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from typing import Any, Optional

import numpy
import torch

from conformance.checks import NotJudged, vocabulary
from conformance.results.model import Fact, Facts, Flags, Signal
from conformance.results.wording import PATH, first_line, without_values
from conformance.run.worker.explain import shown
from conformance.run.worker.trial import Trial, message_of

# What stands for the folder of temporary files, whose name may have a space.
_TEMPORARY = "/tmp/folder"
# A number or a run of hexadecimal digits as long as an address.
_LONG = re.compile(r"(?<![\w.])(?:\d{10,}|[0-9a-f]{12,16})(?![\w.])")
_shares_storage = vocabulary()["shares_storage"]
# What has a printed form worth recording.
_SHOWN = (torch.Tensor, numpy.ndarray, bool, int, float, str, tuple, list, type(None), torch.dtype)
_MISSING = object()
_Names = tuple[str, ...]


def normalise(message: str) -> str:
    """Return the first sentence-like part of an error's or warning's message without numbers, addresses and paths."""
    return without_values(first_line(message).replace(tempfile.gettempdir(), _TEMPORARY))[:200]


def observe(trial: Trial, inputs: Mapping[str, Any], assigned: tuple[str, ...]) -> Facts:
    """Collect the facts of a finished trial: its error, its warnings, and what each name holds that it assigned."""
    raises = None if trial.error is None else Signal(type(trial.error).__name__, normalise(message_of(trial.error)))
    warns = sorted({Signal(name, normalise(message)) for name, message in trial.warned})
    names = {}
    for name in assigned:
        value = trial.namespace.get(name, _MISSING)
        if isinstance(value, _SHOWN):
            # After an error a tensor may claim memory that it does not have, so its elements are not read.
            printed = _printed(value) if trial.error is None else type(value).__name__
            names[name] = Fact(printed, _flags(value, inputs))
    return Facts(raises, tuple(warns), names)


def _printed(value: Any) -> str:
    printed = shown(value)
    # Paths and addresses in a text or a list differ from run to run: their number and order too, as in a map of memory.
    if isinstance(value, (str, tuple, list)) and (PATH.search(printed) or _LONG.search(printed)):
        return type(value).__name__
    return printed


def _flags(value: Any, inputs: Mapping[str, Any]) -> Optional[Flags]:
    if isinstance(value, torch.Tensor):
        same, view_of, shares = _relations(value, inputs, value._base if value._is_view() else None)
        return Flags(
            str(value.dtype).replace("torch.", ""),
            device=None if value.device.type == "cpu" else value.device.type,
            leaf=value.is_leaf,
            requires_grad=value.requires_grad,
            grad_fn=None if value.grad_fn is None else type(value.grad_fn).__name__,
            same=same,
            view_of=view_of,
            shares=shares,
        )
    if isinstance(value, numpy.ndarray):
        same, _, shares = _relations(value, inputs, None)
        return Flags(value.dtype.name, writable=value.flags.writeable, same=same, shares=shares)
    return None


def _relations(value: Any, inputs: Mapping[str, Any], base: Any) -> tuple[_Names, _Names, _Names]:
    """Return the inputs that a value is, those that it is a view of, and those whose storage it shares."""
    same, view_of, shares = [], [], []
    for name, other in inputs.items():
        if value is other:
            same.append(name)
        elif isinstance(other, (torch.Tensor, numpy.ndarray)):
            if base is not None and (base is other or getattr(other, "_base", None) is base):
                view_of.append(name)
            if _shares(value, other):
                shares.append(name)
    return tuple(same), tuple(view_of), tuple(shares)


def _shares(value: Any, other: Any) -> bool:
    try:
        return bool(_shares_storage(value, other))
    except NotJudged:
        return False
    except Exception:  # a tensor without storage (sparse, meta) shares nothing that could be seen
        return False
