"""Why an expression is false: the values of its parts, as pytest shows them for ``assert``."""

from __future__ import annotations

import ast
import re
import tempfile
from typing import Any

from conformance.inputs.recipes import Namespace

_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")
# Where temporary files and folders are, and what Python names them, differ from run to run.
_FOLDERS = r"/(?:[\w.-]+/)*"
_RANDOM_NAME = re.compile(r"(?<=/)tmp[a-z0-9_]{8}\b")
# The symbol of a ragged dimension counts the nested tensors that the process has made.
_RAGGED = re.compile(r"(?<=[(, ])j\d+(?=[,)\]])")
# The number of a process, and that in its name, differ from run to run.
_PROCESS = re.compile(r"(?<=Process-)[\d:]+|(?<=\bpid=)\d+|(?<=\bparent=)\d+")
# Where a process has its memory, on the 64-bit systems that torch runs on.
_ADDRESSES = range(2**32, 2**47)
_LONGEST = 160
_MOST_PARTS = 8


def without_addresses(text: str) -> str:
    """Return a text with ``0x…`` for addresses, which differ from process to process."""
    return _ADDRESS.sub("0x…", text)


def shown(value: Any) -> str:
    """Return a value's repr on one line, bounded in length, without what differs from process to process."""
    if type(value) is int and value in _ADDRESSES:
        return "0x…"
    try:
        text = repr(value)
    except BaseException as error:  # a repr that fails must not hide the failure it explains
        text = f"<{type(value).__name__}: repr raised {type(error).__name__}>"
    folded = without_addresses(" ".join(text.split()))
    folded = re.sub(re.escape(tempfile.gettempdir()) + _FOLDERS, "…/", folded)
    folded = _PROCESS.sub("…", _RAGGED.sub("j…", _RANDOM_NAME.sub("tmp…", folded)))
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"


def explain(text: str, namespace: Namespace) -> str:
    """Return one line ``part = value`` for each name, attribute and call in an expression that is not plain syntax."""
    tree = ast.parse(text.strip(), mode="eval")
    lines: dict[str, str] = {}
    for node in _parts(tree.body):
        source = ast.unparse(node)
        if source in lines or len(lines) >= _MOST_PARTS:
            continue
        try:
            value = eval(compile(ast.Expression(node), "<explain>", "eval"), namespace)
        except Exception as error:
            lines[source] = f"raised {type(error).__name__}"
            continue
        lines[source] = shown(value)
    return "\n".join(f"{source} = {value}" for source, value in lines.items())


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the sub-expressions worth showing, outermost first; a called function is not one, its arguments are."""
    found: list[ast.expr] = []
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        return found
    if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) and not _is_module(node):
        found.append(node)
    if isinstance(node, ast.Call):
        children: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            children.insert(0, node.func.value)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        children = []  # the attribute says it; the whole tensor beside it would bury it
    else:
        children = list(ast.iter_child_nodes(node))
    for child in children:
        if isinstance(child, ast.expr):
            found.extend(_parts(child))
    return found


def _is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in ("torch", "np", "before")
