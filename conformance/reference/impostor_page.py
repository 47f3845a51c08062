"""Impostors on the pages: which of them a claim notices, and the score of the corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.content import Reference
from conformance.reference.impostors import names_in


def impostor_blocks(claim: Claim, reference: Reference, document: str) -> list[nodes.Node]:
    """Name the impostors that a claim notices, folded; nothing where it was set against none."""
    entry = reference.impostors.entry(claim)
    if entry is None:
        return [] if claim.unkillable is None else [_excuse(claim)]
    killers = names_in(entry, "killers")
    standing = names_in(entry, "standing")
    items: list[list[markup.Inline]] = [[_impostor(name, reference)] for name in killers]
    blocks: list[nodes.Node] = []
    if items:
        blocks.append(markup.folded(f"Noticed {len(killers)} of the impostors set on it", markup.bullets(items)))
    if standing:
        parts = ", ".join(standing)
        blocks.append(markup.paragraph(nodes.Text(f"No impostor makes false: {parts}."), classes=["aside"]))
    elif not killers:
        blocks.append(markup.paragraph("No impostor makes it false.", classes=["aside"]))
    if claim.unkillable is not None:
        blocks.append(_excuse(claim))
    return blocks


def impostors_page(reference: Reference, document: str) -> list[nodes.Node]:
    """Show the score of the corpus, the impostors, and the claims that none of them makes false."""
    impostors = reference.impostors
    claims = reference.corpus.claims
    excused = [claim for claim in claims if claim.unkillable is not None]
    judged = [claim for claim in claims if impostors.entry(claim) is not None]
    blocks: list[nodes.Node] = []
    if not impostors.meanings:
        blocks.append(markup.paragraph("No impostor has been set on the claims yet.", classes=["missing"]))
    else:
        blocks += _score(reference, judged, len(excused))
        kills = impostors.kills(tuple(claims))
        rows: list[markup.Row] = [
            [[markup.code(name)], [nodes.Text(markup.bounded(meaning))], [f"{kills[name]:,}"]]
            for name, meaning in impostors.meanings.items()
        ]
        section = _section("impostors", "The impostors")
        section += markup.table([["Impostor"], ["What is wrong with it"], ["Claims that notice"]], rows, "impostors")
        blocks.append(section)
        standing = [
            claim for claim in judged if names_in(impostors.entry(claim), "standing") and claim.unkillable is None
        ]
        if standing:
            section = _section("standing", "Claims with a part that no impostor makes false")
            section += markup.bullets(
                [
                    [_link(claim, document), nodes.Text(f": {', '.join(names_in(impostors.entry(claim), 'standing'))}")]
                    for claim in standing
                ]
            )
            blocks.append(section)
    if excused:
        section = _section("unkillable", "Claims that no impostor can make false")
        section += markup.paragraph("The spec gives the reason for each.")
        section += markup.definitions(
            [([_link(claim, document)], [markup.paragraph(claim.unkillable or "")]) for claim in excused]
        )
        blocks.append(section)
    return blocks


def _score(reference: Reference, judged: Sequence[Claim], excused: int) -> list[nodes.Node]:
    impostors = reference.impostors
    killed = [claim for claim in judged if not names_in(impostors.entry(claim), "standing")]
    kills = [len(impostors.killers(claim)) for claim in judged]
    numbers = [
        (f"{len(killed):,} of {len(judged):,}", "claims noticed an impostor in every part"),
        (f"{len(impostors.meanings):,}", "impostors"),
        (f"{sum(kills) / max(len(kills), 1):.0f}", "of them noticed by a claim, on average"),
        (f"{excused:,}", "claims that none can make false, with a reason"),
    ]
    tiles: list[list[markup.Inline]] = [[nodes.strong("", count), f" {word}"] for count, word in numbers]
    blocks: list[nodes.Node] = [markup.bullets(tiles, classes=["tiles"])]
    others = len(reference.corpus.claims) - len(judged)
    told = f"Set on the claims with torch {impostors.environment.get('torch', '?')}, "
    told += f"{impostors.environment.get('device', '?')}."
    if others:
        told += (
            f" {others} claims were not judged there: they are about timing, left open, absent or excluded there, or "
            "changed since."
        )
    return [*blocks, markup.paragraph(nodes.Text(told))]


def _impostor(name: str, reference: Reference) -> nodes.Node:
    meaning: Optional[str] = reference.impostors.meanings.get(name)
    return nodes.inline("", "", markup.code(name), nodes.Text(f": {markup.bounded(meaning)}" if meaning else ""))


def _excuse(claim: Claim) -> nodes.Node:
    return markup.paragraph("No impostor can make it false: ", *markup.prose(claim.unkillable or ""), classes=["aside"])


def _link(claim: Claim, document: str) -> nodes.Node:
    return markup.cite("claim", claim.id, document, nodes.inline("", "", *markup.prose(claim.title)))


def _section(anchor: str, heading: str) -> nodes.section:
    return nodes.section("", nodes.title(heading, heading), ids=[anchor], names=[])
