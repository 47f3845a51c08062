"""What of torch a claim's program and expressions use, and can be mutated."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Optional

from conformance.base.special_methods import BINARY, COMPARISON, UNARY
from conformance.lab.impostors.engine.call_sites import CallSite, Rewritten
from conformance.lab.impostors.engine.places import Place, of_path, on_classes
from conformance.language.model import Claim
from conformance.run.scripts.program import Plan

#: What a mutant is made of: the claim's subject, something else that its program uses, or a call in an assertion.
Origin = Literal["subject", "program", "assertion"]


@dataclass(frozen=True)
class Target:
    """A function, method or attribute of torch in all the places where it stands, or a call site.

    Attributes
    ----------
    name : str
        ``detach``, ``autograd.grad``, ``__setitem__``: as a program writes it, without ``torch.``.
    places : tuple
        Pairs of a module or class, and the attribute's name there; none for a call site.
    is_subject : bool
        The claim is about it.
    in_program : bool
        The program uses it. Otherwise only an expression does: then it is the judge that would be deceived, and a claim
        that can fail in this way only is a weak one.
    site : CallSite, optional
        Where a program that was rewritten uses it.
    """

    name: str
    places: tuple[Place, ...]
    is_subject: bool
    in_program: bool
    site: Optional[CallSite] = None

    def __str__(self) -> str:
        return str(self.site) if self.site else self.name

    @property
    def origin(self) -> Origin:
        """What of the claim it is."""
        if not self.in_program:
            return "assertion"
        return "subject" if self.is_subject else "program"


_SPECIAL_METHODS = {**BINARY, **COMPARISON, **UNARY, ast.In: "contains", ast.NotIn: "contains"}
_BUILTINS = {name: name for name in ("abs", "bool", "complex", "float", "format", "hash", "int", "iter", "len", "repr")}
_BUILTINS.update({"list": "iter", "tuple": "iter", "str": "repr"})
_SUBJECTS = ("torch.", "torch.Tensor.", "torch.nn.Module.")


def named_targets(claim: Claim, plan: Plan) -> list[Target]:
    """Return what the program or an expression names, the claim's subject first.

    Parameters
    ----------
    claim
        Has the program, the inputs and the subject.
    plan
        Has the expectation: the claim's own, or what holds instead.
    """
    program = ast.parse(claim.do.text if claim.do else "")
    expressions = [ast.parse(f"({expression.text}\n)", mode="eval") for expression in plan.expressions]
    imported = _imports(program)
    modules = frozenset(name for name, fragment in claim.given if "module(" in fragment.text)
    subject = {claim.subject[len(prefix) :] for prefix in _SUBJECTS if claim.subject.startswith(prefix)}
    found: dict[str, Target] = {}
    for tree, in_program in ((program, True), *((expression, not claim.do) for expression in expressions)):
        for node, acting in _walk(tree, in_program):
            for name, places in _named(node, imported, modules):
                if places and (name not in found or (acting and not found[name].in_program)):
                    found[name] = Target(name, places, name in subject, acting)
    return sorted(found.values(), key=lambda target: (not target.is_subject, not target.in_program))


def call_site_targets(claim: Claim, found: Rewritten) -> list[Target]:
    """Return a target for each call site of a rewritten plan, in order of appearance."""
    last = claim.subject.rpartition(".")[2]
    return [Target(site.name, (), site.name == last, site in found.acting, site) for site in found.sites]


def _walk(tree: ast.AST, acting: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield every node, and whether it is part of the program: so is the body of a function in an expression."""
    yield tree, acting
    for child in ast.iter_child_nodes(tree):
        yield from _walk(child, acting or isinstance(tree, ast.Lambda))


@dataclass(frozen=True)
class _Import:
    """What an imported name stands for: a module, or something in one."""

    path: tuple[str, ...]
    is_module: bool


def _imports(program: ast.AST) -> dict[str, _Import]:
    found = {"torch": _Import(("torch",), True), "np": _Import(("numpy",), True)}
    for node in ast.walk(program):
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = tuple(alias.name.split("."))
                found[alias.asname or path[0]] = _Import(path if alias.asname else path[:1], True)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found[alias.asname or alias.name] = _Import((*node.module.split("."), alias.name), False)
    return found


def _named(
    node: ast.AST, imported: dict[str, _Import], modules: frozenset[str]
) -> Iterable[tuple[str, tuple[Place, ...]]]:
    if isinstance(node, ast.Attribute):
        chain = _chain(node)
        if chain and chain[0] in imported:
            yield from of_path((*imported[chain[0]].path, *chain[1:]))
            return
        places = on_classes(node.attr)
        if places:
            yield node.attr, places
            return
    elif isinstance(node, ast.Name) and node.id in imported and not imported[node.id].is_module:
        yield from of_path(imported[node.id].path)
    for name, methods in _special_methods(node, modules):
        yield name, on_classes(*methods)


def _special_methods(node: ast.AST, modules: frozenset[str]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Yield the name of what a piece of syntax does, and the methods that do it."""
    if isinstance(node, ast.Attribute):
        # An attribute of one object, such as a parameter of a module.
        name = "getattr" if isinstance(node.ctx, ast.Load) else "setattr"
        yield name, (f"__{name}__",)
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)) and type(node.op) in _SPECIAL_METHODS:
        name = _SPECIAL_METHODS[type(node.op)]
        yield name, (f"__{name}__", f"__r{name}__")
    elif isinstance(node, ast.AugAssign):
        name = _SPECIAL_METHODS[type(node.op)]
        yield f"i{name}", (f"__i{name}__", f"__{name}__")
    elif isinstance(node, ast.Compare):
        for name in (_SPECIAL_METHODS[type(operator)] for operator in node.ops if type(operator) in _SPECIAL_METHODS):
            yield name, (f"__{name}__",)
    elif isinstance(node, ast.Subscript):
        name = "getitem" if isinstance(node.ctx, ast.Load) else "setitem"
        yield name, (f"__{name}__",)
    elif isinstance(node, ast.For):
        yield "iter", ("__iter__",)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _BUILTINS:
            name = _BUILTINS[node.func.id]
            yield name, (f"__{name}__",)
        elif node.func.id in modules:
            yield "call", ("__call__",)


def _chain(node: ast.Attribute) -> list[str]:
    """Return the names of ``a.b.c``, or nothing where it starts with something other than a name."""
    names = [node.attr]
    value: ast.AST = node.value
    while isinstance(value, ast.Attribute):
        names.append(value.attr)
        value = value.value
    return [value.id, *reversed(names)] if isinstance(value, ast.Name) else []
