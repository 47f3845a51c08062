"""Trials as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.trials.model import Difference, Fact, Trials

#: Aspects of which the value alone says what it is.
_BARE = ("type", "value")
_PREPOSITIONS = {"gradient": "to", "writes": "to"}


def fact_text(fact: Fact) -> str:
    """Return a fact as it is read: ``memory of x: view``."""
    if fact.aspect in _BARE:
        return fact.value
    if fact.input:
        return f"{fact.aspect} {_PREPOSITIONS.get(fact.aspect, 'of')} {fact.input}: {fact.value}"
    return f"{fact.aspect}: {fact.value}"


def facts_text(facts: Iterable[Fact]) -> str:
    """Return facts in one line; an error with its message."""
    every = list(facts)
    message = next((fact.value for fact in every if fact.aspect == "message"), "")
    error = next((fact.value for fact in every if fact.aspect == "error"), "")
    parts = [f"raises {error}: {message}" if message else f"raises {error}"] if error else []
    parts += [f"message: {message}"] if message and not error else []
    return "; ".join([*parts, *(fact_text(fact) for fact in every if fact.aspect not in ("error", "message"))])


def trial_lines(trials: Trials) -> Iterator[str]:
    """Yield what a call did: on its base input, and on which inputs something else."""
    yield f"{trials.subject}: {trials.text}"
    yield from (f"    {name} = {expression}" for name, expression in trials.given.items())
    yield f"    {facts_text(trials.base.facts) or 'returns None'}"
    yield from (f"    {', '.join(group.inputs)}: {facts_text(group.facts)}" for group in trials.other)
    if trials.same:
        yield f"    the same: {', '.join(trials.same)}"


def difference_lines(difference: Difference) -> Iterator[str]:
    """Yield what differs between two releases."""
    yield f"{difference.new}: {difference.call} on {', '.join(difference.inputs)}"
    yield f"    before: {facts_text(difference.before) or 'none of this'}"
    yield f"    after: {facts_text(difference.after) or 'none of this'}"
