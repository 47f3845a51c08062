"""Reads statements: imports, assignments, branches, loops and the rest."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Optional

from conformance.base.special_methods import BINARY
from conformance.usage import torch_results
from conformance.usage.annotations import as_object, parse_annotation, read_annotation
from conformance.usage.arguments import known, literal
from conformance.usage.expressions import as_tensor, loops, narrowed
from conformance.usage.model import Call, Doubt, Kind
from conformance.usage.recorder import attribute_place
from conformance.usage.values import (
    FLAG,
    NONE,
    NOTHING,
    OTHER,
    ROOTS,
    UNKNOWN,
    Constant,
    Fixed,
    Flag,
    Foreign,
    Imported,
    Instance,
    Items,
    Module,
    OwnClass,
    Torch,
    Value,
    Version,
    as_chosen,
    join,
)

if TYPE_CHECKING:
    from conformance.usage.evaluator import Evaluator

_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)
_MISSING = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_ALL = {"Exception", "BaseException"}
#: Context managers that take the classes of errors which their block may raise.
_EXPECTING = {"suppress", "raises", "assertRaises", "assertRaisesRegex"}
#: Where one of these is tried, the question is whether torch is installed.
_ALWAYS = {f"torch{name}" for name in ("", ".nn", ".Tensor", ".optim", ".nn.functional", ".nn.Module", ".utils.data")}
#: The method that reads each kind of statement.
_HANDLERS: dict[type[ast.AST], Optional[Callable[[Any, Any], Optional[bool]]]] = {}


class Statements:
    """Reads statements."""

    def __init__(self, file: Evaluator) -> None:
        self.file = file

    # Imports

    def on_import(self, node: ast.Import) -> None:
        """Bind a module."""
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            value = self._module(name, 0)
            self.file.scope.bind(alias.asname or name, as_chosen(value) if self.file.choices else value)
            if alias.name.partition(".")[0] in ROOTS:
                self.file.record.name((Torch(alias.name),), node, Kind.IMPORT)

    def on_importfrom(self, node: ast.ImportFrom) -> None:
        """Bind names of a module."""
        module = self._module(node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self._star(module, node)
                continue
            value = self._member(module, alias.name, node)
            if type(value) is Torch and isinstance(module, Torch):
                self.file.record.name((value,), node, Kind.IMPORT)
            self.file.scope.bind(alias.asname or alias.name, as_chosen(value) if self.file.choices else value)

    def _module(self, name: str, level: int) -> Value:
        if not level and name.partition(".")[0] in ROOTS:
            return Torch(name[:200])
        found = self.file.modules.find(self.file.record.path, name, level)
        if found is not None:
            return Module(found)
        return UNKNOWN if level else Foreign(name[:200])

    def _member(self, module: Value, name: str, node: ast.ImportFrom) -> Value:
        if isinstance(module, Module):
            return Imported(partial(self.file.modules.member, module.path, name))
        return (
            self.file.expressions.attribute(module, name, node.lineno, node.col_offset)
            if module is not UNKNOWN
            else UNKNOWN
        )

    def _star(self, module: Value, node: ast.ImportFrom) -> None:
        if isinstance(module, Torch):
            self.file.stars.append(module.name)
        elif isinstance(module, Module):
            self.file.own_stars.append(module.path)
        elif isinstance(module, Foreign) and torch_results.is_other_package(module.name.partition(".")[0]):
            return
        else:
            self.file.record.doubt(node, Doubt.STAR_IMPORT, "." * node.level + (node.module or ""))

    # Bindings

    def on_assign(self, node: ast.Assign) -> None:
        """Bind targets to a value."""
        value = self.tested(node.value)
        if node.type_comment:
            value = self._better(parse_annotation(node.type_comment, self.file.expressions.resolve), value)
        if type(node.value) in (ast.Constant, ast.UnaryOp, ast.Tuple) and value is not NONE and type(value) is not Flag:
            constant = literal(node.value)
            if constant is not None and len(node.targets) == 1 and type(node.targets[0]) is ast.Name:
                value = Constant(constant.literal, self.file.loop)
        for target in node.targets:
            self.bind(target, value, node.value)
            self._note_stored(target, node.value, value)

    def on_annassign(self, node: ast.AnnAssign) -> None:
        """Bind a target to what its annotation says."""
        value = self.annotation(node.annotation)
        if node.value is not None:
            value = self._better(value, self.tested(node.value))
        if node.value is not None or self.file.scope.is_class:
            self.bind(node.target, value)
        if node.value is not None:
            self._note_stored(node.target, node.value, value)

    def _note_stored(self, target: ast.expr, node: ast.expr, value: Value) -> None:
        """Note functions of torch that other code gets from an attribute, an item or a display."""
        if type(target) in (ast.Attribute, ast.Subscript) or type(node) in (ast.Dict, ast.List, ast.Set):
            self.file.expressions.passed_on(node, value)

    def tested(self, node: ast.expr) -> Value:
        """Return what an expression stands for; a flag where it is worked out from a look at torch."""
        if self.file.choices and type(node) is ast.Constant and isinstance(node.value, bool):
            return FLAG
        before = self.file.looks
        value = self.file.expressions.value(node)
        if self.file.looks == before or value not in (OTHER, UNKNOWN):
            return value
        return FLAG if isinstance(node, _TESTS) or (value is OTHER and type(node) is not ast.IfExp) else value

    def _better(self, said: Value, found: Value) -> Value:
        return found if said is UNKNOWN or (isinstance(found, (Instance, Flag, Version)) and said is OTHER) else said

    def annotation(self, node: ast.expr) -> Value:
        """Return what an annotation says, and note the names it uses, unless it is a text."""
        if type(node) is not ast.Constant:
            self.file.expressions.value(node)
        return read_annotation(node, self.file.expressions.resolve)

    def on_augassign(self, node: ast.AugAssign) -> None:
        """Note `x += y` on a tensor."""
        target = node.target
        left = (
            self.file.expressions.lookup(target.id)
            if isinstance(target, ast.Name)
            else self.file.expressions.value(target)
        )
        right = self.file.expressions.value(node.value)
        operator = ("i" if as_tensor(left) is not None else "") + BINARY[type(node.op)]
        whole = ast.copy_location(ast.BinOp(target, node.op, node.value), node)
        result = self.file.expressions.operation(operator, whole, left, right)
        if isinstance(target, ast.Name):
            self.bind(target, result)

    def bind(self, target: ast.expr, value: Value, source: Optional[ast.expr] = None) -> None:
        """Bind a target to a value; ``source``: the expression of the value."""
        value = as_chosen(value) if self.file.choices else value
        kind = type(target)
        if kind is ast.Name:
            self.file.scope.bind(target.id, value)  # type: ignore[attr-defined]
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target.elts, value, target)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, Items(value))
        elif isinstance(target, ast.Attribute):
            self._set_attribute(target, value, source)
        elif isinstance(target, ast.Subscript):
            self._set_item(target, value, source)

    def _unpack(self, targets: list[ast.expr], value: Value, node: ast.AST) -> None:
        is_plain = not any(type(target) is ast.Starred for target in targets)
        if isinstance(value, Fixed) and len(value.parts) == len(targets) and is_plain:
            for target, part in zip(targets, value.parts):
                self.bind(target, part)
            return
        item = self.file.expressions.iterate(value, node)
        for target in targets:
            self.bind(target, item)

    def _set_attribute(self, target: ast.Attribute, value: Value, source: Optional[ast.expr]) -> None:
        owner = self.file.expressions.receiver(target.value)
        if isinstance(owner, Instance) and isinstance(owner.cls, OwnClass):
            attributes = owner.cls.attributes
            attributes[target.attr] = join(attributes.get(target.attr, NOTHING), value)
            base = owner.cls.torch_base()
            if base is None or torch_results.family(base) != "torch.Tensor":
                return
        call = Call((known(source, value),)) if source is not None else Call()
        if isinstance(owner, Torch):
            self.file.record.name((Torch(f"{owner.name}.{target.attr}"[:200]),), target, Kind.ASSIGN, call)
        else:
            before = len(self.file.record.uses)
            self.file.expressions.attribute(owner, target.attr, *attribute_place(target), Kind.ASSIGN)
            self.file.record.uses[before:] = [use._replace(call=call) for use in self.file.record.uses[before:]]

    def _set_item(self, target: ast.Subscript, value: Value, source: Optional[ast.expr]) -> None:
        owner, index = self.file.expressions.receiver(target.value), self.file.expressions.value(target.slice)
        tensor = as_tensor(owner)
        if tensor is not None:
            new = known(source if source is not None else target, value)
            self.file.record.operator("__setitem__", target, tensor, known(target.slice, index), new)
        elif isinstance(owner, Items):
            owner.add(value)

    def on_delete(self, node: ast.Delete) -> None:
        """Leave deleted names bound: what is deleted in one branch may be used in another."""

    def on_global(self, node: ast.Global) -> None:
        """Give names to the module."""
        self.file.scope.globals = (self.file.scope.globals or set()) | set(node.names)

    def on_expr(self, node: ast.Expr) -> None:
        """Read an expression."""
        self.file.expressions.value(node.value)

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Read statements; return whether the last of them leaves the block."""
        runs_on = self.file.record.runs_on
        for statement in body:
            kind = type(statement)
            if kind not in _HANDLERS:
                _HANDLERS[kind] = getattr(type(self), f"on_{kind.__name__.lower()}", None)
            handler = _HANDLERS[kind]
            if handler is None:
                self._anything(statement)
            elif handler(self, statement):
                self.file.record.runs_on = runs_on
                return True
        self.file.record.runs_on = runs_on
        return False

    def _anything(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.file.expressions.value(child)
            elif isinstance(child, ast.stmt):
                self.block([child])

    def yielded(self, item: Value) -> None:
        """Note what the function yields."""
        self.file.items = join(self.file.items or NOTHING, item)

    # Branches

    def _branches(self, bodies: Iterable[Callable[[], bool]]) -> bool:
        scope, ends = self.file.scope, []
        for body in bodies:
            outer = scope.start_branch()
            leaves = body()
            bound = scope.end_branch(outer)
            if not leaves:
                ends.append(bound)
        scope.join_branches(ends)
        return not ends

    def on_if(self, node: ast.If) -> bool:
        """Read both branches, with what the condition says of names in each."""
        before, runs_on = self.file.looks, self.file.record.runs_on
        test = self.file.expressions.truth(node.test)
        looked = self.file.looks != before
        self.file.record.guard += looked
        self.file.choices += looked
        ends = []

        def branch(body: list[ast.stmt], outcome: bool) -> Callable[[], bool]:
            def read() -> bool:
                self._narrow(node.test, outcome)
                self.file.record.runs_on = narrowed(runs_on, test, outcome) if looked else runs_on
                ends.append(self.block(body))
                return ends[-1]

            return read

        leaves = self._branches((branch(node.body, True), branch(node.orelse, False)))
        self.file.record.guard -= looked
        self.file.choices -= looked
        self.file.record.runs_on = runs_on
        if looked and ends[0] != ends[1]:
            # What follows runs only where the other branch was taken; where that is not known, it may always run.
            rest = narrowed(runs_on, test, ends[1])
            self.file.record.runs_on = runs_on if rest is None else rest
        return leaves

    def _narrow(self, test: ast.expr, outcome: bool) -> None:
        """Bind names to what a condition says of them when it is true, or false."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self._narrow(test.operand, not outcome)
        elif isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) == outcome:
            for part in test.values:
                self._narrow(part, outcome)
        elif outcome and isinstance(test, ast.Call) and test.args and isinstance(test.args[0], ast.Name):
            function = self.file.expressions.resolve(test.func)
            name = test.args[0].id
            if isinstance(function, Torch) and function.name == "torch.is_tensor":
                self.file.scope.bind(name, torch_results.TENSOR)
            elif isinstance(function, Foreign) and function.name == "builtins.isinstance" and len(test.args) == 2:
                classes = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
                found: Value = NOTHING
                for cls in classes[:16]:
                    found = join(found, as_object(self.file.expressions.resolve(cls), bare=True))
                if found is not UNKNOWN:
                    self.file.scope.bind(name, found)

    def on_functiondef(self, node: Any) -> None:
        """Bind a function."""
        self.file.definitions.bind_function(node)

    on_asyncfunctiondef = on_functiondef

    def on_classdef(self, node: ast.ClassDef) -> None:
        """Bind a class."""
        self.file.definitions.bind_class(node)

    def on_assert(self, node: ast.Assert) -> None:
        """Learn what an assertion says of names."""
        self.file.expressions.truth(node.test)
        if node.msg is not None:
            self.file.expressions.value(node.msg)
        self._narrow(node.test, True)

    def on_for(self, node: Any) -> None:
        """Read a loop once."""
        item = self.file.expressions.iterate(self.file.expressions.value(node.iter), node.iter)
        if node.type_comment:
            item = self._better(parse_annotation(node.type_comment, self.file.expressions.resolve), item)
        self._loop(node, lambda: self.bind(node.target, item))

    on_asyncfor = on_for

    def on_while(self, node: ast.While) -> None:
        """Read a loop once."""
        self._loop(node, lambda: self.file.expressions.truth(node.test))

    def _loop(self, node: Any, start: Callable[[], object]) -> None:
        def body() -> bool:
            outer, self.file.loop = self.file.loop, next(loops)
            start()
            self.block(node.body)
            self.file.loop = outer
            return False

        self._branches((body, lambda: False))
        self.block(node.orelse)

    def on_try(self, node: Any) -> bool:
        """Read what is tried, and what is done where it fails."""
        catches = any(handler.type is None or _names(handler.type) & _MISSING for handler in node.handlers)
        looks = catches and self._looks(node)
        runs_on = self.file.record.runs_on
        self.file.record.guard += catches
        self.file.record.runs_on = None if catches else runs_on
        self.file.choices += looks
        caught, self.file.record.caught = self.file.record.caught, _caught(node.handlers, self.file.record.caught)

        def tried() -> bool:
            self.file.record.tries += catches
            leaves = self.block(node.body)
            self.file.record.tries -= catches
            self.file.record.caught = caught
            return leaves or self.block(node.orelse)

        handlers = (partial(self._handler, handler, node.body) for handler in node.handlers)
        bodies: list[Callable[[], bool]] = [tried, *handlers]
        leaves = self._branches(bodies)
        self.file.record.guard -= catches
        self.file.record.runs_on = runs_on
        self.file.choices -= looks
        return self.block(node.finalbody) or leaves

    on_trystar = on_try

    def _looks(self, tried: Any) -> bool:
        """Return whether code tries to import or read a name that torch may lack, and goes on without it."""
        found: set[str] = set()
        for node in tried.body:
            if isinstance(node, ast.Import):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, (ast.Assign, ast.Expr)) and isinstance(node.value, ast.Attribute):
                value = self.file.expressions.resolve(node.value)
                found.update([value.name] if isinstance(value, Torch) else ())
        goes_on = any(not isinstance(handler.body[-1], ast.Raise) for handler in tried.handlers)
        return goes_on and any(name.startswith("torch.") for name in found) and not found & _ALWAYS

    def _handler(self, node: ast.ExceptHandler, tried: Sequence[ast.stmt]) -> bool:
        """Read what is done where something fails.

        Who makes a call again after a TypeError, without one of its keywords, expects both signatures.
        """
        retries = False
        if node.type is not None and "TypeError" in _names(node.type):
            again = _keywords(node.body)
            retries = any(not keywords <= again.get(name, keywords) for name, keywords in _keywords(tried).items())
        runs_on = self.file.record.runs_on
        self.file.record.guard += retries
        self.file.record.runs_on = None if retries else runs_on
        leaves = self._handled(node)
        self.file.record.guard -= retries
        self.file.record.runs_on = runs_on
        return leaves

    def _handled(self, node: ast.ExceptHandler) -> bool:
        if node.type is not None:
            start = len(self.file.record.uses)
            self.file.expressions.value(node.type)
            self.file.record.asked(start, Kind.EXCEPT)
        if node.name:
            self.file.scope.bind(node.name, OTHER)
        return self.block(node.body)

    def on_with(self, node: Any) -> bool:
        """Read a block under context managers."""
        outer, without_grad = self.file.record.caught, self.file.without_grad
        for item in node.items:
            value = self.file.expressions.value(item.context_expr)
            self.file.without_grad = torch_results.is_without_grad(value, self.file.without_grad)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, value)
            self.file.record.caught = (*_expected(item.context_expr), *self.file.record.caught)
        leaves = self.block(node.body)
        self.file.record.caught, self.file.without_grad = outer, without_grad
        return leaves

    on_asyncwith = on_with

    def on_match(self, node: Any) -> None:
        """Read the cases of a `match`."""
        self.file.expressions.value(node.subject)

        def case(part: Any) -> bool:
            for inner in ast.walk(part.pattern):
                for name in (getattr(inner, "name", None), getattr(inner, "rest", None)):
                    if name:
                        self.file.scope.bind(name, UNKNOWN)
                if isinstance(inner, ast.expr):
                    self.file.expressions.value(inner)
            if part.guard is not None:
                self.file.expressions.truth(part.guard)
            return self.block(part.body)

        self._branches([*(partial(case, part) for part in node.cases), lambda: False])

    def on_return(self, node: ast.Return) -> bool:
        """Note what the function returns."""
        value: Value = NONE
        if node.value is not None:
            value = self.tested(node.value)
            self.file.expressions.passed_on(node.value, value)
        self.file.returned = join(self.file.returned, value)
        return True

    def on_raise(self, node: ast.Raise) -> bool:
        """Read what is raised."""
        self._anything(node)
        return True

    def on_break(self, node: ast.Break) -> bool:
        """Leave the block."""
        return True

    on_continue = on_break


def _keywords(body: Sequence[ast.stmt]) -> dict[str, set[Optional[str]]]:
    """Return the functions that code calls, as they are written, each with the keywords that are passed."""
    found: dict[str, set[Optional[str]]] = {}
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.Call):
            found.setdefault(ast.unparse(node.func), set()).update(keyword.arg for keyword in node.keywords)
    return found


def _caught(handlers: Sequence[ast.ExceptHandler], outer: tuple[str, ...]) -> tuple[str, ...]:
    """Return the classes that handlers name, and those of the code around unless one of them catches all."""
    found: dict[str, None] = {}
    for handler in handlers:
        names = set() if handler.type is None else _names(handler.type)
        if not names or names & _ALL:
            return tuple(found)
        found.update(dict.fromkeys(sorted(names)))
    return (*found, *outer)


def _expected(manager: ast.expr) -> tuple[str, ...]:
    """Return the classes of errors that a context manager such as `contextlib.suppress` or `pytest.raises` takes."""
    if not isinstance(manager, ast.Call) or not _names(manager.func) & _EXPECTING:
        return ()
    return tuple(sorted({name for argument in manager.args for name in _names(argument)} - {""}))


def _names(node: ast.expr) -> set[str]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "") for part in parts}
