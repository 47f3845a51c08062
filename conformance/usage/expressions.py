"""Works out what displays, comprehensions and other expressions stand for."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import Any, Optional

from conformance.usage import rules
from conformance.usage.lookup import as_tensor
from conformance.usage.model import Call, Evidence, Kind
from conformance.usage.operators import Operators
from conformance.usage.recorder import attribute_place
from conformance.usage.scopes import Scope
from conformance.usage.values import (
    BATCH,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Either,
    Fixed,
    Flag,
    Instance,
    Items,
    OwnFunction,
    Torch,
    Value,
    Version,
    as_chosen,
    item_of,
    join,
    weaker,
)

_OPEN = Call(more_positional=True, more_keywords=True)
#: The parts of an expression that whoever gets it gets too.
_HOLDING: dict[type[ast.expr], Callable[[Any], list[ast.expr]]] = {
    **dict.fromkeys((ast.Tuple, ast.List, ast.Set), lambda node: node.elts),
    **dict.fromkeys((ast.Dict, ast.BoolOp), lambda node: node.values),
    **dict.fromkeys((ast.Starred, ast.NamedExpr), lambda node: [node.value]),
    ast.IfExp: lambda node: [node.body, node.orelse],
}


class Expressions(Operators):
    """Evaluates all expressions but calls."""

    def _tuple(self, node: ast.Tuple) -> Value:
        if any(type(element) is ast.Starred for element in node.elts):
            return self._list(node)
        return Fixed(tuple([self.value(element) for element in node.elts]))

    def _list(self, node: Any) -> Value:
        item: Value = NOTHING
        for element in node.elts:
            value = self.value(element)
            item = item if value is item else join(item, value)
        return Items(item)

    _set = _list

    def _dict(self, node: ast.Dict) -> Value:
        item: Value = NOTHING
        for key, value in zip(node.keys, node.values):
            if key is not None:
                self.value(key)
            item = join(item, self.value(value))
        return Items(item)

    def _starred(self, node: ast.Starred) -> Value:
        return self.iterate(self.value(node.value), None)

    def iterate(self, value: Value, node: Optional[ast.AST]) -> Value:
        """Return what iteration gives; note it at ``node`` where a tensor is iterated over."""
        if isinstance(value, Instance):
            tensor = as_tensor(value)
            if tensor is not None and node is not None:
                self.record.operator("__iter__", node, tensor)
            cls = value.cls if isinstance(value.cls, str) else value.cls.torch_base()
            return weaker(rules.items_of_instance(cls), value.evidence) if cls is not None else UNKNOWN
        if type(value) is Version:
            return value  # Its numbers, one by one, which the comprehension puts together again.
        return rules.LIKELY_TENSOR if value is BATCH else item_of(value)

    def _ifexp(self, node: ast.IfExp) -> Value:
        before, runs_on = self.looks, self.record.runs_on
        test = self.truth(node.test)
        looked = self.looks != before
        self.record.guard += looked
        self.record.runs_on = narrowed(runs_on, test, True) if looked else runs_on
        found = self.value(node.body)
        self.record.runs_on = narrowed(runs_on, test, False) if looked else runs_on
        found = join(found, self.value(node.orelse))
        self.record.guard, self.record.runs_on = self.record.guard - looked, runs_on
        return as_chosen(found) if looked else found

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            if type(part) is ast.FormattedValue:
                self.value(part)
        return OTHER

    def _formattedvalue(self, node: ast.FormattedValue) -> Value:
        tensor = as_tensor(self.value(node.value))
        if tensor is not None:
            self.record.operator("__format__", node.value, tensor)
        return OTHER

    def _comprehension(self, node: Any, *elements: ast.expr) -> Value:
        first = self.iterate(self.value(node.generators[0].iter), node.generators[0].iter)
        outer, self.scope = self.scope, Scope(self.scope)
        for generator in node.generators:
            if generator is not node.generators[0]:
                first = self.iterate(self.value(generator.iter), generator.iter)
            self.bind(generator.target, first)
            for condition in generator.ifs:
                self.truth(condition)
        item: Value = NOTHING
        for element in elements:
            item = self.value(element)
        self.scope = outer
        return item if type(item) is Version else Items(item)

    def _listcomp(self, node: Any) -> Value:
        return self._comprehension(node, node.elt)

    _setcomp = _generatorexp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> Value:
        return self._comprehension(node, node.key, node.value)

    def passed_on(self, node: ast.expr, value: Value, call: Call = _OPEN) -> None:
        """Note a function or class of torch that other code gets, and so may call, or those in a display.

        Parameters
        ----------
        node, value
            What is passed, and what it stands for.
        call
            The arguments that are known.
        """
        kind = type(node)
        if kind is ast.Constant:
            return
        if type(value) is Torch or type(value) is Either:
            found = value.values if type(value) is Either else (value,)
            torch = [one for one in found if type(one) is Torch and not rules.is_constant(one.name)]
            self.record.name([Torch(one.name, Evidence.LIKELY, one.chosen) for one in torch], node, Kind.PASSED, call)
        elif kind is ast.Attribute:
            self._method_passed_on(node, call)  # type: ignore[arg-type]
        elif kind in _HOLDING:
            for inner in _HOLDING[kind](node):
                self.passed_on(inner, self.resolve(inner), call)

    def _method_passed_on(self, node: ast.Attribute, call: Call) -> None:
        owner = self.lookup(node.value.id) if type(node.value) is ast.Name else UNKNOWN
        if type(owner) is Instance and type(owner.cls) is str and rules.has(owner.cls, node.attr, True):
            names = rules.member(owner.cls, node.attr, 0, (), True).names
            self.record.add(names, *attribute_place(node), Kind.PASSED, min(owner.evidence, Evidence.LIKELY), call)

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.bind(node.target, value)
        return value

    def bind(self, target: ast.expr, value: Value) -> None:
        """Bind a target to a value."""
        raise NotImplementedError

    def _lambda(self, node: ast.Lambda) -> Value:
        every = node.args
        for default in (*every.defaults, *every.kw_defaults):
            if default is not None:
                self.passed_on(default, self.value(default))
        outer, self.scope = self.scope, Scope(self.scope.inner())
        for parameter in parameters_of(every):
            self.scope.names[parameter.arg] = UNKNOWN
        result = self.value(node.body)
        self.scope = outer
        return OwnFunction(None, result=result, is_read=True)

    def _call(self, node: ast.Call) -> Value:
        raise NotImplementedError

    def _await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield) -> Value:
        item: Value = NONE
        if node.value is not None:
            item = self.value(node.value)
            self.passed_on(node.value, item)
        self.yielded(item)
        return UNKNOWN

    def _yieldfrom(self, node: ast.YieldFrom) -> Value:
        self.yielded(self.iterate(self.value(node.value), node.value))
        return UNKNOWN

    def yielded(self, item: Value) -> None:
        """Note what the function yields."""
        raise NotImplementedError


def narrowed(runs_on: Optional[int], test: Value, outcome: bool) -> Optional[int]:
    """Return the releases on which code runs under a condition that looks at torch; none where that is not known."""
    if runs_on is None or type(test) is not Flag or test.holds is None:
        return None
    return runs_on & (test.holds.true if outcome else test.holds.false)


#: Identities of loops: a constant is known only in the loop that binds it.
loops = itertools.count(1)


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    """Return all parameters of a function."""
    found = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [parameter for parameter in found if parameter is not None]
