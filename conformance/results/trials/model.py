"""Trials of calls as types: a call, the inputs that it was tried on, and what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

#: The name of the trial that all others differ from in one thing.
BASE = "base"
#: The aspects that are about one input; the others are about the call or its result.
OF_INPUT = ("memory", "gradient", "writes", "version counter", "autograd state")
#: Everything that is observed of a call.
ASPECTS = (
    *("error", "message", "warning", "type", "value", "memory", "requires grad", "leaf", "grad_fn", "gradient"),
    *("dtype", "shape", "strides", "device", "bits", "writes", "version counter", "autograd state", "global state"),
)
#: What is not recorded because nearly every call does it.
USUAL: Mapping[str, str] = {
    "writes": "nothing",
    "version counter": "same",
    "autograd state": "unchanged",
    "device": "cpu",
    "bits": "none",
    "global state": "unchanged",
}
#: Inputs that much code has. A difference on any of them is one that people meet.
ORDINARY = frozenset(
    (BASE, "float64", "int64", "bool", "transposed", "1-d", "3-d", "4-d", "no grad", "non-leaf", "parameter")
)


@dataclass(frozen=True)
class Fact:
    """One thing that was observed.

    Attributes
    ----------
    aspect
        One of `ASPECTS`; ``message`` is that of the error.
    input
        The input that it is about, such as ``x``; empty where it is about the call or its result.
    value
        What was observed. Of ``memory``: ``same object``, ``view``, ``shares storage`` or ``own memory``. Of
        ``gradient``: ``flows``, ``does not flow``, or ``raises`` with the error. Of ``requires grad`` and ``leaf``:
        ``yes`` or ``no``. Of ``dtype``, ``shape`` and ``strides``: ``as x``, or what it is. Of several results that
        differ: one after the other, with ``; `` between them.
    """

    aspect: str
    input: str
    value: str

    def is_reworded(self, other: Fact) -> bool:
        """Whether another fact is the same warning in other words."""
        classes = [fact.value.partition(": ")[0] for fact in (self, other)]
        return self.aspect == other.aspect == "warning" and classes[0] == classes[1]


@dataclass(frozen=True)
class Group:
    """Inputs on which a call did the same, and something else than on the base input.

    Attributes
    ----------
    inputs
        Their names, such as ``int64`` or ``transposed``; `RecordedTrials.expressions` says how each is made.
    facts
        What was different. An ``error`` stands alone or with warnings and writes. What cannot be observed on an input,
        such as the gradient of an integer tensor or the memory of an empty one, is left out; it is not the same.
    """

    inputs: tuple[str, ...]
    facts: tuple[Fact, ...]

    def value(self, aspect: str, input: str = "") -> str:
        """Return what was observed of an aspect; empty where it was not, or was as on the base input."""
        return next((fact.value for fact in self.facts if (fact.aspect, fact.input) == (aspect, input)), "")

    @property
    def error(self) -> str:
        """The class of the error and its message; empty where the call returned or raised as on the base input."""
        message = self.value("message")
        return f"{self.value('error')}: {message}" if message else self.value("error")


@dataclass(frozen=True)
class Trials:
    """What one call did on one release.

    Attributes
    ----------
    subject
        The name that is called, such as ``torch.Tensor.reshape``.
    setup
        Statements that ran before the call; empty for most.
    call
        The expression or statement that was observed.
    given
        The expression that builds each input of the base trial, by name and in order.
    base
        What happened on the base input. Aspects that are `USUAL` are left out.
    other
        Inputs on which something else happened, in groups.
    same
        Inputs on which all that could be observed was as on the base input.
    """

    subject: str
    setup: str
    call: str
    given: Mapping[str, str]
    base: Group
    other: tuple[Group, ...] = ()
    same: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The statements that run on the inputs, as they are written in ``spec/calls``."""
        return f"{self.setup}; {self.call}" if self.setup else self.call

    @property
    def returns(self) -> bool:
        """Whether the call returned on the base input."""
        return not self.base.value("error")

    def observations(self) -> Mapping[str, tuple[Fact, ...]]:
        """Return all facts by the name of the input: those of the base trial, and what differed from them."""
        every = {BASE: self.base.facts, **dict.fromkeys(self.same, self.base.facts)}
        for group in self.other:
            different = {(fact.aspect, fact.input) for fact in group.facts}
            kept = (
                () if group.error else (fact for fact in self.base.facts if (fact.aspect, fact.input) not in different)
            )
            every.update(dict.fromkeys(group.inputs, (*kept, *group.facts)))
        return every


@dataclass(frozen=True)
class NameTrials:
    """The trials of all calls of a name on one release.

    Attributes
    ----------
    release
        The release of torch, such as ``2.13.0``.
    usual
        The calls that returned on the base input, the plainest first.
    wrong
        The calls that raised there: wrong arguments, most of them.
    """

    name: str
    release: str
    usual: tuple[Trials, ...]
    wrong: tuple[Trials, ...]

    def __iter__(self) -> Iterator[Trials]:
        yield from self.usual
        yield from self.wrong


@dataclass(frozen=True)
class Difference:
    """What a call did on one release and not on a later one, on the same inputs.

    Attributes
    ----------
    old, new
        The two releases.
    inputs
        The inputs on which it differs in this way.
    before, after
        The facts that differ. Where one side raised, its error stands against ``type``: what the other returned.
    """

    name: str
    call: str
    old: str
    new: str
    inputs: tuple[str, ...]
    before: tuple[Fact, ...]
    after: tuple[Fact, ...]
    given: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ordinary(self) -> bool:
        """Whether one of the inputs is one that much code has."""
        return not ORDINARY.isdisjoint(self.inputs)

    def concerns(self, aspect: str) -> bool:
        """Whether an aspect differs."""
        return any(fact.aspect == aspect for fact in (*self.before, *self.after))

    @property
    def is_wording(self) -> bool:
        """Whether only the messages of errors and warnings differ, not their classes."""
        return all(
            fact.aspect == "message" or (fact.aspect == "warning" and any(map(fact.is_reworded, self.after)))
            for fact in self.before
        ) and len(self.before) == len(self.after)
