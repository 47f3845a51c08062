"""Scripts that print what differs of a name: run on both releases, they print two things."""

from __future__ import annotations

from conformance.names.model import Found
from conformance.upgrade.signatures import signatures

_TRIED = """\
{}
try:
    print({})
except Exception as error:
    print(type(error).__name__, error)
"""
_IMPORT = "from importlib import import_module\n"


def presence_script(found: Found, module: str) -> str:
    """Return a script that calls a function of tensors, and prints any other object, or why it is not there.

    Parameters
    ----------
    module
        The part of the name that is a module.
    """
    owner = found.name.rpartition(".")[0]
    known = signatures(found.record)
    is_method = owner == "torch.Tensor" and found.record.kind == "method"
    if not (is_method or (owner == "torch" and known)):
        return _TRIED.format(_IMPORT, _looked_up(found.name, module))
    needed = [one for one in (known or ((),))[0] if one.default is None and one.kind.startswith("pos")]
    arguments = ", ".join(["torch.eye(2)"] * (is_method + len(needed)))
    return _TRIED.format("import torch\n", f"{found.name}({arguments})")


def signature_script(found: Found, module: str) -> str:
    """Return a script that prints the parameters of a function; of a builtin, its documentation."""
    if found.record.origin != "inspect":
        return documentation_script(found.name, module)
    return f"import inspect\n{_IMPORT}\nprint(inspect.signature({_looked_up(found.name, module)}))\n"


def documentation_script(name: str, module: str) -> str:
    """Return a script that prints the documentation of a name."""
    return f"{_IMPORT}\nprint({_looked_up(name, module)}.__doc__)\n"


def _looked_up(name: str, module: str) -> str:
    return f'import_module("{module}"){name[len(module) :]}'
