"""Works out what names and attributes stand for, and notes those of torch."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Optional, Protocol

from conformance.usage import rules
from conformance.usage.model import Doubt, Evidence, Kind
from conformance.usage.recorder import Recorder, attribute_place
from conformance.usage.scopes import Scope
from conformance.usage.values import (
    BATCH,
    NONE,
    NOTHING,
    OTHER,
    UNKNOWN,
    Constant,
    Either,
    Flag,
    Foreign,
    Imported,
    Instance,
    Module,
    OwnClass,
    OwnFunction,
    Torch,
    Value,
    Version,
    join,
    weaker,
)
from conformance.usage.versions import by_name

_LONGEST_NAME = 200
#: Names of helpers and constants by which code asks for the version of torch.
_VERSION = re.compile(r"torch\w*(version|greater|less|_[gl][te]$|(?<!\d)\d_\d+$)|version\w*torch", re.IGNORECASE)
_VERSIONS = frozenset(("torch.__version__", "torch.version.__version__"))
_BUILTINS: dict[str, Value] = {name: Foreign(f"builtins.{name}") for name in dir(builtins)}
#: Where every module that was imported, or every name of a module, can be looked up.
NAMESPACES = frozenset(("sys.modules", "builtins.globals()", "builtins.locals()"))
#: The method that evaluates each kind of expression.
_HANDLERS: dict[type[ast.AST], Callable[[Any, Any], Value]] = {}


class Modules(Protocol):
    """The modules of a project."""

    def find(self, importer: str, name: str, level: int) -> Optional[str]:
        """Return the path of a module that a file imports; ``level`` is the number of dots before its name."""

    def member(self, path: str, name: str) -> Optional[Value]:
        """Return what a module binds a name to; `NOTHING` where that is not known yet."""

    def exported(self, path: str, name: str) -> Optional[Value]:
        """Return what a star import of a module binds a name to, likewise."""


class Names:
    """Evaluates names and attributes; other expressions are for subclasses."""

    def __init__(self, recorder: Recorder, modules: Modules, unsteady: frozenset[str]) -> None:
        self.record = recorder
        self.modules = modules
        self.scope = Scope()
        #: Names that a function changes by `global`.
        self.unsteady = unsteady
        #: Modules of torch, and the paths of those of the project, all of whose names are imported.
        self.stars: list[str] = []
        self.own_stars: list[str] = []
        #: How often the code has looked at the version or at what torch has.
        self.looks = 0
        #: Above zero where it depends on such a look what is bound.
        self.choices = 0
        self.loop = 0
        #: Whether the code runs under `torch.no_grad` or its like.
        self.without_grad = False

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
            self.looks += 1
        return found

    # Names

    def lookup(self, name: str) -> Value:
        """Return what a name stands for here."""
        if is_version(name):
            self.looks += 1
        scope: Optional[Scope] = self.scope
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                if type(found) is Imported:
                    found = _known(found.value())
                return found if type(found) is not Constant else self._steady(found, name, scope)
            scope = scope.parent
        if name in _BUILTINS:
            return _BUILTINS[name]
        for path in reversed(self.own_stars):
            member = self.modules.exported(path, name)
            if member is not None:
                return _known(member)
        for star in reversed(self.stars):
            if rules.result_of(f"{star}.{name}", 1, ()) is not UNKNOWN:
                return Torch(f"{star}.{name}", Evidence.LIKELY)
        return Torch(f"{self.stars[-1]}.{name}", Evidence.MAYBE) if self.stars else UNKNOWN

    def _steady(self, constant: Constant, name: str, scope: Scope) -> Value:
        """Return a constant where it cannot have changed since it was bound."""
        if scope is self.scope:
            return constant if constant.loop == self.loop else OTHER
        return OTHER if constant.loop or name in scope.rebound or name in self.unsteady else constant

    def _name(self, node: ast.Name) -> Value:
        before = self.looks
        value = self.lookup(node.id)
        if self.looks != before and (value is UNKNOWN or value is OTHER or type(value) is Foreign):
            return _as_said(node.id)
        # A variable that holds a name was noted where it was bound.
        if type(value) is Torch and value.name.endswith(f".{node.id}"):
            self.record.name((value,), node)
        return value

    def _read(self, value: Value, node: ast.expr) -> None:
        if type(value) is Torch:
            self.record.name((value,), node)
        elif type(value) is Either:
            found = [one for one in value.values if type(one) is Torch]
            if found:
                self.record.name(found, node)

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
            self.looks += 1
        return self.attribute(self.receiver(node.value), node.attr, *attribute_place(node))

    def note_namespace(self, space: str, node: ast.expr, key: ast.expr) -> None:
        """Note that torch, or something of it, may be looked up in `globals()`, `locals()` or `sys.modules`."""
        own = (self.scope if space == "builtins.locals()" else self.scope.module()).names
        if isinstance(key, ast.Constant):
            name = str(key.value)
            doubtful = name.partition(".")[0] == "torch" or (space != "sys.modules" and type(own.get(name)) is Torch)
        elif space == "sys.modules":
            # The module of the code itself, or of one of its classes.
            doubtful = getattr(key, "attr", getattr(key, "id", "")) not in ("__name__", "__module__")
        else:
            doubtful = any(type(value) is Torch for value in own.values())
        if doubtful:
            self.record.doubt(node, Doubt.NAMESPACE)

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
            return _known(self.modules.member(owner.path, name))  # type: ignore[attr-defined]
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
            self.record.add(rules.candidates(name, False), line, column, kind, Evidence.MAYBE)
            return rules.attribute_of_unknown(name)
        return OTHER

    def torch_attribute(self, owner: Torch, name: str) -> Value:
        """Return what a dotted name of torch stands for."""
        if name == "__version__" or owner.name == "torch.version":
            self.looks += 1
        if owner.name in _VERSIONS:
            return Version(is_split=name == "release")
        if rules.is_constant(owner.name):
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
                return self.result_of(found) if is_property else found  # type: ignore[arg-type]
            base = cls.torch_base()
            if base is None or not rules.has(base, name, False):
                if cls.is_doubtful():
                    self.record.add(rules.candidates(name, False), line, column, kind, Evidence.MAYBE)
                return UNKNOWN
            cls = base
        kin = rules.family(cls)
        if kin == "torch.nn.Module" and not (rules.has(cls, name, False) or rules.has(cls, name, True)):
            return UNKNOWN
        member = rules.member(cls, name, 0, (), False)
        # Code may put attributes of its own on a tensor.
        is_own = kin == "torch.Tensor" and not (rules.has(cls, name, False) or rules.has(cls, name, True))
        self.record.add(member.names, line, column, kind, Evidence.MAYBE if is_own else owner.evidence)
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

    def result_of(self, function: OwnFunction) -> Value:
        """Return what a call of a function of the project gives."""
        raise NotImplementedError


@lru_cache(maxsize=20_000)
def is_version(name: str) -> bool:
    """Return whether a name says that it compares the version of torch, such as `torch_version_ge`."""
    return _VERSION.search(name) is not None


def _as_said(name: str) -> Value:
    """Return what a name says that compares the version of torch, or is it."""
    return Version() if name.lower().endswith("version") else Flag(by_name(name))


def _unknown(_: Names, __: ast.expr) -> Value:
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
        if cls is not None and rules.family(cls) == "torch.Tensor":
            return value
    elif type(value) is Either:
        for one in value.values:
            tensor = as_tensor(one)
            if tensor is not None:
                return tensor
    return None
