"""Which operations of torch a claim's program and expressions name, and where they can be replaced."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Optional

import numpy as np
import torch

from conformance.impostors.sites import Rewritten, Site
from conformance.language.model import Claim
from conformance.runner.program import Plan


@dataclass(frozen=True)
class Operation:
    """A name that can be replaced, in all the places where it stands.

    Attributes
    ----------
    name : str
        ``detach``, ``autograd.grad``, ``__setitem__``: as a program writes it, without ``torch.``.
    places : tuple
        Pairs of a module or class, and the attribute's name there.
    is_subject : bool
        The claim is about it.
    in_program : bool
        The program uses it. Otherwise only an expression does: then it is the judge that would be deceived, and a claim
        that can fail in this way only is a weak one.
    site : Site or None
        It has no places, but is a site in a program that was rewritten for it.
    """

    name: str
    places: tuple[tuple[Any, str], ...]
    is_subject: bool
    in_program: bool
    site: Optional[Site] = None

    def __str__(self) -> str:
        return str(self.site) if self.site else self.name


_OPERATORS: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.USub: "neg",
    ast.UAdd: "pos",
    ast.Invert: "invert",
    ast.In: "contains",
    ast.NotIn: "contains",
}
_BUILTINS = {
    "abs": "abs",
    "bool": "bool",
    "complex": "complex",
    "float": "float",
    "hash": "hash",
    "int": "int",
    "iter": "iter",
    "len": "len",
    "list": "iter",
    "tuple": "iter",
    "repr": "repr",
    "str": "repr",
    "format": "format",
}
_SUBJECTS = ("torch.", "torch.Tensor.", "torch.nn.Module.")
#: Modules apart from torch whose functions hand tensors and arrays on.
_FOREIGN = ("copy", "numpy", "pickle")
#: The flag of classes that were made by Python code (Py_TPFLAGS_HEAPTYPE).
_CHANGEABLE = 1 << 9
_UNTOUCHABLE = frozenset(("__class__", "__dict__", "__torch_function__", "__torch_dispatch__", "__init__"))


def _classes() -> list[type]:
    """Return the classes whose methods a program may call on a value."""
    optimizers = [value for value in vars(torch.optim).values() if isinstance(value, type)]
    storages = [getattr(torch, name) for name in ("UntypedStorage", "TypedStorage") if hasattr(torch, name)]
    nodes = [torch.autograd.Function]
    return [torch.Tensor, torch.nn.Parameter, torch.nn.Module, *optimizers, *storages, *nodes]


def operations(claim: Claim, plan: Plan) -> list[Operation]:
    """Return the operations that a program or its expectation names, the claim's subject first.

    Parameters
    ----------
    claim
        Tells the program, the inputs and the subject.
    plan
        Tells the expectation: the claim's own, or what holds instead.
    """
    program = ast.parse(claim.do.text) if claim.do else ast.Module([], [])
    expressions = [ast.parse(f"({expression.text}\n)", mode="eval") for expression in plan.expressions]
    imported = _imports(program)
    subject = {claim.subject[len(prefix) :] for prefix in _SUBJECTS if claim.subject.startswith(prefix)}
    found: dict[str, Operation] = {}
    for tree, in_program in ((program, True), *((expression, not claim.do) for expression in expressions)):
        for node, acting in _walk(tree, in_program):
            for name, places in _named(node, imported, claim):
                if places and (name not in found or (acting and not found[name].in_program)):
                    found[name] = Operation(name, places, name in subject, acting)
    return sorted(found.values(), key=lambda operation: (not operation.is_subject, not operation.in_program))


def operations_at_sites(claim: Claim, found: Rewritten) -> list[Operation]:
    """Return an operation for each site of a rewritten plan, in order of appearance."""
    last = claim.subject.rpartition(".")[2]
    return [Operation(site.name, (), site.name == last, site in found.acting, site) for site in found.sites]


def _walk(tree: ast.AST, acting: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node, and whether it is part of the program: so is the body of a function in an expression."""
    yield tree, acting
    for child in ast.iter_child_nodes(tree):
        yield from _walk(child, acting or isinstance(tree, ast.Lambda))


def _imports(program: ast.AST) -> dict[str, str]:
    """Return the modules that names stand for: ``import torch.autograd.forward_ad as forward``."""
    names = {"torch": "torch", "np": "numpy"}
    for node in ast.walk(program):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}:{alias.name}"
    return names


Named = tuple[str, tuple[tuple[Any, str], ...]]


def _named(node: ast.AST, imported: dict[str, str], claim: Claim) -> Iterable[Named]:
    if isinstance(node, ast.Attribute):
        chain = _chain(node)
        if chain and chain[0] in imported:
            yield from _dotted(chain, imported)
        elif places := _on_classes(node.attr):
            yield node.attr, places
        else:
            # An attribute of one object, such as a parameter of a module.
            reading = isinstance(node.ctx, ast.Load)
            yield ("getattr", _on_classes("__getattr__")) if reading else ("setattr", _on_classes("__setattr__"))
    elif isinstance(node, ast.Name) and ":" in imported.get(node.id, ""):
        module, _, name = imported[node.id].partition(":")
        yield from _at([*module.split("."), name])
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)) and type(node.op) in _OPERATORS:
        name = _OPERATORS[type(node.op)]
        yield name, _on_classes(f"__{name}__", f"__r{name}__")
    elif isinstance(node, ast.AugAssign):
        name = _OPERATORS[type(node.op)]
        yield f"i{name}", _on_classes(f"__i{name}__", f"__{name}__")
    elif isinstance(node, ast.Compare):
        for operator in node.ops:
            if type(operator) in _OPERATORS:
                name = _OPERATORS[type(operator)]
                yield name, _on_classes(f"__{name}__")
    elif isinstance(node, ast.Subscript):
        name = "getitem" if isinstance(node.ctx, ast.Load) else "setitem"
        yield name, _on_classes(f"__{name}__")
    elif isinstance(node, ast.For):
        yield "iter", _on_classes("__iter__")
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _BUILTINS:
            name = _BUILTINS[node.func.id]
            yield name, _on_classes(f"__{name}__")
        elif any(node.func.id == name and "module(" in fragment.text for name, fragment in claim.given):
            yield "call", _on_classes("__call__")


def _chain(node: ast.Attribute) -> list[str]:
    """Return the names of ``a.b.c``, or nothing where it starts with something other than a name."""
    names = [node.attr]
    value: ast.AST = node.value
    while isinstance(value, ast.Attribute):
        names.append(value.attr)
        value = value.value
    return [value.id, *reversed(names)] if isinstance(value, ast.Name) else []


def _dotted(chain: list[str], imported: dict[str, str]) -> Iterable[Named]:
    yield from _at([*imported[chain[0]].replace(":", ".").split("."), *chain[1:]])


def _at(path: list[str]) -> Iterable[Named]:
    """Find a dotted name; what follows an object that is no module and no class is looked for on all classes."""
    if path[0] not in ("torch", *_FOREIGN):
        return
    holder: Any = importlib.import_module(path[0])
    for position, name in enumerate(path[1:], 1):
        value = _member(holder, name)
        if isinstance(value, ModuleType) or (isinstance(value, type) and position + 1 < len(path)):
            holder = value
        elif value is None:
            yield name, _on_classes(name)
            return
        else:
            short = ".".join(path[1 if path[0] == "torch" else 0 : position + 1])
            if replaceable(holder, name):
                yield short, ((holder, name),)
            return


def _member(holder: Any, name: str) -> Any:
    value = getattr(holder, name, None)
    if value is None and isinstance(holder, ModuleType):
        try:
            return importlib.import_module(f"{holder.__name__}.{name}")
        except ImportError:
            return None
    return value


def replaceable(holder: Any, name: str) -> bool:
    """Tell whether an attribute is an operation that can be replaced: a function, a method, a property or a class."""
    if name in _UNTOUCHABLE:
        return False
    value = inspect.getattr_static(holder, name, None)
    if isinstance(holder, ModuleType):
        if isinstance(value, type):
            # The scalar types of NumPy serve as names of dtypes too.
            return not issubclass(value, (np.generic, np.ndarray, BaseException)) and value not in (
                torch.Size,
                torch.device,
                torch.dtype,
            )
        return callable(value)
    return callable(value) or isinstance(value, (staticmethod, classmethod)) or hasattr(type(value), "__get__")


def _on_classes(*names: str) -> tuple[tuple[Any, str], ...]:
    """Return all classes that have one of the names, each where it is defined."""
    found: list[tuple[Any, str]] = []
    for name in names:
        for owner in _classes():
            place = _definition(owner, name)
            if place is not None and place not in found:
                found.append(place)
    return tuple(found)


def _definition(owner: type, name: str) -> Optional[tuple[Any, str]]:
    if name in _UNTOUCHABLE or not hasattr(owner, name):
        return None
    holder = next((base for base in owner.__mro__ if name in vars(base)), None)
    if holder is None or holder is object:
        return None
    if not holder.__flags__ & _CHANGEABLE:
        # A class written in C; a name on the last class below it that can be changed hides its own.
        below = [base for base in owner.__mro__ if issubclass(base, holder) and base.__flags__ & _CHANGEABLE]
        holder = below[-1] if below else None
    if holder is None or not replaceable(holder, name):
        return None
    return (holder, name)
