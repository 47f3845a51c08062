"""A subject: all its claims at a glance, and what changed in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.lab.views.changes import changes_of_name
from conformance.lab.views.content import Content
from conformance.lab.views.falsehoods import false_somewhere, false_where
from conformance.lab.views.running_text import Text, linked, prose, text_of
from conformance.lab.views.verdict_chips import Line, brief
from conformance.language.model import FAMILIES, Claim
from conformance.results.recorded import environments_in_words
from conformance.results.verdicts import truth

#: A claim in one line of a table: its title, its verdicts, and for which inputs and releases it is false.
Glance = tuple[Text, tuple[Line, ...], tuple[Text, ...]]


def claims_of_subject(name: str, content: Content) -> list[Claim]:
    """Return the claims as they are shown: what is false stands first, then by family."""
    return sorted(
        content.subjects.get(name, ()),
        key=lambda claim: (not false_somewhere(content.cells(claim)), [*FAMILIES, claim.family].index(claim.family)),
    )


def claims_at_a_glance(claims: Sequence[Claim], content: Content) -> dict[str, list[Glance]]:
    """Return claims in one line each, by family."""
    families: dict[str, list[Glance]] = {}
    for claim in claims:
        cells = content.cells(claim)
        line = linked(claim.title, "claim", claim.id), brief(claim, cells), false_where(claim, cells)
        families.setdefault(claim.family, []).append(line)
    return families


def written_changes_of(name: str, content: Content) -> Iterator[Text]:
    """Yield the changes of releases that are about a name, newest first, with links to their pages."""
    for written in changes_of_name(name, content):
        if written.page:
            change = written.change
            yield text_of(linked(change.release, "release", written.page), ": ", prose(change.title))


def subject_rows(subjects: dict[str, list[Claim]], content: Content) -> Iterator[tuple[Text, int, int, int]]:
    """Yield the subjects in the list of all: claims, those false somewhere, and those tried nowhere."""
    for subject, claims in subjects.items():
        yield (
            linked(f"`{subject}`", "subject", subject),
            len(claims),
            _false(claims, content),
            _untried(claims, content),
        )


def summary(claims: Sequence[Claim], content: Content) -> str:
    """Return how many claims there are, and where they were measured; empty where there is none."""
    if not claims:
        return ""
    environments = content.recorded.environments
    count = f"{len(claims)} claim{'' if len(claims) == 1 else 's'}"
    where = f"Measured on {environments_in_words(environments)}" if environments else "Not measured in any environment"
    untried = _untried(claims, content)
    if untried == len(claims):
        return f"{count}, none of them tried yet. {where}."
    rest = f", {untried} not tried yet" if untried else ""
    return f"{count}, {_false(claims, content) or 'none'} of them false somewhere{rest}. {where}."


def _false(claims: Sequence[Claim], content: Content) -> int:
    return sum(false_somewhere(content.cells(claim)) for claim in claims)


def _untried(claims: Sequence[Claim], content: Content) -> int:
    """Count the claims that no environment could judge, such as those about a device that nobody had."""
    return sum(not any(cell.verdict and truth(cell.verdict) for cell in content.cells(claim)) for claim in claims)
