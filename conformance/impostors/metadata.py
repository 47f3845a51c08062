"""Impostors that change how elements are stored: dtype, device, shape, strides, memory format, pending bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.impostors.call import Call, each_value
from conformance.impostors.registry import impostor

_OTHER_DTYPE = {
    torch.float32: torch.float64,
    torch.float64: torch.float32,
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.complex64: torch.complex128,
    torch.complex128: torch.complex64,
    torch.bool: torch.uint8,
    torch.int64: torch.int32,
}


@impostor("dtype", "values")
def dtype_is_changed(call: Call) -> Any:
    """A result has another dtype of the same kind."""

    def change(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return value.astype("f8" if value.dtype != np.dtype("f8") else "f4")
        return value.to(_OTHER_DTYPE.get(value.dtype, torch.int64))

    return call.spoil(change)


@impostor("dtype", "values")
def dtype_is_the_default(call: Call) -> Any:
    """A result has the default dtype, whatever was asked for."""
    return call.spoil(lambda value: value.to(torch.get_default_dtype()))


@impostor("dtype", "sharing")
def device_is_changed(call: Call) -> Any:
    """A result is on another device."""

    def change(value: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(value, device="cpu") if value.device.type == "meta" else value.to("meta")

    return call.spoil(change)


@impostor("values", "dtype")
def shape_is_changed(call: Call) -> Any:
    """A result has one dimension more."""
    return call.spoil(lambda value: value[None] if value.ndim < 4 else value.reshape(-1))


@impostor("values", "gradients")
def later_results_have_another_shape(call: Call) -> Any:
    """Of several results, all but the first have one dimension more."""
    result = call.run()
    if call.kind != "call" or type(result) not in (list, tuple):
        return result
    return type(result)([*result[:1], *each_value(result[1:], lambda value: value[None])])


@impostor("values", "dtype")
def shape_is_flattened(call: Call) -> Any:
    """A result has one dimension, or none where it has one element."""
    return call.spoil(lambda value: value.reshape(() if value.shape == (1,) else -1))


@impostor("values", "sharing", "dtype")
def strides_are_changed(call: Call) -> Any:
    """A result has the same elements at other strides."""

    def change(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            wide = np.empty((*value.shape, 2), value.dtype)
            wide[..., 0] = value
            return wide[..., 0]
        plain = value.detach()
        wide = torch.empty((*plain.shape, 2), dtype=plain.dtype, device=plain.device)
        wide[..., 0] = plain
        return wide[..., 0].detach().requires_grad_(value.requires_grad)

    return call.spoil(change)


@impostor("values", "sharing", "dtype")
def memory_format_is_changed(call: Call) -> Any:
    """A result of dense strides gets them in another order, and any other result becomes contiguous."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if not value.is_contiguous():
            return value.contiguous()
        if value.dim() == 4:
            return value.contiguous(memory_format=torch.channels_last)
        return value.transpose(0, -1).contiguous().transpose(0, -1)

    return call.spoil(change)


@impostor("values", "sharing")
def pending_bits_are_resolved(call: Call) -> Any:
    """A pending conjugation or negation is carried out, and another one is left pending."""

    def change(value: torch.Tensor) -> torch.Tensor:
        if value.is_conj():
            return value.resolve_conj()
        if value.is_neg():
            return value.resolve_neg()
        return value.conj().resolve_conj().conj() if value.is_complex() else torch._neg_view(-value)

    return call.spoil(change)


@impostor("dtype", "errors")
def layout_is_changed(call: Call) -> Any:
    """A result is sparse."""
    return call.spoil(lambda value: value.to_sparse())


@impostor("sharing", "values")
def array_is_read_only(call: Call) -> Any:
    """An array can't be written, or can where it should not."""

    def change(value: Any) -> Any:
        view = value.view()
        view.flags.writeable = not value.flags.writeable
        return view

    return call.spoil(change)
