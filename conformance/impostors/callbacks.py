"""Impostors that call a program's functions wrong: hooks, ``forward`` and ``backward`` of a Function, ``pack``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any

import torch

from conformance.impostors.call import Call, each_value, values_in
from conformance.impostors.memory import alias, copied
from conformance.impostors.registry import impostor


@impostor("gradients")
def callback_is_skipped(call: Call) -> Any:
    """A function of the program is not called where it should be."""
    return None if call.kind == "callback" else call.run()


@impostor("gradients")
def callback_is_bypassed(call: Call) -> Any:
    """What a function of the program should have turned into something else goes on as it is."""
    if call.kind != "callback":
        return call.run()
    return next(iter(values_in(call.args)), None)


@impostor("gradients")
def callback_is_repeated(call: Call) -> Any:
    """A function of the program is called once more than it should be."""
    if call.kind == "callback":
        call.run()
    return call.run()


@impostor("gradients")
def callback_is_called_once_only(call: Call) -> Any:
    """A function of the program is called the first time only; later its first result is used again."""
    if call.kind != "callback":
        return call.run()
    if "result" not in call.memory:
        call.memory["result"] = call.run()
    return call.memory["result"]


@impostor("gradients")
def callback_result_is_ignored(call: Call) -> Any:
    """A function of the program is called, and what it returns is lost."""
    result = call.run()
    return None if call.kind == "callback" else result


@impostor("gradients")
def callback_gets_nothing(call: Call) -> Any:
    """A function of the program gets None in place of tensors."""
    return _called_with(call, lambda value: None if isinstance(value, torch.Tensor) else value)


@impostor("gradients")
def callback_gets_something(call: Call) -> Any:
    """A function of the program gets zeros in place of None."""
    return _called_with(call, lambda value: torch.zeros(1) if value is None else value)


@impostor("gradients", "sharing")
def callback_gets_other_objects(call: Call) -> Any:
    """A function of the program gets other objects on the same memory."""
    return _called_with(call, lambda value: alias(value) if isinstance(value, torch.Tensor) else value)


@impostor("gradients", "sharing")
def callback_gets_copies(call: Call) -> Any:
    """A function of the program gets copies of tensors."""
    return _called_with(call, lambda value: copied(value) if isinstance(value, torch.Tensor) else value)


@impostor("gradients", "values")
def callback_gets_more(call: Call) -> Any:
    """A function of the program that takes any number of arguments gets one of them twice."""
    return call.run_with(*call.args, *call.args[-1:]) if call.kind == "callback" else call.run()


@impostor("gradients", "values")
def callback_arguments_are_reversed(call: Call) -> Any:
    """A function of the program gets its arguments in the reverse order."""
    return call.run_with(*call.args[::-1]) if call.kind == "callback" else call.run()


@impostor("gradients", "values")
def callback_gets_lists(call: Call) -> Any:
    """A function of the program gets lists in place of tuples, and tuples in place of lists."""
    return _with_containers(call, lambda items: list(items) if isinstance(items, tuple) else tuple(items))


@impostor("gradients", "values")
def callback_gets_longer_containers(call: Call) -> Any:
    """A function of the program gets tuples and lists with their last item twice."""
    return _with_containers(call, lambda items: type(items)([*items, *items[-1:]]))


@impostor("gradients", "values")
def callback_gets_shorter_containers(call: Call) -> Any:
    """A function of the program gets tuples and lists without their last item."""
    return _with_containers(call, lambda items: type(items)(items[:-1]))


@impostor("gradients", "values")
def callback_gets_other_numbers(call: Call) -> Any:
    """A function of the program gets the next number in place of each whole one."""
    return _called_with(call, lambda value: value + 1 if type(value) is int else value)


@impostor("gradients")
def callback_is_called_too_early(call: Call) -> Any:
    """A function of the program is called already when it is handed over, with None in place of each argument."""
    if call.kind != "callback":
        for function in (*call.args, *call.kwargs.values()):
            if isinstance(function, FunctionType):
                needed = function.__code__.co_argcount - len(function.__defaults__ or ())
                with suppress(Exception):
                    function(*[None] * needed)
    return call.run()


@impostor("gradients")
def hooks_run_in_reverse(call: Call) -> Any:
    """Of several functions that were handed over one after the other, the last one is called first."""
    return _handed_over(call, lambda number, functions: functions[-1 - number])


@impostor("sharing", "values", "gradients")
def callback_gets_what_is_in_sight(call: Call) -> Any:
    """A function of the program gets a dict that the program has, in place of a copy of it."""
    if call.kind != "callback":
        return call.run()
    known = [value for value in call.function.__globals__.values() if type(value) in (dict, OrderedDict)]

    def original(value: Any) -> Any:
        return next((other for other in known if _is_copy(value, other)), value) if isinstance(value, dict) else value

    return call.run_with(*map(original, call.args))


def _is_copy(value: dict[Any, Any], other: dict[Any, Any]) -> bool:
    return (
        type(value) is type(other) and [*value] == [*other] and all(value[name] is item for name, item in other.items())
    )


@impostor("sharing", "values")
def handed_function_is_called_in_reverse(call: Call) -> Any:
    """A function that was handed over is called at the end only, with the last arguments first."""
    calls: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args: calls.append((function, args))

    if call.kind != "call":
        return call.run()
    result = call.run_with(*[noted(value) if _is_function(value) else value for value in call.args])
    for function, args in reversed(calls):
        function(*args)
    return result


@impostor("sharing", "values", "gradients")
def made_function_returns_its_argument(call: Call) -> Any:
    """A function that torch made of another one does nothing and returns its argument."""
    result = call.run()
    if not _is_made(call, result):
        return result
    return lambda *args, **kwargs: args[0] if args else None


@impostor("sharing", "values", "gradients")
def made_function_returns_copies(call: Call) -> Any:
    """A function that torch made of another one returns copies of its results."""
    result = call.run()
    if not _is_made(call, result):
        return result
    return lambda *args, **kwargs: each_value(result(*args, **kwargs), copied)


def _is_made(call: Call, result: Any) -> bool:
    return call.kind == "call" and _is_function(result) and any(_is_function(value) for value in call.args)


@impostor("gradients")
def first_hook_is_replaced(call: Call) -> Any:
    """Only the last function that was handed over counts."""
    return _handed_over(
        call, lambda number, functions: functions[number] if number == len(functions) - 1 else lambda *_, **__: None
    )


@impostor("gradients")
def later_hooks_are_ignored(call: Call) -> Any:
    """Only the first function that was handed over counts."""
    return _handed_over(call, lambda number, functions: functions[0] if number == 0 else lambda *_, **__: None)


def _handed_over(call: Call, choose: Callable[[int, list[Callable[..., Any]]], Callable[..., Any]]) -> Any:
    position = next((place for place, value in enumerate(call.args) if _is_function(value)), None)
    if call.kind != "call" or position is None:
        return call.run()
    functions = call.memory.setdefault("functions", [])
    number = len(functions)
    functions.append(call.args[position])

    def chosen(*args: Any, **kwargs: Any) -> Any:
        return choose(number, functions)(*args, **kwargs)

    return call.run_with(*call.args[:position], chosen, *call.args[position + 1 :])


def _called_with(call: Call, change: Callable[[Any], Any]) -> Any:
    if call.kind != "callback":
        return call.run()

    def each(value: Any) -> Any:
        if type(value) in (tuple, list):
            return type(value)(each(item) for item in value)
        return change(value)

    return call.function(*map(each, call.args), **{name: each(value) for name, value in call.kwargs.items()})


def _with_containers(call: Call, change: Callable[[Any], Any]) -> Any:
    if call.kind != "callback":
        return call.run()
    return call.run_with(*[change(value) if type(value) in (tuple, list) else value for value in call.args])


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, torch.nn.Module, torch.Tensor))
