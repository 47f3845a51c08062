"""A mutant in place: while a program runs, one target behaves as an operator says; afterwards it is torch's again."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import conformance
from conformance.lab.impostors.engine.call import Arguments, Call
from conformance.lab.impostors.engine.call_sites import Hooks
from conformance.lab.impostors.engine.registry import Behaviour
from conformance.lab.impostors.engine.targets import Target

#: Which uses of a target a mutant gets wrong.
EVERY, FIRST, LATER = "every", "first", "later"

_MISSING = object()
_PACKAGE = Path(conformance.__file__).parent
_JUDGES = ("checks", "inputs", "lab/impostors", "run/worker")
_FOLDERS = (Path(torch.__file__).parent, *(_PACKAGE / part for part in _JUDGES))
#: Code in these folders gets the real torch.
_REAL = tuple(f"{folder}{os.sep}" for folder in _FOLDERS)


class Patch:
    """A context manager inside which one target of a program is mutated.

    It may be entered again after it was left; the uses are then counted on. Torch itself, and the parts of this package
    that judge, get the real torch.

    Parameters
    ----------
    behaviour
        What happens in place of a use.
    target
        What is mutated.
    uses
        Which uses are mutated: ``every`` one, the ``first``, or all ``later`` ones.
    """

    def __init__(self, behaviour: Behaviour, target: Target, uses: str = EVERY) -> None:
        self._behaviour = behaviour
        self._target = target
        self._uses = uses
        #: How many uses there were, including those that were left alone.
        self.count = 0
        #: What the names of a rewritten program stand for, where the target is a call site in one.
        self.names = Hooks(target.site, self._act).names() if target.site else {}
        #: What the operator keeps while the example runs.
        self.memory: Arguments = {}
        self._replaced: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> Patch:
        try:
            for owner, name in self._target.places:
                self._replace(owner, name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        while self._replaced:
            owner, name, before = self._replaced.pop()
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

    def _replace(self, owner: Any, name: str) -> None:
        real = getattr(owner, name)
        if isinstance(real, type) and issubclass(real, torch.Tensor):
            # A class must stay itself for isinstance() and type(); only making an object is replaced.
            owner, name, real = real, "__new__", real.__new__
            replacement: Any = staticmethod(self._function(real, name))
        elif isinstance(owner, type):
            replacement = self._member(owner, name)
        else:
            replacement = self._function(real, name)
        before = vars(owner).get(name, _MISSING)
        try:
            setattr(owner, name, replacement)
        except (AttributeError, TypeError):
            return  # a class written in C: nothing of it can be replaced
        self._replaced.append((owner, name, before))

    def _member(self, owner: type, name: str) -> Any:
        raw = next(vars(base)[name] for base in owner.__mro__ if name in vars(base))
        if isinstance(raw, classmethod):
            return self._classmethod(raw, name)
        if isinstance(raw, staticmethod):
            return staticmethod(self._function(getattr(owner, name), name))
        if callable(raw):
            return self._function(raw, name, "assign" if name == "__setattr__" else "call")
        getter = self._function(lambda self: raw.__get__(self, type(self)), name, "read")
        if not hasattr(raw, "__set__"):
            return property(getter)
        setter = self._function(lambda self, value: raw.__set__(self, value), name, "assign")
        return property(getter, setter, lambda self: raw.__delete__(self))

    def _classmethod(self, raw: Any, name: str) -> Any:
        def replaced(cls: type, *args: Any, **kwargs: Any) -> Any:
            # Bound to the class at hand, which may be the program's own.
            return self._use("call", raw.__get__(None, cls), args, kwargs, sys._getframe(1))

        replaced.__name__ = name
        return classmethod(replaced)

    def _function(self, real: Callable[..., Any], name: str, kind: str = "call") -> Callable[..., Any]:
        def replaced(*args: Any, **kwargs: Any) -> Any:
            return self._use(kind, real, args, kwargs, sys._getframe(1))

        for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
            value = getattr(real, attribute, None)
            if isinstance(value, str):
                setattr(replaced, attribute, value)
        return replaced

    def _use(
        self, kind: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: Arguments, frame: FrameType
    ) -> Any:
        if frame.f_code.co_filename.startswith(_REAL):
            return real(*args, **kwargs)
        return self._act(kind, real, args, kwargs, frame)

    def _act(
        self, kind: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: Arguments, frame: FrameType
    ) -> Any:
        number = self.count
        self.count += 1
        if (self._uses == FIRST and number) or (self._uses == LATER and not number):
            return real(*args, **kwargs)
        return self._behaviour(Call(self._target.name, kind, real, args, kwargs, _scope(frame), number, self.memory))


def _scope(frame: FrameType) -> Arguments:
    return frame.f_globals if frame.f_locals is frame.f_globals else {**frame.f_globals, **frame.f_locals}
