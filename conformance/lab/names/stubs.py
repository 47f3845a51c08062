"""Signatures of the builtins, from the stub files that torch ships."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from conformance.names.signatures import signature_of


class Stubs:
    """The stub files of the native module ``torch._C``, each read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "_C"
        self._modules: dict[str, dict[str, tuple[str, ...]]] = {}

    def function(self, module: str, name: str) -> tuple[str, ...]:
        """Return the overloads of a function, ``name`` may be ``Class.method``; `module` is a file in ``torch/_C``."""
        if module not in self._modules:
            self._modules[module] = _read(self._folder / f"{module}.pyi")
        return self._modules[module].get(name, ())


def _read(path: Path) -> dict[str, tuple[str, ...]]:
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
