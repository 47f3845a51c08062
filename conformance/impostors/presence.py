"""An impostor at work: one operation is replaced while a program runs, and put back afterwards."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import conformance
from conformance.impostors.call import Call
from conformance.impostors.operations import Operation
from conformance.impostors.registry import Impostor
from conformance.impostors.sites import Gates

#: On which uses of the operation an impostor acts.
OCCASIONS = ("every", "first", "later")

_MISSING = object()
_PACKAGE = Path(conformance.__file__).parent
_FOLDERS = (Path(torch.__file__).parent, *(_PACKAGE / part for part in ("checks", "impostors", "inputs", "runner")))
#: Code in these folders gets the real torch.
_REAL = tuple(f"{folder}{os.sep}" for folder in _FOLDERS)


class Presence:
    """A context manager: inside it, one operation of torch is an impostor's.

    It may be entered again after it was left; the uses are then counted on. Uses by torch itself, and by the parts of
    this package that judge, are the real thing.

    Parameters
    ----------
    impostor
        What is wrong.
    operation
        Where it is wrong.
    occasion
        Which uses are wrong: ``every`` one, the ``first``, or all ``later`` ones.
    """

    def __init__(self, impostor: Impostor, operation: Operation, occasion: str = "every") -> None:
        self._impostor = impostor
        self._operation = operation
        self._occasion = occasion
        #: How many uses there were, also of those that were left alone.
        self.uses = 0
        self._replaced: list[tuple[Any, str, Any]] = []
        #: What the names of a rewritten program stand for, where the operation is a site in one.
        self.names = Gates(operation.site, self._act_at_site).names() if operation.site else {}
        #: What the impostor keeps while the example runs.
        self.memory: dict[str, Any] = {}

    def __enter__(self) -> Presence:
        try:
            for owner, name in self._operation.places:
                self._replace(owner, name)
        except BaseException:
            self._restore()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()

    def _replace(self, owner: Any, name: str) -> None:
        real = getattr(owner, name)
        if isinstance(real, type) and issubclass(real, torch.Tensor):
            # A class must stay itself for isinstance() and type(); only making an object is replaced.
            owner, name, real = real, "__new__", real.__new__
            replacement: Any = staticmethod(self._function(real, name))
        elif not isinstance(owner, type):
            replacement = self._function(real, name)
        else:
            replacement = self._member(owner, name)
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
            frame = sys._getframe(1)
            real = raw.__get__(None, cls)  # of the class at hand, which may be the program's own
            if frame.f_code.co_filename.startswith(_REAL):
                return real(*args, **kwargs)
            return self._act(real, "call", args, kwargs, frame)

        replaced.__name__ = name
        return classmethod(replaced)

    def _function(self, real: Callable[..., Any], name: str, kind: str = "call") -> Callable[..., Any]:
        def replaced(*args: Any, **kwargs: Any) -> Any:
            frame = sys._getframe(1)
            if frame.f_code.co_filename.startswith(_REAL):
                return real(*args, **kwargs)
            return self._act(real, kind, args, kwargs, frame)

        for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
            value = getattr(real, attribute, None)
            if isinstance(value, str):
                setattr(replaced, attribute, value)
        return replaced

    def _act(
        self, real: Callable[..., Any], kind: str, args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
    ) -> Any:
        number = self.uses
        self.uses += 1
        if (self._occasion == "first" and number) or (self._occasion == "later" and not number):
            return real(*args, **kwargs)
        call = Call(self._operation.name, kind, real, args, kwargs, _namespace(frame), number, self.memory)
        return self._impostor.behaviour(call)

    def _act_at_site(
        self, kind: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], frame: FrameType
    ) -> Any:
        return self._act(real, kind, args, kwargs, frame)

    def _restore(self) -> None:
        while self._replaced:
            owner, name, before = self._replaced.pop()
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)


def _namespace(frame: FrameType) -> dict[str, Any]:
    return frame.f_globals if frame.f_locals is frame.f_globals else {**frame.f_globals, **frame.f_locals}
