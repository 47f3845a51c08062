"""The section of one claim on the page of its subject."""

from __future__ import annotations

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.changes import change_blocks
from conformance.reference.content import Reference
from conformance.reference.evidence import evidence
from conformance.reference.falsehood import falsehoods
from conformance.reference.impostor_page import impostor_blocks
from conformance.reference.program import program_blocks, tiers_table
from conformance.reference.sources import quotes, source_blocks
from conformance.reference.strip import strip
from conformance.reference.timing import timing_blocks


def claim_section(claim: Claim, reference: Reference, document: str) -> nodes.section:
    """Make the section; its anchor is the slug of the claim."""
    columns = reference.columns
    section = nodes.section(ids=[claim.slug], names=[], classes=["claim"])
    title = markup.bounded(claim.title)
    section += nodes.title(title, title)
    section += markup.paragraph(
        markup.code(claim.id, "claim-id"), " ", markup.span(claim.family, "family"), classes=["claim-line"]
    )
    section += strip(claim, columns)
    section += change_blocks(claim, reference)
    section += quotes(claim, reference)
    section += falsehoods(claim, columns)
    section += program_blocks(claim, columns)
    tiers = tiers_table(claim, columns)
    if tiers is not None:
        section += tiers
    section += timing_blocks(claim, columns)
    section += source_blocks(claim, reference, document)
    shown = evidence(claim, columns)
    if shown is not None:
        section += shown
    section += impostor_blocks(claim, reference, document)
    if claim.was:
        section += markup.paragraph("Earlier ids: ", *_listed(claim.was), ".")
    return section


def _listed(ids: tuple[str, ...]) -> list[markup.Inline]:
    parts: list[markup.Inline] = []
    for old in ids:
        parts += [", "] if parts else []
        parts.append(markup.code(old))
    return parts
