"""What a measurement of calls gives, as types: rules over the axes of the inputs, for each aspect of each call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any, Optional, Union

from conformance.profiles.axes import is_member
from conformance.results.model import Environment, Signal

#: The version of the format of profile files. A change of meaning raises it.
VERSION = 2

#: Every aspect of a call; those with True are seen for each input.
ASPECTS: Mapping[str, bool] = {
    "error": False,
    "warning": False,
    "type": False,
    "memory": True,
    "writes": True,
    "version": True,
    "input autograd": True,
    "autograd": False,
    "grad_fn": False,
    "gradient": True,
    "dtype": False,
    "device": False,
    "shape": False,
    "strides": False,
    "bits": False,
    "global state": False,
}
#: The outcome of ``error`` where a call returns.
RETURNS = "returns"
#: What nearly every call does; a profile file leaves it out where it is so in every example that returns.
USUAL: Mapping[str, str] = {
    "error": RETURNS,
    "warning": "none",
    "writes": "unchanged",
    "version": "same",
    "input autograd": "unchanged",
    "global state": "unchanged",
}

#: Stands for the number of an example while results are printed.
PRINTING = -1

#: The value of each axis of one example; an axis is the name of an input and of one of its properties.
AxisValues = Mapping[tuple[str, str], str]


def field_of(description: str, default: Any = MISSING, **bounds: Any) -> Any:
    """Return a field of a class that is written as JSON; ``dict`` as its default makes an empty one."""
    metadata = {"description": description, **bounds}
    if default is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


#: For inputs and their axes: values, or classes of them.
Values = Mapping[str, Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Condition:
    """A property of one input.

    Attributes
    ----------
    input
        The name of the input.
    axis
        The property: dtype, layout, size, state, …
    values
        Its values, or classes of them: any of these.
    negated
        Whether it is none of the values.
    """

    input: str
    axis: str
    values: tuple[str, ...]
    negated: bool = False

    def holds(self, example: AxisValues) -> bool:
        """Return whether an example has the property."""
        value = example.get((self.input, self.axis), "")
        return any(is_member(self.axis, value, name) for name in self.values) != self.negated


@dataclass(frozen=True)
class Branch:
    """One line of a rule: what happens where all conditions hold."""

    then: str = field_of("What happens there: for an error or warning, its class.")
    where: Values = field_of("Each of these axes has one of its values.", dict)
    unless: Values = field_of("Each of these axes has none of its values.", dict)
    message: str = field_of("The normalised message of an error or warning.", "")
    also: tuple[str, ...] = field_of("What else is true of every example that this decided.", ())

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions that all hold."""
        return tuple(
            Condition(name, axis, values, negated)
            for stated, negated in ((self.where, False), (self.unless, True))
            for name, axes in stated.items()
            for axis, values in axes.items()
        )

    def holds(self, example: AxisValues) -> bool:
        """Return whether an example meets all conditions."""
        return all(condition.holds(example) for condition in self.conditions)


#: What can be said of an aspect: a few words, or an error or warning.
Outcome = Union[str, Signal]


def branch(conditions: Iterable[Condition], outcome: Outcome) -> Branch:
    """Return a branch with some conditions, at most one for each axis."""
    where: dict[str, dict[str, tuple[str, ...]]] = {}
    unless: dict[str, dict[str, tuple[str, ...]]] = {}
    for condition in conditions:
        stated = unless if condition.negated else where
        stated.setdefault(condition.input, {})[condition.axis] = condition.values
    if isinstance(outcome, Signal):
        return Branch(outcome.type, where, unless, outcome.message)
    return Branch(outcome, where, unless)


@dataclass(frozen=True)
class Rule:
    """A decision list that reproduces every example: the first branch that holds decides."""

    otherwise: str = field_of("What happens where no branch holds.")
    message: str = field_of("The normalised message that goes with it.", "")
    branches: tuple[Branch, ...] = field_of("Exceptions, the first that holds decides.", ())
    also: tuple[str, ...] = field_of("What else is true of every example that no branch decided.", ())

    def decide(self, example: AxisValues) -> Branch:
        """Return the branch that decides an example; one without conditions where none of the branches does."""
        usual = Branch(self.otherwise, message=self.message, also=self.also)
        return next((branch for branch in self.branches if branch.holds(example)), usual)

    def outcome(self, example: AxisValues) -> str:
        """Return what happens in an example."""
        return self.decide(example).then

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Every outcome that the rule names, the usual one first."""
        return tuple(dict.fromkeys([self.otherwise, *(branch.then for branch in self.branches)]))

    @property
    def axes(self) -> tuple[tuple[str, str], ...]:
        """The axes that the rule looks at."""
        used = {(condition.input, condition.axis) for branch in self.branches for condition in branch.conditions}
        return tuple(sorted(used))


@dataclass(frozen=True)
class Row:
    """One outcome of an aspect without a rule."""

    outcome: str = field_of("What happened.")
    examples: int = field_of("In how many examples.", least=1)
    message: str = field_of("The normalised message that goes with it.", "")


@dataclass(frozen=True)
class Domain:
    """What inputs were tried."""

    given: Mapping[str, str] = field_of("Expression of each input.")
    values: Mapping[str, Mapping[str, tuple[str, ...]]] = field_of(
        "For each input and each of its properties: the values tried."
    )
    examples: int = field_of("How many examples were tried.", least=0)
    printed: tuple[Mapping[str, str], ...] = field_of("Recipes of the examples whose results are printed.", ())


Findings = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Profile:
    """What one call does.

    An aspect stands in exactly one of ``always``, ``rules`` and ``tables``, by its name and by the input that it is
    about; that of the result stands under an empty name. What is usual and always so (see `USUAL`), and what was never
    seen, stands in none.
    """

    subject: str = field_of("The name that is called.", longest=300)
    call: str = field_of("The call.")
    given: Mapping[str, str] = field_of("Expression of each input.", dict)
    returned: int = field_of("In how many examples it returned.", 0, least=0)
    always: Findings = field_of("Aspects that are the same in every example.", dict)
    rules: Mapping[str, Mapping[str, Rule]] = field_of("Aspects with a rule.", dict)
    tables: Mapping[str, Mapping[str, tuple[Row, ...]]] = field_of("Aspects without a short rule.", dict)
    values: tuple[Optional[str], ...] = field_of("Printed results of the printed examples of the domain.", ())
    varies: bool = field_of("Whether a result is another one with another seed or in other fresh memory.", False)
    failed: Optional[str] = field_of("Why the call could not be measured.", None)

    def rule(self, aspect: str, of: str = "") -> Optional[Rule]:
        """Return the rule of an aspect; None where there is only a table, or where it was never seen."""
        if of in self.always.get(aspect, {}):
            return Rule(self.always[aspect][of])
        if of in self.tables.get(aspect, {}):
            return None
        usual = Rule(USUAL[aspect]) if aspect in USUAL and self.returned else None
        return self.rules.get(aspect, {}).get(of, usual)

    def findings(self) -> Iterator[tuple[str, str, Optional[Rule]]]:
        """Yield each aspect that is not as usual, the input it is about, and its rule; None where there is a table."""
        for aspect in ASPECTS:
            for of, outcome in self.always.get(aspect, {}).items():
                yield aspect, of, Rule(outcome)
            for of, rule in self.rules.get(aspect, {}).items():
                yield aspect, of, rule
            for of in self.tables.get(aspect, {}):
                yield aspect, of, None


@dataclass(frozen=True)
class ProfileHeader:
    """The first line of a profile file."""

    schema: int = field_of("Version of this format.", least=1)
    environment: Environment = field_of("Where it was measured.")


@dataclass(frozen=True)
class MeasuredCall:
    """What a call does, and what was tried."""

    profile: Profile
    domain: Domain
