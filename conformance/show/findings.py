"""What is found of what a person typed, as types that are printed as text or as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from conformance.show.model import AnswerView, ClaimLine, LineView, MessageView, TriedView


class NoFinding(Exception):
    """There is nothing to show; the message says why, and what to do."""


@dataclass(frozen=True)
class NameFinding:
    """A name, a page of notes or a concept.

    Attributes
    ----------
    releases
        The releases that have the name, in words; empty for what is no name.
    standing
        Since when it is gone or deprecated, and what to use instead.
    answer
        What we say of it, or of the name in ``answer.subject`` that does the same.
    changed
        What changed: what people wrote, then in its signature and in what its calls do; each the newest first.
    corner_changes
        How many changes more there are, to inputs that few programs have.
    others
        Other names that the text may mean.
    note
        What to say before: that the text is misspelt.
    """

    name: str
    releases: str = ""
    standing: str = ""
    answer: Optional[AnswerView] = None
    tried: Optional[TriedView] = None
    changed: tuple[str, ...] = ()
    corner_changes: int = 0
    claims: tuple[ClaimLine, ...] = ()
    others: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class PairFinding:
    """Two names to compare."""

    left: NameFinding
    right: NameFinding


@dataclass(frozen=True)
class ArgumentFinding:
    """An argument of functions.

    Attributes
    ----------
    takers
        Public names that take it in the newest release, those that programs use most first, each with its default.
    count
        How many names take it.
    lines
        Lines of answers that speak of it, with their subjects.
    uses
        How many projects use the name that is used most.
    """

    argument: str
    takers: tuple[tuple[str, str], ...]
    count: int
    lines: tuple[tuple[str, LineView], ...]
    claims: tuple[ClaimLine, ...]
    uses: int = 0


@dataclass(frozen=True)
class MessageFinding:
    """Messages of errors or warnings that a text is a part of, the nearest first."""

    messages: tuple[MessageView, ...]


@dataclass(frozen=True)
class ClaimsFinding:
    """Claims whose titles have the words of a question, the nearest first."""

    claims: tuple[ClaimLine, ...]


@dataclass(frozen=True)
class ClaimFinding:
    """One claim, with all that is known of it as text."""

    id: str
    page: str


Finding = Union[NameFinding, PairFinding, ArgumentFinding, MessageFinding, ClaimsFinding, ClaimFinding]
