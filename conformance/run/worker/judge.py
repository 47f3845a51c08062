"""From a claim to its verdict in this environment, with the evidence that stands behind it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Callable, Optional

from conformance.checks.timing import Ratios
from conformance.inputs.given import Example
from conformance.inputs.recipes import Unbuildable
from conformance.language.model import Claim, Divergence, Expectation
from conformance.results.conditions import admits
from conformance.results.model import Device, Entry, Environment, Often, Tiers, Verdict, WeakEvidence
from conformance.run.scripts.counterexample import counterexample_script
from conformance.run.scripts.placement import on_device, placed_recipes
from conformance.run.scripts.program import Plan, plan
from conformance.run.worker.docstrings import exists, key_hash
from conformance.run.worker.domain_coverage import coverage, failing_values
from conformance.run.worker.facts import observe
from conformance.run.worker.pinned import example_from_recipes
from conformance.run.worker.search import Attempt, Chance, Evidence, Search
from conformance.run.worker.trial import Trial, run_trial, satisfies


def judge(
    claim: Claim,
    environment: Environment,
    *,
    examples: int,
    seed: int,
    progress: Callable[[Example], None] = lambda example: None,
    crashes_confirmed: bool = False,
) -> Entry:
    """Judge one claim in this process.

    Parameters
    ----------
    examples
        How many examples Hypothesis tries after the sweep.
    progress
        Called with every example before it runs, so that a crash can be told.
    crashes_confirmed
        The caller has seen, in another process, that the divergences recorded as crashes do crash.
    """
    entry = Entry(claim.fingerprint(), "holds", sentences=sentences(claim.keys))
    if not admits(claim.applies, environment):
        return replace(entry, verdict="inapplicable")
    if not exists(claim.subject):
        return replace(entry, verdict="absent")
    claim = on_device(claim, environment.device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry = _Judgement(claim, environment, examples, seed, progress, crashes_confirmed).complete(entry)
        return _with_ratios(claim, entry, environment.device) if claim.is_timed else entry


def _with_ratios(claim: Claim, entry: Entry, device: Device) -> Entry:
    """Return the entry of a timing claim with what was timed; where nothing was, the claim is invalid."""
    for value in run_trial(plan(claim), Example({}, {}, {}), device).namespace.values():
        if isinstance(value, Ratios):
            return replace(entry, sizes=value.sizes, kernels=value.to_first())
    return replace(entry, verdict="invalid")


def sentences(keys: Iterable[tuple[str, str]]) -> tuple[Optional[str], ...]:
    """Return a hash of the sentence of each docstring that has the key; none where there is no such sentence."""
    return tuple(key_hash(name, key) for name, key in keys)


class _Judgement:
    """The steps of judging one claim that applies here."""

    def __init__(
        self,
        claim: Claim,
        environment: Environment,
        examples: int,
        seed: int,
        progress: Callable[[Example], None],
        crashes_confirmed: bool,
    ) -> None:
        self._claim = claim
        self._device = environment.device
        self._plan = plan(claim)
        self._crashes_confirmed = crashes_confirmed
        self._diverges = [
            (number, divergence, plan(claim, divergence.instead))
            for number, divergence in enumerate(claim.diverges)
            if admits(divergence.when, environment)
        ]
        self._search = Search(
            claim, self._plan_for, self._device, examples=examples, random_seed=seed, progress=progress
        )

    def complete(self, entry: Entry) -> Entry:
        """Return an entry with the verdict and the evidence."""
        entry = self._with_pinned(entry)
        if entry.verdict != "holds":
            return entry
        evidence = self._search.run()
        entry = self._with_canonical(_with_evidence(entry, evidence), evidence)
        if evidence.seen and not evidence.touched:
            told = f"no example puts anything on {self._device}"
            weak = (WeakEvidence("V005", f"{told}; build it with device=device, or say applies: {{device: cpu}}"),)
            return replace(entry, verdict="inapplicable", detail=told, weak_evidence=weak)
        if evidence.invalid is not None:
            return replace(entry, verdict="invalid", detail=evidence.invalid)
        if evidence.failed:
            return self._refuted(entry, evidence)
        if not evidence.judged and evidence.lacking is not None:
            return replace(entry, verdict="inapplicable", detail=evidence.lacking)
        # Where torch crashes, every example may be left out; otherwise a divergence needs examples as a claim does.
        if not evidence.judged and not any(divergence.instead.crashes for _, divergence, _ in self._diverges):
            verdict: Verdict = "invalid" if self._device == "cpu" else "unsupported"
            return replace(entry, verdict=verdict, detail=_nothing_judged(evidence))
        if self._claim.unspecified:
            entry = replace(entry, verdict="unspecified", observed=_observed(evidence))
        return replace(entry, verdict="diverges") if self._diverges else entry

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

    def _with_pinned(self, entry: Entry) -> Entry:
        """Judge the counterexample that each divergence pins: false as claimed, true as recorded.

        Where one is not, the entry has that verdict; else it has the first counterexample, and still says "holds".
        """
        first: Optional[Entry] = None
        applied: list[int] = []
        for number, divergence, instead in list(self._diverges):
            if not self._was_seen_here(divergence) and (elsewhere := self._only_elsewhere(entry, number)) is not None:
                if elsewhere.verdict == "refuted":
                    return elsewhere
                continue
            if divergence.instead.crashes:
                if not self._crashes_confirmed:
                    told = "the recorded crash does not happen"
                    return replace(entry, verdict="unexpected-pass", divergence=(number,), detail=told)
                continue
            found = self._judged_pinned(entry, number, divergence, instead)
            if found.verdict != "holds":
                return found
            first = first or found
            applied.append(number)
        return replace(first or entry, divergence=tuple(applied))

    def _was_seen_here(self, divergence: Divergence) -> bool:
        """Say whether somebody saw a divergence on this device: on the CPU, where it does not name one."""
        return self._device == "cpu" or divergence.when.device is not None

    def _only_elsewhere(self, blank: Entry, number: int) -> Optional[Entry]:
        """Leave out a divergence that does not happen here as it was seen on the CPU.

        Returns
        -------
        Entry or None
            None where it happens here too. Otherwise what its counterexample shows, refuted where the claim is false
            in another way.
        """
        position = next(at for at, (found, _, _) in enumerate(self._diverges) if found == number)
        _, divergence, instead = self._diverges[position]
        if divergence.instead.crashes:
            found = replace(blank, verdict="holds" if self._crashes_confirmed else "unexpected-pass")
        else:
            try:
                found = self._judged_pinned(blank, number, divergence, instead)
            except Unbuildable as error:
                found = replace(blank, verdict="invalid", detail=str(error))
        if found.verdict == "holds":
            return None
        del self._diverges[position]
        return replace(found, verdict="refuted") if found.verdict == "diverges-differently" else found

    def _judged_pinned(self, blank: Entry, number: int, divergence: Divergence, instead: Plan) -> Entry:
        written = {name: fragment.text.strip() for name, fragment in divergence.example}
        recipes = placed_recipes(self._claim, written, self._device)
        example = example_from_recipes(recipes, self._device)
        # Before the program runs: it may change its inputs.
        if divergence.where is not None and not satisfies(divergence.where.text, example.values, self._device):
            told = f"the recorded counterexample is outside 'where' ({divergence.place})"
            return replace(blank, verdict="invalid", detail=told)
        found = self._search.attempt(example, self._plan)
        trial = found.trial
        chance = self._search.chance(found, self._plan)
        if trial.status == "satisfied":
            return replace(
                blank,
                verdict="unexpected-pass",
                divergence=(number,),
                detail=f"the claim is true on the recorded counterexample ({divergence.place})",
                counterexample=counterexample_script(
                    self._claim, self._claim.expectation, recipes, self._device, seeding=chance.seeding
                ),
                weak_evidence=chance.weak_evidence,
            )
        if trial.status != "failed":
            told = f"the recorded counterexample shows nothing: {trial.status} {trial.reason}"
            return replace(blank, verdict="invalid", detail=told)
        again = self._search.attempt(example_from_recipes(recipes, self._device), instead)
        if again.trial.status != "satisfied":
            blank = replace(blank, verdict="diverges-differently", divergence=(number,))
            trial = again.trial
        return self._falsified(blank, found, trial, self._claim.expectation, chance)

    def _refuted(self, entry: Entry, evidence: Evidence) -> Entry:
        found = self._search.smallest(evidence.failures[0])
        matching = self._matching(example_from_recipes(found.example.recipes, self._device))
        asked, tried = (self._claim.expectation, self._plan) if matching is None else (matching[1].instead, matching[2])
        entry = self._falsified(entry, found, found.trial, asked, self._search.chance(found, tried))
        entry = replace(entry, detail="\n".join(part for part in (entry.detail, _pattern(evidence)) if part))
        if matching is None:
            return replace(entry, verdict="refuted")
        return replace(entry, verdict="diverges-differently", divergence=(matching[0],))

    def _falsified(self, entry: Entry, found: Attempt, judged: Trial, asked: Expectation, chance: Chance) -> Entry:
        """Return an entry that tells what was false on an example, with a script that shows it.

        Parameters
        ----------
        found
            The example, and the trial that failed on it.
        judged
            The trial to tell about, where it is another one.
        asked
            The expectation of the trial that failed.
        chance
            How far that depends on chance.
        """
        failure = found.trial.failure
        assert failure is not None
        shown = judged.failure
        part, detail = (shown.part, shown.detail) if shown else (failure.part, judged.reason or failure.detail)
        recipes = found.example.recipes
        script = counterexample_script(self._claim, asked, recipes, self._device, failure.part, chance.seeding)
        return replace(entry, failed=part, detail=detail, counterexample=script, weak_evidence=chance.weak_evidence)

    def _with_canonical(self, entry: Entry, evidence: Evidence) -> Entry:
        """Return an entry with the canonical example and what it showed."""
        if evidence.first is None:
            return entry
        recipes = evidence.first.example.recipes
        example = example_from_recipes(recipes, self._device)  # built anew: the program may have changed the first one
        chosen = self._plan_for(example)
        if chosen is None:
            return entry
        trial = self._search.attempt(example, chosen, record_warnings=True).trial
        facts = observe(trial, example.values, self._plan.program.assigned)
        return replace(entry, facts=facts, example=dict(recipes))


def _with_evidence(entry: Entry, evidence: Evidence) -> Entry:
    return replace(
        entry,
        examples=evidence.judged,
        covered={label: coverage(tried, evidence.domains[label]) for label, tried in evidence.covered.items()},
        missing_kernels={
            error: tuple(sorted(missing.dtype for missing in evidence.missing_kernels if missing.error == error))
            for error in sorted({missing.error for missing in evidence.missing_kernels})
        },
        weak_evidence=(*entry.weak_evidence, *evidence.weak_evidence),
        tiers=Tiers(**{tier: _how_often(truths) for tier, truths in evidence.tiers.items()})
        if evidence.tiers
        else None,
    )


def _how_often(truths: Iterable[Optional[bool]]) -> Often:
    known = set(truths)
    if known == {True}:
        return "always"
    return "never" if True not in known else "sometimes"


def _observed(evidence: Evidence) -> tuple[Often, ...]:
    return tuple(_how_often(truths - {None}) for _, truths in sorted(evidence.observed.items()))


def _nothing_judged(evidence: Evidence) -> str:
    if evidence.unsupported:
        return f"no example could be judged: {evidence.unsupported}"
    if evidence.missing_kernels:
        names = ", ".join(sorted({missing.dtype for missing in evidence.missing_kernels}))
        return f"no example could be judged: this torch has no kernel for {names}"
    return (
        f"no example could be judged ({evidence.discarded} were left out by the inputs, 'assume', 'control' or a check)"
    )


def _pattern(evidence: Evidence) -> str:
    """Return on how many examples the claim failed, and which values only failing examples have."""
    counted = f"false on {evidence.failed} of {evidence.judged} examples"
    return "; ".join([counted, *failing_values(evidence.failed_covered, evidence.passed_covered)])
