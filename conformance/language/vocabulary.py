"""The words that a spec can use, read from the source of `conformance.inputs` and `conformance.checks`.

Nothing is imported, so that a spec can be checked where there is no torch.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Optional

from conformance.names.signatures import signature_of

_PACKAGE = Path(__file__).resolve().parent.parent
INPUTS = _PACKAGE / "inputs"
CHECKS = _PACKAGE / "checks"


@dataclass(frozen=True)
class Word:
    """A check or an input kind, as its source has it."""

    name: str
    signature: str
    parameters: tuple[inspect.Parameter, ...]
    summary: str
    doc: str


def checks(package: Path = CHECKS) -> dict[str, Word]:
    """Every function of the package decorated with ``@check``, by name."""
    return _entries(package, "check")


def input_kinds(package: Path = INPUTS) -> dict[str, Word]:
    """Every function of the package decorated with ``@input_kind``, by name."""
    return _entries(package, "input_kind")


@cache
def dtype_classes(package: Path = INPUTS) -> tuple[str, ...]:
    """List the names of groups of dtypes that ``tensor(...)`` takes: keys of ``DTYPE_CLASSES`` in ``dtypes.py``."""
    path = package / "dtypes.py"
    if not path.is_file():
        return ()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign):
            targets: list[ast.expr] = statement.targets
            value: Optional[ast.expr] = statement.value
        elif isinstance(statement, ast.AnnAssign):
            targets, value = [statement.target], statement.value
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == "DTYPE_CLASSES" for target in targets):
            if not isinstance(value, ast.Dict):
                raise ValueError(f"{path}: DTYPE_CLASSES must be a dictionary display, so that its keys can be read")
            return tuple(
                key.value for key in value.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )
    return ()


@cache
def _entries(package: Path, decorator: str) -> dict[str, Word]:
    found: dict[str, Word] = {}
    for path in sorted(package.rglob("*.py")) if package.is_dir() else []:
        text = path.read_text(encoding="utf-8")
        if decorator not in text:
            continue
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.FunctionDef) and any(
                _is(node, decorator) for node in statement.decorator_list
            ):
                found[statement.name] = _entry(statement)
    return dict(sorted(found.items()))


def _is(node: ast.expr, decorator: str) -> bool:
    if isinstance(node, ast.Call):
        node = node.func
    return (isinstance(node, ast.Name) and node.id == decorator) or (
        isinstance(node, ast.Attribute) and node.attr == decorator
    )


def _entry(function: ast.FunctionDef) -> Word:
    doc = inspect.cleandoc(ast.get_docstring(function) or "")
    signature = signature_of(function.args)
    return Word(
        name=function.name,
        signature=f"{function.name}{signature}",
        parameters=tuple(signature.parameters.values()),
        summary=" ".join(doc.split("\n\n")[0].split()),
        doc=doc,
    )
