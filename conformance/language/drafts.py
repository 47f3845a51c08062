"""A claim while it is being read: its parts with their nodes, before any rule has looked at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

from conformance.language.documents import Document, Mapping, Node, Scalar
from conformance.language.model import (
    Claim,
    Comparison,
    Conditions,
    Divergence,
    Expectation,
    Fragment,
    Place,
    Raises,
    Source,
)
from conformance.language.snippets import Row, Snippet


@dataclass
class SourceDraft:
    """An entry of ``sources``."""

    node: Node
    kind: str
    name: Snippet
    key: Optional[Snippet]
    row: Optional[Snippet]
    place: Place

    def finished(self) -> Source:
        """Make the entry a part of a claim."""
        key = self.key.text if self.key else None
        row = self.row.text if self.row else None
        return Source(self.kind, self.name.text, key, row, self.place)


@dataclass
class RaisesDraft:
    """``raises`` or ``warns``."""

    node: Node
    type: Optional[Snippet]
    message: Optional[Snippet]
    promised: Optional[str]
    promised_node: Optional[Node]
    place: Place

    def finished(self) -> Raises:
        """Make the error or warning a part of a claim."""
        promised = self.promised or ("message" if self.message else "type" if self.type else "error")
        return Raises(
            self.type.text if self.type else None, self.message.text if self.message else None, promised, self.place
        )


@dataclass
class ExpectationDraft:
    """``expect``, ``raises``, ``warns`` and ``crashes`` of a claim, or of what happens instead."""

    expect: list[Snippet] = field(default_factory=list)
    raises: Optional[RaisesDraft] = None
    warns: Optional[RaisesDraft] = None
    crashes: bool = False

    @property
    def empty(self) -> bool:
        """Whether nothing is expected."""
        return not (self.expect or self.raises or self.warns or self.crashes)

    def finished(self) -> Expectation:
        """Make the expectation a part of a claim."""
        return Expectation(
            tuple(snippet.fragment for snippet in self.expect),
            self.raises.finished() if self.raises else None,
            self.warns.finished() if self.warns else None,
            self.crashes,
        )


@dataclass
class ConditionsDraft:
    """``applies`` or ``when``."""

    node: Optional[Mapping] = None
    values: dict[str, Scalar] = field(default_factory=dict)

    def finished(self) -> Conditions:
        """Make the conditions a part of a claim."""
        return Conditions(**{name: scalar.value for name, scalar in self.values.items()})


@dataclass
class DivergenceDraft:
    """An entry of ``diverges``."""

    node: Mapping
    place: Place
    kind: Optional[str]
    when: ConditionsDraft
    where: Optional[Snippet]
    instead: ExpectationDraft
    instead_node: Optional[Node]
    example: list[NamedSnippet]
    example_node: Optional[Node]
    note: Optional[Snippet]
    link: Optional[Snippet]
    wording: Optional[Snippet]

    def finished(self) -> Divergence:
        """Make the divergence a part of a claim."""
        return Divergence(
            kind=self.kind or "",
            when=self.when.finished(),
            where=self.where.fragment if self.where else None,
            instead=self.instead.finished(),
            example=named_fragments(self.example),
            note=_text(self.note),
            link=_text(self.link),
            wording=_text(self.wording) if self.wording else None,
            place=self.place,
        )


@dataclass
class NamedSnippet:
    """An entry of ``given``, ``example`` or ``kernels``."""

    name: str
    key: Scalar
    snippet: Snippet


@dataclass
class ComparisonDraft:
    """``compare``."""

    node: Mapping
    setup: Optional[Snippet]
    kernels: list[NamedSnippet]
    sizes: list[int]
    sizes_node: Optional[Node]

    def finished(self) -> Optional[Comparison]:
        """Make the comparison a part of a claim."""
        if self.setup is None:
            return None
        return Comparison(self.setup.fragment, named_fragments(self.kernels), tuple(self.sizes))


@dataclass
class ClaimDraft:
    """One claim, or what one row of ``each`` makes of it."""

    document: Document
    node: Mapping
    row: Optional[Row]
    place: Place
    subject: str
    subject_place: Place
    slug: Optional[str]
    slug_place: Place
    title: Optional[Snippet] = None
    family: Optional[str] = None
    sources: list[SourceDraft] = field(default_factory=list)
    given: list[NamedSnippet] = field(default_factory=list)
    assume: list[Snippet] = field(default_factory=list)
    do: Optional[Snippet] = None
    expectation: ExpectationDraft = field(default_factory=ExpectationDraft)
    compare: Optional[ComparisonDraft] = None
    applies: ConditionsDraft = field(default_factory=ConditionsDraft)
    unspecified: bool = False
    diverges: list[DivergenceDraft] = field(default_factory=list)
    was: list[Snippet] = field(default_factory=list)
    unkillable: Optional[Snippet] = None

    @property
    def id(self) -> str:
        """The full id."""
        return f"{self.subject}/{self.slug}"

    @property
    def former_ids(self) -> list[str]:
        """The full ids that ``was`` gives; a bare slug is one of the same subject."""
        return [text if "/" in text else f"{self.subject}/{text}" for text in (snippet.text for snippet in self.was)]

    def finished(self) -> Claim:
        """Make the claim."""
        return Claim(
            id=self.id,
            subject=self.subject,
            title=_text(self.title),
            family=self.family or "",
            sources=tuple(source.finished() for source in self.sources),
            place=self.place,
            given=named_fragments(self.given),
            assume=tuple(snippet.fragment for snippet in self.assume),
            do=self.do.fragment if self.do else None,
            expectation=self.expectation.finished(),
            compare=self.compare.finished() if self.compare else None,
            applies=self.applies.finished(),
            unspecified=self.unspecified,
            diverges=tuple(divergence.finished() for divergence in self.diverges),
            was=tuple(self.former_ids),
            unkillable=_text(self.unkillable) if self.unkillable else None,
        )


def named_fragments(named: list[NamedSnippet]) -> tuple[tuple[str, Fragment], ...]:
    """Names with their Python, in order."""
    return tuple((entry.name, entry.snippet.fragment) for entry in named)


def _text(snippet: Optional[Snippet]) -> str:
    """Prose on one line."""
    return " ".join(snippet.text.split()) if snippet else ""
