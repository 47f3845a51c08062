"""Impostors that get wrong what lies outside of the process: files, and memory that others may map."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import torch

from conformance.impostors.call import Call
from conformance.impostors.registry import impostor


@impostor("sharing", "values")
def named_file_is_removed(call: Call) -> Any:
    """A temporary file of the program's, whose path the operation was given, is gone afterwards."""
    result = call.run()
    for value in (*call.args, *call.kwargs.values()):
        if isinstance(value, (str, Path)) and Path(tempfile.gettempdir()) in Path(value).parents:
            Path(value).unlink(missing_ok=True)
    return result


@impostor("sharing")
def memory_is_shared_by_another_strategy(call: Call) -> Any:
    """Memory is shared by name where it should be by descriptor, and the reverse."""
    before = torch.multiprocessing.get_sharing_strategy()
    others = torch.multiprocessing.get_all_sharing_strategies() - {before}
    torch.multiprocessing.set_sharing_strategy(min(others, default=before))
    try:
        return call.run()
    finally:
        torch.multiprocessing.set_sharing_strategy(before)
