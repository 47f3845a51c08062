"""Names that every claim sees: attributes of torch and builtins, modules, and operators. A claim must leave them."""

from __future__ import annotations

import builtins
import pkgutil
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from operator import is_
from types import ModuleType
from typing import Any

import torch

_MISSING = object()
# What pickle, extension modules and warnings set themselves.
_OWN = ("__slotnames__", "__pybind11_internals", "__warningregistry__")
# Of these, public names are compared; torch sets some of its private ones when it first needs them.
_OTHERS = (
    *("torch.autograd", "torch.autograd.Function", "torch.fft", "torch.linalg", "torch.nn", "torch.nn.functional"),
    *("torch.nn.init", "torch.nn.Module", "torch.nn.Parameter", "torch.optim", "torch.optim.Optimizer", "torch.random"),
    *("torch.serialization", "torch.sparse", "torch.special", "torch.testing", "numpy", "numpy.random"),
    *("copy", "json", "math", "os", "pickle", "random", "time", "warnings"),
)
_OWNERS: dict[str, Any] = {"torch": torch, "torch.Tensor": torch.Tensor, "builtins": builtins}
_WHOLE = tuple(_OWNERS)
for _name in _OTHERS:
    with suppress(AttributeError, ImportError):  # another release
        _OWNERS[_name] = pkgutil.resolve_name(_name)
# Where torch says that an operator was registered: by a program, whose file is none, or by a function that one called.
_BY_PROGRAM = re.compile(r"registered at <")
_BY_FUNCTION = re.compile(r"registered at \S*torch[/\\](?:library|_library[/\\]\w+)\.py")


class Namespaces:
    """A snapshot of these names, to compare with after each claim.

    Attributes
    ----------
    must_restart
        Why this process must not judge another claim, in words; empty while it may. Torch can't forget an operator.
    """

    def __init__(self) -> None:
        self.must_restart = ""
        self._attributes = {name: dict(vars(owner)) for name, owner in _OWNERS.items()}
        self._modules = dict(sys.modules)
        self._operators = _operators()

    def leaks(self) -> list[str]:
        """Return what the claim left changed, by name, and put it back; what an import does stays."""
        found, torch_imported = self._restore_modules()
        for owner in _OWNERS:
            found += [f"{owner}.{name}" for name in self._restore_attributes(owner, torch_imported)]
        if self._has_new_operators(torch_imported):
            self.must_restart = "registered operators"
            found.append("operators of torch.library")
        return found

    def _restore_modules(self) -> tuple[list[str], bool]:
        """Put back the modules; return what was changed beside imports, and whether parts of torch were imported."""
        if _same(sys.modules, self._modules):
            return [], False
        new = {name: module for name, module in sys.modules.items() if name not in self._modules}
        # Some modules of torch put an object of their own, which has no spec, in their place.
        imported = {
            name
            for name, module in new.items()
            if getattr(module, "__spec__", None) is not None or _is_of_torch(type(module))
        }
        # What is imported may make further modules, which have no spec, or put objects of its own classes beside them.
        foreign = {
            name
            for name in new.keys() - imported
            if not (imported and (isinstance(new[name], ModuleType) or type(new[name]).__module__ in new))
        }
        changed = {name for name, module in self._modules.items() if sys.modules.get(name, _MISSING) is not module}
        for name in foreign:
            del sys.modules[name]
        sys.modules.update({name: self._modules[name] for name in changed})
        self._modules = dict(sys.modules)
        of_torch = any(name.startswith("torch.") for name in imported)
        return [f"sys.modules[{name!r}]" for name in sorted(changed | foreign)], of_torch

    def _restore_attributes(self, owner: str, torch_imported: bool) -> list[str]:
        known, place = self._attributes[owner], _OWNERS[owner]
        if _same(vars(place), known):
            return []
        changed = []
        for name, now in {**known, **vars(place)}.items():
            before = known.get(name, _MISSING)
            if now is before and name in vars(place):
                continue
            if owner not in _WHOLE and name.startswith("_") and not name.endswith("__"):
                continue
            # Torch, too, sets some when parts of it are imported.
            if (torch_imported and _is_of_torch(now)) or isinstance(now, ModuleType) or name.startswith(_OWN):
                continue
            if before is not _MISSING:
                setattr(place, name, before)
            else:
                delattr(place, name)
                if getattr(place, name, _MISSING) is now:  # inherited: the claim put back what it found
                    continue
            changed.append(name)
        self._attributes[owner] = dict(vars(place))
        return sorted(changed)

    def _has_new_operators(self, torch_imported: bool) -> bool:
        now = _operators()
        if now == self._operators:
            return False
        new, self._operators = now - self._operators, now
        told = [torch._C._dispatch_dump(name) for name in {_qualified(registered) for registered in new}]
        return any(_BY_PROGRAM.search(text) or (not torch_imported and _BY_FUNCTION.search(text)) for text in told)


def _same(now: Mapping[str, Any], before: dict[str, Any]) -> bool:
    return len(now) == len(before) and all(map(is_, now.values(), before.values())) and all(map(is_, now, before))


def _is_of_torch(value: Any) -> bool:
    return str(getattr(value, "__module__", "")).partition(".")[0] == "torch"


def _operators() -> frozenset[str]:
    """Return what Python code has registered, as ``namespace/operator/key``; empty where torch keeps no list."""
    library = getattr(torch, "library", None)  # torch 1.12
    return frozenset(getattr(library, "_defs", ())) | frozenset(getattr(library, "_impls", ()))


def _qualified(registered: str) -> str:
    """Return the name of an operator from what was registered: ``a::b`` with its spaces, or ``a/b/key``."""
    return "".join(registered.split()) if "::" in registered else "::".join(registered.split("/")[:2])
