"""A subject: all its claims at a glance, and each of them in full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from conformance.language.model import Claim
from conformance.views.claim import ClaimView, claim_view
from conformance.views.content import Content
from conformance.views.falsehoods import false_somewhere, false_where
from conformance.views.name import is_of_torch, releases_in_words
from conformance.views.pieces import Text, linked
from conformance.views.recorded import environments_in_words
from conformance.views.strip import Line, brief
from conformance.views.trial_changes import changes_of_name


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
    """A subject with its claims.

    Attributes
    ----------
    releases : str
        Which releases have the name; empty where the subject is none.
    changes : str
        What changed in its calls on ordinary inputs; empty where nothing did.
    """

    summary: str
    releases: str
    changes: str
    glances: tuple[Glance, ...]
    claims: tuple[ClaimView, ...]


@dataclass(frozen=True)
class SubjectRow:
    """A subject in the list of all: its claims, those false somewhere, and those measured nowhere."""

    name: Text
    claims: int
    false: int
    gaps: int


def subject_view(claims: Sequence[Claim], content: Content) -> SubjectView:
    """Return a subject as a reader sees it."""
    name = claims[0].subject
    return SubjectView(
        _summary(claims, content),
        releases_in_words(content.names, name) if is_of_torch(name) else "",
        changes_of_name(content.trials, name),
        tuple(glance(claim, content) for claim in claims),
        tuple(claim_view(claim, content) for claim in claims),
    )


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
