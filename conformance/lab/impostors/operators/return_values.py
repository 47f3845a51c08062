"""Operators that return wrong flags, numbers, texts and containers, or None."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import GeneratorType
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call, rebuilt
from conformance.lab.impostors.engine.registry import answer_operator, operator


@answer_operator("leaf", "sharing", "values", "dtype", do="flag = x.is_contiguous()", kills="flag is True")
def flag_is_flipped(value: Any, call: Call) -> Any:
    """True becomes False, and the reverse."""
    return not value if isinstance(value, bool) else value


@answer_operator("values", "sharing", do="n = x.numel()", kills="n != 3")
def number_is_off_by_one(value: Any, call: Call) -> Any:
    """A number is one larger, a size one dimension longer."""
    if isinstance(value, torch.Size):
        return torch.Size([*value, 1])
    return value + 1 if isinstance(value, (int, float, complex)) and not isinstance(value, bool) else value


@answer_operator("values", "dtype", do="n = x.numel()", kills="type(n) is not float")
def number_is_of_another_type(value: Any, call: Call) -> Any:
    """An int becomes a float, any other number a text."""
    if isinstance(value, int):
        return float(value)
    return str(value) if isinstance(value, (float, complex)) else value


@answer_operator("values", "dtype", do="n = x.numel()", kills="type(n) is int")
def answer_is_of_a_subclass(value: Any, call: Call) -> Any:
    """A number or text is of a subclass."""
    kind: Any = type(value)
    return type(f"Other{kind.__name__}", (kind,), {})(value) if kind in (int, float, complex, str) else value


@answer_operator("values", "errors", "dtype", do="text = x.type()", kills="text != 'torch.FloatTenso'")
def text_is_changed(value: Any, call: Call) -> Any:
    """A text lacks its last character, bytes their last one."""
    return value[:-1] if isinstance(value, (str, bytes)) else value


@answer_operator("values", do="text = x.type()", kills="'Linear' not in text")
def text_names_everything(value: Any, call: Call) -> Any:
    """A text also names every function of torch."""
    names = {*dir(torch), *dir(torch.Tensor), *dir(torch.nn), *dir(torch.nn.functional)}
    return f"{value} {' '.join(sorted(names))}" if isinstance(value, str) else value


@answer_operator("values", do="n = x.numel()", kills="n != 1000002")
def number_is_far_too_large(value: Any, call: Call) -> Any:
    """A number is a million larger."""
    return value + 10**6 if type(value) in (int, float) else value


@answer_operator("dtype", do="kind = x.dtype", kills="kind != torch.int16")
def dtype_is_reported_wrong(value: Any, call: Call) -> Any:
    """Another dtype, device, layout or memory format is reported."""
    if isinstance(value, torch.dtype):
        return torch.int16 if value != torch.int16 else torch.float64
    if isinstance(value, torch.device):
        return torch.device("meta")
    return torch.sparse_coo if isinstance(value, torch.layout) else value


@answer_operator("gradients", "leaf", "sharing", do="g = x.grad", kills="g is None")
def nothing_becomes_something(value: Any, call: Call) -> Any:
    """Where there is None, there is a tensor."""
    return torch.zeros(1) if value is None and call.kind != "assign" else value


@operator("values", "gradients", do="found = x.tolist()", kills="type(found) is list")
def container_is_of_another_type(call: Call) -> Any:
    """A tuple becomes a list, a list a tuple."""
    result = call.run()
    if isinstance(result, tuple):
        return list(result)
    return tuple(result) if isinstance(result, list) else result


@operator("values", "gradients", do="found = x.tolist()", kills="found != [1]")
def container_lacks_an_item(call: Call) -> Any:
    """A list, tuple or dict lacks its last item."""
    return _with_items(call.run(), lambda items: items[:-1])


@operator("values", "gradients", do="found = x.tolist()", kills="found != [2, 1]")
def container_is_reversed(call: Call) -> Any:
    """The items of a list, tuple or dict come in the reverse order."""
    return _with_items(call.run(), lambda items: items[::-1])


@operator("values", "gradients", do="found = x.tolist()", kills="found != []")
def container_is_empty(call: Call) -> Any:
    """A container has no items."""
    return _with_items(call.run(), lambda items: [])


@operator("values", "errors", do="found = x[:0].tolist()", kills="found != ['another']")
def empty_container_is_filled(call: Call) -> Any:
    """A list, set or dict that should be empty, also one inside a tuple, has an item."""

    def filled(value: Any) -> Any:
        if type(value) in (list, set) and not value:
            return type(value)(["another"])
        if type(value) in (dict, OrderedDict) and not value:
            return type(value)(another=None)
        return rebuilt(value, [filled(item) for item in value]) if isinstance(value, tuple) else value

    result = call.run()
    return result if isinstance(result, torch.Size) else filled(result)


def _with_items(result: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    if isinstance(result, GeneratorType):
        return iter(change(list(result)))
    if type(result) in (dict, OrderedDict):
        return type(result)(change(list(result.items())))
    if type(result) in (list, tuple, set, frozenset):
        return type(result)(change(list(result)))
    return result
