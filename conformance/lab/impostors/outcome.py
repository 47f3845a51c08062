"""What goes to and from the processes in which mutants run; nothing here needs torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Optional

from conformance.lab.impostors.record import Killed, Noticing
from conformance.language.model import Claim
from conformance.results.model import Device, Environment

Status = Literal["judged", "absent", "inapplicable", "unspecified", "timing", "processes", "crashing", "unsound"]
#: In an `Attempt`, what does as torch does: a program must not notice that it is there.
CONTROL = "control"


@dataclass(frozen=True)
class Part:
    """One thing that must be true: its name, such as ``diverges[0] expect[1]``, what it says, and where it stands."""

    name: str
    text: str
    place: str


@dataclass(frozen=True, order=True)
class Attempt:
    """One mutant, by names: the operator, what it gets wrong, and which uses of that."""

    operator: str
    target: str
    uses: str


@dataclass(frozen=True)
class MutationOutcome:
    """What the mutants did to one claim.

    Attributes
    ----------
    status : str
        ``judged``, or why it is not: ``absent``, ``inapplicable``, ``unspecified``, ``timing``, ``processes`` where a
        mutant in one process would make another wait, ``crashing`` where torch dies on every example, as is recorded,
        or ``unsound`` where the claim is false, or decides nothing, without any mutant.
    parts : tuple of Part
        What must be true.
    killed_by : mapping
        The operators that killed each killed part, the first one first.
    crashed : tuple of str
        The operators under which torch crashed; they count as killers too.
    only_in_assertion : tuple of str
        The parts that are killed only by mutating a call inside of an assertion.
    only_off_subject : tuple of str
        The parts that no mutant of the claim's subject kills, although the program uses it, but one of something else.
    only_skipped : bool
        Whether only operators that skip a call or swallow an error kill the claim, which does not look at an error.
    detected_by_error : tuple of str
        Further operators, under which the program raised an error.
    died : tuple of Attempt
        The mutants under which torch crashed or hung.
    out_of_time : bool
        Whether the time for one claim ran out before everything was tried.
    moving, idle : tuple of str
        The inputs that change something that the claim looks at, and those that don't.
    detail : str
        Why the claim is unsound.
    arguments : Noticing
        Which arguments the claim notices to be wrong.
    """

    status: Status
    parts: tuple[Part, ...] = ()
    killed_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    crashed: tuple[str, ...] = ()
    only_in_assertion: tuple[str, ...] = ()
    only_off_subject: tuple[str, ...] = ()
    only_skipped: bool = False
    detected_by_error: tuple[str, ...] = ()
    died: tuple[Attempt, ...] = ()
    out_of_time: bool = False
    moving: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    detail: str = ""
    arguments: Noticing = field(default_factory=Noticing)

    @property
    def killers(self) -> list[str]:
        """The operators that killed some part, that get a noticed argument wrong, or under which torch crashed."""
        names = {name for names in self.killed_by.values() for name in names}
        return sorted({*self.crashed, *names, *self.arguments.noticed})

    @property
    def survivors(self) -> list[Part]:
        """The parts that no mutant kills."""
        return [part for part in self.parts if part.name not in self.killed_by]


@dataclass(frozen=True)
class Request:
    """A claim to be judged under mutants.

    Attributes
    ----------
    earlier : Killed, optional
        What an earlier run recorded of it: what killed it is tried first, and what survived is left alone.
    done : frozenset of str
        Operators that are not to be run again: then only the others are, on what survived.
    skipped : frozenset of Attempt
        Mutants that are not to be run again, since torch crashed or hung under them.
    """

    claim: Claim
    earlier: Optional[Killed] = None
    done: frozenset[str] = frozenset()
    skipped: frozenset[Attempt] = frozenset()

    @property
    def survivors(self) -> frozenset[str]:
        """The parts that survived in the earlier run."""
        return frozenset(self.earlier.standing if self.earlier else ())


@dataclass(frozen=True)
class Options:
    """What every process of a run starts with: the device, files of further operators, and which ones to use (all)."""

    device: Device
    added: tuple[str, ...]
    only: tuple[str, ...]


@dataclass(frozen=True)
class Greeting:
    """What a process says first: what is measured there, and what each operator gets wrong, in the order of trying."""

    environment: Environment
    operators: Mapping[str, str]
