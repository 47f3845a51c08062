"""Reads a project, in two processes where it is large."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from conformance.base.cache import content_key, kept
from conformance.base.garbage_collection import without_collection
from conformance.usage.model import FileUses, Project
from conformance.usage.modules import ProjectModules
from conformance.usage.sources import Sources, read_file

#: Bytes of source above which a second process helps, and above which what was read is kept for the next time.
_LARGE, _WORTH_KEEPING = 3 * 2**19, 2**17


@without_collection()
def read_project(paths: Iterable[Path], exclude: Sequence[str] = ()) -> Project:
    """Read what Python files, stubs and notebooks use of torch; nothing of them is run.

    Parameters
    ----------
    paths
        Files and folders. Hidden folders, virtual environments and build outputs are left out, which the result says.
    exclude
        Patterns of file names, folder names, or paths as they are shown.
    """
    paths = [Path(path) for path in paths]
    sources = Sources(paths, exclude)
    files = sources.files
    size = sum(map(_size, files))
    key = content_key(map(Path, files), "uses", *map(str, paths), *files) if size > _WORTH_KEEPING else None
    read = kept(key, list, lambda: _read(files, paths, size))
    unread = [FileUses(why.path, not_read=(why,), read=False) for why in sources.not_read]
    return Project((*read, *unread), tuple(sources.skipped))


def _read(files: list[str], paths: Sequence[Path], size: int) -> list[FileUses]:
    roots = tuple(os.path.abspath(path) for path in paths)  # noqa: PTH100 - links are kept
    if size > _LARGE and (os.cpu_count() or 1) > 1:
        return _read_in_two(files, roots)
    return read_files(files, files, roots)


def read_files(files: Sequence[str], project: Sequence[str], roots: tuple[str, ...]) -> list[FileUses]:
    """Return what files use; ``project`` are all files that they may import."""
    modules = ProjectModules(map(os.path.abspath, project), roots)
    read = []
    for position, file in enumerate(files):
        read.append(read_file(file, modules))
        if position % 500 == 499:
            gc.collect(1)
    return read


def _read_in_two(files: list[str], roots: tuple[str, ...]) -> list[FileUses]:
    mine, others = files[::2], files[1::2]
    with ProcessPoolExecutor(1, initializer=gc.disable) as pool:
        future = pool.submit(read_files, others, files, roots)
        read = read_files(mine, files, roots)
        try:
            read += future.result()
        except BrokenProcessPool:  # Such as one that was killed for its memory.
            read += read_files(others, files, roots)
    order = {file: position for position, file in enumerate(files)}
    return sorted(read, key=lambda file: order[file.path])


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0
