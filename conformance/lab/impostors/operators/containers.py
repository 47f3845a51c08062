"""Operators that hand out, or keep, what an object holds where it should be a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call, each_value
from conformance.lab.impostors.engine.memory import share
from conformance.lab.impostors.engine.registry import operator

_DEEPEST = 5
_MOST = 2000
_LINEAR = "m = torch.nn.Linear(2, 2)"


@operator("sharing", do=f"{_LINEAR}; y = torch.zeros(2, 2)", kills="y is not m.weight")
def held_tensor_is_handed_out(call: Call) -> Any:
    """A result that should have its own memory is a tensor that a reachable object holds."""
    result = call.run()
    held = list(_held((call.args, call.kwargs, dict(call.namespace))))

    def change(value: Any) -> Any:
        alike = [other for other in held if (other.dtype, other.device) == (value.dtype, value.device)]
        others = [other for other in alike if other is not value and not share(other, value)]
        fitting = [other for other in others if other.shape == value.shape]
        if fitting:
            return fitting[call.number % len(fitting)]
        # All of its elements are then the first one of what is held.
        spread = [other for other in others if other.numel()]
        return spread[0].detach().as_strided(value.shape, (0,) * value.ndim) if spread else value

    return each_value(result, change) if call.kind in ("call", "read") else result


@operator("sharing", "leaf", do=f"{_LINEAR}; y = m.state_dict()['weight']", kills="y is not m.weight")
def held_tensor_comes_itself(call: Call) -> Any:
    """A result that shares the memory of a tensor that a reachable object holds is that tensor itself."""
    result = call.run()
    held = list(_held((call.args, call.kwargs, dict(call.namespace))))
    return each_value(
        result,
        lambda value: next((other for other in held if share(other, value) and other.shape == value.shape), value),
    )


_RATE = "s = torch.optim.SGD([w], lr=0.5); r = torch.tensor(0.5); s.param_groups[0]['lr'] = r; y = r.clone()"


@operator("sharing", do=_RATE, kills="y is not r")
def setting_is_handed_out(call: Call) -> Any:
    """A result is a setting of a reachable optimizer that has its shape and dtype."""
    result = call.run()
    items = (*call.args, *call.namespace.values())
    groups = [group for item in items if isinstance(item, torch.optim.Optimizer) for group in item.param_groups]
    settings = [value for group in groups for name, value in group.items() if name != "params"]
    held = [value for value in settings if isinstance(value, torch.Tensor)]
    return each_value(
        result,
        lambda value: next(other for other in held if (other.shape, other.dtype) == (value.shape, value.dtype)),
    )


_AVERAGED = f"import torch.optim.swa_utils; {_LINEAR}; a = torch.optim.swa_utils.AveragedModel(m)"


@operator("sharing", "leaf", do=_AVERAGED, kills="a.module is not m")
def object_keeps_its_argument(call: Call) -> Any:
    """A new object holds an argument itself where it should hold a copy or a part of it."""
    result = call.run()
    if call.kind != "call" or not hasattr(result, "__dict__"):
        return result
    holders = [vars(result), *(part for part in vars(result).values() if isinstance(part, dict))]
    for argument in call.args:
        for holder in holders:
            for name, value in list(holder.items()):
                if type(value) is type(argument) and hasattr(value, "__dict__") and value is not argument:
                    holder[name] = argument
    return result


def _held(item: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in containers and in the attributes of torch's objects, nearest first."""
    level: list[Any] = [item]
    seen: set[int] = set()
    for _ in range(_DEEPEST):
        below: list[Any] = []
        for value in level:
            if id(value) in seen or len(seen) > _MOST:
                continue
            seen.add(id(value))
            if isinstance(value, torch.Tensor):
                yield value
            elif isinstance(value, Mapping):
                below += value.values()
            elif isinstance(value, (list, tuple)):
                below += value
            elif not isinstance(value, type) and type(value).__module__.partition(".")[0] == "torch":
                below += getattr(value, "__dict__", {}).values()
        level = below
