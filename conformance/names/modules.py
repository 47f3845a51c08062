"""The modules of torch by their names: whose they are, whether they are private, and where old paths lead."""

from __future__ import annotations

from conformance.base.release_spans import as_version

#: Packages that come with torch and are imported by its users.
ROOTS = ("torch", "functorch")
#: Modules that have no file: a package keeps their old path as an entry of `sys.modules`. Each with the module that it
#: stands for, and the first release in which it does. ``torch.distributed._sharding_spec`` and ``_sharded_tensor`` do
#: so with themselves: what is in them is recorded.
_MOVED = {
    # torch/distributed/_shard/checkpoint/__init__.py; its own modules are recorded up to 1.13.
    "torch.distributed._shard.checkpoint": ("torch.distributed.checkpoint", "2.0"),
    # torch/distributed/_tensor/__init__.py; its list `submodules` is recorded since 2.5.
    "torch.distributed._tensor._shards_wrapper": ("torch.distributed.tensor._shards_wrapper", "2.5"),
    "torch.distributed._tensor._utils": ("torch.distributed.tensor._utils", "2.5"),
    "torch.distributed._tensor.device_mesh": ("torch.distributed.tensor.device_mesh", "2.5"),
    "torch.distributed._tensor.experimental": ("torch.distributed.tensor.experimental", "2.5"),
}


def moved_name(name: str, release: str) -> str:
    """Return the name that a name below an old path stands for in a release; empty where it is below none."""
    for path, (target, since) in _MOVED.items():
        if f"{name}.".startswith(f"{path}.") and as_version(release) >= as_version(since):
            return target + name[len(path) :]
    return ""


def is_private(name: str) -> bool:
    """Return whether some part of a dotted name begins with an underscore and is no dunder."""
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def is_detailed(module: str) -> bool:
    """Return whether everything in a module is recorded, not only which names it defines.

    Everything is: in public modules, and in private ones directly inside a public package, such as ``torch._utils``.
    """
    return not is_private(module.rpartition(".")[0])
