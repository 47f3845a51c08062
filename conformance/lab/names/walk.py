"""Walk the modules of the installed torch in this process, which may not survive it; `measure` starts it.

``python -m conformance.lab.names.walk LIST OUTPUT PARENT`` reads the modules from LIST and appends two lines for each
to OUTPUT: that it begins, and what was found. It ends with the process PARENT, and all that
modules of torch have started.
"""

from __future__ import annotations

import enum
import gc
import importlib
import inspect
import json
import os
import re
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from conformance.base.codec import encode
from conformance.base.processes.keeper import work_in_a_copy
from conformance.lab.names.modules import list_modules, torch_folder
from conformance.lab.names.settings import listed_names
from conformance.lab.names.signatures import Stubs, from_docstring, from_inspect, says_nothing
from conformance.lab.names.sources import SAYS_REMOVED, Deprecation, Sources, clean, documented_deprecation
from conformance.names.model import NameRecord, Section
from conformance.names.modules import ROOTS, is_detailed

#: What Python itself puts into a class, and what differs from one Python to the next.
_PYTHONS_OWN = frozenset(
    """
    __module__ __dict__ __weakref__ __doc__ __annotations__ __qualname__ __parameters__ __orig_bases__
    __abstractmethods__ _abc_impl __hash__ __slots__ __match_args__ __new__ __firstlineno__
    __static_attributes__ _is_protocol _is_runtime_protocol __protocol_attrs__ __non_callable_proto_members__
    __subclasshook__ __dataclass_params__ __dataclass_fields__ __init_subclass__ __class_getitem__ __args__
    __origin__ __set_name__ __total__ __required_keys__ __optional_keys__ __readonly_keys__ __mutable_keys__
    __getnewargs__ __replace__ __annotate__ __annotate_func__ __annotations_cache__ __deprecated__ __setstate__
    __reduce__ __signature__ __text_signature__ __type_params__ __final__ __repr__ __str__ __getstate__
    __closed__ __extra_items__ _is_runtime_checkable __reduce_ex__ __wrapped__ __pybind11_native_enum__
    __overrides__ __conditional_annotations__ __dir__ __sizeof__ __entries
    """.split()  # noqa: SIM905 - one reads them as words
)
#: Imported for annotations; nobody imports them from torch.
_NOT_RECORDED = {"__future__", "typing", "typing_extensions"}
_FUNCTIONS = (types.FunctionType,)
_BUILTINS = (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
_DATA = (property, types.GetSetDescriptorType, types.MemberDescriptorType)


class Walker:
    """Reads modules one after another; `known` are the modules that are there as files."""

    def __init__(self, known: set[str], folder: Path) -> None:
        self._known = known
        self._sources = Sources()
        self._stubs = Stubs(folder)
        self._elsewhere: dict[str, Section] = {}
        self._walked: set[int] = set()

    def walk(self, name: str) -> dict[str, Section]:
        """Return the names of a module, and what it shows of modules that are not recorded in detail themselves."""
        try:
            module = importlib.import_module(name)
        except BaseException as error:  # argparse and some backends exit on import
            return {name: {"": _failed(error)}}
        self._elsewhere = {}
        section: Section = {"": self._module(module)}
        for attribute, value, told in sorted(_attributes(module), key=lambda found: found[0]):
            if isinstance(value, types.ModuleType) and f"{name}.{attribute}" in self._known:
                continue
            found = self._attribute(name, attribute, value) if is_detailed(name) else _bare(name, attribute, value)
            if told is not None and attribute in found:
                found[attribute] = replace(found[attribute], deprecated=told.message, warns=told.category)
            section.update(found)
        return {**self._elsewhere, name: section}

    def _module(self, module: types.ModuleType) -> NameRecord:
        told = self._sources.module_deprecated(module)
        if told is not None:
            return NameRecord("module", deprecated=told.message, warns=told.category)
        return NameRecord("module", deprecated=documented_deprecation(module.__name__, module.__doc__ or ""))

    def _attribute(self, module: str, name: str, value: object) -> Section:
        if isinstance(value, types.ModuleType):
            if value.__name__ == f"{module}.{name}":
                return {name: NameRecord("module")}  # made in memory: torch.ops, torch._C
            kind = "alias" if _is_torchs(value.__name__) else "external"
            return {name: NameRecord(kind, value.__name__)}
        owner = _owner(value)
        if owner is not None and not _is_torchs(owner):
            return {} if owner.split(".")[0] in _NOT_RECORDED else {name: NameRecord("external", owner)}
        if owner is not None and owner != f"{module}.{name}":
            self._follow(value)
            return {name: NameRecord("alias", owner)}
        if isinstance(value, type):
            return self._class(name, value)
        if _is_typing(name, value):
            return {}
        return {name: self._value(module, name, value)}

    def _value(self, module: str, name: str, value: object) -> NameRecord:
        if isinstance(value, (*_FUNCTIONS, types.MethodType)):
            return self._function("function", name, value)
        if isinstance(value, _BUILTINS):
            return self._builtin("builtin", name, value, self._stub(module, name, value))
        return NameRecord("constant", _type_name(value))

    def _stub(self, module: str, name: str, value: Any) -> tuple[str, ...]:
        owner = getattr(value, "__module__", None) or ""
        if owner.startswith("torch._C."):
            return self._stubs.function(owner[len("torch._C.") :], value.__name__)
        return self._stubs.function("_VariableFunctions", name) or self._stubs.function("__init__", name)

    def _function(self, kind: str, name: str, function: Callable[..., Any]) -> NameRecord:
        signature = from_inspect(function)
        told: tuple[str, ...] = ()
        if says_nothing(signature):
            told = from_docstring(name.rsplit(".", 1)[-1], function.__doc__ or "")
            signature = from_inspect(_wrapped(function)) or signature
        signatures = told or ((signature,) if signature else ())
        origin = "doc" if told else "inspect" if signatures else ""
        return self._deprecation(name, function, NameRecord(kind, signatures=signatures, origin=origin))

    def _builtin(self, kind: str, name: str, function: Any, stub: tuple[str, ...]) -> NameRecord:
        docstring = function.__doc__ if isinstance(function.__doc__, str) else ""
        last = name.rsplit(".", 1)[-1]
        read = (("stub", stub), ("doc", from_docstring(last, docstring)), ("inspect", (from_inspect(function),)))
        origin, signatures = next(((where, found) for where, found in read if any(found)), ("", ()))
        deprecated = documented_deprecation(name, docstring)
        texts = tuple(signature for signature in signatures if signature)
        return NameRecord(kind, signatures=texts, origin=origin, deprecated=deprecated)

    def _deprecation(self, name: str, function: Any, record: NameRecord) -> NameRecord:
        removed = self._sources.removed(function)
        if removed:
            return replace(record, removed=removed)
        told = self._sources.deprecated(function)
        if told is not None:
            return replace(record, deprecated=told.message, warns=told.category)
        docstring = function.__doc__ if isinstance(function.__doc__, str) else ""
        return replace(record, deprecated=documented_deprecation(name, docstring))

    def _class(self, name: str, cls: type) -> Section:
        if id(cls) in self._walked:
            return {}
        self._walked.add(id(cls))
        if type(cls).__name__ == "tensortype":  # torch.FloatTensor shows every method of torch.Tensor
            return {name: NameRecord("class", bases=("torch.Tensor",))}
        for base in cls.__bases__:
            self._follow(base)
        section = {name: self._class_record(name, cls)}
        for member, value in sorted({**_answered(cls), **_members(cls)}.items()):
            section.update(self._member(cls, f"{name}.{member}", value))
        for attribute in self._sources.instance_attributes(cls):
            section.setdefault(f"{name}.{attribute}", NameRecord("attribute"))
        return section

    def _class_record(self, name: str, cls: type) -> NameRecord:
        bases = tuple(_owner(base) or base.__qualname__ for base in cls.__bases__ if base is not object)
        signature = None if issubclass(cls, enum.Enum) else from_inspect(cls)
        docstring = cls.__doc__ if isinstance(cls.__doc__, str) else ""
        signatures = (signature,) if signature else from_docstring(name.rsplit(".", 1)[-1], docstring)
        origin = "" if not signatures else "inspect" if signature else "doc"
        record = NameRecord("class", signatures=signatures, origin=origin, bases=bases)
        marked = vars(cls).get("__deprecated__")
        if isinstance(marked, str):
            return replace(record, deprecated=clean(marked), warns="FutureWarning")
        for maker in (vars(cls).get("__init__"), vars(cls).get("__new__")):
            plain = maker.__func__ if isinstance(maker, staticmethod) else maker
            removed = self._sources.removed(plain)
            if removed:
                return replace(record, removed=removed)
            told = self._sources.deprecated(plain)
            # Some classes, such as autograd functions, warn of being instantiated without being deprecated.
            if told is not None and "deprecat" in told.message.lower():
                return replace(record, deprecated=told.message, warns=told.category)
        return replace(record, deprecated=documented_deprecation(name, docstring))

    def _member(self, cls: type, name: str, value: object) -> Section:
        if isinstance(value, (classmethod, staticmethod)):
            record = self._function(type(value).__name__, name, value.__func__)
        elif isinstance(value, _FUNCTIONS):
            record = self._function("method", name, value)
        elif isinstance(value, _DATA):
            record = self._property(name, value)
        elif isinstance(value, type):
            return self._attribute_of_class(cls, name, value)
        elif isinstance(value, _BUILTINS) or type(value).__name__ in ("instancemethod", "builtin_function_or_method"):
            record = self._builtin("method", name, value, self._stubs.function("__init__", name))
        else:
            record = NameRecord("constant", _type_name(value))
        return {name: record}

    def _attribute_of_class(self, cls: type, name: str, value: type) -> Section:
        owner = _owner(value)
        if owner == f"{cls.__module__}.{name}":
            return self._class(name, value)
        kind = "alias" if owner is not None and _is_torchs(owner) else "external"
        return {name: NameRecord(kind, owner or value.__qualname__)}

    def _property(self, name: str, value: Any) -> NameRecord:
        getter = getattr(value, "fget", None)
        if getter is None:
            return NameRecord("property", deprecated=documented_deprecation(name, value.__doc__ or ""))
        return self._deprecation(name, getter, NameRecord("property"))

    def _follow(self, value: Any) -> None:
        """Walk a class or function that a module shows, where its own module is not recorded in detail."""
        module = value.__module__ or ""
        if id(value) in self._walked or not _is_torchs(module) or (module in self._known and is_detailed(module)):
            return
        name = value.__qualname__
        if isinstance(value, type):
            section = self._class(name, value)
        else:
            self._walked.add(id(value))
            section = {name: self._value(module, name, value)}
        self._elsewhere.setdefault(module, {} if module in self._known else {"": NameRecord("module")}).update(section)


def _bare(module: str, name: str, value: object) -> Section:
    """Return the kind of what a module defines itself, and nothing for the rest."""
    owner = _owner(value)
    if (
        isinstance(value, types.ModuleType)
        or (owner is not None and owner != f"{module}.{name}")
        or _is_typing(name, value)
    ):
        return {}
    return {name: NameRecord("class" if isinstance(value, type) else "function" if callable(value) else "constant")}


def _attributes(module: types.ModuleType) -> Iterator[tuple[str, object, Optional[Deprecation]]]:
    """Yield what a module has, and the warning that reading a name gives that the module only answers to."""
    held = vars(module)
    for name in {*held, *listed_names(module)}:
        if name.isidentifier() and (not name.startswith("__") or name == "__version__"):
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter("always")
                try:
                    value = getattr(module, name)
                except Exception:  # a lazy attribute that can't be made here
                    continue
            yield name, value, None if name in held else _deprecation_in(given)


def _deprecation_in(given: Iterable[warnings.WarningMessage]) -> Optional[Deprecation]:
    for warning in given:
        message = clean(str(warning.message))
        if "deprecat" in message.lower():
            return Deprecation(message, warning.category.__name__)
    return None


def _members(cls: type) -> dict[str, object]:
    members = {name: value for name, value in vars(cls).items() if name not in _PYTHONS_OWN and name.isidentifier()}
    if issubclass(cls, enum.Enum):
        # Where Python keeps the members of an enumeration changed with Python 3.11.
        members = {name: value for name, value in members.items() if not name.startswith("_")}
        members.update(cls.__members__)
    return members


def _answered(cls: type) -> dict[str, object]:
    """Return what a metaclass of torch answers for a class, as for ``torch.distributed.group.WORLD``."""
    members = vars(type(cls)).items() if _is_torchs(type(cls).__module__) else ()
    return {name: value for name, value in members if isinstance(value, property)}


def _owner(value: object) -> Optional[str]:
    """Return the canonical name of a class or function, None for what knows no name or can't be found under it."""
    if not isinstance(value, (type, *_FUNCTIONS, types.BuiltinFunctionType)):
        return None
    module = getattr(value, "__module__", None)
    qualname = value.__qualname__
    if isinstance(module, str) and qualname.startswith(f"{module}."):
        qualname = qualname[len(module) + 1 :]  # As of `torch.jit.ScriptFunction`, which names itself in full.
    if isinstance(value, types.BuiltinFunctionType):
        return _builtin_owner(value, module)
    if not isinstance(module, str) or "<locals>" in qualname:
        return None
    if not _is_torchs(module):
        return f"{module}.{qualname}"
    found: object = sys.modules.get(module)
    for part in qualname.split("."):
        found = inspect.getattr_static(found, part, None)
    return f"{module}.{qualname}" if found is value else None


def _builtin_owner(value: types.BuiltinFunctionType, module: Optional[str]) -> Optional[str]:
    """Return the public name of a builtin: the first module of these that shows it."""
    if module is not None and not _is_torchs(module):
        return f"{module}.{value.__qualname__}"
    for home in ("torch", "torch.nn.functional"):
        if getattr(sys.modules.get(home), value.__name__, None) == value:
            return f"{home}.{value.__name__}"
    return None


def _is_typing(name: str, value: object) -> bool:
    return _type_name(value).split(".")[0] in _NOT_RECORDED or getattr(typing, name, None) is value


def _type_name(value: object) -> str:
    cls = type(value)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _is_torchs(name: str) -> bool:
    return name.split(".")[0] in ROOTS


def _wrapped(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that one of torch's own wrappers calls, or the function itself."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    cells = dict(zip(names, getattr(function, "__closure__", None) or ()))
    for name in ("if_true", "meth"):  # torch._jit_internal.boolean_dispatch, torch.nn.init._make_deprecate
        if name in cells and callable(cells[name].cell_contents):
            inner: Callable[..., Any] = cells[name].cell_contents
            return inner
    return function


def _failed(error: BaseException) -> NameRecord:
    """Return what is known of a module that can't be imported: that it is gone, or why it fails here."""
    message = _first_line(error)
    if isinstance(error, ImportError) and SAYS_REMOVED.search(message):
        return NameRecord("module", removed=clean(message))
    return NameRecord("module", error=clean(f"{type(error).__name__}: {message}"))


def _first_line(error: BaseException) -> str:
    """Return what an error says, without the paths of this machine."""
    return re.sub(r"\s*\(?(?:/[^\s/()]+){2,}\)?", "", (str(error).strip().splitlines() or [""])[0])


def main(arguments: list[str]) -> int:
    """Walk the modules of a list, and write what is found."""
    names, output = Path(arguments[0]).read_text(encoding="utf-8").split(), Path(arguments[1])
    work_in_a_copy(int(arguments[2]))
    warnings.simplefilter("ignore")
    gc.disable()  # next to nothing is released while modules are imported, and looking for it takes half of the time
    folder = torch_folder()
    sys.argv = ["python"]
    walker = Walker(set(list_modules(folder)), folder)
    import torch  # noqa: F401  # before all else, as its users do

    with output.open("a", encoding="utf-8") as file:
        for name in names:
            print(json.dumps({"begins": name}), file=file, flush=True)
            print(json.dumps({"found": encode(walker.walk(name))}), file=file, flush=True)
    return 0


if __name__ == "__main__":
    status = main(sys.argv[1:])
    os._exit(status)  # some modules start processes that the end of Python would wait for
