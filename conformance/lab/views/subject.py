"""A subject: all its claims at a glance, and each of them in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.lab.views.changes import changes_of_name
from conformance.lab.views.claim import ClaimView, claim_view
from conformance.lab.views.content import Content
from conformance.lab.views.example import example_of
from conformance.lab.views.falsehoods import false_somewhere, false_where
from conformance.lab.views.pieces import Text, joined, link, linked, text_of
from conformance.lab.views.strip import Line, brief
from conformance.language.model import FAMILIES, Claim
from conformance.results.recorded import environments_in_words
from conformance.show.model import AnswerView, TriedView
from conformance.show.name import changes_of_parameters, is_of_torch, releases_in_words
from conformance.show.trials import changes_of_calls, tried_view


@dataclass(frozen=True)
class Glance:
    """A claim in one line of a table.

    Attributes
    ----------
    false_where : tuple of Text
        For which inputs and releases it is false.
    """

    title: Text
    verdicts: tuple[Line, ...]
    false_where: tuple[Text, ...]


@dataclass(frozen=True)
class SubjectView:
    """A subject with its answer, its trials and its claims.

    Attributes
    ----------
    releases
        Which releases have the name; empty where the subject is none.
    documentation
        A link to its page in PyTorch's documentation; empty where none is known.
    see
        Neighbours, as links where they have a page.
    example
        A script that shows the usual case and an exception; empty where no call of it was tried.
    written
        What people wrote of changes, newest first.
    changed, rare_changes
        What changed in its signature and its calls, newest first: on inputs that much code has, and on others.
    summary
        How many claims there are, and where they were measured.
    families
        The claims in one line each, by family; what is false stands first.
    """

    releases: str
    documentation: Text
    answer: Optional[AnswerView]
    see: Text
    example: str
    tried: Optional[TriedView]
    written: tuple[Text, ...]
    changed: tuple[str, ...]
    rare_changes: tuple[str, ...]
    summary: str
    families: Mapping[str, tuple[Glance, ...]]
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True)
class SubjectRow:
    """A subject in the list of all: its claims, those false somewhere, and those measured nowhere."""

    name: Text
    claims: int
    false: int
    gaps: int


def subject_view(name: str, content: Content) -> SubjectView:
    """Return a subject as a reader sees it."""
    claims = sorted(
        content.subjects.get(name, ()),
        key=lambda claim: (not false_somewhere(content.cells(claim)), [*FAMILIES, claim.family].index(claim.family)),
    )
    families: dict[str, tuple[Glance, ...]] = {}
    for claim in claims:
        families[claim.family] = (*families.get(claim.family, ()), glance(claim, content))
    answer, tried, is_name = content.answers.get(name), content.trials.of(name), is_of_torch(name)
    ordinary, rare = changes_of_calls(content.trials.history(name))
    see = answer.see if answer is not None else ()
    documentation = content.documentation(name) if is_name or "/" in name else ""
    return SubjectView(
        releases_in_words(content.names, name) if is_name else "",
        link("torch's page", documentation) if documentation else (),
        answer,
        joined(linked(f"`{one}`", "subject", one) for one in see),
        example_of(tried, content.trials.expressions) if tried is not None else "",
        tried_view(tried),
        tuple(_written(name, content)),
        (*(changes_of_parameters(content.names, name) if is_name else ()), *ordinary),
        rare,
        _summary(claims, content) if claims else "",
        families,
        tuple(claim_view(claim, content) for claim in claims),
    )


def _written(name: str, content: Content) -> Iterator[Text]:
    """Yield the changes of releases that are about a name, with links to their pages."""
    for change in changes_of_name(name, content):
        if change.page:
            yield text_of(linked(change.release, "release", change.page), ": ", change.title)


def glance(claim: Claim, content: Content) -> Glance:
    """Return a claim in one line."""
    cells = content.cells(claim)
    return Glance(linked(claim.title, "claim", claim.id), brief(claim, cells), false_where(claim, cells))


def subject_index(content: Content) -> dict[str, tuple[SubjectRow, ...]]:
    """Return the rows of all subjects by module."""
    return {
        module: tuple(_row(subject, claims, content) for subject, claims in subjects.items())
        for module, subjects in content.modules.items()
    }


def _row(subject: str, claims: Sequence[Claim], content: Content) -> SubjectRow:
    gaps = sum(all(cell.verdict is None for cell in content.cells(claim)) for claim in claims)
    return SubjectRow(linked(f"`{subject}`", "subject", subject), len(claims), _false(claims, content), gaps)


def _summary(claims: Sequence[Claim], content: Content) -> str:
    environments = content.recorded.environments
    count = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}"
    where = f"Measured on {environments_in_words(environments)}" if environments else "Not measured in any environment"
    return f"{count}, {_false(claims, content) or 'none'} of them false somewhere. {where}."


def _false(claims: Sequence[Claim], content: Content) -> int:
    return sum(false_somewhere(content.cells(claim)) for claim in claims)
