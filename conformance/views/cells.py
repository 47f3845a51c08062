"""One claim in one environment: what was measured, or a gap and why it is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

from conformance.language.model import Claim, Divergence
from conformance.results.model import Entry, Verdict
from conformance.views.facts import happening
from conformance.views.verdicts import APPEARANCES, IN_PART, NOT_MEASURED, Appearance

if TYPE_CHECKING:
    from conformance.views.recorded import Measured

#: Why nothing is known of a claim in an environment, beside `MISSING`.
VOID = "the whole file is void"
OLDER_FORM = "measured in an older form of the claim"
#: What stands before what happens where nothing is promised.
NOT_PROMISED = "not promised; happens:"


@dataclass(frozen=True, eq=False)
class Cell:
    """One claim in one environment.

    Attributes
    ----------
    measured : Measured
        The environment.
    claim : Claim
        The claim.
    entry : Entry, optional
        What was measured.
    gap : str
        Why there is none; empty where there is one.
    """

    measured: Measured
    claim: Claim
    entry: Optional[Entry] = None
    gap: str = ""

    @property
    def release(self) -> str:
        """The release of torch."""
        return self.measured.torch

    @property
    def verdict(self) -> Optional[Verdict]:
        """The verdict; `None` for a gap."""
        return None if self.entry is None else self.entry.verdict

    @property
    def divergences(self) -> tuple[Divergence, ...]:
        """The recorded divergences that applied."""
        known = self.claim.diverges
        applied = () if self.entry is None else self.entry.divergence
        return tuple(known[number] for number in applied if number < len(known))

    @property
    def in_part(self) -> bool:
        """Whether the claim is false for some inputs only: each divergence that applied selects examples."""
        applied = self.divergences
        return self.verdict == "diverges" and bool(applied) and all(item.where is not None for item in applied)

    @property
    def look(self) -> Appearance:
        """How the verdict, or the gap, is shown."""
        verdict = self.verdict
        if verdict is None:
            return NOT_MEASURED
        return IN_PART if self.in_part else APPEARANCES[verdict]

    @property
    def word(self) -> str:
        """The verdict in words, or why there is none."""
        return self.gap or (f"{NOT_PROMISED} {self.happens}" if self.happens else self.look.word)

    @property
    def happens(self) -> str:
        """What happens where an error or a warning is not promised, such as ``raises RuntimeError``."""
        return happening(self.claim, self.entry) if self.entry is not None else ""
