"""Reads what binds names: imports, assignments, and what is stored in attributes and items."""

from __future__ import annotations

import ast
from functools import partial
from typing import Optional

from conformance.base.special_methods import BINARY
from conformance.usage import rules
from conformance.usage.annotations import parse_annotation, read_annotation
from conformance.usage.calls import known, literal
from conformance.usage.invocations import Invocations
from conformance.usage.lookup import as_tensor
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

_TESTS = (ast.Compare, ast.BoolOp, ast.UnaryOp)


class Bindings(Invocations):
    """Reads imports and assignments."""

    # Imports

    def on_import(self, node: ast.Import) -> None:
        """Bind a module."""
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            value = self._module(name, 0)
            self.scope.bind(alias.asname or name, as_chosen(value) if self.choices else value)
            if alias.name.partition(".")[0] in ROOTS:
                self.record.name((Torch(alias.name),), node, Kind.IMPORT)

    def on_importfrom(self, node: ast.ImportFrom) -> None:
        """Bind names of a module."""
        module = self._module(node.module or "", node.level)
        for alias in node.names:
            if alias.name == "*":
                self._star(module, node)
                continue
            value = self._member(module, alias.name, node)
            if type(value) is Torch and isinstance(module, Torch):
                self.record.name((value,), node, Kind.IMPORT)
            self.scope.bind(alias.asname or alias.name, as_chosen(value) if self.choices else value)

    def _module(self, name: str, level: int) -> Value:
        if not level and name.partition(".")[0] in ROOTS:
            return Torch(name[:200])
        found = self.modules.find(self.record.path, name, level)
        if found is not None:
            return Module(found)
        return UNKNOWN if level else Foreign(name[:200])

    def _member(self, module: Value, name: str, node: ast.ImportFrom) -> Value:
        if isinstance(module, Module):
            return Imported(partial(self.modules.member, module.path, name))
        return self.attribute(module, name, node.lineno, node.col_offset) if module is not UNKNOWN else UNKNOWN

    def _star(self, module: Value, node: ast.ImportFrom) -> None:
        if isinstance(module, Torch):
            self.stars.append(module.name)
        elif isinstance(module, Module):
            self.own_stars.append(module.path)
        elif isinstance(module, Foreign) and rules.is_other_package(module.name.partition(".")[0]):
            return
        else:
            self.record.doubt(node, Doubt.STAR_IMPORT, "." * node.level + (node.module or ""))

    # Bindings

    def on_assign(self, node: ast.Assign) -> None:
        """Bind targets to a value."""
        value = self.tested(node.value)
        if node.type_comment:
            value = self._better(parse_annotation(node.type_comment, self.resolve), value)
        if type(node.value) in (ast.Constant, ast.UnaryOp, ast.Tuple) and value is not NONE and type(value) is not Flag:
            constant = literal(node.value)
            if constant is not None and len(node.targets) == 1 and type(node.targets[0]) is ast.Name:
                value = Constant(constant.literal, self.loop)
        for target in node.targets:
            self.bind(target, value, node.value)
            self._note_stored(target, node.value, value)

    def on_annassign(self, node: ast.AnnAssign) -> None:
        """Bind a target to what its annotation says."""
        value = self.annotation(node.annotation)
        if node.value is not None:
            value = self._better(value, self.tested(node.value))
        if node.value is not None or self.scope.is_class:
            self.bind(node.target, value)
        if node.value is not None:
            self._note_stored(node.target, node.value, value)

    def _note_stored(self, target: ast.expr, node: ast.expr, value: Value) -> None:
        """Note functions of torch that other code gets from an attribute, an item or a display."""
        if type(target) in (ast.Attribute, ast.Subscript) or type(node) in (ast.Dict, ast.List, ast.Set):
            self.passed_on(node, value)

    def tested(self, node: ast.expr) -> Value:
        """Return what an expression stands for; a flag where it is worked out from a look at torch."""
        if self.choices and type(node) is ast.Constant and isinstance(node.value, bool):
            return FLAG
        before = self.looks
        value = self.value(node)
        if self.looks == before or value not in (OTHER, UNKNOWN):
            return value
        return FLAG if isinstance(node, _TESTS) or (value is OTHER and type(node) is not ast.IfExp) else value

    def _better(self, said: Value, found: Value) -> Value:
        return found if said is UNKNOWN or (isinstance(found, (Instance, Flag, Version)) and said is OTHER) else said

    def annotation(self, node: ast.expr) -> Value:
        """Return what an annotation says, and note the names it uses, unless it is a text."""
        if type(node) is not ast.Constant:
            self.value(node)
        return read_annotation(node, self.resolve)

    def on_augassign(self, node: ast.AugAssign) -> None:
        """Note `x += y` on a tensor."""
        target = node.target
        left = self.lookup(target.id) if isinstance(target, ast.Name) else self.value(target)
        right = self.value(node.value)
        operator = ("i" if as_tensor(left) is not None else "") + BINARY[type(node.op)]
        whole = ast.copy_location(ast.BinOp(target, node.op, node.value), node)
        result = self.operation(operator, whole, left, right)
        if isinstance(target, ast.Name):
            self.bind(target, result)

    def bind(self, target: ast.expr, value: Value, source: Optional[ast.expr] = None) -> None:
        """Bind a target to a value; ``source``: the expression of the value."""
        value = as_chosen(value) if self.choices else value
        kind = type(target)
        if kind is ast.Name:
            self.scope.bind(target.id, value)  # type: ignore[attr-defined]
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
        item = self.iterate(value, node)
        for target in targets:
            self.bind(target, item)

    def _set_attribute(self, target: ast.Attribute, value: Value, source: Optional[ast.expr]) -> None:
        owner = self.receiver(target.value)
        if isinstance(owner, Instance) and isinstance(owner.cls, OwnClass):
            attributes = owner.cls.attributes
            attributes[target.attr] = join(attributes.get(target.attr, NOTHING), value)
            base = owner.cls.torch_base()
            if base is None or rules.family(base) != "torch.Tensor":
                return
        call = Call((known(source, value),)) if source is not None else Call()
        if isinstance(owner, Torch):
            self.record.name((Torch(f"{owner.name}.{target.attr}"[:200]),), target, Kind.ASSIGN, call)
        else:
            before = len(self.record.uses)
            self.attribute(owner, target.attr, *attribute_place(target), Kind.ASSIGN)
            self.record.uses[before:] = [use._replace(call=call) for use in self.record.uses[before:]]

    def _set_item(self, target: ast.Subscript, value: Value, source: Optional[ast.expr]) -> None:
        owner, index = self.receiver(target.value), self.value(target.slice)
        tensor = as_tensor(owner)
        if tensor is not None:
            new = known(source if source is not None else target, value)
            self.record.operator("__setitem__", target, tensor, known(target.slice, index), new)
        elif isinstance(owner, Items):
            owner.add(value)

    def on_delete(self, node: ast.Delete) -> None:
        """Leave deleted names bound: what is deleted in one branch may be used in another."""

    def on_global(self, node: ast.Global) -> None:
        """Give names to the module."""
        self.scope.globals = (self.scope.globals or set()) | set(node.names)

    def on_expr(self, node: ast.Expr) -> None:
        """Read an expression."""
        self.value(node.value)
