"""Reads a short program over named inputs as a file of somebody's code is read."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable

from conformance.usage.definitions import FileReader
from conformance.usage.model import Use
from conformance.usage.modules import ProjectModules
from conformance.usage.recorder import Recorder

_IMPORTS = "import copy, gc, io, math, operator, os, pickle, tempfile\nimport numpy as np, torch\n"


def read_snippet(text: str, tensors: Iterable[str] = (), others: Iterable[str] = ()) -> tuple[Use, ...]:
    """Return what a program uses of torch, in the order in which Python does; nothing where it is no Python.

    Parameters
    ----------
    tensors, others
        The names of inputs that are tensors, and of those that are something else.
    """
    parameters = ", ".join([*(f"{name}: torch.Tensor" for name in tensors), *others])
    source = f"{_IMPORTS}def program({parameters}):\n{textwrap.indent(text, '    ')}\n"
    recorder = Recorder("")
    try:
        FileReader(recorder, ProjectModules(iter(()), ()), source).read_module(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(recorder.uses)
