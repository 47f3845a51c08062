"""From a claim to its verdict in this environment, with the evidence that stands behind it."""

from __future__ import annotations

from typing import Any, Callable, Optional

from conformance.census.docstrings import exists, key_hash
from conformance.inputs.given import Example
from conformance.language.model import Claim, Divergence, Expectation
from conformance.runner.coverage import coverage, failing_values
from conformance.runner.environment import admits
from conformance.runner.facts import observe
from conformance.runner.pinned import example_from_recipes
from conformance.runner.program import Plan, plan
from conformance.runner.script import script
from conformance.runner.search import Evidence, Found, Search
from conformance.runner.trial import Trial, satisfies

Outcome = dict[str, Any]


def judge(
    claim: Claim,
    environment: dict[str, str],
    *,
    examples: int,
    seed: int,
    note: Callable[[Example], None] = lambda example: None,
    crashes_confirmed: bool = False,
) -> Outcome:
    """Judge one claim in this process.

    Parameters
    ----------
    examples
        How many examples Hypothesis tries after the sweep.
    note
        Called with every example before it runs, so that a crash can be told.
    crashes_confirmed
        The caller has seen, in another process, that the divergences recorded as crashes do crash.

    Returns
    -------
    dict
        The claim's entry of a result file.
    """
    outcome: Outcome = {"claim": claim.fingerprint()}
    keys = [key_hash(source.name, source.key or "") for source in claim.sources if source.kind == "docs"]
    if keys:
        outcome["keys"] = keys
    if not admits(claim.applies, environment):
        return {**outcome, "verdict": "inapplicable"}
    if not exists(claim.subject):
        return {**outcome, "verdict": "absent"}
    return {**outcome, **_Judgement(claim, environment, examples, seed, note, crashes_confirmed).outcome()}


class _Judgement:
    """The steps of judging one claim that applies here."""

    def __init__(
        self,
        claim: Claim,
        environment: dict[str, str],
        examples: int,
        seed: int,
        note: Callable[[Example], None],
        crashes_confirmed: bool,
    ) -> None:
        self._claim = claim
        self._device = environment["device"]
        self._plan = plan(claim)
        self._crashes_confirmed = crashes_confirmed
        self._diverges = [
            (number, divergence, plan(claim, divergence.instead))
            for number, divergence in enumerate(claim.diverges)
            if admits(divergence.when, environment)
        ]
        self._search = Search(claim, self._plan_for, self._device, examples=examples, random_seed=seed, note=note)

    def outcome(self) -> Outcome:
        pinned = self._judge_pinned()
        if "verdict" in pinned:
            return pinned
        evidence = self._search.run()
        outcome = {**_evidence(evidence), **self._canonical(evidence), **pinned}
        if evidence.invalid is not None:
            return {**outcome, "verdict": "invalid", "detail": evidence.invalid}
        if evidence.failed:
            return {**outcome, **self._refuted(evidence)}
        if not evidence.judged and evidence.lacking is not None:
            return {**outcome, "verdict": "inapplicable", "detail": evidence.lacking}
        if not evidence.judged and not self._diverges:
            return {**outcome, "verdict": "invalid", "detail": _nothing_judged(evidence)}
        if self._claim.unspecified:
            return {**outcome, "verdict": "unspecified", "observed": _observed(evidence)}
        return {**outcome, "verdict": "diverges" if self._diverges else "holds"}

    def _matching(self, example: Example) -> Optional[tuple[int, Divergence, Plan]]:
        for number, divergence, instead in self._diverges:
            if divergence.where is None or satisfies(divergence.where.text, example.values, self._device):
                return number, divergence, instead
        return None

    def _plan_for(self, example: Example) -> Optional[Plan]:
        matching = self._matching(example)
        if matching is None:
            return self._plan
        return None if matching[1].instead.crashes else matching[2]

    def _judge_pinned(self) -> Outcome:
        """Judge the counterexample that each divergence pins: false as claimed, true as recorded."""
        outcome: Outcome = {}
        for number, divergence, instead in self._diverges:
            if divergence.instead.crashes:
                if not self._crashes_confirmed:
                    return {"verdict": "fixed", "divergence": [number], "detail": "the recorded crash does not happen"}
                continue
            recipes = {name: fragment.text.strip() for name, fragment in divergence.example}
            example = example_from_recipes(recipes, self._device)
            # Before the program runs: it may change its inputs.
            if divergence.where is not None and not satisfies(divergence.where.text, example.values, self._device):
                return {
                    "verdict": "invalid",
                    "detail": f"the recorded counterexample is outside 'where' ({divergence.place})",
                }
            trial = self._search.attempt(example, self._plan)
            if trial.status == "satisfied":
                return {
                    "verdict": "fixed",
                    "divergence": [number],
                    "detail": f"the claim is true on the recorded counterexample ({divergence.place})",
                    "counterexample": script(self._claim, self._claim.expectation, example, self._device),
                }
            if trial.status != "failed":
                return {
                    "verdict": "invalid",
                    "detail": f"the recorded counterexample shows nothing: {trial.status} {trial.reason}",
                }
            again = self._search.attempt(example_from_recipes(recipes, self._device), instead)
            if again.status != "satisfied":
                return {
                    "verdict": "changed",
                    "divergence": [number],
                    **self._falsified(Found(example, trial), again, self._claim.expectation),
                }
            if "counterexample" not in outcome:
                outcome.update(self._falsified(Found(example, trial), trial, self._claim.expectation))
            outcome.setdefault("divergence", []).append(number)
        return outcome

    def _refuted(self, evidence: Evidence) -> Outcome:
        found = self._search.smallest(evidence.failures[0])
        matching = self._matching(example_from_recipes(found.example.recipes, self._device))
        asked = self._claim.expectation if matching is None else matching[1].instead
        outcome = self._falsified(found, found.trial, asked)
        outcome["detail"] = "\n".join(part for part in (outcome["detail"], _pattern(evidence)) if part)
        if matching is None:
            return {**outcome, "verdict": "refuted"}
        return {**outcome, "verdict": "changed", "divergence": [matching[0]]}

    def _falsified(self, found: Found, judged: Trial, asked: Expectation) -> Outcome:
        """Tell what was false on an example, with a script that shows it.

        Parameters
        ----------
        found
            The example, and the trial that failed on it.
        judged
            The trial to tell about, where it is another one.
        asked
            The expectation of the trial that failed.
        """
        failure = found.trial.failure
        assert failure is not None
        shown = judged.failure
        part, detail = (shown.part, shown.detail) if shown else (failure.part, judged.reason or failure.detail)
        return {
            "failed": part,
            "detail": detail,
            "counterexample": script(self._claim, asked, found.example, self._device, failure.part),
        }

    def _canonical(self, evidence: Evidence) -> Outcome:
        """Return the canonical example and what it showed."""
        if evidence.first is None:
            return {}
        recipes = evidence.first.example.recipes
        example = example_from_recipes(recipes, self._device)  # built anew: the program may have changed the first one
        chosen = self._plan_for(example)
        if chosen is None:
            return {}
        trial = self._search.attempt(example, chosen, record_warnings=True)
        outcome: Outcome = {"facts": observe(trial, example.values, self._plan.program.assigned)}
        if recipes:
            outcome["example"] = dict(recipes)
        return outcome


def _evidence(evidence: Evidence) -> Outcome:
    outcome: Outcome = {"examples": evidence.judged}
    covered = {label: coverage(tried, evidence.domains[label]) for label, tried in evidence.covered.items()}
    if covered:
        outcome["covered"] = covered
    if evidence.unsupported:
        outcome["unsupported"] = sorted(evidence.unsupported)
    if evidence.vacuities:
        outcome["vacuous"] = evidence.vacuities
    if evidence.tiers:
        outcome["tiers"] = {tier: _how_often(truths) for tier, truths in evidence.tiers.items()}
    return outcome


def _how_often(truths: set[Any]) -> str:
    if truths == {True}:
        return "always"
    return "never" if True not in truths else "sometimes"


def _observed(evidence: Evidence) -> list[str]:
    return [_how_often(truths - {None}) for _, truths in sorted(evidence.observed.items())]


def _nothing_judged(evidence: Evidence) -> str:
    if evidence.unsupported:
        return "no example could be judged: this torch has no kernel for " + ", ".join(sorted(evidence.unsupported))
    return f"no example could be judged ({evidence.discarded} were left out by the inputs, 'assume' or a check)"


def _pattern(evidence: Evidence) -> str:
    """Say on how many examples the claim failed, and which values only failing examples have."""
    counted = f"false on {evidence.failed} of {evidence.judged} examples"
    return "; ".join([counted, *failing_values(evidence.failed_covered, evidence.passed_covered)])
