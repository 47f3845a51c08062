"""A mutation run over a corpus: what an earlier record has, what is still to run, and the entries as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Optional

from conformance.lab.impostors.outcome import Greeting, MutationOutcome, Request
from conformance.lab.impostors.record import VERSION, Killed, MutationRecord, Noticing
from conformance.language.corpus import Corpus
from conformance.language.model import Claim


class Campaign:
    """The state of a mutation run.

    Parameters
    ----------
    corpus
        What the record is of.
    claims
        Those of it that are chosen.
    earlier
        The record of an earlier run.
    whole
        The claims are the whole corpus, and the operators all: then claims that the earlier record has as they are keep
        their entries, and only operators that it lacks run on them.
    again
        All claims are run, also those of the earlier record.

    Attributes
    ----------
    requests : list of Request
        What is to run.
    operators : list of str
        Their names, in the order in which they are tried.
    outcomes : dict
        What the operators did to claims that did not keep an entry, by id.
    kept : dict
        The entries that claims keep from the earlier record, with what new operators added.
    new : list of str
        The operators that the earlier record lacks, where claims keep entries.
    """

    def __init__(
        self,
        corpus: Corpus,
        claims: Sequence[Claim],
        greeting: Greeting,
        earlier: Optional[MutationRecord],
        *,
        whole: bool,
        again: bool = False,
    ) -> None:
        self.operators = list(greeting.operators)
        self._corpus = corpus
        self._earlier = earlier
        self._greeting = greeting
        self._claims = claims
        self.outcomes: dict[str, MutationOutcome] = {}
        self.kept = self._entries(claims) if whole and not again else {}
        self.new: list[str] = []
        self._is_like = False
        if earlier is not None and earlier.environment == greeting.environment:
            self._is_like = earlier.impostors == greeting.operators
            if self.kept and earlier.impostors.items() <= greeting.operators.items():
                self.new = [name for name in self.operators if name not in earlier.impostors]
        done = frozenset(earlier.impostors if earlier else ())
        self.requests = [
            Request(claim, earlier.entry(claim) if earlier else None, done if claim.id in self.kept else frozenset())
            for claim in claims
            if self.new or claim.id not in self.kept
        ]

    def add(self, claim: Claim, outcome: MutationOutcome) -> None:
        """Take in the outcome of a request."""
        entry = self.kept.pop(claim.id, None)
        if entry is None or outcome.status != "judged":
            self.outcomes[claim.id] = outcome
            return
        killers = {*entry.killers, *outcome.killers}
        self.kept[claim.id] = replace(
            entry,
            killers=tuple(name for name in self.operators if name in killers),
            standing=tuple(part for part in entry.standing if part not in outcome.killed_by),
            answers=(*entry.answers, *outcome.only_in_assertion),
            arguments=Noticing(
                {**entry.arguments.noticed, **outcome.arguments.noticed},
                {**entry.arguments.missed, **outcome.arguments.missed},
            ),
        )

    def record(self, *, stopped: bool = False) -> Optional[MutationRecord]:
        """Return the record of the run; None where it would mix entries of different operators or environments.

        In a run that was stopped, claims that were not reached keep the entries of an earlier record with the same
        operators.
        """
        if self.kept and not self.new and not self._is_like:
            return None
        kept = dict(self.kept)
        if stopped and self._is_like:
            kept.update(self._entries([claim for claim in self._claims if claim.id not in self.outcomes]))
        entries = {}
        for claim in self._corpus.claims:
            outcome = self.outcomes.get(claim.id)
            if claim.id in kept:
                entries[claim.id] = replace(kept[claim.id], unkillable=claim.unkillable)
            elif outcome is not None and outcome.status == "judged":
                entries[claim.id] = Killed(
                    claim.fingerprint(),
                    len(outcome.parts),
                    tuple(sorted(outcome.killers, key=self.operators.index)),
                    tuple(part.name for part in outcome.survivors),
                    outcome.only_in_assertion,
                    claim.unkillable,
                    outcome.arguments,
                )
        environment, operators = self._greeting.environment, self._greeting.operators
        return MutationRecord(VERSION, environment, self._corpus.revision(), operators, entries)

    def _entries(self, claims: Sequence[Claim]) -> dict[str, Killed]:
        """Return what the earlier record has of claims as they are, if what killed them can still be run."""
        if self._earlier is None:
            return {}
        entries = ((claim, self._earlier.entry(claim)) for claim in claims)
        return {claim.id: entry for claim, entry in entries if entry and {*entry.killers} <= {*self.operators}}
