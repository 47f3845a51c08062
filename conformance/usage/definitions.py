"""Reads functions and classes of a file: parameters, results, methods, attributes, what they override."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, Optional

from conformance.usage import torch_data as data
from conformance.usage import torch_results
from conformance.usage.annotations import parse_annotation, read_annotation
from conformance.usage.expressions import parameters_of
from conformance.usage.model import Evidence, Kind, Parameter
from conformance.usage.scopes import Scope
from conformance.usage.values import (
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Flag,
    Foreign,
    Instance,
    Items,
    OwnClass,
    OwnFunction,
    Torch,
    Value,
)

if TYPE_CHECKING:
    from conformance.usage.evaluator import Evaluator

#: How deep calls are followed to learn what a function returns.
_DEEPEST = 12
_BINDINGS = {"property": "property", "cached_property": "property", "staticmethod": "staticmethod"}
_BINDINGS["classmethod"] = "classmethod"


class Definitions:
    """Reads the functions and classes that a file defines, once all of it is known."""

    def __init__(self, file: Evaluator) -> None:
        self.file = file
        self._waiting: list[OwnFunction] = []
        self._depth = 0

    def read_module(self, tree: ast.Module, with_functions: bool = True) -> dict[str, Value]:
        """Read a file and return the names it binds; ``with_functions``: the bodies of functions too."""
        self.file.statements.block(tree.body)
        if not with_functions:
            for function in self._waiting:
                function.node.body = []  # type: ignore[union-attr]  # Whoever imports it would note it as their own.
        functions = []
        while self._waiting and with_functions:
            waiting, self._waiting = self._waiting, []
            functions += waiting
            for function in waiting:
                self._read_function(function)
        for function in functions:
            function.node = function.scope = None  # Frees the tree: scopes and functions hold each other.
        return self.file.scope.names

    # Functions

    def bind_function(self, node: Any) -> None:
        """Bind a function, to be read when the whole file is known."""
        binding, without_grad = "", False
        for decorator in node.decorator_list:
            value = self.file.expressions.value(decorator)
            without_grad = torch_results.is_without_grad(value, without_grad)
            self.file.record.decorator(value, decorator, "function")
            binding = _BINDINGS.get(_last_name(decorator), binding)
        every = node.args
        for default in (*every.defaults, *every.kw_defaults):
            if default is not None:
                self.file.expressions.passed_on(default, self.file.expressions.value(default))
        for parameter in parameters_of(every):
            if parameter.annotation is not None and type(parameter.annotation) is not ast.Constant:
                self.file.expressions.value(parameter.annotation)
        result = None
        if node.returns is not None:
            result = self.file.statements.annotation(node.returns)
        elif node.type_comment:
            result = parse_annotation(node.type_comment.rpartition("->")[2], self.file.expressions.resolve)
        if isinstance(node, ast.AsyncFunctionDef) and result is UNKNOWN:
            result = None
        owner = self.file.owner if self.file.scope.is_class else None
        guards = self.file.record.guard > 0, self.file.record.runs_on
        function = OwnFunction(
            node, self.file.scope.inner(), owner, binding, *guards, result, without_grad=without_grad
        )
        if owner is not None:
            self._note_override(function, owner)
        self.file.scope.bind(node.name, function)
        self._waiting.append(function)

    def result_of(self, function: OwnFunction) -> Value:
        """Return what a call gives: what its annotation says, or else what its body returns."""
        if function.result in (None, UNKNOWN) and self._depth < _DEEPEST:
            self._read_function(function)
        return function.result or UNKNOWN

    def _read_function(self, function: OwnFunction) -> None:
        node, scope = function.node, function.scope
        if function.is_read or node is None or not isinstance(scope, Scope):
            return
        function.is_read = True
        outer = (self.file.scope, self.file.owner, self.file.returned, self.file.items, self.file.loop)
        looked = (self.file.looks, self.file.choices, self.file.without_grad)
        around = (self.file.record.guard, self.file.record.tries, self.file.record.runs_on, self.file.record.caught)
        self.file.scope = Scope(scope)
        self.file.owner = function.owner or self._owner_around(scope)
        self.file.returned, self.file.items, self.file.loop = NOTHING, None, 0
        self.file.choices, self.file.record.guard, self.file.record.runs_on = 0, int(function.guarded), function.runs_on
        self.file.record.tries, self.file.record.caught, self.file.without_grad = 0, (), function.without_grad
        self._depth += 1
        self._bind_parameters(function, node)
        self.file.statements.block(node.body)
        self._depth -= 1
        if function.result in (None, UNKNOWN):
            function.result = Items(self.file.items) if self.file.items is not None else self.file.returned
            if isinstance(function.result, Flag) and function.result.holds is None:
                names = [parameter.arg for parameter in (*node.args.posonlyargs, *node.args.args)]
                function.result = function.result.given_by(names[function.owner is not None :])
            if function.result in (NOTHING, NONE):
                function.result = UNKNOWN
        self.file.scope, self.file.owner, self.file.returned, self.file.items, self.file.loop = outer
        self.file.looks, self.file.choices, self.file.without_grad = looked
        self.file.record.guard, self.file.record.tries, self.file.record.runs_on, self.file.record.caught = around

    def _owner_around(self, scope: Scope) -> Optional[OwnClass]:
        """Return the class of `self`, for a function inside a method."""
        around = scope.names.get("self")
        return around.cls if isinstance(around, Instance) and isinstance(around.cls, OwnClass) else None

    def _bind_parameters(self, function: OwnFunction, node: Any) -> None:
        every, names = node.args, self.file.scope.names
        positional = [*every.posonlyargs, *every.args]
        defaults = dict(zip([parameter.arg for parameter in positional][::-1], every.defaults[::-1]))
        defaults.update((parameter.arg, default) for parameter, default in zip(every.kwonlyargs, every.kw_defaults))
        guess = self._convention(function, node)
        for parameter in parameters_of(every):
            value: Value = UNKNOWN
            if parameter.annotation is not None:
                value = read_annotation(parameter.annotation, self.file.expressions.resolve)
            elif parameter.type_comment:
                value = parse_annotation(parameter.type_comment, self.file.expressions.resolve)
            else:
                value = _of_default(defaults.get(parameter.arg), guess)
            if parameter is every.vararg or parameter is every.kwarg:
                value = Items(value)
            names[parameter.arg] = value
        if node.type_comment:
            self._bind_comment(node.type_comment, positional)
        if function.owner is not None and positional:
            is_class = function.binding == "classmethod" or node.name in ("__new__", "__init_subclass__")
            if function.binding != "staticmethod":
                names[positional[0].arg] = function.owner if is_class else Instance(function.owner)
            elif guess is not UNKNOWN:
                names[positional[0].arg] = Instance("torch.autograd.function.FunctionCtx")

    def _bind_comment(self, comment: str, parameters: list[ast.arg]) -> None:
        """Bind parameters to a comment such as `# type: (Tensor, int) -> Tensor`."""
        try:
            said = ast.parse(comment.strip()[:1000], mode="func_type")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        types = said.argtypes
        for parameter, node in zip(parameters[-len(types) :] if types else [], types):
            self.file.scope.names[parameter.arg] = read_annotation(node, self.file.expressions.resolve)

    def _convention(self, function: OwnFunction, node: Any) -> Value:
        """Return what a parameter without annotation likely is: a tensor in `forward`."""
        base = function.owner.torch_base() if function.owner is not None else None
        if base is None or node.name not in ("forward", "backward"):
            return UNKNOWN
        is_module = torch_results.family(base) == "torch.nn.Module" and node.name == "forward"
        return torch_results.LIKELY_TENSOR if is_module or base == "torch.autograd.Function" else UNKNOWN

    # Classes

    def bind_class(self, node: ast.ClassDef) -> None:
        """Bind a class, with what it is built on and what its body binds."""
        for decorator in node.decorator_list:
            self.file.record.decorator(self.file.expressions.value(decorator), decorator, "class")
        cls = OwnClass(node.name)
        for base in node.bases:
            cls.bases.append(self._base(base))
        for keyword in node.keywords:
            self.file.expressions.value(keyword.value)
        self.file.scope.bind(node.name, cls)
        outer, self.file.scope = self.file.scope, Scope(self.file.scope, is_class=True)
        around, self.file.owner = self.file.owner, cls
        self.file.scope.names = cls.attributes
        start = len(self._waiting)
        self.file.statements.block(node.body)
        self.file.scope, self.file.owner = outer, around
        # What `__init__` assigns is known before other methods are read.
        self._waiting[start:] = sorted(self._waiting[start:], key=lambda one: _name_of(one) != "__init__")

    def _base(self, node: ast.expr) -> Value:
        value = self.file.expressions.receiver(node)
        if isinstance(value, Torch):
            value = Torch(torch_results.canonical(value.name), value.evidence, value.chosen)
            self.file.record.name((value,), node, Kind.BASE)
        elif isinstance(value, Foreign):
            known = data.SUBCLASSES.get(value.name)
            if known is not None:
                return Torch(known, Evidence.LIKELY)
            return (
                OTHER
                if torch_results.is_other_package(value.name.partition(".")[0]) or value.name == "abc.ABC"
                else UNKNOWN
            )
        return value

    def _note_override(self, function: OwnFunction, owner: OwnClass) -> None:
        base, node = owner.torch_base(), function.node
        if base is None or node is None:
            return
        names = torch_results.overridden(base, node.name)
        if names and node.name != "__init__":
            line, column = node.lineno, node.col_offset
            parameters = signature_of(node.args)[function.binding != "staticmethod" :]
            binding = function.binding
            self.file.record.add(
                names, line, column, Kind.OVERRIDE, Evidence.CERTAIN, None, parameters, decorates=binding
            )


def signature_of(every: ast.arguments) -> tuple[Parameter, ...]:
    """Return the parameters of a function, `self` included."""
    positional = [*every.posonlyargs, *every.args]
    without = len(positional) - len(every.defaults)
    found = []
    for position, parameter in enumerate(positional):
        kind = "positional_only" if position < len(every.posonlyargs) else "positional_or_keyword"
        default = every.defaults[position - without] if position >= without else None
        found.append(Parameter(parameter.arg, kind, _text(default)))
    if every.vararg is not None:
        found.append(Parameter(every.vararg.arg, "var_positional"))
    for parameter, default in zip(every.kwonlyargs, every.kw_defaults):
        found.append(Parameter(parameter.arg, "keyword_only", _text(default)))
    if every.kwarg is not None:
        found.append(Parameter(every.kwarg.arg, "var_keyword"))
    return tuple(found)


def _text(default: Optional[ast.expr]) -> Optional[str]:
    if type(default) is ast.Constant:
        return repr(default.value)[:200]  # As `ast.unparse` gives it, in a tenth of the time.
    return None if default is None else ast.unparse(default)[:200]


def _of_default(default: Optional[ast.expr], guess: Value) -> Value:
    """Return what a parameter is by its default: one with a text as its default is no tensor."""
    if isinstance(default, ast.Constant) and default.value is not None:
        return OTHER if isinstance(default.value, str) or guess is not UNKNOWN else UNKNOWN
    return guess


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _name_of(function: OwnFunction) -> str:
    return function.node.name if function.node is not None else ""
