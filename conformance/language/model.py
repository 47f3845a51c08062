"""What a spec file means once it is read: claims and their parts.

Every part keeps the place it came from, so that any later message can point at the line of YAML.
Nothing here needs torch.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple, Optional

from conformance.language.input_domains import resolved
from conformance.language.title_terms import terms_of

FAMILIES = ("sharing", "gradients", "errors", "leaf", "dtype", "values", "timing")
DIVERGENCE_KINDS = ("docs-wrong", "torch-bug", "changed", "platform")
SOURCE_KINDS = ("docs", "note", "article", "release")
PROMISES = ("error", "type", "message")
SAYS = ("states", "requires", "limits", "implies")
HARMS = ("crash", "silently-wrong", "memory-written", "wrong-error", "works", "imprecise")
CHANGE_HARMS = ("breaks", "changes", "warns")
REACHES = ("common", "rare")


@dataclass(frozen=True, order=True)
class Place:
    """A position in a spec file; line and column count from 1."""

    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Fragment:
    """A piece of Python written in a spec, and the place of its first character."""

    text: str
    place: Place

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Source:
    """A document that makes the promise.

    ``kind`` is one of ``docs`` (a docstring; ``name`` is the public object), ``note`` (a page of the documentation;
    ``name`` is its key in ``sources.yaml``), ``article`` (``name`` is the article's letter, ``row`` the row of its
    list of claims) or ``release`` (release notes; ``name`` is the version). ``key`` is the few words that find the
    sentence, and ``says``, one of `SAYS`, is how it says what the claim is about; without it the sentence states it.
    """

    kind: str
    name: str
    key: Optional[str]
    row: Optional[str]
    place: Place
    says: Optional[str] = None

    @property
    def states(self) -> bool:
        """Whether the sentence says outright what the claim judges."""
        return self.says in (None, "states")

    @property
    def judges_errors(self) -> bool:
        """Whether an error can be judged by the sentence, and not only what happens when its demand is met."""
        return self.says not in ("requires", "limits")


@dataclass(frozen=True)
class Raises:
    """An error (or warning) that a program must give.

    ``type`` is the name of an exception (or warning) class and ``message`` a literal part of its text; either may be
    missing. ``promised`` says how far the source's promise goes and so what decides the verdict: ``error`` (that
    it happens at all), ``type`` or ``message``. What lies beyond is recorded only.
    """

    type: Optional[str]
    message: Optional[str]
    promised: str
    place: Place


@dataclass(frozen=True)
class Expectation:
    """What must be true after (or at) the last statement of a program."""

    expect: tuple[Fragment, ...] = ()
    raises: Optional[Raises] = None
    warns: Optional[Raises] = None
    crashes: bool = False


@dataclass(frozen=True)
class Conditions:
    """Properties of an environment; an absent one admits every value.

    ``torch``, ``numpy`` and ``python`` are PEP 440 specifiers; ``device`` is a device type of torch, or
    ``accelerator`` for every one but the CPU; ``system`` is a value of ``platform.system()`` in lower case.
    """

    torch: Optional[str] = None
    numpy: Optional[str] = None
    python: Optional[str] = None
    device: Optional[str] = None
    system: Optional[str] = None


@dataclass(frozen=True)
class Cause:
    """One fact about torch that makes claims false.

    ``kind`` is one of `DIVERGENCE_KINDS`, ``harm`` one of `HARMS`, the worst first, or empty where nobody has said it.
    ``note`` is what happens instead, ``wording`` what the documentation could say, ``link`` the address of a report
    or ``none-filed``, ``searched`` the day on which the tracker was last searched for one, and ``script`` prints the
    fact.
    """

    id: str
    title: str
    kind: str
    harm: str
    note: str
    link: str
    wording: Optional[str]
    place: Place
    script: Optional[str] = None
    searched: Optional[str] = None


@dataclass(frozen=True)
class Divergence:
    """A recorded, explained way in which a claim is false somewhere.

    ``when`` selects environments, ``where`` (an expression over the inputs) selects examples; ``instead`` holds for
    all of these; ``example`` gives a recipe for each input, on which the claim is false. Where it names a ``cause``,
    that gives ``kind``, ``note``, ``link`` and ``wording``.
    """

    kind: str
    when: Conditions
    where: Optional[Fragment]
    instead: Expectation
    example: tuple[tuple[str, Fragment], ...]
    note: str
    link: str
    wording: Optional[str]
    place: Place
    cause: Optional[Cause] = None


@dataclass(frozen=True)
class AnswerLine:
    """One line of an answer.

    Attributes
    ----------
    says : str
        One or two sentences.
    claims : tuple of str
        Full ids of the claims that prove it.
    exception : str
        Where it is false on the newest release; empty where it is not.
    torch : str
        PEP 440 specifier of the releases on which it is true; empty for all.
    """

    says: str
    claims: tuple[str, ...]
    place: Place
    exception: str = ""
    torch: str = ""


@dataclass(frozen=True)
class Answer:
    """What someone who asks about a name wants to hear.

    Attributes
    ----------
    see : tuple of str
        Full names of neighbours.
    asked : tuple of str
        Phrases and error messages that lead here.
    place : Place
        Where ``see`` stands, or without it the subject.
    """

    subject: str
    lines: tuple[AnswerLine, ...]
    place: Place
    see: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class Message:
    """An error or a warning that people meet, in our own words.

    Attributes
    ----------
    texts : tuple of str
        Its first line as releases print it, the newest wording first; ``…`` stands for what varies.
    type : str
        The class of the error or warning.
    raised : str
        What raises or gives it, and when.
    because, do : str
        Why, and what to do.
    names : tuple of str
        Full names of what gives it, the one that people meet most first.
    claims : tuple of str
        Full ids of claims that show it.
    unmeasured : str
        Why a CPU can't show it; empty where one can.
    """

    id: str
    texts: tuple[str, ...]
    type: str
    raised: str
    because: str
    do: str
    names: tuple[str, ...]
    place: Place
    claims: tuple[str, ...] = ()
    unmeasured: str = ""


@dataclass(frozen=True)
class Claim:
    """One promise, encoded.

    ``entry`` is the place of the entry of the file that it was read from, which all rows of a table share. ``because``
    says why the inputs are narrowed where the source does not. ``regardless`` are inputs that change nothing that the
    claim looks at, since it says that it holds for each. ``control`` replaces parts of ``do`` by what puts
    right the mistake that raises. ``own`` says that it is of a spec outside the corpus, of which every key must be in
    its docstring. ``unnoticed`` says by an argument's name why the claim does not notice that it is wrong.
    """

    id: str
    subject: str
    title: str
    family: str
    sources: tuple[Source, ...]
    place: Place
    given: tuple[tuple[str, Fragment], ...] = ()
    assume: tuple[Fragment, ...] = ()
    do: Optional[Fragment] = None
    expectation: Expectation = field(default_factory=Expectation)
    applies: Conditions = field(default_factory=Conditions)
    unspecified: bool = False
    diverges: tuple[Divergence, ...] = ()
    was: tuple[str, ...] = ()
    unkillable: Optional[str] = None
    unnoticed: tuple[tuple[str, str], ...] = ()
    because: Optional[str] = None
    regardless: tuple[str, ...] = ()
    control: tuple[tuple[str, Fragment], ...] = ()
    entry: Optional[Place] = None
    own: bool = False

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The name of each docstring that is cited, and the words by which the sentence is found there."""
        return tuple((source.name, source.key or "") for source in self.sources if source.kind == "docs")

    @property
    def slug(self) -> str:
        """The part of the id after the subject."""
        return self.id[len(self.subject) + 1 :]

    @property
    def is_timed(self) -> bool:
        """Whether it is about time, and so measured apart from a run."""
        return self.family == "timing"

    @property
    def is_example(self) -> bool:
        """Whether it is one side of the example of a change, and so no promise."""
        return self.subject.startswith("changes/")

    @property
    def needs_control(self) -> bool:
        """Whether any error will do, so that only a control shows that it is the promised one."""
        raises = self.expectation.raises
        return raises is not None and not self.unspecified and raises.promised != "message" and not self.control

    def controlled(self) -> Optional[str]:
        """Return the program without the mistake that raises; None where there is no control."""
        if not self.control or self.do is None:
            return None
        program = self.do.text
        for old, new in self.control:
            program = program.replace(old, new.text)
        return program

    def fingerprint(self) -> str:
        """Eight hexadecimal digits that change whenever what is measured changes.

        Notes and sources are no part of it; of the title, only what it says that examples must be.
        """
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        given = [[name, resolved(fragment.text.strip())] for name, fragment in self.given]
        content = _plain(
            (
                # None stands where timing claims had a part of their own, so that other fingerprints stay.
                *(given, self.assume, self.do, self.expectation, None, self.applies, self.unspecified),
                *((d.when, d.where, d.instead, d.example) for d in self.diverges),
                *((("control", self.control),) if self.control else ()),
                *((("title", sorted(terms)),) if (terms := terms_of(self.title)) else ()),
            )
        )
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]


class ArgumentMatch(NamedTuple):
    """An argument of a call in code: any of its name, one with a literal ``value`` (its source), or of a ``kind``."""

    name: str
    value: str = ""
    kind: str = ""


@dataclass(frozen=True)
class CodeMatch:
    """Code that a change concerns: a name, and how it is used.

    Attributes
    ----------
    how : str
        The key of the form: ``use`` (in any way), ``call``, ``read`` (not called) and so on.
    passes, leaves_out : tuple of ArgumentMatch
        Arguments of which a call passes one, and none.
    positional : int
        How many arguments a call passes by position at least.
    on : str
        The kind of what a method is called on, or of the first argument of a function.
    caught : str
        The class of an error that the code around catches by name.
    rarely_for : str
        The method that takes the result where the condition is rarely met: such a call may be concerned.
    """

    name: str
    how: str
    passes: tuple[ArgumentMatch, ...] = ()
    leaves_out: tuple[ArgumentMatch, ...] = ()
    positional: int = 0
    on: str = ""
    caught: str = ""
    rarely_for: str = ""


@dataclass(frozen=True)
class Fix:
    """What to write in place of a call, which then does as before on the new release.

    Attributes
    ----------
    of : str
        The name that is called.
    keyword : str
        An argument to add, such as ``weights_only=False``; empty for a renaming.
    name : str
        The other name.
    first : str
        What is passed before the arguments that stand there.
    positional : int
        So many positional arguments mean the same under the other name; a call with more is left.
    keywords : tuple of str
        The keywords that mean the same there.
    unsafe : bool
        Whether a person must look at each.
    """

    of: str
    keyword: str = ""
    name: str = ""
    first: str = ""
    positional: int = 0
    keywords: tuple[str, ...] = ()
    unsafe: bool = False


@dataclass(frozen=True)
class Change:
    """What a release changes for people's code, in our own words.

    Attributes
    ----------
    release : str
        The minor release, such as ``2.6``.
    harm, reach : str
        One of `CHANGE_HARMS`, the worst first, and one of `REACHES`.
    notes : tuple of str
        Ids of notes of the release.
    links : tuple of str
        Addresses of pages that show it.
    examples : tuple of Claim
        What its example is measured by: a claim about earlier releases, and one about those since. None where no CPU
        can show it, which ``unmeasured`` explains.
    condition : str
        What must be so besides, which the code need not show; empty where nothing must.
    undoes : str
        The minor release whose change this one takes back or takes further, so that an upgrade from an earlier one
        needs no entry for both; empty for most.
    hits, misses : tuple of str
        Python that it concerns, and Python that it does not concern.
    """

    id: str
    title: str
    release: str
    harm: str
    reach: str
    match: tuple[CodeMatch, ...]
    before: str
    after: str
    instead: str
    place: Place
    hits: tuple[str, ...]
    misses: tuple[str, ...]
    notes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    condition: str = ""
    undoes: str = ""
    examples: tuple[Claim, ...] = ()
    unmeasured: str = ""
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True)
class NoChange:
    """A decision that measured differences, or notes, of a release change nobody's code.

    Attributes
    ----------
    names : tuple of str
        Patterns of names; ``*`` stands for any letters.
    what : str
        Words of the differences; empty for all of the names.
    """

    release: str
    because: str
    place: Place
    names: tuple[str, ...] = ()
    what: str = ""
    notes: tuple[str, ...] = ()

    def concerns(self, name: str) -> bool:
        """Return whether a name is one of those that it speaks of."""
        return any(fnmatchcase(name, pattern) for pattern in self.names)


def _plain(value: Any) -> Any:
    """Reduce a part of a claim to lists and strings, without the places."""
    if isinstance(value, Fragment):
        return value.text.strip()
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return [[name, _plain(getattr(value, name))] for name in value.__dataclass_fields__ if name != "place"]
    return value
