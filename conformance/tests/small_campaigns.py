"""Runs of impostors over a few claims."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from conformance.lab.impostors.campaign import Campaign
from conformance.lab.impostors.engine.mutation import run_mutants
from conformance.lab.impostors.outcome import Greeting, MutationOutcome, Request
from conformance.lab.impostors.record import MutationRecord
from conformance.language.corpus import Corpus, load_corpus
from conformance.language.model import Claim
from conformance.run.worker.environment import describe

ENVIRONMENT = describe("cpu")


def run(claim: Claim, **options: Any) -> MutationOutcome:
    return run_mutants(Request(claim), ENVIRONMENT, **options)


def survivors(outcome: MutationOutcome) -> list[str]:
    assert outcome.status == "judged", outcome.detail
    return [part.name for part in outcome.survivors]


def corpus_of(folder: Path, claims: str, name: str = "claims") -> Corpus:
    path = folder / f"{name}.yaml"
    path.write_text(
        "subject: torch.clone\nclaims:\n" + textwrap.indent(textwrap.dedent(claims), "  "), encoding="utf-8"
    )
    corpus, problems = load_corpus([path])
    assert not problems, "\n".join(map(str, problems))
    return corpus


THREE_CLAIMS = """
- id: vacuous
  title: The result is whatever it is
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  given: {x: tensor()}
  do: y = torch.clone(x)
  expect: ['equal(y, x)', y is not None]
- id: excused
  title: The result is itself
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  do: y = torch.clone(torch.ones(2))
  expect: y is not None
  unkillable: an object is always itself
- id: stale
  title: The result has two elements
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  do: y = torch.clone(torch.ones(2))
  expect: y.shape == (2,)
  unkillable: nobody has tried
"""


def greeting_for(outcomes: dict[str, MutationOutcome]) -> Greeting:
    names = dict.fromkeys(name for outcome in outcomes.values() for name in outcome.killers)
    return Greeting(ENVIRONMENT, dict.fromkeys(names, "what is wrong"))


def record_of(corpus: Corpus, outcomes: dict[str, MutationOutcome], greeting: Greeting) -> MutationRecord:
    """Return the record of a run of the whole corpus."""
    campaign = Campaign(corpus, corpus.claims, greeting, None, whole=True)
    for claim in corpus.claims:
        campaign.add(claim, outcomes[claim.id])
    record = campaign.record()
    assert record is not None
    return record
