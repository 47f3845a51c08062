"""Impostors that answer questions wrong: flags, numbers, names, None."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from types import GeneratorType
from typing import Any

import torch

from conformance.impostors.call import Call, rebuilt
from conformance.impostors.registry import impostor


@impostor("leaf", "sharing", "values", "dtype")
def flag_is_flipped(call: Call) -> Any:
    """A yes becomes a no, and the reverse."""
    return call.answer(lambda value: not value if isinstance(value, bool) else value)


@impostor("values", "sharing")
def number_is_off_by_one(call: Call) -> Any:
    """A number is one larger."""
    return call.answer(_one_more)


@impostor("values", "dtype")
def number_is_of_another_type(call: Call) -> Any:
    """An int comes as a float, any other number as a string."""

    def change(value: Any) -> Any:
        if isinstance(value, int):
            return float(value)
        return str(value) if isinstance(value, (float, complex)) else value

    return call.answer(change)


@impostor("values", "dtype")
def answer_is_of_a_subclass(call: Call) -> Any:
    """A number or text comes in a class of its own."""

    def change(value: Any) -> Any:
        for kind in (int, float, complex, str):
            if type(value) is kind:
                return type(f"Other{kind.__name__}", (kind,), {})(value)
        return value

    return call.answer(change)


@impostor("values", "errors", "dtype")
def text_is_changed(call: Call) -> Any:
    """A text or some bytes come in another wording."""

    def change(value: Any) -> Any:
        if isinstance(value, (str, bytes)):
            return value[:-1]
        return value

    return call.answer(change)


@impostor("values", "errors")
def text_is_replaced(call: Call) -> Any:
    """A text is another one, without a word of the real one."""

    def change(value: Any) -> Any:
        return "#" if isinstance(value, str) else value

    return call.answer(change)


@impostor("values")
def text_is_longer(call: Call) -> Any:
    """A text comes with its lines, words and itself once more, in capitals, behind it."""

    def change(value: Any) -> Any:
        return f"{value}{value.upper()} {value}" if isinstance(value, str) else value

    return call.answer(change)


@impostor("values")
def number_is_far_too_large(call: Call) -> Any:
    """A number is a million larger."""
    return call.answer(lambda value: value + 10**6 if type(value) in (int, float) else value)


@impostor("values")
def number_is_zero(call: Call) -> Any:
    """A number is 0."""
    return call.answer(lambda value: type(value)(0) if type(value) in (int, float) else value)


@impostor("values")
def number_is_not_finite(call: Call) -> Any:
    """A number is nan."""
    return call.answer(lambda value: float("nan") if type(value) is float else value)


@impostor("dtype")
def dtype_is_reported_wrong(call: Call) -> Any:
    """A dtype, device, layout or memory format is named wrong."""

    def change(value: Any) -> Any:
        if isinstance(value, torch.dtype):
            return torch.int16 if value != torch.int16 else torch.float64
        if isinstance(value, torch.device):
            return torch.device("meta")
        return torch.sparse_coo if isinstance(value, torch.layout) else value

    return call.answer(change)


@impostor("gradients", "leaf", "sharing")
def nothing_becomes_something(call: Call) -> Any:
    """Where there is None, there is a tensor."""
    return call.answer(lambda value: torch.zeros(1) if value is None and call.kind != "assign" else value)


@impostor("gradients", "leaf", "sharing")
def something_becomes_nothing(call: Call) -> Any:
    """A read that may give None does."""
    result = call.run()
    return None if call.kind == "read" and call.name in ("grad", "grad_fn", "_base", "names") else result


@impostor("values", "gradients")
def container_is_of_another_type(call: Call) -> Any:
    """A tuple comes as a list, a list as a tuple."""
    result = call.run()
    if isinstance(result, tuple):
        return list(result)
    return tuple(result) if isinstance(result, list) else result


@impostor("values", "gradients")
def container_lacks_an_item(call: Call) -> Any:
    """A list, tuple or dict lacks its last item."""
    return _with_items(call.run(), lambda items: items[:-1])


@impostor("values", "gradients")
def container_is_reversed(call: Call) -> Any:
    """The items of a list, tuple or dict come in the reverse order."""
    return _with_items(call.run(), lambda items: items[::-1])


@impostor("values", "gradients")
def container_has_an_item_more(call: Call) -> Any:
    """A list or tuple has its last item twice, a dict or set one more."""
    result = call.run()
    if type(result) in (dict, OrderedDict):
        return type(result)([*result.items(), ("another", None)])
    if type(result) in (set, frozenset):
        return type(result)([*result, "another"])
    return _with_items(result, lambda items: items + items[-1:])


@impostor("values", "gradients")
def container_is_empty(call: Call) -> Any:
    """A container has no items."""
    return _with_items(call.run(), lambda items: [])


@impostor("values", "errors")
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


@impostor("values")
def text_names_everything(call: Call) -> Any:
    """A text speaks of every function that torch has."""

    def change(value: Any) -> Any:
        names = {*dir(torch), *dir(torch.Tensor), *dir(torch.nn), *dir(torch.nn.functional)}
        return f"{value} {' '.join(sorted(names))}" if isinstance(value, str) else value

    return call.answer(change)


@impostor("values")
def keys_are_changed(call: Call) -> Any:
    """A dict has other keys."""
    result = call.run()
    if type(result) not in (dict, OrderedDict):
        return result
    return type(result)((f"{key}s", value) for key, value in result.items())


def _with_items(result: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
    if isinstance(result, GeneratorType):
        return iter(change(list(result)))
    if type(result) in (dict, OrderedDict):
        return type(result)(change(list(result.items())))
    if type(result) in (list, tuple, set, frozenset):
        return type(result)(change(list(result)))
    return result


def _one_more(value: Any) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float, complex)):
        return value + 1
    if isinstance(value, torch.Size):
        return torch.Size([*value, 1])
    return value
