"""What an expression may stand for, as far as a reader who runs nothing can tell, and how branches join."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Optional, Union

from conformance.usage.model import Evidence
from conformance.usage.model import Value as Literal
from conformance.usage.versions import ALL, Holds

#: Bounds: hostile code nests and widens without end.
_DEEPEST, _WIDEST, _MOST_ALTERNATIVES = 3, 16, 4


class Value:
    """What an expression stands for."""

    __slots__ = ("depth",)
    depth: int
    #: Whether it depends on the version of torch, or on what torch has.
    chosen = False


class Plain(Value):
    """One of the values below that have no parts."""

    __slots__ = ()


class Flag(Value):
    """Tells the version of torch, or whether it has something.

    Parameters
    ----------
    holds
        The releases on which it is true and false; none where it does not compare versions.
    asks
        The operator, and the name of the parameter of a function that it compares the version with.
    """

    __slots__ = ("asks", "holds", "position")
    chosen = True

    def __init__(self, holds: Optional[Holds] = None, asks: tuple[str, str] = ("", ""), position: int = -1) -> None:
        self.holds, self.asks, self.position = holds, asks, position

    def given_by(self, parameters: list[str]) -> Flag:
        """Return what a function with these parameters gives, if one of them is what the version is compared with."""
        name = self.asks[1]
        return Flag(None, self.asks, parameters.index(name)) if name in parameters else FLAG


class Version(Value):
    """The version of torch, in any form.

    Parameters
    ----------
    part
        0 for the major number alone, 1 for the minor one.
    is_split
        Whether its items are its numbers.
    """

    __slots__ = ("is_split", "part")
    chosen = True

    def __init__(self, part: Optional[int] = None, is_split: bool = False) -> None:
        self.part, self.is_split = part, is_split


UNKNOWN, OTHER, NONE, FLAG = Plain(), Plain(), Plain(), Flag()
#: No value yet: the item of an empty list.
NOTHING = Plain()
#: What a loader of data yields, or an unknown module gives: when it is taken apart, its parts are likely tensors.
BATCH = Plain()


class Constant(Value):
    """A literal, bound to a name in the loop ``loop`` (an identity; 0 outside loops)."""

    __slots__ = ("literal", "loop")

    def __init__(self, literal: Literal, loop: int) -> None:
        self.literal, self.loop = literal, loop


#: The packages that a torch installs.
ROOTS = ("torch", "functorch")


class Torch(Value):
    """A module, class, function or constant of torch, by its dotted name."""

    __slots__ = ("chosen", "evidence", "name")

    def __init__(self, name: str, evidence: Evidence = Evidence.CERTAIN, chosen: bool = False) -> None:
        self.name, self.evidence, self.chosen = name, evidence, chosen


class Foreign(Value):
    """Something of another package, by its dotted name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Module(Value):
    """A module of the project, by the path of its file or folder."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path


class Imported(Value):
    """What a module of the project binds a name to; it is worked out when the name is used, which is seldom.

    Parameters
    ----------
    find
        Gives the value; `NOTHING` where it is not known yet.
    """

    __slots__ = ("_find", "_found", "_is_sought")

    def __init__(self, find: Callable[[], Optional[Value]]) -> None:
        self._find = find
        self._found: Value = NOTHING
        self._is_sought = False

    def value(self) -> Value:
        """Return what it is; nothing yet where modules import each other in a circle."""
        if self._found is NOTHING and not self._is_sought:
            self._is_sought = True
            try:
                self._found = self._find() or UNKNOWN
            finally:
                self._is_sought = False
        return self._found


class Instance(Value):
    """An object of a class of torch, or of one of the project.

    Parameters
    ----------
    dtype
        The kind of dtype of a tensor: "bool", "integer" or "float".
    requires_grad
        Whether a tensor requires grad.
    """

    __slots__ = ("cls", "dtype", "evidence", "requires_grad")

    def __init__(
        self,
        cls: Union[str, OwnClass],
        evidence: Evidence = Evidence.CERTAIN,
        dtype: Optional[str] = None,
        requires_grad: Optional[bool] = None,
    ) -> None:
        self.cls, self.evidence, self.dtype, self.requires_grad = cls, evidence, dtype, requires_grad

    def of(self, dtype: Optional[str], requires_grad: Optional[bool] = None) -> Instance:
        """Return the same object, with what is known of its dtype and of whether it requires grad."""
        if dtype in ("bool", "integer"):
            requires_grad = False
        if self.dtype == dtype and self.requires_grad is requires_grad:
            return self
        return Instance(self.cls, self.evidence, dtype, requires_grad)


class Items(Value):
    """A container or iterator: ``item`` is what its elements, or the values of a mapping, are."""

    __slots__ = ("item",)

    def __init__(self, item: Value) -> None:
        small = _depth(item) < _DEEPEST
        self.depth = _depth(item) + 1 if small else 1
        self.item = item if small else UNKNOWN

    def add(self, item: Value) -> None:
        """Note another element."""
        self.item = join(self.item, item) if _depth(item) == 0 else UNKNOWN


class Fixed(Value):
    """A tuple with known parts."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Value, ...]) -> None:
        self.depth = 1 + max(map(_depth, parts), default=0)
        small = self.depth <= _DEEPEST and len(parts) <= _WIDEST
        self.parts = parts if small else (UNKNOWN,) * len(parts)
        self.depth = self.depth if small else 1


class Either(Value):
    """One of several torch names or instances."""

    __slots__ = ("chosen", "values")

    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values
        self.chosen = any(value.chosen for value in values)


@dataclass(eq=False)
class OwnClass(Value):
    """A class of the project."""

    name: str
    bases: list[Value] = field(default_factory=list)
    attributes: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._torch_base: Optional[str] = None
        self._doubtful = False
        self._walked = False

    def find(self, name: str, depth: int = 0) -> Optional[Value]:
        """Return what the class or a base of the project's own binds a name to."""
        if name in self.attributes:
            own = self.attributes[name]
            return own.value() if type(own) is Imported else own
        for base in self.bases if depth < 20 else ():
            found = base.find(name, depth + 1) if isinstance(base, OwnClass) else None
            if found is not None:
                return found
        return None

    def torch_base(self) -> Optional[str]:
        """Return the class of torch that the class derives from."""
        self._walk()
        return self._torch_base

    def is_doubtful(self) -> bool:
        """Return whether a base is unknown, so that any name may be one of torch."""
        self._walk()
        return self._doubtful

    def _walk(self) -> None:
        if self._walked:
            return
        self._walked = True  # Before the bases are asked: a class may be its own base in hostile code.
        for base in self.bases:
            if isinstance(base, OwnClass):
                self._torch_base = self._torch_base or base.torch_base()
                self._doubtful = self._doubtful or base.is_doubtful()
            elif isinstance(base, Torch):
                self._torch_base = self._torch_base or base.name
            elif base is not OTHER:
                self._doubtful = True


@dataclass(eq=False)
class OwnFunction(Value):
    """A function of the project; ``result`` is what a call returns, once that is known."""

    node: Union[ast.FunctionDef, ast.AsyncFunctionDef, None]
    scope: Optional[object] = None
    owner: Optional[OwnClass] = None
    #: How it is bound: "", "property", "staticmethod" or "classmethod".
    binding: str = ""
    guarded: bool = False
    runs_on: Optional[int] = ALL
    result: Optional[Value] = None
    is_read: bool = False
    #: Whether it is decorated with `torch.no_grad` or its like.
    without_grad: bool = False


def _depth(value: Value) -> int:
    return value.depth if isinstance(value, (Items, Fixed)) else 0


def weaker(value: Value, evidence: Evidence) -> Value:
    """Return a value with no more evidence than ``evidence``."""
    if isinstance(value, Instance) and value.evidence > evidence:
        return Instance(value.cls, evidence, value.dtype, value.requires_grad)
    if isinstance(value, Torch) and value.evidence > evidence:
        return Torch(value.name, evidence, value.chosen)
    return value


def as_chosen(value: Value) -> Value:
    """Return a value that is bound only if torch has something, or is of some version."""
    if type(value) is Imported:
        return _later(as_chosen, value)
    if isinstance(value, Either):
        return Either(tuple(map(as_chosen, value.values)))
    if isinstance(value, Torch) and value.name != "torch":
        return Torch(value.name, value.evidence, True)
    return value


def _later(change: Callable[..., Value], *values: Value) -> Imported:
    """Return what becomes of values of which some are imported, without asking for them now."""

    def find() -> Value:
        known = [value.value() if type(value) is Imported else value for value in values]
        return NOTHING if NOTHING in known else change(*known)

    return Imported(find)


def join(one: Value, two: Value) -> Value:
    """Return what a name stands for that is bound to one value in one branch and to another in the other."""
    if one is two or two is NOTHING or two is NONE:
        return one
    if one is NOTHING or one is NONE:
        return two
    if type(one) is Imported or type(two) is Imported:
        return _later(join, one, two)
    first, second = _alternatives(one), _alternatives(two)
    if first or second:
        return _joined_alternatives(first, second)
    if isinstance(one, Fixed) and isinstance(two, Fixed) and len(one.parts) == len(two.parts):
        return Fixed(tuple(map(join, one.parts, two.parts)))
    if isinstance(one, (Fixed, Items)) and isinstance(two, (Fixed, Items)):
        return Items(join(item_of(one), item_of(two)))
    if is_other(one) and is_other(two):
        return FLAG if type(one) is Flag or type(two) is Flag else OTHER
    return UNKNOWN


def _alternatives(value: Value) -> tuple[Value, ...]:
    if isinstance(value, Either):
        return value.values
    return (value,) if isinstance(value, (Torch, Instance)) else ()


def _joined_alternatives(first: tuple[Value, ...], second: tuple[Value, ...]) -> Value:
    merged: dict[object, Value] = {}
    sure = bool(first) and bool(second)
    for value in (*first, *second):
        key = (type(value), value.name if isinstance(value, Torch) else value.cls)  # type: ignore[attr-defined]
        merged[key] = _merged(merged[key], value) if key in merged else value
    if len(merged) > _MOST_ALTERNATIVES:
        return UNKNOWN
    values = tuple(merged.values())
    if len(values) == 1:
        return values[0] if sure else weaker(values[0], Evidence.LIKELY)
    return Either(tuple(weaker(value, Evidence.LIKELY) for value in values))


def _merged(one: Value, two: Value) -> Value:
    if isinstance(one, Instance) and isinstance(two, Instance):
        dtype = one.dtype if one.dtype == two.dtype else None
        two = two.of(dtype, one.requires_grad if one.requires_grad is two.requires_grad else None)
    return weaker(two, one.evidence)  # type: ignore[attr-defined]


def item_of(value: Value) -> Value:
    """Return what iteration over a value gives, apart from instances."""
    if isinstance(value, Items):
        return OTHER if value.item is NOTHING else value.item
    if isinstance(value, Fixed):
        item: Value = NOTHING
        for part in value.parts:
            item = join(item, part)
        return item
    return OTHER if value is OTHER or isinstance(value, (Constant, Flag, Version)) else UNKNOWN


def is_other(value: Value) -> bool:
    """Return whether a value is known to be neither a tensor nor another object of torch."""
    return value is OTHER or isinstance(value, _OTHERS)


_OTHERS = (Constant, Flag, Version, Foreign, Module, Items, Fixed, OwnClass, OwnFunction)
