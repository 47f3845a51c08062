"""Which modules the installed torch has, read from its files: nothing is imported."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

#: Packages that come with torch and are imported by its users.
ROOTS = ("torch", "functorch")
#: Folders without modules of torch's own: native code, and copies of other projects.
_SKIPPED_FOLDERS = {"bin", "include", "lib", "share", "test", "_vendor", "examples", "__pycache__"}
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
#: How the files of compiled modules end: ``torch._C``.
_COMPILED = (".so", ".pyd")


class NoTorch(Exception):
    """There is no torch to measure; the message says what to do."""


def torch_folder() -> Path:
    """Return the folder of the installed torch.

    Raises
    ------
    NoTorch
        If torch is not installed.
    """
    found = importlib.util.find_spec("torch")
    if found is None or not found.submodule_search_locations:
        raise NoTorch("torch is not installed in this environment: 'pip install torch'")
    return Path(next(iter(found.submodule_search_locations)))


def list_modules(folder: Path) -> list[str]:
    """Return the modules of torch and of the packages beside it, public ones first.

    What a public module holds must not depend on the private modules that were imported before it.
    """
    names = [name for root in ROOTS for name in _in_folder(folder.parent / root, root)]
    return sorted(names, key=lambda name: (is_private(name), name))


def moved_name(name: str, release: str) -> str:
    """Return the name that a name below an old path stands for in a release; empty where it is below none."""
    for path, (target, since) in _MOVED.items():
        if f"{name}.".startswith(f"{path}.") and _version(release) >= _version(since):
            return target + name[len(path) :]
    return ""


def _version(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def is_private(name: str) -> bool:
    """Return whether some part of a dotted name begins with an underscore and is no dunder."""
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _in_folder(folder: Path, name: str) -> Iterator[str]:
    files = sorted(folder.glob("*.py"))
    if files:
        yield name
    for path in files:
        if path.stem not in ("__init__", "__main__") and path.stem.isidentifier():
            yield f"{name}.{path.stem}"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.suffix in _COMPILED and path.name.partition(".")[0].isidentifier():
            yield f"{name}.{path.name.partition('.')[0]}"
        if path.is_dir() and path.name.isidentifier() and path.name not in _SKIPPED_FOLDERS:
            yield from _in_folder(path, f"{name}.{path.name}")


def is_detailed(module: str) -> bool:
    """Return whether everything in a module is recorded, not only which names it defines.

    Everything is: in public modules, and in private ones directly inside a public package, such as ``torch._utils``.
    """
    return not is_private(module.rpartition(".")[0])
