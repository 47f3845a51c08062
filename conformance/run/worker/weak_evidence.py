"""Claims that prove less than they seem to: few examples, none of what the title says, statements that never run.

A claim that no impostor kills proves nothing either; a mutation run finds those.
"""

from __future__ import annotations

import ast
from math import prod

from conformance.inputs.given import Example
from conformance.language.model import Claim
from conformance.results.model import WeakEvidence
from conformance.run.scripts.program import Plan
from conformance.run.worker.statements import StatementCoverage
from conformance.run.worker.titles import TitleTerms
from conformance.run.worker.trial import Trial, run_trial

#: A claim whose inputs admit more should leave at least as many distinct examples.
FEWEST_EXAMPLES = 20


class EvidenceMonitor:
    """Runs the trials of a claim, and watches what its examples have not shown yet.

    Parameters
    ----------
    claim
        The claim.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._statements = StatementCoverage(claim.do.text if claim.do else "")
        self._title = TitleTerms(claim.title)

    def run(self, plan: Plan, example: Example, device: str) -> Trial:
        """Run a trial; it counts where it decides something."""
        with self._statements:
            trial = run_trial(plan, example, device)
        if self._title.missing and trial.status in ("satisfied", "failed"):
            self._title.meet(trial.namespace.values())
        return trial

    def weak_evidence(self, judged: int, exhausted: bool) -> tuple[WeakEvidence, ...]:
        """Return each way in which the claim proves too little.

        Parameters
        ----------
        judged
            How many distinct examples decided something.
        exhausted
            Further draws only found the same inputs again, so that there are no more of their kind.
        """
        found = []
        crashes = any(divergence.instead.crashes for divergence in self._claim.diverges)  # such examples are left out
        if judged < min(FEWEST_EXAMPLES, domain_size(self._claim)) and not exhausted and not crashes:
            told = f"only {judged} distinct examples; let 'given' or 'assume' admit more"
            found.append(WeakEvidence("V001", told))
        for word in self._title.missing:
            found.append(WeakEvidence("V002", f"the title says '{word}', but no example is about that"))
        # What is left open may have a branch for another version; a promised error ends the block that it is in.
        if not self._claim.unspecified and self._claim.expectation.raises is None:
            for line, text in self._statements.never_ran():
                found.append(WeakEvidence("V003", f"no example reaches line {line} of 'do': {text}"))
        return tuple(found)


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
