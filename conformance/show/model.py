"""What is shown of a name, an argument, a message or a claim, as types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional, Union

#: Whether a line of an answer is true on some releases: also with its exception, not, or not known.
Truth = Literal["true", "except", "false", "unknown"]


#: The marks of claims that are false, if only for some inputs.
FALSE_MARKS = ("NO", "NO!", "partly", "crash!", "hang!", "passes!")


@dataclass(frozen=True)
class Chip:
    """Neighbouring minor releases, oldest first, on which a line is as true."""

    truth: Truth
    releases: tuple[str, ...]
    device: str = "cpu"


@dataclass(frozen=True)
class LineView:
    """A line of an answer.

    Attributes
    ----------
    chips
        The newest first.
    on_devices
        What other devices say of the part of it that is about them; where none was measured, a chip without releases.
    """

    says: str
    exception: str
    claims: tuple[str, ...]
    chips: tuple[Chip, ...]
    on_devices: tuple[Chip, ...] = ()


@dataclass(frozen=True)
class AnswerView:
    """What someone who asks about a subject wants to hear.

    Attributes
    ----------
    kinds
        On which kinds of tensors the claims that prove it were tried, as ``on dense tensors``.
    """

    subject: str
    lines: tuple[LineView, ...]
    see: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    kinds: str = ""


@dataclass(frozen=True)
class CallView:
    """What a call did.

    Attributes
    ----------
    given
        How each input is made on which it was tried first.
    base
        What happened there.
    other
        Inputs on which something else happened, each group with what that was.
    same
        The inputs on which nothing else happened, as far as it can be observed; a whole kind of inputs as one.
    nearly, aspects
        The inputs on which only some aspects differ that few readers look at, such as strides, and these aspects.
    """

    call: str
    given: tuple[tuple[str, str], ...]
    base: str
    other: tuple[tuple[tuple[str, ...], str], ...]
    same: tuple[str, ...]
    nearly: tuple[str, ...] = ()
    aspects: tuple[str, ...] = ()


@dataclass(frozen=True)
class TriedView:
    """What the calls of a name did on one release.

    Attributes
    ----------
    usual
        Calls that return, the plainest first.
    wrong
        Calls that raise, each with its error.
    lacking
        Calls for which the machine that tried them lacks something, such as a GPU: nothing is known of them.
    """

    release: str
    usual: tuple[CallView, ...]
    wrong: tuple[tuple[str, str], ...]
    lacking: tuple[str, ...]


@dataclass(frozen=True)
class NameFacts:
    """What was measured of a name.

    Attributes
    ----------
    releases
        The releases that have the name, in words; empty for what is no name.
    standing
        Since when it is gone or deprecated, and what to use instead.
    parameters, calls
        What changed in its signature, and in what its calls do on inputs that much code has; each the newest first.
    corners
        How many changes more there are, to other inputs.
    """

    releases: str = ""
    standing: str = ""
    tried: Optional[TriedView] = None
    parameters: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    corners: int = 0


@dataclass(frozen=True)
class ClaimLine:
    """A claim in a list.

    Attributes
    ----------
    marks
        How it stands in runs of releases, each with these in words, the oldest first.
    newest
        The mark of the newest release on the CPU, or of a device where it is false alone.
    notes
        What happens where nothing is promised, and instead where it is false.
    harm
        The position of the worst harm that its divergences do; larger is less bad.
    """

    id: str
    title: str
    family: str
    marks: tuple[tuple[str, str], ...]
    newest: str
    notes: tuple[str, ...]
    harm: int

    @property
    def is_false(self) -> bool:
        """Whether the newest release does otherwise, if only for some inputs or on some device."""
        return self.newest in FALSE_MARKS


@dataclass(frozen=True)
class MessageView:
    """An error or a warning.

    Attributes
    ----------
    type, texts
        Its class and its first line, in each wording, the newest first.
    raised, because, do
        What we wrote; empty where nobody wrote of it.
    names
        What gives it, that which programs use most first.
    by, count
        Calls and claims that showed it, and how many there are.
    releases
        The minor releases on which it was seen, oldest first.
    unmeasured
        Why a CPU can't show it.
    wordings
        The texts that were recorded where what we wrote has ``…``.
    """

    type: str
    texts: tuple[str, ...]
    names: tuple[str, ...]
    by: tuple[str, ...] = ()
    count: int = 0
    releases: tuple[str, ...] = ()
    raised: str = ""
    because: str = ""
    do: str = ""
    unmeasured: str = ""
    wordings: tuple[str, ...] = ()


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
