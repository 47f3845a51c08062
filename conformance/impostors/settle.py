"""Leave what an interrupted or wrong program entered and never left, so that it can't spoil what runs next."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import torch

#: Modes that are never left again.
_kept: list[object] = []


def leave_everything() -> None:
    """Leave inference mode, forward-mode levels, function transforms, modes, hooks on saved tensors and autocast."""
    if hasattr(torch, "inference_mode") and torch.is_inference_mode_enabled():
        # What left it on can't be undone, but another mode can be laid over it.
        mode = torch.inference_mode(False)
        mode.__enter__()
        _kept.append(mode)
    _leave_transforms()
    _leave_levels()
    _leave_modes()
    if hasattr(torch, "is_autocast_cpu_enabled") and torch.is_autocast_cpu_enabled():
        torch.set_autocast_cpu_enabled(False)


def _leave_levels() -> None:
    forward: Any = getattr(torch.autograd, "forward_ad", None)
    level = getattr(forward, "_current_level", -1)
    while level >= 0:
        with suppress(RuntimeError):
            forward.exit_dual_level(level=level)
        level -= 1
        forward._current_level = level


def _leave_transforms() -> None:
    functions: Any = getattr(torch._C, "_functorch", None)
    depth = getattr(functions, "get_dynamic_layer_stack_depth", None)
    if depth is not None and depth():
        functions.pop_dynamic_layer_stack_and_undo_to_depth(0)


def _leave_modes() -> None:
    for kind in ("function", "dispatch"):
        length = getattr(torch._C, f"_len_torch_{kind}_stack", None)
        pop: Any = getattr(torch._C, f"_pop_torch_{kind}_stack", None)
        while length is not None and pop is not None and length():
            pop()
    hooks: Any = torch._C._autograd
    top = getattr(hooks, "_top_saved_tensors_default_hooks", None)
    # A stack of hooks that some are on even though they are disabled can't be that deep.
    for _ in range(100):
        if top is None or top(True) is None:
            break
        hooks._pop_saved_tensors_default_hooks()
