"""What an entry of a result file says, taken apart: each part can change on its own between releases."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional

from conformance.language.model import Claim


class Aspect(NamedTuple):
    """One observable part of a claim's entry: its kind, and the name or position that it is about."""

    kind: str
    name: str = ""


@dataclass(frozen=True)
class Observation:
    """The value of an aspect.

    ``example`` is what it was observed on, None for all examples: observations on different examples can't be compared.
    """

    value: Hashable
    example: Hashable = None


#: Dtypes that came after torch 1.8, with the release that brought them.
LATER_DTYPES = {
    "float8_e4m3fn": "2.1",
    "float8_e5m2": "2.1",
    "float8_e4m3fnuz": "2.2",
    "float8_e5m2fnuz": "2.2",
    "uint16": "2.3",
    "uint32": "2.3",
    "uint64": "2.3",
    "float8_e8m0fnu": "2.7",
    "float4_e2m1fn_x2": "2.8",
}
_TRUE, _FALSE = ("holds", "fixed"), ("refuted", "diverges", "changed")
_CRASHES = ("crashed", "timed-out")
# What these give is left open, so that two runs need not agree on it.
_OPEN_VALUE = re.compile(
    r"\b(?:\w*empty\w*|\w*rand\w*|bernoulli\w*|dropout\w*|multinomial|normal_?|uniform_|resize\w*|id|hash|data_ptr"
    r"|default_rng|\w*Tensor|\w*Storage)\s*\("
)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")
_NODE = re.compile(r"\b(\w+?)Backwards?\d*\b")
_GRAD_SUFFIX = re.compile(r",\s*(?:grad_fn=<[^<>]*>|requires_grad=True)")
_CLOSE = 2e-3


def truth(verdict: str) -> Optional[str]:
    """Say what a verdict tells about the claim: ``true``, ``false``, ``crash``, ``open``, or None for nothing."""
    for name, verdicts in (("true", _TRUE), ("false", _FALSE), ("crash", _CRASHES), ("open", ("unspecified",))):
        if verdict in verdicts:
            return name
    return None


def standing(entry: dict[str, Any]) -> Optional[str]:
    """Say how a claim stands: as `truth`, or ``absent`` or ``excluded``; None where the claim itself is broken."""
    verdict = entry["verdict"]
    return {"absent": "absent", "inapplicable": "excluded"}.get(verdict) or truth(verdict)


def aspects(claim: Claim, entry: dict[str, Any]) -> dict[Aspect, Observation]:
    """Take an entry apart; what it does not tell has no aspect."""
    found: dict[Aspect, Observation] = {}
    stands = standing(entry)
    if stands is not None:
        divergence = tuple(entry.get("divergence", ())) if entry["verdict"] == "diverges" else None
        found[Aspect("standing")] = Observation(stands)
        if stands == "false" and divergence is not None:
            found[Aspect("divergence")] = Observation(divergence)
    if stands in ("true", "false", "open"):
        found.update(_facts(claim, entry))
        # Without the field every dtype had a kernel.
        found[Aspect("unsupported")] = Observation(tuple(entry.get("unsupported", ())))
        found.update(_counted(entry))
    if stands not in (None, "absent"):
        found.update(_sentences(claim, entry))
    return found


def same(aspect: Aspect, one: Hashable, other: Hashable) -> bool:
    """Say whether two values of an aspect are the same; numbers of a printed value may differ in the last digits."""
    if one == other:
        return True
    return aspect.kind == "value" and _close(str(one), str(other))


def has_open_values(claim: Claim) -> bool:
    """Say whether a program reads random numbers or memory that was never written: its values prove nothing."""
    texts = [fragment.text for _, fragment in claim.given] + ([claim.do.text] if claim.do else [])
    return any(_OPEN_VALUE.search(text) for text in texts)


def sentence_sources(claim: Claim) -> list[Any]:
    """Return the docstring sources of a claim, in the order in which an entry's ``keys`` tells about them."""
    return [source for source in claim.sources if source.kind == "docs"]


def dtypes_named(text: str) -> set[str]:
    """Return the later dtypes that a text names."""
    return {name for name in LATER_DTYPES if re.search(rf"\b{name}\b", text, re.IGNORECASE)}


def _facts(claim: Claim, entry: dict[str, Any]) -> Iterator[tuple[Aspect, Observation]]:
    facts = entry.get("facts")
    if facts is None:
        return
    example = tuple(sorted(entry.get("example", {}).items()))
    raises = facts.get("raises")
    yield Aspect("error"), Observation(str(raises[0]) if raises else None, example)
    if raises and len(raises) > 1:
        yield Aspect("message"), Observation(f"{raises[0]}: {str(raises[1]).strip()}", example)
    warned = frozenset((str(item[0]), str(item[-1]).strip()) for item in facts.get("warns", ()) if item)
    yield Aspect("warnings"), Observation(warned, example)
    open_values = has_open_values(claim)
    for name, fact in facts.items():
        if name in ("raises", "warns") or not fact or not all(isinstance(part, str) for part in fact):
            continue
        if not open_values and "…" not in fact[0]:
            yield Aspect("value", name), Observation(_plain(fact[0]), example)
        for kind, value in _flags(fact[1] if len(fact) > 1 else ""):
            yield Aspect(kind, name), Observation(value, example)


def _plain(printed: str) -> str:
    """Return a printed value without what the flags tell already."""
    return " ".join(_NODE.sub(r"\1Backward", _GRAD_SUFFIX.sub("", printed)).split())


def _flags(text: str) -> Iterator[tuple[str, Hashable]]:
    words = text.split()
    if not words:
        return
    yield "dtype", words[0]
    values: dict[str, list[str]] = {"view-of": [], "shares": [], "same": []}
    others: list[str] = []
    node = None
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if name == "grad_fn":
            node = value
        elif equals and name in values:
            values[name].append(value)
        elif word not in ("leaf", "non-leaf", "requires-grad"):
            others.append(word)
    if "leaf" in words or "non-leaf" in words:
        yield "leaf", "leaf" in words
        yield "requires-grad", "requires-grad" in words
        yield "history", node is not None
    if node is not None:
        yield "node", node
    for name, inputs in values.items():
        yield name, tuple(inputs)
    yield "flags", tuple(others)


def _counted(entry: dict[str, Any]) -> Iterator[tuple[Aspect, Observation]]:
    for tier, often in entry.get("tiers", {}).items():
        yield Aspect("tier", tier), Observation(often)
    for position, often in enumerate(entry.get("observed", ())):
        yield Aspect("observed", str(position)), Observation(often)


def _sentences(claim: Claim, entry: dict[str, Any]) -> Iterator[tuple[Aspect, Observation]]:
    keys = entry.get("keys", [])
    # A claim's sources may change without its fingerprint; then the positions say nothing.
    if len(keys) != len(sentence_sources(claim)):
        return
    for position, key in enumerate(keys):
        yield Aspect("sentence", str(position)), Observation(key)


def _close(one: str, other: str) -> bool:
    if _NUMBER.sub("#", one).replace(" ", "") != _NUMBER.sub("#", other).replace(" ", ""):
        return False
    pairs = zip(map(float, _NUMBER.findall(one)), map(float, _NUMBER.findall(other)))
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=_CLOSE, abs_tol=_CLOSE) for a, b in pairs
    )
