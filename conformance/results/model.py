"""What a run measures, as types: everything that travels from the worker to a result file and on to a page.

JSON exists only at the border: `conformance.base.codec` reads and writes these classes, and derives the JSON Schema
of result files from them. The description of a field is its metadata, so that the schema says the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from typing import Any, Literal, Optional

#: The version of the format of result files. A change of meaning raises it.
VERSION = 2
#: The revision of the code that measures: the worker, inputs, checks and scripts. A change after which some entry may
#: come out otherwise raises it, and everything is measured again; a test notices that this code changed.
HARNESS = 3
#: The longest text that a result file may hold, in characters.
LONGEST_TEXT = 20_000

Verdict = Literal[
    "holds",
    "refuted",
    "diverges",
    "unexpected-pass",
    "diverges-differently",
    "unspecified",
    "absent",
    "inapplicable",
    "unsupported",
    "crashed",
    "timed-out",
    "invalid",
]
#: Verdicts that make a run fail.
FAILING: tuple[Verdict, ...] = (
    "refuted",
    "unexpected-pass",
    "diverges-differently",
    "crashed",
    "timed-out",
    "invalid",
)
#: What names a device.
DEVICE = r"^[a-z][a-z0-9_]*(:[0-9]{1,3})?$"
#: How often something was true over all examples.
Often = Literal["always", "sometimes", "never"]
#: A device type of torch, and an index where it is not the first device of that type: ``cuda``, ``cuda:1``.
Device = str
#: What can be false: the last statement, one before it, an expression, a promised error or warning.
PartKind = Literal["do", "earlier-statement", "expect", "raises", "warns"]
#: How far a promised error or warning goes: that there is one, its class, its message.
Tier = Literal["error", "type", "message"]


def _field(
    description: str,
    default: Any = MISSING,
    *,
    pattern: Optional[str] = None,
    longest: int = LONGEST_TEXT,
    least: Optional[int] = None,
) -> Any:
    """Declare a field with what the schema says of it; a mapping's default is given as ``dict``.

    Parameters
    ----------
    pattern, longest
        What the texts in the field match, and their greatest length in characters.
    least
        The smallest number in the field.
    """
    metadata = {"description": description, "pattern": pattern, "longest": longest, "least": least}
    if default is dict:
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Environment:
    """Where something was measured."""

    torch: str = _field("Release of torch, without the build.", longest=100)
    build: str = _field("What follows + in torch's version, or 'default'.", longest=100)
    python: str = _field("Major and minor version of Python.", longest=100)
    numpy: str = _field("Version of NumPy.", longest=100)
    device: Device = _field(
        "The device under test: its type, with an index where it was asked for with one.", pattern=DEVICE, longest=60
    )
    system: str = _field("Operating system, in lower case.", longest=100)
    machine: str = _field("Processor architecture, in lower case.", longest=100)
    hypothesis: Optional[str] = _field("Version of Hypothesis.", None, longest=100)
    accelerator: Optional[str] = _field("Name of the hardware of a device other than the CPU.", None, longest=200)
    processor: Optional[str] = _field("Name of the processor, where times were taken.", None, longest=200)


@dataclass(frozen=True)
class Flags:
    """What is known of a tensor or an array beside its elements.

    ``leaf`` is `None` for an array, ``writable`` is `None` for a tensor.
    """

    dtype: str = _field("Its dtype, without 'torch.'.", longest=100)
    device: Optional[str] = _field("Its device, where that is not the processor.", None, longest=100)
    leaf: Optional[bool] = _field("Whether a tensor is a leaf.", None)
    requires_grad: bool = _field("Whether it requires grad.", False)
    grad_fn: Optional[str] = _field("The class of its grad_fn.", None, longest=500)
    writable: Optional[bool] = _field("Whether an array may be written to.", None)
    same: tuple[str, ...] = _field("Inputs that are the same object.", (), longest=200)
    view_of: tuple[str, ...] = _field("Inputs of which autograd has it on record as a view.", (), longest=200)
    shares: tuple[str, ...] = _field("Inputs whose storage it shares.", (), longest=200)


@dataclass(frozen=True)
class Fact:
    """What a name held after the program."""

    value: str = _field("Its printed form on one line, shortened.")
    flags: Optional[Flags] = _field("What else is known of a tensor or an array.", None)


@dataclass(frozen=True, order=True)
class Signal:
    """An error or a warning: its class, and its message without numbers, addresses and paths."""

    type: str = _field("Name of the class.", longest=500)
    message: str = _field("The first line of the message, normalised.", "")


@dataclass(frozen=True)
class Facts:
    """What the canonical example showed beside the verdict; it may change between releases while the verdict stays."""

    raises: Optional[Signal] = _field("The error that the program raised.", None)
    warns: tuple[Signal, ...] = _field("The warnings that its last statement gave, sorted.", ())
    names: Mapping[str, Fact] = _field("What each name that the program assigned held.", dict)


@dataclass(frozen=True)
class Coverage:
    """How much of an input's domain was tried.

    For a tensor the axes are dtype, layout, size and autograd state.
    """

    axes: tuple[int, ...] = _field("How many values of each axis were tried.", least=0)
    pairs: int = _field("How many pairs of values of two axes were tried.", least=0)
    admitted: int = _field("How many such pairs the input admits.", least=0)
    unjudged: Optional[tuple[str, ...]] = _field(
        "Values of the first axis, its dtype, that the input admits but no judged example had; null in older files.",
        None,
        longest=200,
    )


@dataclass(frozen=True)
class WeakEvidence:
    """A way in which a claim proves less than it seems to."""

    code: str = _field("Its code.", pattern="^V[0-9]{3}$", longest=4)
    message: str = _field("What is weak, and what to do.")

    def __str__(self) -> str:
        return f"{self.code} {self.message}"


@dataclass(frozen=True)
class Tiers:
    """How often a promised error or warning was met; `None` where the claim does not ask for the tier."""

    error: Optional[Often] = _field("That there was one at all.", None)
    type: Optional[Often] = _field("With its class.", None)
    message: Optional[Often] = _field("With its message.", None)


@dataclass(frozen=True)
class FailedPart:
    """The part of a claim that was false."""

    kind: PartKind = _field("Which part.")
    position: Optional[int] = _field("For an expression: its position in 'expect', from 0.", None, least=0)
    text: Optional[str] = _field("For an expression: its text.", None)
    tier: Optional[Tier] = _field("For an error or a warning: how far it was not as promised.", None)

    def __str__(self) -> str:
        if self.kind == "expect":
            return f"expect[{self.position}]: {self.text}"
        if self.kind == "earlier-statement":
            return "an earlier statement of do"
        return f"{self.kind} {self.tier}" if self.tier else self.kind


@dataclass(frozen=True)
class Entry:
    """What one run measured for one claim: a line of a result file."""

    claim: str = _field("Fingerprint of what was measured.", pattern="^[0-9a-f]{8}$")
    verdict: Verdict = _field("What came of it.")
    examples: Optional[int] = _field("Distinct examples that decided something.", None, least=0)
    covered: Mapping[str, Coverage] = _field("For each input with axes: what was tried of its domain.", dict)
    missing_kernels: Mapping[str, tuple[str, ...]] = _field(
        "For each class of error: the dtypes, or on another device than the CPU the operators, as that error names"
        " them, for which torch lacks a kernel; such examples do not count.",
        dict,
        longest=500,
    )
    no_kernel: tuple[str, ...] = _field("The same in older files, which do not tell the class.", ())
    weak_evidence: tuple[WeakEvidence, ...] = _field("Each way in which the claim proves too little here.", ())
    tiers: Optional[Tiers] = _field("How often a promised error or warning was met.", None)
    observed: tuple[Often, ...] = _field("For an unspecified claim: how often each expression was true.", ())
    example: Mapping[str, str] = _field("Recipes of the canonical example.", dict)
    facts: Optional[Facts] = _field("What the canonical example showed.", None)
    sentences: tuple[Optional[str], ...] = _field(
        "For each docstring source in order: the hash of its sentence, or null where this torch lacks it.",
        (),
        pattern="^[0-9a-f]{8}$",
    )
    divergence: tuple[int, ...] = _field("Which recorded divergences applied, counted from 0.", (), least=0)
    sizes: tuple[int, ...] = _field("For a timing claim: numbers of elements that were timed.", (), least=0)
    kernels: Mapping[str, tuple[float, ...]] = _field(
        "For a timing claim: each kernel's median time over that of the first, for each size.", dict, least=0
    )
    failed: Optional[FailedPart] = _field("The part of the expectation that was false.", None)
    detail: Optional[str] = _field("The values behind it, or why the claim could not be judged.", None)
    counterexample: Optional[str] = _field("A script that shows it with torch and NumPy alone.", None)

    @property
    def fails(self) -> bool:
        """Whether it makes a run fail: times never do, since they depend on the machine."""
        return self.verdict in FAILING and (not self.kernels or self.verdict == "invalid")


@dataclass(frozen=True)
class Outcome:
    """An entry, and what only the terminal shows.

    ``printed`` is the end of what a dying torch printed; it holds addresses and paths, so no result file keeps it.
    """

    entry: Entry
    printed: str = ""


@dataclass(frozen=True)
class Header:
    """The first line of a result file."""

    schema: int = _field("Version of this format.", least=1)
    environment: Environment = _field("Where it was measured.")
    corpus: str = _field("Revision of the corpus measured.", pattern="^[0-9a-f]{12}$")
    examples: int = _field("Examples that Hypothesis tried for each claim after the sweep.", least=0)
    seed: int = _field("Seed of the search.")
    void: Optional[str] = _field("Why nothing in this file may be believed.", None)
    harness: int = _field("Revision of the code that measured.", 1, least=1)
