"""The signature of an object as one line of text: no annotations, nothing of the machine."""

from __future__ import annotations

import ast
import enum
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Optional

from conformance.names.signatures import Source, parse_signature, signature_of

#: Longer defaults are written as ``...``.
_LONGEST_DEFAULT = 60
_MACHINE = re.compile(r"0x[0-9a-fA-F]{4,}|/(?:tmp|home|root|usr|work|opt)/|\n")
_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def from_inspect(function: Callable[..., Any]) -> Optional[str]:
    """Return the signature that ``inspect`` finds, or None where it finds none."""
    try:
        signature = inspect.signature(function)
        parameters = [_without_annotation(parameter) for parameter in signature.parameters.values()]
        return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
    except Exception:  # an object may raise anything when it is asked for its signature
        return None


def says_nothing(signature: Optional[str]) -> bool:
    """Return whether a signature names no parameter, as that of a wrapper does."""
    return signature is None or signature in ("(*args, **kwargs)", "(self, *args, **kwargs)")


def from_docstring(name: str, docstring: str) -> tuple[str, ...]:
    """Return the signatures that a docstring shows: its first line, and those after ``.. function::``."""
    lines = docstring.strip().splitlines()
    candidates = lines[:1] + [line.partition("::")[2] for line in lines if line.strip().startswith(".. function::")]
    found = [_parameters(name, line.strip()) for line in candidates]
    return tuple(dict.fromkeys(signature for signature in found if signature))


def _without_annotation(parameter: inspect.Parameter) -> inspect.Parameter:
    default = parameter.default
    if default is not inspect.Parameter.empty:
        default = Source(_default(default))
    return parameter.replace(annotation=inspect.Parameter.empty, default=default)


def _default(value: object) -> str:
    text = _written(value)
    return "..." if len(text) > _LONGEST_DEFAULT or _MACHINE.search(text) else text


def _written(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, _PLAIN):
        return repr(value)
    if type(value) in (list, tuple, set, frozenset, dict):
        return _written_container(value)
    name = getattr(value, "__qualname__", None)
    if isinstance(name, str):
        return name
    text = repr(value)
    return "..." if text.startswith("<") else text


def _written_container(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_written(key)}: {_written(item)}" for key, item in value.items()) + "}"
    parts = [_written(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return f"{type(value).__name__}([{', '.join(sorted(parts))}])"
    if isinstance(value, list):
        return f"[{', '.join(parts)}]"
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _parameters(name: str, line: str) -> Optional[str]:
    """Return the parameters in a line such as ``add(input, other, *, out=None) -> Tensor``."""
    match = re.match(rf"(?:[\w.]*\.)?{re.escape(name)}\s*(\(.*\))\s*(?:->.*)?\\?$", line)
    if match is None or match.group(1) == "(...)":
        return None
    text = match.group(1)
    signature = parse_signature(text)
    return _MACHINE.sub("...", " ".join(text.split()) if signature is None else str(signature))


class Stubs:
    """The stub files of the native module ``torch._C``, each read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "_C"
        self._modules: dict[str, dict[str, tuple[str, ...]]] = {}

    def function(self, module: str, name: str) -> tuple[str, ...]:
        """Return the overloads of a function, ``name`` may be ``Class.method``; `module` is a file in ``torch/_C``."""
        if module not in self._modules:
            self._modules[module] = _overloads(self._folder / f"{module}.pyi")
        return self._modules[module].get(name, ())


def _overloads(path: Path) -> dict[str, tuple[str, ...]]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return {}
    found: dict[str, dict[str, None]] = {}
    for name, node in _definitions(tree.body, ""):
        found.setdefault(name, {})[str(signature_of(node.args))] = None
    # The order of overloads is chance: it changes between builds.
    return {name: tuple(sorted(signatures)) for name, signatures in found.items()}


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")
