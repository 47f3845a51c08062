"""Claims that prove less than they seem to: few examples, none of what the title says, statements that never run.

A claim that no impostor kills is vacuous too; that is what a campaign finds. Nothing here needs torch.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod
from typing import Any

from conformance.impostors.finding import Finding
from conformance.language.corpus import Corpus
from conformance.language.model import Claim

#: A claim whose inputs admit more should leave at least as many distinct examples.
FEWEST_EXAMPLES = 20

CODES = {
    "V001": "few-examples",
    "V002": "title-not-met",
    "V003": "statement-never-ran",
}


@dataclass(frozen=True, order=True)
class Vacuity:
    """One way in which a claim proves too little; as text ``file:line:column CODE message``."""

    place: str
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.place} {self.code} {self.message}"


def few_examples(corpus: Corpus, entries: dict[str, dict[str, Any]]) -> list[Vacuity]:
    """Return the claims for which a recorded result counts too few examples.

    Parameters
    ----------
    corpus
        The claims.
    entries
        The entries of a result file by id.
    """
    found = []
    for claim in corpus.claims:
        counted = entries.get(claim.id, {}).get("examples")
        if counted is not None and counted < min(FEWEST_EXAMPLES, domain_size(claim)):
            message = f"{claim.id}: only {counted} distinct examples; let 'given' or 'assume' admit more"
            found.append(Vacuity(str(claim.place), "V001", message))
    return sorted(found)


def unmet(corpus: Corpus, findings: dict[str, Finding]) -> list[Vacuity]:
    """Return what a campaign found: titles that no example is about, and statements that never ran."""
    found = []
    for claim in corpus.claims:
        finding = findings.get(claim.id)
        if finding is None:
            continue
        for word in finding.unmet:
            message = f"{claim.id}: the title says '{word}', but no example is about that"
            found.append(Vacuity(str(claim.place), "V002", message))
        for line, text in finding.never_ran:
            place = claim.do.place if claim.do else claim.place
            message = f"{claim.id}: no example reaches line {line} of 'do': {text}"
            found.append(Vacuity(str(place), "V003", message))
    return sorted(found)


def domain_size(claim: Claim) -> int:
    """Return how many different inputs ``given`` admits, as far as its expressions tell.

    A tensor, an array or anything else that is not counted out counts as many.
    """
    return prod(_options(fragment.text) for _, fragment in claim.given) if claim.given else 1


_MANY = 1000


def _options(text: str) -> int:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return _MANY
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return _MANY
    kind = node.func.id
    if kind == "one_of":
        return len(node.args)
    if kind == "boolean":
        return 2
    if kind == "integer" and len(node.args) == 2:
        try:
            low, high = (ast.literal_eval(argument) for argument in node.args)
        except ValueError:
            return _MANY
        return int(high) - int(low) + 1
    # The other kinds have few values too, but how many depends on the torch at hand.
    return 2 if kind in ("dtype", "memory_format", "module", "dim_of") else _MANY
