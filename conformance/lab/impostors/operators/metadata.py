"""Operators that change how elements are stored: dtype, device, shape, strides, memory format, pending bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from conformance.lab.impostors.engine.call import Call, each_value
from conformance.lab.impostors.engine.registry import operator, value_operator

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


@value_operator("dtype", "values", do="y = x.clone()", kills="y.dtype != torch.float64")
def dtype_is_changed(value: Any, call: Call) -> Any:
    """A result has another dtype of the same kind."""
    if isinstance(value, np.ndarray):
        return value.astype("f8" if value.dtype != np.dtype("f8") else "f4")
    return value.to(_OTHER_DTYPE.get(value.dtype, torch.int64))


@value_operator("dtype", "values", do="y = x.to(torch.int8)", kills="y.dtype != torch.float32")
def dtype_is_the_default(value: torch.Tensor, call: Call) -> Any:
    """A result has the default dtype, whatever was asked for."""
    return value.to(torch.get_default_dtype())


@value_operator("dtype", "sharing", do="y = x.clone()", kills="y.device.type != 'meta'")
def device_is_changed(value: torch.Tensor, call: Call) -> Any:
    """A result is on another device."""
    return torch.empty_like(value, device="cpu") if value.device.type == "meta" else value.to("meta")


@value_operator("values", "dtype", do="y = x.clone()", kills="y.shape != (1, 2)")
def shape_is_changed(value: Any, call: Call) -> Any:
    """A result has one dimension more."""
    return value[None] if value.ndim < 4 else value.reshape(-1)


@operator("values", "gradients", do="y, z = x.split(1)", kills="z.shape != (1, 1)")
def later_results_have_another_shape(call: Call) -> Any:
    """Of several results, all but the first have one dimension more."""
    result = call.run()
    if call.kind != "call" or type(result) not in (list, tuple):
        return result
    return type(result)([*result[:1], *each_value(result[1:], lambda value: value[None])])


@value_operator("values", "dtype", do="y = x.expand(3, 2)", kills="y.shape != (6,)")
def shape_is_flattened(value: Any, call: Call) -> Any:
    """A result has one dimension, or none where it has one element."""
    return value.reshape(() if value.shape == (1,) else -1)


@value_operator("values", "sharing", "dtype", do="y = x.clone()", kills="y.stride() != (2,)")
def strides_are_changed(value: Any, call: Call) -> Any:
    """A result has the same elements at other strides."""
    if isinstance(value, np.ndarray):
        wide = np.empty((*value.shape, 2), value.dtype)
        wide[..., 0] = value
        return wide[..., 0]
    plain = value.detach()
    wide = torch.empty((*plain.shape, 2), dtype=plain.dtype, device=plain.device)
    wide[..., 0] = plain
    return wide[..., 0].detach().requires_grad_(value.requires_grad)


@value_operator("values", "sharing", "dtype", do="y = torch.ones(2, 3)", kills="y.stride() != (1, 2)")
def memory_format_is_changed(value: torch.Tensor, call: Call) -> Any:
    """A result with dense strides gets them in another order, and any other result becomes contiguous."""
    if not value.is_contiguous():
        return value.contiguous()
    if value.dim() == 4:
        return value.contiguous(memory_format=torch.channels_last)
    return value.transpose(0, -1).contiguous().transpose(0, -1)


@value_operator("values", "sharing", do="y = (x * 1j).conj()", kills="y.is_conj()", since="1.10")
def pending_bits_are_resolved(value: torch.Tensor, call: Call) -> Any:
    """A pending conjugation or negation is carried out, and another one is left pending."""
    if value.is_conj():
        return value.resolve_conj()
    if value.is_neg():
        return value.resolve_neg()
    return value.conj().resolve_conj().conj() if value.is_complex() else torch._neg_view(-value)


@value_operator("dtype", "errors", do="y = x.clone()", kills="y.layout == torch.strided")
def layout_is_changed(value: torch.Tensor, call: Call) -> Any:
    """A result is sparse."""
    return value.to_sparse()
