"""Scripts that print what differs of a name: run on both releases, they print two things."""

from __future__ import annotations

from conformance.names.model import Found
from conformance.upgrade.signatures import signatures

_CALL = """\
import torch

try:
    print({}({}))
except Exception as error:
    print(type(error).__name__, error)
"""


def presence_script(found: Found) -> str:
    """Return a script that calls a function of tensors, and prints any other object, or None where it is not there."""
    owner = found.name.rpartition(".")[0]
    known = signatures(found.record)
    is_method = owner == "torch.Tensor" and found.record.kind == "method"
    if not (is_method or (owner == "torch" and known)):
        return _looked_up("{}", found.name)
    needed = [one for one in (known or ((),))[0] if one.default is None and one.kind.startswith("pos")]
    return _CALL.format(found.name, ", ".join(["torch.eye(2)"] * (is_method + len(needed))))


def signature_script(found: Found) -> str:
    """Return a script that prints the parameters of a function; of a builtin, its documentation."""
    if found.record.origin != "inspect":
        return documentation_script(found.name)
    return "import inspect\n" + _looked_up("inspect.signature({})", found.name)


def documentation_script(name: str) -> str:
    """Return a script that prints the documentation of a name."""
    return _looked_up("{}.__doc__", name)


def _looked_up(shown: str, name: str) -> str:
    place = f'pydoc.locate("{name}")'
    return f"import pydoc\n\nprint({shown.format(place)})\n"
