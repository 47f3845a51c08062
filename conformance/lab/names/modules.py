"""Which modules the installed torch has, read from its files: nothing is imported."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

from conformance.names.modules import ROOTS, is_private

#: Folders without modules of torch's own: native code, and copies of other projects.
_SKIPPED_FOLDERS = {"bin", "include", "lib", "share", "test", "_vendor", "examples", "__pycache__"}
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
