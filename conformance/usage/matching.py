"""Which arguments a call passes, by a signature, and what a new signature does to it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Optional, Protocol

from conformance.usage.definitions import signature_of
from conformance.usage.model import Argument, Call, Parameter, Use
from conformance.usage.torch_results import canonical

Signature = tuple[Parameter, ...]
_BY_POSITION = ("positional_only", "positional_or_keyword")


class Known(Protocol):
    """What is known of names, such as the measured names of a release."""

    def __contains__(self, name: str) -> bool:
        """Return whether a dotted name is known."""


def known_names(use: Use, known: Known) -> tuple[str, ...]:
    """Return the names of a use that are known, each as it is written or as torch documents it.

    A name is never taken for another that only ends like it: `torch.jit.load` is not `torch.load`.
    """
    found = (name if name in known else canonical(name) for name in use.names)
    return tuple(dict.fromkeys(name for name in found if name in known))


@dataclass(frozen=True)
class Bound:
    """The arguments of a call by the parameters that take them.

    Parameters
    ----------
    passed
        What each parameter gets; those of ``*args`` and ``**kwargs`` parameters are not listed.
    unexpected
        Keywords that no parameter takes.
    missing
        Parameters without default that get nothing.
    too_many
        The number of positional arguments that no parameter takes.
    is_open
        Whether ``*args`` or ``**kwargs`` in the call may fill any parameter that gets nothing else.
    """

    passed: Mapping[str, Argument]
    unexpected: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    too_many: int = 0
    is_open: bool = False


@dataclass(frozen=True)
class Breakage:
    """What a new signature does to a call that the old one took; ``is_certain``: nothing in the call is unknown.

    Parameters
    ----------
    gone
        Arguments that the call passes and nothing takes any longer.
    missing
        Parameters that are required now and that the call does not pass.
    moved
        Positional arguments that another parameter takes now: (the old one, the new one).
    defaults
        Parameters that the call leaves out and whose default differs: (name, before, after).
    """

    gone: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str, str], ...] = ()
    is_certain: bool = True

    def __bool__(self) -> bool:
        return bool(self.gone or self.missing or self.moved or self.defaults)


@lru_cache(maxsize=20_000)
def parse_signature(text: str) -> Optional[Signature]:
    """Return the parameters in a signature such as ``(input, dim=None, *, out=None)``; none where it is none."""
    try:
        (function,) = ast.parse(f"def f{text.strip().partition(' ->')[0]}: ...").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return signature_of(function.args) if isinstance(function, ast.FunctionDef) else None


def bind(call: Call, signature: Signature) -> Bound:
    """Return which parameter takes which argument."""
    slots = [parameter.name for parameter in signature if parameter.kind in _BY_POSITION]
    takes = {parameter.kind for parameter in signature}
    named = {parameter.name for parameter in signature if parameter.kind in ("positional_or_keyword", "keyword_only")}
    passed = dict(zip(slots, call.positional))
    passed.update((name, argument) for name, argument in call.keywords if name in named)
    unexpected = () if "var_keyword" in takes else tuple(name for name, _ in call.keywords if name not in named)
    is_open = call.more_positional or call.more_keywords
    missing = tuple(
        parameter.name
        for parameter in signature
        if parameter.default is None and parameter.name not in passed and not parameter.kind.startswith("var_")
    )
    extra = 0 if "var_positional" in takes else max(len(call.positional) - len(slots), 0)
    return Bound(passed, unexpected, missing, extra, is_open)


def breakage(call: Call, old: Signature, new: Signature) -> Breakage:
    """Return what a new signature does to a call, apart from what is wrong with the call under the old one."""
    before, after = bind(call, old), bind(call, new)
    old_slots = [parameter.name for parameter in old if parameter.kind in _BY_POSITION]
    new_slots = [parameter.name for parameter in new if parameter.kind in _BY_POSITION]
    number = len(call.positional)
    pushed_out = old_slots[number - after.too_many : number] if after.too_many > before.too_many else []
    unexpected = [name for name in after.unexpected if name not in before.unexpected]
    missing = tuple(name for name in after.missing if name not in before.missing)
    olds = {parameter.name: parameter.default for parameter in old}
    news = {parameter.name: parameter.default for parameter in new}
    # A parameter that was only renamed takes the same argument: neither name is in both signatures.
    pairs = list(zip(old_slots, new_slots))[:number]
    moved = tuple((one, other) for one, other in pairs if one != other and (one in news or other in olds))
    defaults = tuple(
        (name, before_, now)
        for name, now in news.items()
        for before_ in [olds.get(name)]
        if before_ is not None and now is not None and before_ != now and name not in after.passed
    )
    is_open = after.is_open and bool(missing or defaults)
    gone = tuple(dict.fromkeys([*pushed_out, *unexpected]))
    return Breakage(gone, missing, moved, defaults, not is_open)
