"""What an entry of a result file says, taken apart: each part can change on its own between releases."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from conformance.language.model import Claim
from conformance.results.model import Entry, Flags
from conformance.results.verdicts import standing

AspectKind = Literal[
    "error",
    "message",
    "warnings",
    "value",
    "dtype",
    "leaf",
    "requires-grad",
    "history",
    "node",
    "view-of",
    "shares",
    "same",
    "flags",
    "observed",
]


class Aspect(NamedTuple):
    """One observable part of a claim's entry: its kind, and the name or position that it is about."""

    kind: AspectKind
    name: str = ""


@dataclass(frozen=True)
class Observation:
    """The value of an aspect.

    ``example`` is what it was observed on, None for all examples: observations on different examples can't be compared.
    """

    value: Hashable
    example: Hashable = None


# What these give is left open, so that two runs need not agree on it.
_OPEN_VALUE = re.compile(
    r"\b(?:\w*empty\w*|\w*rand\w*|bernoulli\w*|dropout\w*|multinomial|normal_?|uniform_|resize\w*|id|hash|data_ptr"
    r"|default_rng|\w*Tensor|\w*Storage"
    # modules with random weights
    r"|Linear|Bilinear|Conv\w*|Embedding\w*|RNN\w*|LSTM\w*|GRU\w*|Dropout\w*|Transformer\w*|MultiheadAttention)\s*\("
    # what every release has its own
    r"|__version__"
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")
_NODE = re.compile(r"\b(\w+?)Backwards?\d*\b")
_GRAD_SUFFIX = re.compile(r",\s*(?:grad_fn=<[^<>]*>|requires_grad=True)")
_CLOSE = 2e-3


def aspects(claim: Claim, entry: Entry, device: str = "cpu") -> dict[Aspect, Observation]:
    """Take an entry apart; what it does not tell has no aspect.

    Parameters
    ----------
    device
        Where it was measured. What is there counts as on the device under test, so that two devices can be compared.
    """
    found: dict[Aspect, Observation] = {}
    if standing(entry.verdict) in ("true", "false", "open"):
        found.update(_facts(claim, entry, device))
        found.update((Aspect("observed", str(at)), Observation(often)) for at, often in enumerate(entry.observed))
    return found


def same(aspect: Aspect, one: Hashable, other: Hashable) -> bool:
    """Return whether two values of an aspect are the same; numbers of a printed value may differ in the last digits."""
    if one == other:
        return True
    return aspect.kind == "value" and _close(str(one), str(other))


def has_open_values(claim: Claim) -> bool:
    """Return whether a program reads random numbers or memory that was never written: its values prove nothing."""
    texts = [fragment.text for _, fragment in claim.given] + ([claim.do.text] if claim.do else [])
    return any(_OPEN_VALUE.search(text) for text in texts)


def _facts(claim: Claim, entry: Entry, device: str) -> Iterator[tuple[Aspect, Observation]]:
    facts = entry.facts
    if facts is None:
        return
    kind = device.partition(":")[0]
    named = re.compile(rf"""(?:,\s*device=["']{kind}(?::\d+)?["']|\.to\(["']{kind}(?::\d+)?["']\))""")
    example = tuple(sorted((name, named.sub("", recipe)) for name, recipe in entry.example.items()))
    raises = facts.raises
    yield Aspect("error"), Observation(raises and raises.type, example)
    if raises is not None:
        yield Aspect("message"), Observation(f"{raises.type}: {raises.message.strip()}", example)
    warned = frozenset((item.type, item.message.strip()) for item in facts.warns)
    yield Aspect("warnings"), Observation(warned, example)
    open_values = has_open_values(claim)
    for name, fact in facts.names.items():
        if not open_values and "…" not in fact.value:
            yield Aspect("value", name), Observation(_plain(named.sub("", fact.value)), example)
        if fact.flags is not None:
            for aspect, value in _flags(fact.flags, kind):
                yield Aspect(aspect, name), Observation(value, example)


def _plain(printed: str) -> str:
    """Return a printed value without what the flags tell already."""
    return " ".join(_NODE.sub(r"\1Backward", _GRAD_SUFFIX.sub("", printed)).split())


def _flags(flags: Flags, kind: str) -> Iterator[tuple[AspectKind, Hashable]]:
    yield "dtype", flags.dtype
    if flags.leaf is not None:
        yield "leaf", flags.leaf
        yield "requires-grad", flags.requires_grad
        yield "history", flags.grad_fn is not None
    if flags.grad_fn is not None:
        yield "node", flags.grad_fn
    yield "view-of", flags.view_of
    yield "shares", flags.shares
    yield "same", flags.same
    written = () if flags.writable is None else ("writable" if flags.writable else "read-only",)
    yield "flags", (*((flags.device,) if flags.device not in (None, kind) else ()), *written)


def _close(one: str, other: str) -> bool:
    if _NUMBER.sub("#", one).replace(" ", "") != _NUMBER.sub("#", other).replace(" ", ""):
        return False
    pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)))
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in pairs
    )
