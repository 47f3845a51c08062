"""What is wrong with a spec, as one line for each mistake."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.base.text import printable
from conformance.language.codes import CODES
from conformance.language.model import Place

_LONGEST = 500


@dataclass(frozen=True, order=True)
class Problem:
    """A mistake in a spec file.

    Attributes
    ----------
    place : Place
        Where the mistake is.
    code : str
        The rule that it breaks, an entry of `conformance.language.codes.CODES`.
    message : str
        What is wrong, and what to do.
    """

    place: Place
    code: str
    message: str

    @property
    def name(self) -> str:
        """The rule's name."""
        return CODES[self.code].name

    def __str__(self) -> str:
        message = self.message if len(self.message) <= _LONGEST else f"{self.message[: _LONGEST - 1]}…"
        # What a file says, or how it is called, must neither make a second line nor drive the terminal.
        return printable(f"{self.place} {self.code} {self.name}: {message}", keep="")


class Problems:
    """The problems found so far; one place never gets the same code twice.

    A claim that is repeated by ``each`` is read once for each row, so that a mistake in what the rows share would
    otherwise come out as often as there are rows.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], Problem] = {}

    def add(self, place: Place, code: str, message: str) -> None:
        """Record a problem."""
        self._found.setdefault((place, code), Problem(place, code, message))

    def __len__(self) -> int:
        return len(self._found)

    def sorted(self) -> list[Problem]:
        """All problems, by place."""
        return sorted(self._found.values())
