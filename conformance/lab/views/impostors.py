"""Mutation testing over the whole corpus: its score, the impostors, and what survived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.lab.impostors.record import Killed, Missed, MutationRecord, missed_arguments
from conformance.lab.views.content import Content
from conformance.lab.views.overview import Tile
from conformance.lab.views.pieces import Text, code, linked, prose, words
from conformance.lab.views.program import Table
from conformance.language.model import Claim


@dataclass(frozen=True)
class ImpostorsView:
    """The score, and the lists behind it.

    Attributes
    ----------
    impostors : Table, optional
        What is wrong with each impostor, and how many claims detect it; `None` where no run is recorded.
    survivors : tuple of (Text, Text)
        Claims with a part that no impostor makes false, and these parts.
    missed : tuple of (Text, Text)
        Claims that are about an argument, and what of it no claim of their subject notices to be wrong.
    unnoticed : tuple of (Text, Text)
        Claims that do not notice a wrong argument, and why, as the spec says it.
    excused : tuple of (Text, Text)
        Claims that no impostor can make false, and why.
    """

    tiles: tuple[Tile, ...] = ()
    scope: str = ""
    impostors: Optional[Table] = None
    survivors: tuple[tuple[Text, Text], ...] = ()
    missed: tuple[tuple[Text, Text], ...] = ()
    unnoticed: tuple[tuple[Text, Text], ...] = ()
    excused: tuple[tuple[Text, Text], ...] = ()


def impostors_view(content: Content) -> ImpostorsView:
    """Return what mutation testing showed."""
    excused = [claim for claim in content.corpus.claims if claim.unkillable is not None]
    reasons = tuple((_linked(claim), prose(claim.unkillable)) for claim in excused)
    record = content.mutation
    if record is None:
        return ImpostorsView(excused=reasons)
    found = [(claim, killed) for claim in content.corpus.claims if (killed := record.entry(claim))]
    missed = missed_arguments((claim, killed.arguments) for claim, killed in found)
    alone = {name: [i for i in items if not i.sibling and not i.reason] for name, items in missed.items()}
    noticed = sum(len(names) for _, killed in found for names in killed.arguments.noticed.values())
    by_sibling = sum(bool(item.sibling) for items in missed.values() for item in items)
    unnoticed = sum(not item.sibling for items in missed.values() for item in items)
    by_reason = tuple((_linked(c), prose(why)) for c, _ in found if (why := _reasons(missed.get(c.id, ()))))
    return ImpostorsView(
        (
            *_tiles(record, [killed for _, killed in found], len(excused)),
            Tile(f"{noticed + by_sibling:,} of {noticed + by_sibling + unnoticed:,}", "wrong arguments are noticed"),
            Tile(f"{by_sibling:,}", "of these by another claim of the subject only"),
        ),
        _scope(record, len(content.corpus.claims) - len(found)),
        _table(record, [killed for _, killed in found]),
        tuple((_linked(c), words(", ".join(k.standing))) for c, k in found if k.standing and c.unkillable is None),
        tuple(
            (_linked(c), words(", ".join(f"{item.argument}: {item.operator}" for item in alone[c.id])))
            for c, _ in found
            if alone.get(c.id)
        ),
        by_reason,
        reasons,
    )


def _reasons(missed: Sequence[Missed]) -> str:
    """Return why no claim notices what is missed, as the spec says it."""
    return " ".join(dict.fromkeys(f"`{item.argument}`: {item.reason}" for item in missed if item.reason))


def _tiles(record: MutationRecord, found: Sequence[Killed], excused: int) -> tuple[Tile, ...]:
    detected = sum(not killed.standing for killed in found)
    kills = sum(len(killed.killers) for killed in found)
    return (
        Tile(f"{detected:,} of {len(found):,}", "claims detect a fault in every assertion"),
        Tile(f"{len(record.impostors):,}", "impostors"),
        Tile(f"{kills / max(len(found), 1):.0f}", "of them are detected by a claim, on average"),
        Tile(f"{excused:,}", "claims that no impostor can make false, with a reason"),
    )


def _scope(record: MutationRecord, others: int) -> str:
    told = f"Measured with torch {record.environment.torch}, {record.environment.device}."
    if others:
        told += (
            f" {others} claims were not tried there: they are about timing or a group of processes, left open, absent"
            " or excluded there, or changed since."
        )
    return told


def _table(record: MutationRecord, found: Sequence[Killed]) -> Table:
    kills = Counter(name for killed in found for name in killed.killers)
    rows = ((code(name), words(told), words(f"{kills[name]:,}")) for name, told in record.impostors.items())
    head = (words("Impostor"), words("What is wrong with it"), words("Claims that detect it"))
    return Table(head, tuple(rows))


def _linked(claim: Claim) -> Text:
    return linked(claim.title, "claim", claim.id)
