"""What impostors did to a claim; nothing here needs torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(frozen=True)
class Part:
    """One thing that must be true.

    Attributes
    ----------
    name : str
        Where it is in the claim: ``expect[1]``, ``raises type``, ``diverges[0] expect[0]``.
    text : str
        What it says.
    place : str
        File, line and column.
    """

    name: str
    text: str
    place: str


@dataclass
class Finding:
    """What the impostors did to one claim.

    Attributes
    ----------
    status : str
        ``judged``, or why there is nothing to judge: ``absent``, ``inapplicable``, ``unspecified``, ``timing``,
        ``crashing`` where torch dies on every example, as is recorded, or ``unsound`` where the claim is false, or
        decides nothing, without any impostor.
    parts : tuple of Part
        What must be true.
    killed : dict
        For each part that was made false, the impostor that did it first.
    killers : list of str
        The impostors that made some part false, or let torch crash.
    answers_only : list of str
        The parts that only a wrong answer to one of their own questions makes false, and nothing that the program does.
    elsewhere_only : list of str
        The parts that no impostor at the claim's subject makes false, although the program uses it, but one at another
        operation.
    stoppers : list of str
        Further impostors that were noticed, since the program raised an error under them.
    crashes : list of str
        The attempts under which torch crashed or hung: impostor, operation and occasion.
    gave_up : bool
        Whether the time for one claim ran out before everything was tried.
    detail : str
        Why the claim is unsound.
    """

    status: str
    parts: tuple[Part, ...] = ()
    killed: dict[str, str] = field(default_factory=dict)
    killers: list[str] = field(default_factory=list)
    answers_only: list[str] = field(default_factory=list)
    elsewhere_only: list[str] = field(default_factory=list)
    stoppers: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    gave_up: bool = False
    detail: str = ""

    @property
    def standing(self) -> list[Part]:
        """Return the parts that nothing made false."""
        return [part for part in self.parts if part.name not in self.killed]

    def is_better_than(self, other: Finding) -> bool:
        """Tell whether this one judges where the other one could not, or leaves fewer parts."""
        if "unsound" in (self.status, other.status):
            return self.status != "unsound"
        return len(self.standing) < len(other.standing)


#: The name of what replaces an operation and does what torch does.
HONEST = "honest"


class Hint(NamedTuple):
    """What an earlier campaign showed for a claim: which impostors killed it, and which parts none made false."""

    killers: frozenset[str]
    standing: frozenset[str]


NO_HINT = Hint(frozenset(), frozenset())
