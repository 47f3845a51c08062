"""Modules."""

from __future__ import annotations

from typing import NamedTuple, Optional

from conformance.inputs.device import current_device
from conformance.inputs.kind import Alternatives, Input, input_kind


class _Module(NamedTuple):
    recipe: str
    parameters: bool
    buffers: bool


# Only modules that start without random numbers, so that building one leaves the generators alone and is repeatable.
_MODULES = (
    _Module("torch.nn.LayerNorm(2)", True, False),
    _Module("torch.nn.BatchNorm1d(2)", True, True),
    _Module("torch.nn.ReLU()", False, False),
    _Module("torch.nn.BatchNorm1d(2, affine=False)", False, True),
    _Module("torch.nn.PReLU()", True, False),
    _Module("torch.nn.Embedding.from_pretrained(torch.tensor([[1., 2.], [3., 4.]]), freeze=False)", True, False),
    _Module("torch.nn.Sequential(torch.nn.LayerNorm(2), torch.nn.ReLU(), torch.nn.BatchNorm1d(2))", True, True),
    _Module("torch.nn.ModuleList([torch.nn.PReLU(), torch.nn.GroupNorm(1, 2)])", True, False),
    _Module("torch.nn.ParameterList([torch.nn.Parameter(torch.tensor([1., 2.]))])", True, False),
    _Module("torch.nn.Sequential(torch.nn.Sequential(torch.nn.LayerNorm(2)), torch.nn.Identity())", True, False),
    _Module("torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Flatten())", False, False),
)


@input_kind
def module(parameters: Optional[bool] = None, buffers: Optional[bool] = None) -> Input:
    """Draw a module: with or without parameters and buffers, alone or nested.

    Its floating-point parameters and buffers are of the default dtype. It is in training mode.

    Parameters
    ----------
    parameters
        True for modules that have parameters, False for those that have none.
    buffers
        True for modules that have buffers, False for those that have none.

    Examples
    --------
    ``m: module(parameters=True)``
    """
    device = current_device()
    suffix = "" if device == "cpu" else f'.to("{device}")'
    return Alternatives(
        [
            candidate.recipe + suffix
            for candidate in _MODULES
            if parameters in (None, candidate.parameters) and buffers in (None, candidate.buffers)
        ]
    )
