"""Works out what calls give, and notes those of torch with their arguments."""

from __future__ import annotations

import ast
from typing import Optional

from conformance.usage import rules
from conformance.usage.calls import Arguments
from conformance.usage.model import Doubt, Evidence, Kind
from conformance.usage.python_calls import PythonCalls
from conformance.usage.recorder import attribute_place
from conformance.usage.values import (
    BATCH,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Either,
    Fixed,
    Foreign,
    Instance,
    Items,
    OwnClass,
    OwnFunction,
    Torch,
    Value,
    is_other,
    item_of,
    join,
    weaker,
)

#: Methods of an unknown object whose results are neither tensors nor modules.
_NO_TENSOR = rules.words("item numpy tolist size dim numel format strip split join lower upper keys encode read")


#: Functions of torch that take a program as a text.
_RUN_TEXT = frozenset(("torch.jit.CompilationUnit", "torch.utils.benchmark.Timer"))


class Invocations(PythonCalls):
    """Evaluates calls."""

    #: The class whose method is being read.
    owner: Optional[OwnClass] = None

    def _call(self, node: ast.Call) -> Value:
        function = node.func
        if type(function) is ast.Attribute:
            if _is_super(function.value):
                return self._super(function, node)
            owner = self.receiver(function.value)
            if type(owner) is not Torch:
                return self._method(owner, function, node)
            return self.call(self.torch_attribute(owner, function.attr), node)
        if type(function) is ast.Name:
            return self.call(self.lookup(function.id), node)
        return self.call(self.value(function), node)

    def call(self, function: Value, node: ast.Call) -> Value:
        """Return what a call gives, and note it where it calls something of torch."""
        if type(function) is Foreign:
            return self.foreign_call(function.name, node)
        return self._apply(function, node, self.arguments(node))

    def _apply(self, function: Value, node: ast.Call, given: Arguments) -> Value:
        if type(function) is Torch:
            return self._torch_call((function,), node, given)
        if type(function) is OwnFunction:
            return self.result_of(function)
        if type(function) is OwnClass:
            base = function.torch_base()
            if base is not None and function.find("__init__") is None and rules.family(base) != "torch.Tensor":
                self.record.name((Torch(base),), node, Kind.CALL, given.call())
            return Instance(function)
        if type(function) is Instance:
            return self._instance_call(function, node, given)
        if type(function) is Either:
            torch = tuple(one for one in function.values if type(one) is Torch)
            result = self._torch_call(torch, node, given) if torch else NOTHING
            for one in function.values:
                if type(one) is Instance:
                    result = join(result, self._instance_call(one, node, given))
            return result
        return OTHER if is_other(function) else UNKNOWN

    def _torch_call(self, functions: tuple[Torch, ...], node: ast.Call, given: Arguments) -> Value:
        result: Value = NOTHING
        called, is_unbound = [], False
        for function in functions:
            name = function.name
            owner, _, last = name.rpartition(".")
            if last == "__init__":
                name, is_unbound = owner, True
            elif rules.is_class(owner):
                is_unbound = rules.has(owner, last, True)
            shown = rules.canonical(name) if is_unbound else name
            called.append(Torch(shown, function.evidence, function.chosen))
            found = rules.with_dtype(rules.result_of(name, len(given.values), given.keywords), given.torch_names)
            if functions[0].evidence is Evidence.MAYBE:
                found = UNKNOWN
            result = join(result, weaker(found, function.evidence))
        self.record.name(called, node, Kind.CALL, given.call(is_unbound))
        if any(function.name in _RUN_TEXT for function in functions):
            self.record.doubt(node, Doubt.DYNAMIC_CODE)
        return result

    def _instance_call(self, called: Instance, node: ast.Call, given: Arguments) -> Value:
        cls = called.cls
        if isinstance(cls, OwnClass):
            for name in ("forward", "__call__"):
                found = cls.find(name)
                if isinstance(found, OwnFunction):
                    result = self.result_of(found)
                    is_module = rules.family(cls.torch_base() or "") == "torch.nn.Module"
                    return BATCH if result is UNKNOWN and is_module else result
            base = cls.torch_base()
            if base is None or base == "torch.nn.Module":
                return UNKNOWN if base is None else BATCH
            cls = base
        if rules.family(cls) != "torch.nn.Module":
            return UNKNOWN
        names = (f"{cls}.forward",)
        if cls != "torch.nn.Module":
            self.record.add(names, node.lineno, node.col_offset, Kind.CALL, called.evidence, given.call())
        return weaker(rules.result_of_instance(cls), called.evidence)

    # Methods

    def _method(self, owner: Value, function: ast.Attribute, node: ast.Call) -> Value:
        if type(owner) is Instance:
            return self._instance_method(owner, function, node, self.arguments(node))
        name = function.attr
        if type(owner) is Items:
            return _items_method(owner, name, self.arguments(node).values)
        if type(owner) is Either:
            given = self.arguments(node)
            found: Value = NOTHING
            for one in owner.values:
                if type(one) is Instance:
                    found = join(found, self._instance_method(one, function, node, given))
                elif type(one) is Torch:
                    found = join(found, self._apply(self.torch_attribute(one, name), node, given))
            return found
        if owner is UNKNOWN or owner is NONE or owner is BATCH:
            return self._maybe(owner, function, self.arguments(node))
        if type(owner) is OwnClass and owner.find(name) is None:
            given = self.arguments(node)
            base = owner.torch_base()
            if base is None:
                return UNKNOWN
            if name != "__init__":
                self.record.name((Torch(f"{base}.{name}"),), node, Kind.CALL, given.call(rules.has(base, name, True)))
            return rules.LIKELY_TENSOR if name == "apply" else UNKNOWN
        return self.call(self.attribute(owner, name, *attribute_place(function)), node)

    def _instance_method(self, owner: Instance, function: ast.Attribute, node: ast.Call, given: Arguments) -> Value:
        cls, name = owner.cls, function.attr
        if isinstance(cls, OwnClass):
            found = cls.find(name)
            if isinstance(found, OwnFunction) and found.binding == "property":
                found = self.result_of(found)
            if found is not None:
                return self._apply(found, node, given)
            base = cls.torch_base()
            if base is None or not rules.has(base, name, True):
                return self._maybe(UNKNOWN, function, given) if cls.is_doubtful() else UNKNOWN
            cls = base
        is_module = rules.family(cls) == "torch.nn.Module"
        if is_module and rules.holds_others(cls) and not rules.has(cls, name, True):
            return UNKNOWN  # A module of its own that is held under this name.
        member = rules.member(cls, name, len(given.values), given.keywords, True)
        line, column = attribute_place(function)
        self.record.add(member.names, line, column, Kind.CALL, owner.evidence, given.call())
        if type(member.result) is Instance and member.result.cls == cls:
            if is_module:
                return owner
            same = member.result.of_bools(owner.is_bool) if name in rules.KEEPS_DTYPE else member.result
            return weaker(rules.with_dtype(same, given.torch_names), owner.evidence)
        return rules.as_likely(member.result) if owner.evidence is not Evidence.CERTAIN else member.result

    def _maybe(self, owner: Value, function: ast.Attribute, given: Arguments) -> Value:
        """Note a call of a method of an unknown object, where torch has such a method."""
        name = function.attr
        names = rules.candidates(name, True)
        if names:
            line, column = attribute_place(function)
            self.record.add(names, line, column, Kind.CALL, Evidence.MAYBE, given.call())
        if owner is BATCH:
            return BATCH if name in ("to", "cuda", "pin_memory") else Items(rules.LIKELY_TENSOR)
        if name in rules.ONLY_OF_TENSORS:
            return rules.LIKELY_TENSOR
        return OTHER if name in _NO_TENSOR else UNKNOWN

    def _super(self, function: ast.Attribute, node: ast.Call) -> Value:
        given, name = self.arguments(node), function.attr
        for base in self.owner.bases if self.owner is not None else ():
            if isinstance(base, OwnClass):
                found = base.find(name)
                if found is not None:
                    return self._apply(found, node, given)
                torch = base.torch_base()
            else:
                torch = base.name if isinstance(base, Torch) else None
            if torch is None:
                continue
            line, column = attribute_place(function)
            member = rules.member(torch, name, len(given.values), given.keywords, True)
            names = (torch,) if name == "__init__" else member.names
            self.record.add(names, line, column, Kind.CALL, Evidence.CERTAIN, given.call())
            return member.result
        return UNKNOWN


def _is_super(node: ast.expr) -> bool:
    return type(node) is ast.Call and isinstance(node.func, ast.Name) and node.func.id == "super"


def _items_method(owner: Items, name: str, given: list[Value]) -> Value:
    if name in ("append", "add", "insert", "appendleft", "setdefault") and given:
        owner.add(given[-1])
    elif name in ("extend", "update") and given:
        owner.add(item_of(given[0]))
    elif name == "items":
        return Items(Fixed((OTHER, owner.item)))
    elif name in ("values", "copy"):
        return Items(owner.item)
    if name in ("get", "pop", "popleft", "setdefault", "popitem"):
        return owner.item if owner.item is not NOTHING else UNKNOWN
    return OTHER
