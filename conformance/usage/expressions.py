"""What expressions stand for, but for calls; names and operators of torch are noted."""

from __future__ import annotations

import ast
import builtins
import itertools
import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Optional, Union

from conformance.base.special_methods import BINARY, COMPARISON
from conformance.usage import torch_results
from conformance.usage.arguments import known, literal
from conformance.usage.model import Argument, Call, Doubt, Evidence, Kind
from conformance.usage.recorder import attribute_place
from conformance.usage.scopes import Scope
from conformance.usage.values import (
    BATCH,
    FLAG,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Constant,
    Either,
    Fixed,
    Flag,
    Foreign,
    Imported,
    Instance,
    Items,
    Module,
    OwnClass,
    OwnFunction,
    Torch,
    Value,
    Version,
    as_chosen,
    is_other,
    item_of,
    join,
    weaker,
)
from conformance.usage.versions import FLIPPED, NAMES, Holds, both, by_name, compared, either

if TYPE_CHECKING:
    from conformance.usage.evaluator import Evaluator

_LONGEST_NAME = 200
#: Names of helpers and constants by which code asks for the version of torch.
_VERSION = re.compile(r"torch\w*(version|greater|less|_[gl][te]$|(?<!\d)\d_\d+$)|version\w*torch", re.IGNORECASE)
_VERSIONS = frozenset(("torch.__version__", "torch.version.__version__"))
_BUILTINS: dict[str, Value] = {name: Foreign(f"builtins.{name}") for name in dir(builtins)}
#: Where every module that was imported, or every name of a module, can be looked up.
NAMESPACES = frozenset(("sys.modules", "builtins.globals()", "builtins.locals()"))
#: The method that evaluates each kind of expression.
_HANDLERS: dict[type[ast.AST], Callable[[Any, Any], Value]] = {}
_LOGICAL = frozenset(("and", "or", "xor"))
_NUMBERS = {"bool": "bool", "int": "integer", "float": "float", "complex": "complex"}
_UNARY = {ast.USub: "__neg__", ast.Invert: "__invert__", ast.UAdd: "__pos__"}
_OPEN = Call(more_positional=True, more_keywords=True)
#: The parts of an expression that whoever gets it gets too.
_HOLDING: dict[type[ast.expr], Callable[[Any], list[ast.expr]]] = {
    **dict.fromkeys((ast.Tuple, ast.List, ast.Set), lambda node: node.elts),
    **dict.fromkeys((ast.Dict, ast.BoolOp), lambda node: node.values),
    **dict.fromkeys((ast.Starred, ast.NamedExpr), lambda node: [node.value]),
    ast.IfExp: lambda node: [node.body, node.orelse],
}


class Expressions:
    """Evaluates names, attributes, operators, displays and comprehensions."""

    def __init__(self, file: Evaluator) -> None:
        self.file = file

    def value(self, node: ast.expr) -> Value:
        """Return what an expression stands for, and note what it uses."""
        kind = type(node)
        if kind is ast.Constant:  # A third of all expressions.
            return NONE if node.value is None else OTHER  # type: ignore[attr-defined]
        handler = _HANDLERS.get(kind)
        if handler is None:
            handler = _HANDLERS[kind] = getattr(type(self), f"_{kind.__name__.lower()}", _unknown)
        found = handler(self, node)
        if found.chosen:
            self.file.looks += 1
        return found

    # Names

    def lookup(self, name: str) -> Value:
        """Return what a name stands for here."""
        if is_version(name):
            self.file.looks += 1
        scope: Optional[Scope] = self.file.scope
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                if type(found) is Imported:
                    found = _known(found.value())
                return found if type(found) is not Constant else self._steady(found, name, scope)
            scope = scope.parent
        if name in _BUILTINS:
            return _BUILTINS[name]
        for path in reversed(self.file.own_stars):
            member = self.file.modules.exported(path, name)
            if member is not None:
                return _known(member)
        for star in reversed(self.file.stars):
            if torch_results.result_of(f"{star}.{name}", 1, ()) is not UNKNOWN:
                return Torch(f"{star}.{name}", Evidence.LIKELY)
        return Torch(f"{self.file.stars[-1]}.{name}", Evidence.MAYBE) if self.file.stars else UNKNOWN

    def _steady(self, constant: Constant, name: str, scope: Scope) -> Value:
        """Return a constant where it cannot have changed since it was bound."""
        if scope is self.file.scope:
            return constant if constant.loop == self.file.loop else OTHER
        return OTHER if constant.loop or name in scope.rebound or name in self.file.unsteady else constant

    def _name(self, node: ast.Name) -> Value:
        before = self.file.looks
        value = self.lookup(node.id)
        if self.file.looks != before and (value is UNKNOWN or value is OTHER or type(value) is Foreign):
            return _as_said(node.id)
        # A variable that holds a name was noted where it was bound.
        if type(value) is Torch and value.name.endswith(f".{node.id}"):
            self.file.record.name((value,), node)
        return value

    def _read(self, value: Value, node: ast.expr) -> None:
        if type(value) is Torch:
            self.file.record.name((value,), node)
        elif type(value) is Either:
            found = [one for one in value.values if type(one) is Torch]
            if found:
                self.file.record.name(found, node)

    def receiver(self, node: ast.expr) -> Value:
        """Return what the part before a dot stands for, without noting a name that only leads further."""
        kind = type(node)
        if kind is ast.Name:
            return self.lookup(node.id)  # type: ignore[attr-defined]
        if kind is ast.Attribute:
            return self._step(node)  # type: ignore[arg-type]
        return self.value(node)

    def _attribute(self, node: ast.Attribute) -> Value:
        value = self._step(node)
        if is_version(node.attr) and (value is UNKNOWN or value is OTHER or type(value) is Foreign):
            return _as_said(node.attr)
        self._read(value, node)
        return value

    def _step(self, node: ast.Attribute) -> Value:
        if is_version(node.attr):
            self.file.looks += 1
        return self.attribute(self.receiver(node.value), node.attr, *attribute_place(node))

    def note_namespace(self, space: str, node: ast.expr, key: ast.expr) -> None:
        """Note that torch, or something of it, may be looked up in `globals()`, `locals()` or `sys.modules`."""
        own = (self.file.scope if space == "builtins.locals()" else self.file.scope.module()).names
        if isinstance(key, ast.Constant):
            name = str(key.value)
            doubtful = name.partition(".")[0] == "torch" or (space != "sys.modules" and type(own.get(name)) is Torch)
        elif space == "sys.modules":
            # The module of the code itself, or of one of its classes.
            doubtful = getattr(key, "attr", getattr(key, "id", "")) not in ("__name__", "__module__")
        else:
            doubtful = any(type(value) is Torch for value in own.values())
        if doubtful:
            self.file.record.doubt(node, Doubt.NAMESPACE)

    def attribute(self, owner: Value, name: str, line: int, column: int, kind: Kind = Kind.NAME) -> Value:
        """Return what an attribute stands for; note one of an object of torch, but no dotted name of torch."""
        of = type(owner)
        if of is Torch:
            return self.torch_attribute(owner, name)  # type: ignore[arg-type]
        if of is Instance:
            return self._of_instance(owner, name, line, column, kind)  # type: ignore[arg-type]
        if of is Foreign:
            return self._foreign(f"{owner.name}.{name}")  # type: ignore[attr-defined]
        if of is Module:
            return _known(self.file.modules.member(owner.path, name))  # type: ignore[attr-defined]
        if of is OwnClass:
            return owner.find(name) or UNKNOWN  # type: ignore[attr-defined]
        if of is Either:
            found: Value = NOTHING
            for one in owner.values:  # type: ignore[attr-defined]
                found = join(found, self.attribute(one, name, line, column, kind))
            return found
        if of is Version:
            part = {"major": 0, "minor": 1}.get(name, owner.part)  # type: ignore[attr-defined]
            return Version(part, owner.is_split or name == "release")  # type: ignore[attr-defined]
        if owner is UNKNOWN or owner is NONE or owner is BATCH:
            self.file.record.add(torch_results.candidates(name, False), line, column, kind, Evidence.MAYBE)
            return torch_results.attribute_of_unknown(name)
        return OTHER

    def torch_attribute(self, owner: Torch, name: str) -> Value:
        """Return what a dotted name of torch stands for."""
        if name == "__version__" or owner.name == "torch.version":
            self.file.looks += 1
        if owner.name in _VERSIONS:
            return Version(is_split=name == "release")
        if torch_results.is_constant(owner.name):
            return OTHER
        if owner.name == "torch" == name:
            return owner  # `torch.torch` is torch itself.
        dotted = f"{owner.name}.{name}"
        chosen = owner.chosen or name == "__version__"
        return Torch(dotted, owner.evidence, chosen) if len(dotted) <= _LONGEST_NAME else UNKNOWN

    def _foreign(self, name: str) -> Value:
        return Foreign(name) if len(name) <= _LONGEST_NAME else UNKNOWN

    def _of_instance(self, owner: Instance, name: str, line: int, column: int, kind: Kind) -> Value:
        cls = owner.cls
        if isinstance(cls, OwnClass):
            found = cls.find(name)
            if found is not None:
                is_property = isinstance(found, OwnFunction) and found.binding == "property"
                return self.file.definitions.result_of(found) if is_property else found  # type: ignore[arg-type]
            base = cls.torch_base()
            if base is None or not torch_results.has(base, name, False):
                if cls.is_doubtful():
                    self.file.record.add(torch_results.candidates(name, False), line, column, kind, Evidence.MAYBE)
                return UNKNOWN
            cls = base
        kin = torch_results.family(cls)
        if kin == "torch.nn.Module" and not (torch_results.has(cls, name, False) or torch_results.has(cls, name, True)):
            return UNKNOWN
        member = torch_results.member(cls, name, 0, (), False)
        # Code may put attributes of its own on a tensor.
        is_own = kin == "torch.Tensor" and not (
            torch_results.has(cls, name, False) or torch_results.has(cls, name, True)
        )
        self.file.record.add(member.names, line, column, kind, Evidence.MAYBE if is_own else owner.evidence)
        result = member.result
        if kin == "torch.Tensor" and type(result) is Instance:
            is_part = owner.dtype == "complex" and name in ("real", "imag")
            keeps_grad = None if name in ("grad", "_grad", "_base") else owner.requires_grad
            result = result.of("float" if is_part else owner.dtype, False if name == "data" else keeps_grad)
        return weaker(result, owner.evidence)

    def resolve(self, node: ast.expr) -> Value:
        """Return what a name or a chain of attributes stands for, and note nothing."""
        if type(node) is ast.Name:
            return self.lookup(node.id)
        if type(node) is ast.Attribute:
            owner = self.resolve(node.value)
            is_quiet = isinstance(owner, (Torch, Foreign, Module, OwnClass))
            return self.attribute(owner, node.attr, node.lineno, 0) if is_quiet else UNKNOWN
        return UNKNOWN

    def _binop(self, node: ast.BinOp) -> Value:
        # Long sums are nested as deep as they are long: the left side is walked without recursion.
        spine = [node]
        while type(spine[-1].left) is ast.BinOp:
            spine.append(spine[-1].left)
        value = self.value(spine[-1].left)
        for part in reversed(spine):
            value = self.operation(BINARY[type(part.op)], part, value, self.value(part.right))
        return value

    def operation(self, operator: str, node: ast.BinOp, left: Value, right: Value) -> Value:
        """Return what an operator gives, and note it where one side is a tensor."""
        on_left, on_right = as_tensor(left), as_tensor(right)
        if on_left is not None:
            self.file.record.operator(f"__{operator}__", node, on_left, known(node.right, right))
            return self._tracked(_combined(operator, on_left, on_right or known(node.right, right)))
        if on_right is not None:
            evidence = on_right.evidence if is_other(left) else Evidence.MAYBE
            tensor = Instance(on_right.cls, evidence, on_right.dtype, on_right.requires_grad)
            self.file.record.operator(f"__r{operator}__", node, tensor, known(node.left, left))
            if not is_other(left):
                return torch_results.LIKELY_TENSOR
            return self._tracked(_combined(operator, on_right, known(node.left, left)))
        return OTHER if is_other(left) and is_other(right) else UNKNOWN

    def _tracked(self, result: Instance) -> Instance:
        """Return a new tensor, which requires no grad where the code runs without."""
        return result.of(result.dtype, False) if self.file.without_grad else result

    def _unaryop(self, node: ast.UnaryOp) -> Value:
        if type(node.op) is ast.Not:
            test = self.truth(node.operand)
            return Flag(test.holds.negated()) if type(test) is Flag and test.holds is not None else OTHER
        value = self.value(node.operand)
        tensor = as_tensor(value)
        if tensor is None:
            return literal(node) or (OTHER if is_other(value) else UNKNOWN)
        self.file.record.operator(_UNARY[type(node.op)], node, tensor)
        keeps = type(node.op) is ast.Invert or tensor.dtype != "bool"
        return tensor if keeps else tensor.of(None)

    def truth(self, node: ast.expr) -> Value:
        """Return what a condition stands for, and note that a tensor is asked for its truth."""
        value = self.value(node)
        tensor = as_tensor(value)
        if tensor is not None:
            self.file.record.operator("__bool__", node, tensor)
        return value

    def _boolop(self, node: ast.BoolOp) -> Value:
        found: Value = NOTHING
        holds: list[Holds] = []
        vague = False
        for part in node.values:
            before = self.file.looks
            value = self.value(part) if part is node.values[-1] else self.truth(part)
            found = join(found, value)
            if type(value) is Flag and value.holds is not None:
                holds.append(value.holds)
            elif self.file.looks != before:
                vague = True
            else:
                holds.append(Holds())
        if not vague and any(each != Holds() for each in holds):
            return Flag(both(holds) if type(node.op) is ast.And else either(holds))
        return found

    def _compare(self, node: ast.Compare) -> Value:
        result: Value = OTHER
        left_node, left = node.left, self.value(node.left)
        asked: list[Flag] = []
        for operator, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node)
            if left.chosen or right.chosen:
                asked.append(self._compared_version(operator, (left_node, left), (right_node, right)))
            method = COMPARISON.get(type(operator))
            tensor = as_tensor(left) or as_tensor(right)
            if method is not None and tensor is not None:
                swapped = as_tensor(left) is None
                other = known(left_node, left) if swapped else known(right_node, right)
                self.file.record.operator(f"__{method}__", node, tensor, other)
                result = tensor.of("bool")
            elif method is not None and not (is_other(left) or is_other(right)):
                result = UNKNOWN
            elif isinstance(operator, (ast.In, ast.NotIn)):
                inside = as_tensor(right)
                if inside is not None:
                    self.file.record.operator("__contains__", node, inside, known(left_node, left))
            left_node, left = right_node, right
        if asked and all(flag.holds is not None for flag in asked):
            return Flag(both([flag.holds for flag in asked if flag.holds is not None]))
        return asked[0] if asked and asked[0].asks[1] else result

    def _compared_version(
        self, operator: ast.cmpop, left: tuple[ast.expr, Value], right: tuple[ast.expr, Value]
    ) -> Flag:
        """Return when a comparison of torch's version with a literal, or with a parameter, holds."""
        sign = NAMES.get(type(operator).__name__, "")
        version, other = as_version(left[1]), right
        if version is None:
            version, other, sign = as_version(right[1]), left, FLIPPED.get(sign, "")
        if version is None:
            return FLAG
        node = other[0]
        while isinstance(node, ast.Call) and len(node.args) == 1:
            node = node.args[0]
        if isinstance(node, ast.Name) and type(self.lookup(node.id)) is not Constant:
            return Flag(None, (sign, node.id))
        bound = self.literal_of(node)
        return Flag(compared(sign, bound.literal, version.part)) if bound is not None else FLAG

    def literal_of(self, node: ast.expr) -> Optional[Constant]:
        """Return the literal that an expression is, or a name stands for."""
        found = self.lookup(node.id) if isinstance(node, ast.Name) else None
        return found if type(found) is Constant else literal(node)

    def _subscript(self, node: ast.Subscript) -> Value:
        owner, index = self.receiver(node.value), self.value(node.slice)
        tensor = as_tensor(owner)
        if tensor is not None:
            self.file.record.operator("__getitem__", node, tensor, known(node.slice, index))
            return tensor
        version = as_version(owner) if owner.chosen else None
        if version is not None:
            return _part_of(version, type(owner) is Torch, node.slice)
        if owner is BATCH:
            return torch_results.LIKELY_TENSOR
        if isinstance(owner, Foreign) and owner.name in NAMESPACES:
            self.note_namespace(owner.name, node, node.slice)
            return UNKNOWN
        if isinstance(owner, Torch) and owner.name.endswith(".__dict__"):
            self.file.record.doubt(node, Doubt.DYNAMIC_NAME, owner.name)
            return UNKNOWN
        sliced = isinstance(node.slice, ast.Slice)
        if isinstance(owner, Fixed) and isinstance(node.slice, ast.Constant):
            position = node.slice.value
            if isinstance(position, int) and -len(owner.parts) <= position < len(owner.parts):
                return owner.parts[position]
        if isinstance(owner, Instance) and isinstance(owner.cls, str):
            return owner if sliced else torch_results.items_of_instance(owner.cls)
        if isinstance(owner, (Torch, Either)):
            self._read(owner, node.value)
            return owner
        if isinstance(owner, (Foreign, OwnClass)):
            return owner
        return owner if sliced else item_of(owner)

    def _slice(self, node: ast.Slice) -> Value:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self.value(part)
        return OTHER

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
                self.file.record.operator("__iter__", node, tensor)
            cls = value.cls if isinstance(value.cls, str) else value.cls.torch_base()
            return weaker(torch_results.items_of_instance(cls), value.evidence) if cls is not None else UNKNOWN
        if type(value) is Version:
            return value  # Its numbers, one by one, which the comprehension puts together again.
        return torch_results.LIKELY_TENSOR if value is BATCH else item_of(value)

    def _ifexp(self, node: ast.IfExp) -> Value:
        before, runs_on = self.file.looks, self.file.record.runs_on
        test = self.truth(node.test)
        looked = self.file.looks != before
        self.file.record.guard += looked
        self.file.record.runs_on = narrowed(runs_on, test, True) if looked else runs_on
        found = self.value(node.body)
        self.file.record.runs_on = narrowed(runs_on, test, False) if looked else runs_on
        found = join(found, self.value(node.orelse))
        self.file.record.guard, self.file.record.runs_on = self.file.record.guard - looked, runs_on
        return as_chosen(found) if looked else found

    def _joinedstr(self, node: ast.JoinedStr) -> Value:
        for part in node.values:
            if type(part) is ast.FormattedValue:
                self.value(part)
        return OTHER

    def _formattedvalue(self, node: ast.FormattedValue) -> Value:
        tensor = as_tensor(self.value(node.value))
        if tensor is not None:
            self.file.record.operator("__format__", node.value, tensor)
        return OTHER

    def _comprehension(self, node: Any, *elements: ast.expr) -> Value:
        first = self.iterate(self.value(node.generators[0].iter), node.generators[0].iter)
        outer, self.file.scope = self.file.scope, Scope(self.file.scope)
        for generator in node.generators:
            if generator is not node.generators[0]:
                first = self.iterate(self.value(generator.iter), generator.iter)
            self.file.statements.bind(generator.target, first)
            for condition in generator.ifs:
                self.truth(condition)
        item: Value = NOTHING
        for element in elements:
            item = self.value(element)
        self.file.scope = outer
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
            torch = [one for one in found if type(one) is Torch and not torch_results.is_constant(one.name)]
            self.file.record.name(
                [Torch(one.name, Evidence.LIKELY, one.chosen) for one in torch], node, Kind.PASSED, call
            )
        elif kind is ast.Attribute:
            self._method_passed_on(node, call)  # type: ignore[arg-type]
        elif kind in _HOLDING:
            for inner in _HOLDING[kind](node):
                self.passed_on(inner, self.resolve(inner), call)

    def _method_passed_on(self, node: ast.Attribute, call: Call) -> None:
        owner = self.lookup(node.value.id) if type(node.value) is ast.Name else UNKNOWN
        if type(owner) is Instance and type(owner.cls) is str and torch_results.has(owner.cls, node.attr, True):
            names = torch_results.member(owner.cls, node.attr, 0, (), True).names
            self.file.record.add(names, *attribute_place(node), Kind.PASSED, min(owner.evidence, Evidence.LIKELY), call)

    def _namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.file.statements.bind(node.target, value)
        return value

    def _lambda(self, node: ast.Lambda) -> Value:
        every = node.args
        for default in (*every.defaults, *every.kw_defaults):
            if default is not None:
                self.passed_on(default, self.value(default))
        outer, self.file.scope = self.file.scope, Scope(self.file.scope.inner())
        for parameter in parameters_of(every):
            self.file.scope.names[parameter.arg] = UNKNOWN
        result = self.value(node.body)
        self.file.scope = outer
        return OwnFunction(None, result=result, is_read=True)

    def _call(self, node: ast.Call) -> Value:
        return self.file.calls.evaluate(node)

    def _await(self, node: ast.Await) -> Value:
        return self.value(node.value)

    def _yield(self, node: ast.Yield) -> Value:
        item: Value = NONE
        if node.value is not None:
            item = self.value(node.value)
            self.passed_on(node.value, item)
        self.file.statements.yielded(item)
        return UNKNOWN

    def _yieldfrom(self, node: ast.YieldFrom) -> Value:
        self.file.statements.yielded(self.iterate(self.value(node.value), node.value))
        return UNKNOWN


@lru_cache(maxsize=20_000)
def is_version(name: str) -> bool:
    """Return whether a name says that it compares the version of torch, such as `torch_version_ge`."""
    return _VERSION.search(name) is not None


def _as_said(name: str) -> Value:
    """Return what a name says that compares the version of torch, or is it."""
    return Version() if name.lower().endswith("version") else Flag(by_name(name))


def _unknown(_: Expressions, __: ast.expr) -> Value:
    return UNKNOWN


def _known(member: Optional[Value]) -> Value:
    return UNKNOWN if member is None or member is NOTHING else member


def as_version(value: Value) -> Optional[Version]:
    """Return the version of torch that a value is."""
    if type(value) is Torch and value.name in _VERSIONS:
        return Version()
    return value if type(value) is Version else None


def as_tensor(value: Value) -> Optional[Instance]:
    """Return the tensor that a value is, or likely is."""
    if type(value) is Instance:
        cls = value.cls if isinstance(value.cls, str) else value.cls.torch_base()
        if cls is not None and torch_results.family(cls) == "torch.Tensor":
            return value
    elif type(value) is Either:
        for one in value.values:
            tensor = as_tensor(one)
            if tensor is not None:
                return tensor
    return None


def _combined(operator: str, one: Instance, two: Union[Instance, Argument]) -> Instance:
    """Return what an operator gives for a tensor and another operand."""
    kinds = {one.dtype, two.dtype if isinstance(two, Instance) else _NUMBERS.get(two.type or "")}
    requires_grad = True if one.requires_grad or two.requires_grad else None
    if "complex" in kinds:
        return one.of("complex", requires_grad)
    if "float" in kinds or (operator == "truediv" and None not in kinds):
        return one.of("float", requires_grad)
    if None in kinds:
        return one.of(None, requires_grad)
    return one.of("integer" if "integer" in kinds or operator not in _LOGICAL else "bool")


def _part_of(version: Version, is_text: bool, index: ast.expr) -> Value:
    """Return an item of a version: of its numbers, of its text, or of what its text was split at another mark into."""
    position = index.value if isinstance(index, ast.Constant) else None
    if isinstance(index, ast.Slice) or not (version.is_split or is_text):
        return version
    return Version(position) if position in (0, 1) and isinstance(position, int) else UNKNOWN


def narrowed(runs_on: Optional[int], test: Value, outcome: bool) -> Optional[int]:
    """Return the releases on which code runs under a condition that looks at torch; none where that is not known."""
    if runs_on is None or type(test) is not Flag or test.holds is None:
        return None
    return runs_on & (test.holds.true if outcome else test.holds.false)


def parameters_of(arguments: ast.arguments) -> list[ast.arg]:
    """Return all parameters of a function."""
    found = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [parameter for parameter in found if parameter is not None]


#: Identities of loops: a constant is known only in the loop that binds it.
loops = itertools.count(1)
