"""Where an input takes its decisions from: a sweep, a seed, Hypothesis while it shrinks, or always the simplest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from math import gcd, prod
from random import Random
from typing import Any, NamedTuple, Optional, TypeVar, cast

from hypothesis import strategies as st

from conformance.inputs.covering import Admits, admissible_rows, covering_rows

#: What was decided about an example, by label.
Decisions = dict[str, Any]

T = TypeVar("T")

SWEEP_OF_PICKS = 64
"""Most positions that a sweep spends on picks alone."""

_SIMPLEST_TRIED = 24
_PORTION = 16
_BYTES = st.binary(min_size=_PORTION, max_size=_PORTION)


class NoSuchInput(Exception):
    """No input of this kind exists here, for example the index of an element of an empty tensor.

    The example is to be discarded; it says nothing about the claim.
    """


class Choices(ABC):
    """Where an input takes its decisions from.

    Attributes
    ----------
    made
        What was chosen, by label; a tuple for `combine`.
    domains
        The factors and the condition of each `combine`, by label.
    options
        What there was to choose from, of each `pick`, by label.
    """

    __slots__ = ("domains", "made", "options")

    def __init__(self) -> None:
        self.made: Decisions = {}
        self.domains: dict[str, tuple[Sequence[Sequence[Any]], Admits]] = {}
        self.options: dict[str, Sequence[Any]] = {}

    def pick(self, label: str, options: Sequence[T], sweep: Optional[int] = None) -> T:
        """Return one of the options.

        Parameters
        ----------
        label
            Names the decision, uniquely within the example.
        options
            What there is to choose from, simplest first.
        sweep
            How many of the first options a sweep goes through; all of them without it.
        """
        if not options:
            raise NoSuchInput(f"{label}: there is nothing to choose from")
        chosen = self._pick(label, options, sweep)
        self.options[label] = options
        self.made[label] = chosen
        return chosen

    def combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> tuple[Any, ...]:
        """Return one admissible combination, one value per factor.

        Parameters
        ----------
        label
            Names the decision, uniquely within the example.
        factors
            The values of each factor, simplest first.
        admits
            Tells whether a combination is in the domain; see `conformance.inputs.covering.admissible_rows`.
        """
        self.domains[label] = (factors, admits)
        chosen = self._combine(label, factors, admits)
        if chosen is None:
            raise NoSuchInput(f"{label}: there is nothing to choose from among {admits}")
        self.made[label] = chosen
        return chosen

    @abstractmethod
    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T: ...

    @abstractmethod
    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]: ...


class CanonicalChoices(Choices):
    """Always the simplest: the example that a reference shows."""

    __slots__ = ()

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        return options[0]

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        return next((row for row in product(*factors) if admits(row)), None)


class SweepChoices(Choices):
    """One position of a deterministic sweep.

    The first `combine` of an example goes through its covering set row by row; further ones go through theirs in
    another order, so that two inputs of one kind do not move in step. The first `pick` moves fastest, the next one
    moves when the first has gone round, and so on, as long as `SWEEP_OF_PICKS` positions are enough for that.

    Parameters
    ----------
    position
        Which example of the sweep; counts from 0.

    Attributes
    ----------
    length
        After an example: how many positions go through all rows of its longest covering set, and through its picks
        as far as `SWEEP_OF_PICKS` positions go.
    """

    __slots__ = ("_combined", "_longest", "_period", "_rows", "position")

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position
        self._rows = 1
        self._combined = 0
        self._period = 1
        self._longest = 1

    @property
    def length(self) -> int:
        """Return how many positions the sweep needs, as far as this example shows."""
        return max(self._rows, min(self._longest, SWEEP_OF_PICKS))

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        count = len(options) if sweep is None else min(sweep, len(options))
        if count == 1:
            return options[0]
        if self._period * count > SWEEP_OF_PICKS:
            self._period = 1
        chosen = options[self.position // self._period % count]
        self._period *= count
        if self._period > self._longest:
            self._longest = self._period
        return chosen

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        rows = covering_rows(factors, admits)
        count = len(rows)
        if not count:
            return None
        if count > self._rows:
            self._rows = count
        index = self.position
        if self._combined:
            index *= _step(count, self._combined)
        self._combined += 1
        return rows[index % count]


class SeededChoices(Choices):
    """Decisions at random, the same for the same stream on every version of Python.

    Parameters
    ----------
    stream
        Where they come from; several examples may take theirs from one stream, one after the other.
    """

    __slots__ = ("_stream",)

    def __init__(self, stream: Random) -> None:
        super().__init__()
        self._stream = stream

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        return options[self._stream.randrange(len(options))]

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        rows = admissible_rows(factors, admits)
        return rows[self._stream.randrange(len(rows))] if rows else None


class NarrowedChoices(Choices):
    """Decisions drawn by Hypothesis among what is no more complicated than a known failing example: for shrinking.

    They are taken from bytes, drawn a portion at a time: a draw costs far more than a byte of it, and every byte is
    shrunk by itself towards 0, the simplest option.

    Parameters
    ----------
    draw
        What ``st.composite`` passes to its function, or ``data.draw``.
    failing
        The ``made`` of the choices of the failing example.
    """

    __slots__ = ("_draw", "_failing", "_left", "_portion")

    def __init__(self, draw: Callable[[Any], Any], failing: Mapping[str, object]) -> None:
        super().__init__()
        self._draw = draw
        self._failing = failing
        self._portion = b""
        self._left = 0

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        return self._narrowed(options, self._failing.get(label))

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        recorded = self._failing.get(label)
        if not isinstance(recorded, tuple) or len(recorded) != len(factors):
            recorded = (None,) * len(factors)
        chosen = tuple(map(self._narrowed, factors, recorded))
        if admits(chosen):
            return chosen
        # What does not go together is mended by making one factor less simple, as little as possible, or else by taking
        # the first few from the recorded combination.
        for place in reversed(range(len(factors))):
            values = factors[place]
            for value in values[values.index(chosen[place]) + 1 : _place(recorded[place], values) + 1]:
                mended = (*chosen[:place], value, *chosen[place + 1 :])
                if admits(mended):
                    return mended
        there = tuple(value if value in values else other for value, values, other in zip(recorded, factors, chosen))
        for place in range(len(factors)):
            mended = (*there[: place + 1], *chosen[place + 1 :])
            if admits(mended):
                return mended
        return next(iter(admissible_rows(factors, admits)), None)

    def _narrowed(self, options: Sequence[T], recorded: object) -> T:
        """Return an option up to the recorded one, which is itself as likely as all the simpler ones together."""
        last = _place(recorded, options)
        # One byte for every decision, needed or not: a change of one then leaves the meaning of the others.
        number = self._byte()
        if number >= 128:
            return options[last]
        return options[(number if last < 128 else number * 128 + self._byte()) % (last + 1)]

    def _byte(self) -> int:
        if not self._left:
            self._portion = self._draw(_BYTES)
            self._left = _PORTION
        self._left -= 1
        return self._portion[_PORTION - 1 - self._left]


def _place(recorded: object, options: Sequence[Any]) -> int:
    """Return where the recorded value is among the options; 0 when it is not."""
    return next((place for place, option in enumerate(options) if option == recorded), 0)


class RecordedChoices(Choices):
    """The decisions of an earlier example once more, as far as they exist here; else the simplest.

    Parameters
    ----------
    recorded
        The ``made`` of the earlier choices, perhaps with changes.
    """

    __slots__ = ("_recorded",)

    def __init__(self, recorded: Mapping[str, object]) -> None:
        super().__init__()
        self._recorded = recorded

    def _pick(self, label: str, options: Sequence[T], sweep: Optional[int]) -> T:
        return options[_place(self._recorded.get(label), options)]

    def _combine(self, label: str, factors: Sequence[Sequence[Any]], admits: Admits) -> Optional[tuple[Any, ...]]:
        recorded = self._recorded.get(label)
        if recorded is None:
            return next(iter(admissible_rows(factors, admits)), None)
        if not isinstance(recorded, tuple):
            return None
        # What another decision made impossible here, such as the size of a tensor that has another one's shape.
        row = tuple(value if value in values else values[0] for value, values in zip(recorded, factors) if values)
        return row if len(row) == len(factors) and admits(row) else None


class _Simplification(NamedTuple):
    """One decision, or one factor of a `combine`, made simpler; ``rank`` counts the options that are simpler still."""

    label: str
    factor: Optional[int]
    value: Any
    rank: int


def simpler(choices: Choices) -> Iterator[Decisions]:
    """Yield the decisions of an example with one of them made simpler, earlier decisions and simplest ones first.

    A domain says with its attribute ``smallest_first`` in which order a counterexample prefers the values of each
    factor, where that is not the order of the factors; a shape is simpler than one with more elements.
    """
    for one in _simplifications(choices):
        yield from _simplified(choices, one)


def simpler_together(choices: Choices) -> Iterator[Decisions]:
    """Yield the decisions of an example with two of them made simpler, equally simple and simplest ones first."""
    pairs = [
        (one, other)
        for one, other in combinations(_simplifications(choices), 2)
        if (one.label, one.factor) != (other.label, other.factor)
    ]
    for one, other in sorted(pairs, key=lambda pair: (abs(pair[0].rank - pair[1].rank), pair[0].rank)):
        yield from _simplified(choices, one, other)


def _simplifications(choices: Choices) -> Iterator[_Simplification]:
    for label, chosen in choices.made.items():
        if label not in choices.domains:
            options = sorted(choices.options[label], key=_elements)
            for rank, option in enumerate(options[: min(_place(chosen, options), _SIMPLEST_TRIED)]):
                yield _Simplification(label, None, option, rank)
            continue
        factors, admits = choices.domains[label]
        for factor, values in enumerate(getattr(admits, "smallest_first", factors)):
            for rank, value in enumerate(values[: _place(chosen[factor], values)]):
                yield _Simplification(label, factor, value, rank)


def _simplified(choices: Choices, *simplifications: _Simplification) -> Iterator[Decisions]:
    """Yield the decisions with some made simpler, if that is in the domain."""
    made = dict(choices.made)
    for label, factor, value, _ in simplifications:
        made[label] = value if factor is None else (*made[label][:factor], value, *made[label][factor + 1 :])
    if all(one.factor is None or choices.domains[one.label][1](made[one.label]) for one in simplifications):
        yield made


def _elements(option: object) -> int:
    """Return how many elements a shape has; 0 for all else, so that its order stays."""
    is_shape = isinstance(option, tuple) and all(type(size) is int for size in option)
    return prod(cast("tuple[int, ...]", option)) if is_shape else 0


_steps: dict[tuple[int, int], int] = {}


def _step(count: int, order: int) -> int:
    """Return a step that visits all of ``count`` rows, another one for each ``order``."""
    step = _steps.get((count, order))
    if step is None:
        step = int(count * (0.618 * order % 1)) or 1
        while gcd(step, count) != 1:
            step += 1
        _steps[(count, order)] = step
    return step
