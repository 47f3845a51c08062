"""The record of impostors: wrong torches that were set on the claims, and the claims that noticed them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from sphinx.util import logging

from conformance.impostors.record import Record, load_record
from conformance.language.model import Claim
from conformance.results.cells import as_version
from conformance.results.store import ResultError

_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Impostors:
    """What a campaign of impostors showed; empty where there was none.

    ``meanings`` says for each impostor what is wrong with it; ``claims`` maps the id of a claim to its entry.
    """

    environment: Mapping[str, str] = field(default_factory=dict)
    corpus: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    claims: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def entry(self, claim: Claim) -> Optional[Mapping[str, Any]]:
        """Give the entry of a claim; None where it, in its present form, met no impostor."""
        found = self.claims.get(claim.id)
        return found if found is not None and found.get("claim") == claim.fingerprint() else None

    def killers(self, claim: Claim) -> list[str]:
        """Name the impostors that a claim notices."""
        return names_in(self.entry(claim), "killers")

    def kills(self, claims: tuple[Claim, ...]) -> Counter[str]:
        """Count the claims that notice each impostor."""
        return Counter(name for claim in claims for name in self.killers(claim))


def names_in(entry: Optional[Mapping[str, Any]], field_name: str) -> list[str]:
    """Read a list of names from an entry."""
    found = None if entry is None else entry.get(field_name)
    return [str(name) for name in found] if isinstance(found, list) else []


def load_impostors(folder: Path) -> Impostors:
    """Read the record of the newest torch in a folder; one that can't be read is told and left out."""
    records: list[Record] = []
    for path in sorted(folder.glob("torch-*.json")):
        try:
            records.append(load_record(path))
        except ResultError as error:
            _logger.info("%s", error)
    if not records:
        return Impostors()
    newest = max(records, key=lambda record: as_version(record.environment.get("torch", "")))
    return Impostors(newest.environment, newest.corpus, newest.impostors, newest.claims)
