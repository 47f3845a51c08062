"""Impostors that hand out wrong objects: none, a new one, one of another class, one that is used up or kept."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from conformance.impostors.call import Call, each_value
from conformance.impostors.memory import alias
from conformance.impostors.registry import impostor

_PLAIN = (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, torch.Tensor, np.ndarray)


@impostor("values", "errors")
def result_is_its_class(call: Call) -> Any:
    """In place of an object of a class of torch comes that class itself."""
    result = call.run()
    return result if isinstance(result, (type, *_PLAIN)) else type(result)


class _Stranger:
    """Behaves like an object, but is of no class that torch has."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._real(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return bool(self._real == (other._real if isinstance(other, _Stranger) else other))

    def __hash__(self) -> int:
        return hash(self._real)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._real)

    def __len__(self) -> int:
        return len(self._real)

    def __getitem__(self, key: Any) -> Any:
        return self._real[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._real[key] = value

    def __contains__(self, item: Any) -> bool:
        return item in self._real

    def __enter__(self) -> Any:
        return self._real.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._real.__exit__(*error)


@impostor("values", "sharing")
def object_is_of_another_class(call: Call) -> Any:
    """An object that is no tensor, number, text or container comes as one of a class of its own."""

    def change(value: Any) -> Any:
        return value if isinstance(value, _PLAIN) else _Stranger(value)

    return call.answer(change)


@impostor("sharing", "values")
def object_is_copied(call: Call) -> Any:
    """An object that is no tensor comes as a copy, a container with copies of its items."""

    def change(value: Any) -> Any:
        return copy.copy(value)

    result = call.answer(change)
    return copy.copy(result) if type(result) in (list, dict, set) else result


@impostor("values", "sharing", "gradients")
def result_comes_in_a_tuple(call: Call) -> Any:
    """In place of a tensor comes a tuple of it."""
    result = call.run()
    return (result,) if call.kind == "call" and isinstance(result, torch.Tensor) else result


class _Queues:
    """Stands in for a context of multiprocessing, whose queues hand back the very objects."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        return (lambda *args: _Queue(value(*args))) if name in ("Queue", "SimpleQueue") else value


class _Queue:
    """Stands in for a queue."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._put: list[Any] = []

    def put(self, item: Any) -> None:
        """Put an item."""
        self._put.append(item)
        self._real.put(item)

    def get(self) -> Any:
        """Take out what was put first."""
        self._real.get()
        return self._put.pop(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@impostor("sharing")
def queue_hands_back_the_object(call: Call) -> Any:
    """What comes out of a queue is the very object that was put into it."""
    result = call.run()
    return _Queues(result) if hasattr(result, "SimpleQueue") and not isinstance(result, _PLAIN) else result


@impostor("sharing", "values")
def tensor_is_another_object(call: Call) -> Any:
    """Each tensor that comes out is a new object on its memory."""
    if call.kind not in ("call", "read"):
        return call.run()
    return each_value(call.run(), alias)


@impostor("sharing", "leaf")
def entries_are_other_objects(call: Call) -> Any:
    """The tensors in a dict, list or module that the operation was given become new objects on their memory."""
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


@impostor("values", "sharing")
def object_is_the_argument(call: Call) -> Any:
    """A call gives its last argument back."""
    result = call.run()
    return call.args[-1] if call.kind == "call" and call.args else result


@impostor("sharing", "values")
def memory_moves(call: Call) -> Any:
    """The tensors that the operation was given, and those it keeps, get memory of their own."""
    result = call.run()
    for value in _held(call):
        value.data = value.data.clone()
    return result


@impostor("values", "gradients")
def held_tensors_are_reset(call: Call) -> Any:
    """The tensors that the object at hand keeps become zero."""
    result = call.run()
    with torch.no_grad():
        for value in _held(call):
            value.data.zero_()
    return result


@impostor("values", "sharing", "gradients")
def held_tensors_are_restored(call: Call) -> Any:
    """Whatever the operation wrote to the tensors that an object in sight keeps is undone."""
    before = [(value, value.data.clone()) for value in _held(call)]
    result = call.run()
    for value, content in before:
        if value.shape == content.shape:
            value.data.copy_(content)
    return result


@impostor("gradients", "leaf")
def held_tensors_are_frozen(call: Call) -> Any:
    """The parameters that an object in sight keeps require no gradient, or do where they did not."""
    result = call.run()
    for value in _held(call):
        if value.is_leaf and (value.is_floating_point() or value.is_complex()):
            value.requires_grad_(not value.requires_grad)
    return result


@impostor("gradients")
def held_gradients_are_dropped(call: Call) -> Any:
    """The parameters that an object in sight keeps lose their gradients, or get some."""
    result = call.run()
    for value in _held(call):
        if value.is_leaf and value.requires_grad:
            value.grad = torch.ones_like(value) if value.grad is None else None
    return result


@impostor("values", "gradients")
def training_is_flipped(call: Call) -> Any:
    """A module in sight goes from training to evaluation, or back."""
    result = call.run()
    for module in _modules(call):
        module.train(not module.training)
    return result


@impostor("values", "sharing", "gradients")
def something_is_left_in_the_module(call: Call) -> Any:
    """A module in sight gets a parameter, a buffer and a hook that it did not have."""
    result = call.run()
    for module in _modules(call):
        if "another" not in module._parameters:
            module.register_parameter("another", torch.nn.Parameter(torch.ones(1)))
            module.register_buffer("one_more", torch.ones(1))
            module.register_forward_pre_hook(lambda module, args: None)
    return result


@impostor("values", "sharing")
def module_is_left_alone(call: Call) -> Any:
    """Attributes and entries that the operation gave to an object are taken away again."""
    owner = call.args[0] if call.args else None
    kept = vars(owner).copy() if hasattr(owner, "__dict__") and not isinstance(owner, type) else None
    kept = kept and {name: _shallow(value) for name, value in kept.items()}
    result = call.run()
    if kept is not None:
        vars(owner).clear()
        vars(owner).update(kept)
    return result


def _shallow(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, (dict, list, set)) else value


def _modules(call: Call) -> list[torch.nn.Module]:
    found = {id(value): value for value in call.args if isinstance(value, torch.nn.Module)}
    found.update((id(item), item) for item in call.namespace.values() if isinstance(item, torch.nn.Module))
    return list(found.values())


def _held(call: Call) -> list[torch.Tensor]:
    """Return the parameters and buffers of the modules in sight and of optimizers among the arguments."""
    found: dict[int, torch.Tensor] = {}
    for module in _modules(call):
        for value in (*module.parameters(), *module.buffers()):
            found[id(value)] = value
    for value in call.args:
        if isinstance(value, torch.optim.Optimizer):
            for group in value.param_groups:
                found.update((id(item), item) for item in group["params"])
    for value in call.arguments:
        if isinstance(value, torch.Tensor):
            found[id(value)] = value
    return list(found.values())
