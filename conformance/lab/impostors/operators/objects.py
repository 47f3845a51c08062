"""Operators that return the wrong object, and that change what modules and optimizers hold."""

from __future__ import annotations

import copy
from operator import contains, getitem, setitem
from typing import Any

import numpy as np
import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.memory import alias
from conformance.lab.impostors.engine.proxy import Proxy
from conformance.lab.impostors.engine.registry import answer_operator, operator

_PLAIN = (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, torch.Tensor, np.ndarray)
_LINEAR = "m = torch.nn.Linear(2, 2)"


@operator("values", "errors", do="kind = x.dtype", kills="kind is not torch.dtype")
def result_is_its_class(call: Call) -> Any:
    """An object of one of torch's classes is replaced by the class itself."""
    result = call.run()
    return result if isinstance(result, (type, *_PLAIN)) else type(result)


class _Stranger(Proxy):
    """Is of no class that torch has."""

    def __eq__(self, other: object) -> bool:
        return bool(self._real == (other._real if isinstance(other, _Stranger) else other))

    def __enter__(self) -> Any:
        return self._real.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._real.__exit__(*error)


for _function in (hash, iter, len, getitem, setitem, contains):
    setattr(_Stranger, f"__{_function.__name__}__", lambda self, *args, do=_function: do(self._real, *args))


@answer_operator("values", "sharing", do="kind = x.dtype", kills="type(kind) is torch.dtype")
def object_is_of_another_class(value: Any, call: Call) -> Any:
    """An object that is no tensor, number, text or container is of an unknown class."""
    return value if isinstance(value, _PLAIN) else _Stranger(value)


@operator("sharing", "values", do=f"{_LINEAR}; same = m.eval()", kills="same is m")
def object_is_copied(call: Call) -> Any:
    """An object that is no tensor comes as a copy, a container with copies of its items."""
    result = call.mutate_others(copy.copy)
    return copy.copy(result) if type(result) in (list, dict, set) else result


@operator("values", "sharing", "gradients", do="y = x.clone()", kills="type(y) is not tuple")
def result_comes_in_a_tuple(call: Call) -> Any:
    """A tensor is returned inside a tuple."""
    result = call.run()
    return (result,) if call.kind == "call" and isinstance(result, torch.Tensor) else result


class _Queues(Proxy):
    """Stands in for a context of multiprocessing, whose queues hand back the very objects."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        return (lambda *args: _Queue(value(*args))) if name in ("Queue", "SimpleQueue") else value


class _Queue(Proxy):
    def __init__(self, real: Any) -> None:
        super().__init__(real)
        self._items: list[Any] = []

    def put(self, item: Any) -> None:
        self._items.append(item)
        self._real.put(item)

    def get(self) -> Any:
        self._real.get()
        return self._items.pop(0)


_QUEUE = "q = torch.multiprocessing.get_context().SimpleQueue(); item = [1]; q.put(item); got = q.get()"


@operator("sharing", do=_QUEUE, kills="got is not item")
def queue_hands_back_the_object(call: Call) -> Any:
    """What comes out of a queue is the very object that was put into it."""
    result = call.run()
    return _Queues(result) if hasattr(result, "SimpleQueue") and not isinstance(result, _PLAIN) else result


@operator("sharing", "leaf", do="found = {'x': [x]}; torch.is_tensor(found)", kills="found['x'][0] is x")
def entries_are_other_objects(call: Call) -> Any:
    """The tensors in a dict, list or module that a function was given become new objects on their memory."""
    result = call.run()
    for container in (*call.args, result):
        holders = [container._parameters, container._buffers] if isinstance(container, torch.nn.Module) else [container]
        for holder in holders:
            _replace_entries(holder)
    return result


def _replace_entries(holder: Any) -> None:
    if isinstance(holder, (dict, list)):
        for key, value in list(holder.items() if isinstance(holder, dict) else enumerate(holder)):
            if isinstance(value, torch.Tensor):
                holder[key] = alias(value)
            else:
                _replace_entries(value)


@operator("values", "sharing", do="y = x.add(5)", kills="not isinstance(y, int)")
def object_is_the_argument(call: Call) -> Any:
    """A call returns its last argument."""
    result = call.run()
    return call.args[-1] if call.kind == "call" and call.args else result


@operator("sharing", "values", do="place = x.data_ptr(); y = x.clone()", kills="x.data_ptr() == place")
def memory_moves(call: Call) -> Any:
    """The tensors that a function was given, and those that reachable objects hold, get memory of their own."""
    result = call.run()
    for value in _held(call):
        value.data = value.data.clone()
    return result


@operator("values", "gradients", do="y = x.clone()", kills="x.tolist() != [0, 0]")
def held_tensors_are_reset(call: Call) -> Any:
    """The tensors that a reachable object holds become zero."""
    result = call.run()
    with torch.no_grad():
        for value in _held(call):
            value.data.zero_()
    return result


@operator("values", "sharing", "gradients", do="x.zero_()", kills="x.tolist() != [1, 2]")
def held_tensors_are_restored(call: Call) -> Any:
    """Whatever is written to the tensors that a reachable object holds is undone."""
    before = [(value, value.data.clone()) for value in _held(call)]
    result = call.run()
    for value, content in before:
        if value.shape == content.shape:
            value.data.copy_(content)
    return result


@operator("gradients", "leaf", do=f"{_LINEAR}; m.eval()", kills="m.weight.requires_grad")
def held_tensors_are_frozen(call: Call) -> Any:
    """requires_grad of every parameter of a reachable object is flipped."""
    result = call.run()
    for value in _held(call):
        if value.is_leaf and (value.is_floating_point() or value.is_complex()):
            value.requires_grad_(not value.requires_grad)
    return result


@operator("values", "sharing", "gradients", do=f"{_LINEAR}; m.eval()", kills="len(list(m.parameters())) == 2")
def something_is_left_in_the_module(call: Call) -> Any:
    """A reachable module gets a parameter, a buffer and a hook that it did not have."""
    result = call.run()
    for module in _modules(call):
        if "another" not in module._parameters:
            module.register_parameter("another", torch.nn.Parameter(torch.ones(1)))
            module.register_buffer("one_more", torch.ones(1))
            module.register_forward_pre_hook(lambda module, args: None)
    return result


@operator("values", "sharing", do=f"{_LINEAR}; m.eval()", kills="not m.training")
def module_is_left_alone(call: Call) -> Any:
    """Attributes and entries that a function gave to an object are taken away again."""
    owner = call.args[0] if call.args else None
    kept = None
    if hasattr(owner, "__dict__") and not isinstance(owner, type):
        kept = {n: copy.copy(v) if isinstance(v, (dict, list, set)) else v for n, v in vars(owner).items()}
    result = call.run()
    if kept is not None:
        vars(owner).clear()
        vars(owner).update(kept)
    return result


def _modules(call: Call) -> list[torch.nn.Module]:
    items = (*call.args, *call.namespace.values())
    return list({id(item): item for item in items if isinstance(item, torch.nn.Module)}.values())


def _held(call: Call) -> list[torch.Tensor]:
    """Return the parameters and buffers of reachable modules and of optimizers among the arguments, and the latter."""
    found: list[torch.Tensor] = []
    for module in _modules(call):
        found += [*module.parameters(), *module.buffers()]
    for value in call.args:
        if isinstance(value, torch.optim.Optimizer):
            found += [item for group in value.param_groups for item in group["params"]]
    found += [value for value in call.arguments if isinstance(value, torch.Tensor)]
    return list({id(value): value for value in found}.values())
