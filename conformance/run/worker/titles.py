"""Whether examples are what the title says they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np
import torch

from conformance.language.title_terms import terms_of

_Seen = Callable[[torch.Tensor], bool]


def _is_integral(tensor: torch.Tensor) -> bool:
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool)


def _is_bool(tensor: torch.Tensor) -> bool:
    return bool(tensor.dtype == torch.bool)


def _is_parameter(tensor: torch.Tensor) -> bool:
    return isinstance(tensor, torch.nn.Parameter)


def _is_conj(tensor: torch.Tensor) -> bool:
    return hasattr(tensor, "is_conj") and tensor.is_conj()


def _is_neg(tensor: torch.Tensor) -> bool:
    return hasattr(tensor, "is_neg") and tensor.is_neg()


def _is_expanded(tensor: torch.Tensor) -> bool:
    return tensor.layout == torch.strided and any(n > 1 and s == 0 for n, s in zip(tensor.shape, tensor.stride()))


def _is_transposed(tensor: torch.Tensor) -> bool:
    return tensor.layout == torch.strided and not tensor.is_contiguous()


def _is_leaf(tensor: torch.Tensor) -> bool:
    return bool(tensor.is_leaf)


def _is_not_leaf(tensor: torch.Tensor) -> bool:
    return not tensor.is_leaf


#: What a tensor of some example must be, by term.
_SEEN: dict[str, _Seen] = {
    "0-d": lambda tensor: tensor.dim() == 0,
    "empty": lambda tensor: tensor.numel() == 0,
    "complex": torch.Tensor.is_complex,
    "bool": _is_bool,
    "integer": _is_integral,
    "conjugated": _is_conj,
    "negative": _is_neg,
    "expanded": _is_expanded,
    "transposed": _is_transposed,
    "parameter": _is_parameter,
    "non-leaf": _is_not_leaf,
    "leaf": _is_leaf,
    "bfloat16": lambda tensor: tensor.dtype == torch.bfloat16,
    "float16": lambda tensor: tensor.dtype == torch.float16,
    "float64": lambda tensor: tensor.dtype == torch.float64,
    "int64": lambda tensor: tensor.dtype == torch.int64,
}


class TitleTerms:
    """The words of a title that examples have not met yet.

    Parameters
    ----------
    text
        The title.
    """

    def __init__(self, text: str) -> None:
        self._missing = {words: _SEEN[term] for term, words in terms_of(text).items()}

    @property
    def missing(self) -> list[str]:
        """Return the words that no example was about so far."""
        return list(self._missing)

    def meet(self, values: Iterable[Any]) -> None:
        """Strike out the words that some value of a program is about."""
        if self._missing:
            for tensor in _tensors(values):
                for word, seen in list(self._missing.items()):
                    if seen(tensor):
                        del self._missing[word]


def _tensors(values: Iterable[Any]) -> Iterable[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, torch.nn.Module):
            yield from value.parameters()
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif isinstance(value, dict):
            yield from _tensors(value.values())
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fcbiu" and value.dtype.isnative:
            with suppress(TypeError):  # torch may have no such dtype
                yield torch.from_numpy(np.array(value))
