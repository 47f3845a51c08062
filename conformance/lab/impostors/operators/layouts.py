"""Operators that get tensors and storages wrong whose elements don't simply lie one after the other."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.registry import operator, value_operator

_BY_ROWS = ("torch.sparse_csr", "torch.sparse_bsr")


@operator("sharing", do="y = x.to_sparse()", kills="not shares_storage(y._values(), x)")
def sparse_values_share_memory(call: Call) -> Any:
    """The values of a sparse result lie in the memory of an argument."""
    sources = [_values(argument) for argument in call.arguments if isinstance(argument, torch.Tensor)]

    def change(value: torch.Tensor) -> torch.Tensor:
        values = _values(value)
        source = next(source for source in sources if source.dtype == values.dtype)
        # Older torches take contiguous values only.
        shared = source.detach().as_strided(values.shape, torch.empty(values.shape).stride())
        return _with_values(value, shared, value.shape)

    return _with_sparse(call, change)


@operator("sharing", "values", do="y = x.to_sparse()", kills="y.shape != (3,) and y.to_dense()[-1] == 2")
def sparse_shape_is_larger(call: Call) -> Any:
    """A sparse result has more rows or columns than it should, and no element in them."""

    def change(value: torch.Tensor) -> torch.Tensor:
        shape = list(value.shape)
        dimension = -1 if value.layout == torch.sparse_coo or str(value.layout) in _BY_ROWS else -2
        block = _values(value).shape[-2:]
        shape[dimension] += block[dimension] if len(block) == 2 else 1
        return _with_values(value, _values(value), torch.Size(shape))

    return _with_sparse(call, change)


@value_operator("dtype", do="y = x.to_mkldnn()", kills="y.dtype == torch.float32")
def opaque_dtype_is_changed(value: torch.Tensor, call: Call) -> Any:
    """A result in a layout of its own, as that of MKL-DNN, has elements of another dtype."""
    if not value.is_mkldnn:
        return value
    other = torch.bfloat16 if value.dtype != torch.bfloat16 else torch.float32
    return value.to_dense().to(other).to_mkldnn()


@operator("dtype", "sharing", do="s = x.storage().clone()", kills="s.dtype == torch.float32", since="2.0")
def storage_is_of_another_dtype(call: Call) -> Any:
    """A storage reports another dtype for its bytes."""
    result = call.run()
    kind: Any = getattr(torch, "TypedStorage", None)
    if kind is None or not isinstance(result, kind):
        return result
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is deprecated
        other = torch.uint8 if result.dtype != torch.uint8 else torch.int8
        return kind(wrap_storage=result.untyped(), dtype=other)


def _values(value: torch.Tensor) -> torch.Tensor:
    if value.layout == torch.sparse_coo:
        return value._values()
    return value if value.layout == torch.strided else value.values()


def _with_values(like: torch.Tensor, values: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    if like.layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(like._indices(), values, shape)._coalesced_(like.is_coalesced())
    if str(like.layout) in _BY_ROWS:
        compressed, plain = like.crow_indices(), like.col_indices()
    else:
        compressed, plain = like.ccol_indices(), like.row_indices()
    return torch.sparse_compressed_tensor(compressed, plain, values, shape, layout=like.layout)


def _with_sparse(call: Call, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    return call.mutate_values(lambda value: change(value) if str(value.layout).startswith("torch.sparse_") else value)
