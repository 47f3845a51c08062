"""Mutation testing over the whole corpus: its score, the impostors, and what survived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.lab.impostors.record import Killed, Missed, MutationRecord, missed_arguments
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Table, Text, code, linked, prose, words
from conformance.language.model import Claim

#: Claims of a record as they are now, each with what killed it.
Judged = Sequence[tuple[Claim, Killed]]
#: An anchor, a heading, a sentence (or none), and claims with what is said of them.
Section = tuple[str, str, str, list[tuple[Text, Text]]]
_BY_SPEC = "The spec gives the reason for each."


def judged_claims(content: Content) -> Judged:
    """Return the claims that are as they were when their mutants ran."""
    return [(claim, killed) for claim in content.corpus.claims if (killed := content.killed(claim))]


def impostor_numbers(judged: Judged, record: MutationRecord, excused: int) -> Iterator[tuple[str, str]]:
    """Yield the score: numbers, and what each counts."""
    detected = sum(not killed.standing for _, killed in judged)
    kills = sum(len(killed.killers) for _, killed in judged)
    every = [item for items in missed_arguments((c, k.arguments) for c, k in judged).values() for item in items]
    by_sibling = sum(bool(item.sibling) for item in every)
    noticed = by_sibling + sum(len(names) for _, killed in judged for names in killed.arguments.noticed.values())
    yield f"{detected:,} of {len(judged):,}", "claims detect a fault in every assertion"
    yield f"{len(record.impostors):,}", "impostors"
    yield f"{kills / max(len(judged), 1):.0f}", "of them are detected by a claim, on average"
    yield f"{excused:,}", "claims that no impostor can make false, with a reason"
    yield f"{noticed:,} of {noticed + len(every) - by_sibling:,}", "wrong arguments are noticed"
    yield f"{by_sibling:,}", "of these by another claim of the subject only"


def impostor_scope(record: MutationRecord, others: int) -> str:
    """Return where the mutants ran, and why not on the other claims."""
    told = f"Measured with torch {record.environment.torch}, {record.environment.device}."
    if others:
        told += (
            f" {others} claims were not tried there: they are about timing or a group of processes, left open, absent"
            " or excluded there, or changed since."
        )
    return told


def impostors_table(judged: Judged, record: MutationRecord) -> Table:
    """Return what is wrong with each impostor, and how many claims detect it."""
    kills = Counter(name for _, killed in judged for name in killed.killers)
    rows = ((code(name), words(told), words(f"{kills[name]:,}")) for name, told in record.impostors.items())
    head = (words("Impostor"), words("What is wrong with it"), words("Claims that detect it"))
    return Table(head, tuple(rows))


def survivors(judged: Judged, claims: Sequence[Claim]) -> Iterator[Section]:
    """Yield what no impostor makes false, and what is excused from it; a section may be empty."""
    missed = missed_arguments((claim, killed.arguments) for claim, killed in judged)
    standing = [(c, words(", ".join(k.standing))) for c, k in judged if k.standing and c.unkillable is None]
    unnoticed = [(c, words(told)) for c, _ in judged if (told := _unnoticed(missed.get(c.id, ())))]
    reasons = [(c, prose(told)) for c, _ in judged if (told := _reasons(missed.get(c.id, ())))]
    unkillable = [(claim, prose(claim.unkillable)) for claim in claims if claim.unkillable is not None]
    for anchor, heading, told, pairs in (
        ("survivors", "Claims with a part that no impostor makes false", "", standing),
        ("missed-arguments", "Arguments that may be wrong unnoticed", "", unnoticed),
        ("unnoticed-arguments", "Wrong arguments that no claim has to notice", _BY_SPEC, reasons),
        ("unkillable", "Claims that no impostor can make false", _BY_SPEC, unkillable),
    ):
        yield anchor, heading, told, [(linked(claim.title, "claim", claim.id), why) for claim, why in pairs]


def _unnoticed(missed: Sequence[Missed]) -> str:
    return ", ".join(f"{item.argument}: {item.operator}" for item in missed if not item.sibling and not item.reason)


def _reasons(missed: Sequence[Missed]) -> str:
    """Return why no claim notices what is missed, as the spec says it."""
    return " ".join(dict.fromkeys(f"`{item.argument}`: {item.reason}" for item in missed if item.reason))
