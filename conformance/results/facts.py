"""What a canonical example showed, in words."""

from __future__ import annotations

from typing import Optional

from conformance.language.model import Claim
from conformance.results.model import Entry, Facts, Flags, Signal


def fact_lines(facts: Facts) -> list[str]:
    """Return what each name held, with what else is known of it, then the error and the warnings."""
    lines: list[str] = []
    for name, fact in facts.names.items():
        lines.append(f"{name} = {fact.value}")
        lines += [f"    # {flags_in_words(fact.flags)}"] if fact.flags is not None else []
    return [*lines, *map(signal_in_words, (*((facts.raises,) if facts.raises else ()), *facts.warns))]


def happening(claim: Claim, entry: Entry) -> str:
    """Return what comes of an error or a warning that nobody promises, such as ``raises RuntimeError``.

    Empty for a claim that is judged, or that is about no error or warning.
    """
    asked = claim.expectation.warns or claim.expectation.raises
    often = entry.tiers.error if entry.tiers is not None else None
    if entry.verdict != "unspecified" or asked is None or often is None:
        return ""
    verb = "raises" if claim.expectation.warns is None else "warns"
    if often == "never":
        return f"does not {verb[:-1]}"
    name = _seen(entry, verb) or (asked.type if entry.tiers and entry.tiers.type == "always" else None)
    told = f"{verb} {name}" if name else verb
    return told if often == "always" else f"{told} for some inputs"


def _seen(entry: Entry, verb: str) -> Optional[str]:
    """Return the class of the error or the warning of the canonical example."""
    facts = entry.facts or Facts()
    signals = facts.warns if verb == "warns" else (facts.raises,) if facts.raises else ()
    return signals[0].type if signals else None


def signal_in_words(signal: Signal) -> str:
    """Return the class of an error or a warning, and its message where it has one."""
    return ": ".join(filter(None, (signal.type, signal.message)))


def flags_in_words(flags: Flags) -> str:
    """Put what is known of a tensor or an array beside its elements into words."""
    parts = [flags.dtype, flags.device]
    parts += [] if flags.leaf is None else ["leaf" if flags.leaf else "non-leaf"]
    parts += ["requires grad"] if flags.requires_grad else []
    parts += [f"grad_fn {flags.grad_fn}"] if flags.grad_fn else []
    parts += [] if flags.writable is None else ["writable" if flags.writable else "read-only"]
    parts += [f"is {name} itself" for name in flags.same]
    parts += [f"view of {name}" for name in flags.view_of]
    parts += [f"shares memory with {name}" for name in flags.shares]
    return ", ".join(filter(None, parts))
