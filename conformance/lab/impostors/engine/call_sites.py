"""Uses of torch that no name of a module or class reaches.

What `targets` finds by name is replaced by its name. Here the program itself is rewritten, so that each of its calls,
reads of an attribute and functions of its own goes through a hook, in which a mutant can act: ``m(x)``, a method of a
class written in C, a function under a local alias, a function that torch calls back.
"""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Optional

import torch

from conformance.base.python_library import LIBRARY
from conformance.lab.impostors.engine.call import Arguments
from conformance.run.scripts.program import Expression, Plan, Program

#: The names that rewritten code uses.
_HOOKS = {kind: f"_impostor_{kind}" for kind in ("call", "method", "read", "item", "define")}
_LONGEST_LABEL = 60
#: Functions that look at the frame they are called from, or whose answer no torch can change.
_PLAIN = {
    *("super", "locals", "globals", "vars", "eval", "exec", "isinstance", "issubclass", "type", "id", "callable"),
    *("print",),
}
#: Functions that ask their arguments.
_ASKING = {
    *("len", "list", "tuple", "next", "iter", "getattr", "hasattr", "str", "repr", "dir", "dict", "set", "sorted"),
    *("hash", "int", "float", "bool", "sum", "max", "min", "enumerate", "zip", "copy", "deepcopy", "dumps", "loads"),
}
_MODULES = ("torch", "np")
_NO_OTHER_PACKAGE = LIBRARY | {"numpy", "conformance"}
_TORCH = f"{Path(torch.__file__).parent}{os.sep}"

#: What happens at a call site: takes the kind of use, the real function, its arguments and the frame of the use.
Act = Callable[[str, Callable[..., Any], tuple[Any, ...], Arguments, FrameType], Any]


@dataclass(frozen=True)
class CallSite:
    """A piece of source at which a program meets torch.

    Attributes
    ----------
    kind : str
        ``call``, ``read``, ``item`` for a subscript, or ``define`` for a function of the program that torch may call.
    text : str
        What is called or read, or the function's name.
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.text}"

    @property
    def name(self) -> str:
        """What is called or read, without what it belongs to."""
        return self.text.rpartition(".")[2]


class _Rewriter(ast.NodeTransformer):
    """Puts a hook at each call site."""

    def __init__(self) -> None:
        #: The call sites in order of appearance.
        self.sites: dict[CallSite, None] = {}
        #: Those in a program, or in the body of a function in an expression.
        self.acting: set[CallSite] = set()
        self.in_program = True

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _PLAIN:
            return self.generic_visit(node)
        label = self._label("call", function)
        arguments = [self.visit(argument) for argument in node.args]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        if isinstance(function, ast.Attribute):
            owner = self._owner(function.value)
            return _hooked(node, "method", [label, owner, ast.Constant(function.attr), *arguments], keywords)
        return _hooked(node, "call", [label, self.visit(function), *arguments], keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = self._owner(node.value)
        if not isinstance(node.ctx, ast.Load) or (owner is node.value and _root(owner) in _MODULES):
            node.value = owner
            return node
        return _hooked(node, "read", [self._label("read", node), owner, ast.Constant(node.attr)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if not isinstance(node.ctx, ast.Load) or _has_slice(node.slice):
            return self.generic_visit(node)
        return _hooked(node, "item", [self._label("item", node), self._owner(node.value), self.visit(node.slice)])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        label = self._label("define", ast.Name(node.name, ast.Load()))
        self.generic_visit(node)
        if node.name != "__init__":
            node.decorator_list.append(_hooked(node, "define", [label]))
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        label = self._label("define", node)
        before, self.in_program = self.in_program, True
        self.generic_visit(node)
        self.in_program = before
        return ast.copy_location(ast.Call(_hooked(node, "define", [label]), [node], []), node)

    def _owner(self, value: ast.expr) -> ast.expr:
        """Rewrite what an attribute is taken of; a plain dotted name stays as it is."""
        if _root(value) in _MODULES:
            return value
        rewritten: ast.expr = self.visit(value)
        return rewritten

    def _label(self, kind: str, node: ast.AST) -> ast.expr:
        text = re.sub(r"\s+", " ", ast.unparse(node))
        site = CallSite(kind, text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}...")
        self.sites[site] = None
        if self.in_program:
            self.acting.add(site)
        return ast.Constant(str(site))


def _hooked(
    node: ast.AST, kind: str, arguments: list[ast.expr], keywords: Optional[list[ast.keyword]] = None
) -> ast.expr:
    """Return a call of a hook in place of a node."""
    return ast.copy_location(ast.Call(ast.Name(_HOOKS[kind], ast.Load()), arguments, keywords or []), node)


def _root(value: ast.expr) -> str:
    """Return the name that a dotted name starts with, or nothing where it is none."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else ""


def _has_slice(key: ast.AST) -> bool:
    return any(isinstance(part, (ast.Slice, ast.Starred)) for part in ast.walk(key))


@dataclass(frozen=True)
class Rewritten:
    """A plan whose program and expressions go through hooks, and where these are."""

    plan: Plan
    sites: tuple[CallSite, ...]
    acting: frozenset[CallSite]


def rewritten(plan: Plan, text: str) -> Rewritten:
    """Rewrite a plan.

    Parameters
    ----------
    plan
        The program and the expectation.
    text
        The source of the program.
    """
    rewriter = _Rewriter()
    program = _rewritten_program(plan.program, text, rewriter)
    rewriter.in_program = not text.strip()
    expressions = []
    for expression in plan.expressions:
        tree = rewriter.visit(ast.parse(f"(\n{expression.text}\n)", mode="eval"))
        code = compile(ast.fix_missing_locations(tree), "<spec>", "eval")
        expressions.append(Expression(expression.text, code, expression.names))
    plan = replace(plan, program=program, expressions=tuple(expressions))
    return Rewritten(plan, tuple(rewriter.sites), frozenset(rewriter.acting))


def _rewritten_program(program: Program, text: str, rewriter: _Rewriter) -> Program:
    tree = ast.parse(text)
    if not tree.body:
        return program
    tree = ast.fix_missing_locations(rewriter.visit(tree))
    first, last = tree.body[:-1], tree.body[-1]
    return replace(
        program,
        first=compile(ast.Module(first, []), "<do>", "exec") if first else None,
        last=compile(ast.Module([last], []), "<do>", "exec"),
    )


class Hooks:
    """What rewritten code calls while it runs.

    Parameters
    ----------
    site
        The one call site at which something else happens.
    act
        What happens there.
    """

    def __init__(self, site: CallSite, act: Act) -> None:
        self._label = str(site)
        self._act = act

    def names(self) -> Arguments:
        """Return what the names in rewritten code stand for."""
        return {name: getattr(self, f"_{kind}") for kind, name in _HOOKS.items()}

    def _call(self, label: str, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        if label != self._label or not _is_use(function, args, kwargs):
            return function(*args, **kwargs)
        return self._act("call", function, args, kwargs, sys._getframe(1))

    def _method(self, label: str, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        function = getattr(owner, name)
        if label != self._label or not (_is_of_torch(owner) or _is_use(function, args, kwargs)):
            return function(*args, **kwargs)
        if isinstance(owner, (ModuleType, type)):
            return self._act("call", function, args, kwargs, sys._getframe(1))

        def method(owner: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(owner, name)(*args, **kwargs)

        method.method = function  # type: ignore[attr-defined]
        return self._act("call", method, (owner, *args), kwargs, sys._getframe(1))

    def _read(self, label: str, owner: Any, name: str, /) -> Any:
        if label != self._label or isinstance(owner, ModuleType) or not _is_of_torch(owner):
            return getattr(owner, name)
        return self._act("read", lambda owner: getattr(owner, name), (owner,), {}, sys._getframe(1))

    def _item(self, label: str, owner: Any, key: Any, /) -> Any:
        if label != self._label or not _is_of_torch(owner):
            return owner[key]
        return self._act("call", lambda owner, key: owner[key], (owner, key), {}, sys._getframe(1))

    def _define(self, label: str, /) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            if label != self._label:
                return function

            @functools.wraps(function)
            def defined(*args: Any, **kwargs: Any) -> Any:
                frame = sys._getframe(1)
                if not frame.f_code.co_filename.startswith(_TORCH):
                    return function(*args, **kwargs)  # the program or a check calls it
                return self._act("callback", function, args, kwargs, frame)

            return defined

        return decorate


def _is_use(function: Any, args: tuple[Any, ...], kwargs: Arguments) -> bool:
    """Return whether a call concerns torch: by what is called, or as a question about an object of torch.

    So does each call of another package: in a spec of its own, that is what its claims are about.
    """
    if isinstance(function, (BuiltinFunctionType, MethodType)) and function.__self__ is not None:
        owner = function.__self__
        if not isinstance(owner, ModuleType) and _is_of_torch(owner):
            return True
    module = getattr(function, "__module__", None)
    if _is_from_torch(module) or _is_of_torch(function) or _is_of_another_package(module):
        return True
    asking = getattr(function, "__name__", "") in _ASKING
    return asking and any(_is_of_torch(value) for value in (*args, *kwargs.values()))


def _is_of_torch(value: Any) -> bool:
    """Return whether a value is torch, a part of it, or an instance of a class that is or extends one of its own."""
    if isinstance(value, ModuleType):
        return _is_from_torch(value.__name__)
    if isinstance(value, (FunctionType, BuiltinFunctionType)):
        return _is_from_torch(value.__module__)
    kind: Any = value if isinstance(value, type) else type(value)
    if hasattr(kind, "next_functions"):
        return True  # a node of the graph: those written in C++ name no module
    return any(_is_from_torch(base.__module__) for base in kind.__mro__)


def _is_of_another_package(module: Any) -> bool:
    return isinstance(module, str) and module.partition(".")[0] not in _NO_OTHER_PACKAGE


def _is_from_torch(module: Any) -> bool:
    return isinstance(module, str) and (module == "torch" or module.startswith("torch."))
