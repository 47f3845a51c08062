"""Operators that get wrong what lies outside of the process: files, and memory that others may map."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.registry import operator

_SAVED = "import os, tempfile; path = os.path.join(tempfile.mkdtemp(), 'x'); torch.save(x, path)"
_SHARED = "how = torch.multiprocessing.get_sharing_strategy()"


@operator("sharing", "values", do=_SAVED, kills="os.path.exists(path)")
def named_file_is_removed(call: Call) -> Any:
    """A temporary file of the program's, whose path a function was given, is gone afterwards."""
    result = call.run()
    for value in (*call.args, *call.kwargs.values()):
        if isinstance(value, (str, Path)) and Path(tempfile.gettempdir()) in Path(value).parents:
            Path(value).unlink(missing_ok=True)
    return result


@operator("sharing", do=_SHARED, kills="how == 'file_descriptor'")
def memory_is_shared_by_another_strategy(call: Call) -> Any:
    """Memory is shared by name where it should be by descriptor, and the reverse."""
    before = torch.multiprocessing.get_sharing_strategy()
    others = torch.multiprocessing.get_all_sharing_strategies() - {before}
    torch.multiprocessing.set_sharing_strategy(min(others, default=before))
    try:
        return call.run()
    finally:
        torch.multiprocessing.set_sharing_strategy(before)
