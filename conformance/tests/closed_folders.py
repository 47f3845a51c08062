"""Folders that can't be entered: one whose path is too long, and one without permission, also for root."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

_SET_BOUNDING = 24
_OVERRIDE_PERMISSIONS, _READ_ALL = 1, 2


@contextmanager
def deep_folder(folder: Path, name: str, levels: int, files: dict[str, str]) -> Iterator[str]:
    """Make folders in folders, with files in the innermost one, whose path may be too long to open."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        outer, here = here, os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(outer)
    for file, text in files.items():
        with open(os.open(file, os.O_CREAT | os.O_WRONLY, dir_fd=here), "w", encoding="utf-8") as opened:
            opened.write(text)
    try:
        yield f"{folder}{f'/{name}' * levels}"
    finally:
        os.close(here)
        # Neither pytest nor `shutil` removes what is nested so deeply.
        subprocess.run(["rm", "-rf", str(folder / name)], check=True)


def obey_permissions() -> None:
    """Let the process that is about to start obey permissions, even as root; for ``preexec_fn``."""
    for capability in (_OVERRIDE_PERMISSIONS, _READ_ALL) if os.geteuid() == 0 else ():
        if ctypes.CDLL(None, use_errno=True).prctl(_SET_BOUNDING, capability, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "root can't give up its right to enter every folder")


def cannot_obey() -> Optional[str]:
    """Return why no process can be made to obey permissions; none where one can."""
    child = os.fork()
    if child == 0:
        try:
            obey_permissions()
        except OSError:
            os._exit(1)
        os._exit(0)
    return "root can't give up its rights here" if os.waitpid(child, 0)[1] else None
