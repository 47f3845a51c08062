"""What modules and objects answer to without holding it: settings such as ``torch.backends.cudnn.benchmark``."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator

_OF_EVERY_MODULE = frozenset(dir(types.ModuleType))


def listed_names(module: types.ModuleType) -> set[str]:
    """Return the names that a module has beside those in its ``__dict__``.

    They are those that a module with a ``__getattr__`` of its own lists, and what is in the tables that this function
    reads, such as deprecated names; and where an object stands in the place of a module, what the class of the object
    defines, what it takes from the module that it replaced, and the settings of a configuration.
    """
    held = vars(module)
    names: set[object] = set()
    if "__getattr__" in held:
        try:
            names.update((*dir(module), *getattr(module, "__all__", ())))
        except Exception:
            names.clear()
        read = getattr(getattr(held["__getattr__"], "__code__", None), "co_names", ())
        for table in (held.get(name) for name in read):
            names.update(table if isinstance(table, (dict, set, frozenset, list, tuple)) else ())
    if type(module) is not types.ModuleType:
        names.update(name for name in dir(type(module)) if name not in _OF_EVERY_MODULE and not name.startswith("_"))
        for value in held.values():
            if isinstance(value, types.ModuleType) and value.__name__ == module.__name__:
                names.update(vars(value))
        configuration = held.get("_config")
        names.update(configuration if isinstance(configuration, dict) else ())
    return {name for name in names if isinstance(name, str)}


def answered_names(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that ``__getattr__`` or ``__setattr__`` compares with what it was asked for."""
    if function.name not in ("__getattr__", "__setattr__") or len(function.args.args) < 2:
        return
    asked = function.args.args[1].arg
    for node in ast.walk(function):
        if not (isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == asked):
            continue
        if isinstance(node.ops[0], (ast.Eq, ast.In)):
            texts = (one.value for one in ast.walk(node.comparators[0]) if isinstance(one, ast.Constant))
            yield from (text for text in texts if isinstance(text, str))
