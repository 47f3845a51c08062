"""Operators that call a program's functions wrong: hooks, ``forward`` and ``backward`` of a Function, ``pack``."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from types import FunctionType
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call, each_value
from conformance.lab.impostors.engine.memory import alias
from conformance.lab.impostors.engine.registry import callback_operator, operator

Function = Callable[..., Any]

_HOOK = "seen = []; y = w.neg(); y.register_hook(lambda g: seen.append(g)); y.sum().backward()"
_GIVEN = "seen = []; y = w.neg(); y.register_hook(lambda *given: seen.append(given)); y.sum().backward()"
_NODE = "seen = []; y = w.neg(); y.grad_fn.register_hook(lambda *given: seen.append(given)); y.sum().backward()"


@callback_operator("gradients", do=_HOOK, kills="len(seen) != 2")
def callback_is_repeated(call: Call) -> Any:
    """A callback is called twice instead of once."""
    call.run()
    return call.run()


@callback_operator("gradients", "values", do=_GIVEN, kills="len(seen[0]) != 2")
def callback_gets_more(call: Call) -> Any:
    """A callback that takes any number of arguments gets the last one twice."""
    return call.run_with(*call.args, *call.args[-1:])


@callback_operator("gradients", "values", do=f"{_NODE}\ng = seen[0][1][0]", kills="g.tolist() != [-1, -1]")
def callback_arguments_are_reversed(call: Call) -> Any:
    """A callback gets its arguments in the reverse order."""
    return call.run_with(*call.args[::-1])


@callback_operator("gradients", "values", do=_NODE, kills="len(seen[0][0]) != 2")
def callback_gets_longer_containers(call: Call) -> Any:
    """A callback gets tuples and lists with their last item twice."""
    return call.run_with(
        *[type(item)([*item, *item[-1:]]) if type(item) in (tuple, list) else item for item in call.args]
    )


_ACCUMULATED = "w.register_post_accumulate_grad_hook(lambda p: seen.append((p is w, p.grad is w.grad)))"


@callback_operator(
    *("gradients", "sharing"),
    do=f"seen = []; {_ACCUMULATED}; w.sum().backward()",
    kills="seen != [(False, True)]",
    since="2.1",
)
def callback_gets_twins(call: Call) -> Any:
    """A callback gets other objects on the same memory, with the same gradient."""

    def twin(value: Any) -> Any:
        other = alias(value)
        if isinstance(value, torch.Tensor) and value.is_leaf:
            other.grad = value.grad
        return other

    return call.run_with(*each_value(call.args, twin))


_LOADED = (
    "s = torch.optim.SGD([w], lr=1.0); state = s.state_dict(); seen = []\n"
    "s.register_load_state_dict_pre_hook(lambda s, given: seen.append(given is state)); s.load_state_dict(state)"
)


@callback_operator("sharing", "values", "gradients", do=_LOADED, kills="seen == [False]", since="2.1")
def callback_gets_what_is_in_sight(call: Call) -> Any:
    """A callback gets a dict that the program has, in place of a copy of it."""
    known = [value for value in call.function.__globals__.values() if type(value) in (dict, OrderedDict)]

    def original(value: Any) -> Any:
        return next((other for other in known if _is_copy(value, other)), value) if isinstance(value, dict) else value

    return call.run_with(*map(original, call.args))


@operator("gradients", do="seen = []; y = w.neg(); y.register_hook(lambda g: seen.append(g))", kills="seen != [None]")
def callback_is_called_too_early(call: Call) -> Any:
    """A hook is called already when it is registered, with None for each argument."""
    if call.kind != "callback":
        for function in (*call.args, *call.kwargs.values()):
            if isinstance(function, FunctionType):
                needed = function.__code__.co_argcount - len(function.__defaults__ or ())
                with suppress(Exception):
                    function(*[None] * needed)
    return call.run()


@operator("gradients", do=_HOOK, kills="len(seen) == 1")
def hook_is_forgotten(call: Call) -> Any:
    """A function that was passed in is never called."""
    return _passing(call, lambda function: lambda *args: None)


@operator("gradients", do=_HOOK, kills="len(seen) != 2")
def hook_is_called_twice(call: Call) -> Any:
    """A function that was passed in is called twice instead of once."""
    return _passing(call, lambda function: lambda *args, **kwargs: [function(*args, **kwargs) for _ in range(2)][-1])


_APPLY = "seen = []; m = torch.nn.Sequential(torch.nn.ReLU()); m.apply(lambda part: seen.append(part))"


@operator("sharing", "values", do=_APPLY, kills="seen != [m, m[0]]")
def handed_function_is_called_in_reverse(call: Call) -> Any:
    """The calls of a function that was passed in are made in the reverse order."""
    if call.kind != "call":
        return call.run()
    calls: list[tuple[Function, tuple[Any, ...]]] = []
    result = _passing(call, lambda function: lambda *args: calls.append((function, args)))
    for function, args in reversed(calls):
        function(*args)
    return result


def _passing(call: Call, change: Callable[[Function], Function]) -> Any:
    """Run with other functions in place of those that were passed in."""
    return call.run_with(*[change(argument) if _is_function(argument) else argument for argument in call.args])


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, torch.nn.Module, torch.Tensor))


def _is_copy(value: dict[Any, Any], other: dict[Any, Any]) -> bool:
    alike = type(value) is type(other) and [*value] == [*other]
    return alike and all(value[name] is item for name, item in other.items())
