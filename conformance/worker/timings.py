"""Timing claims: kernels over sizes, as ratios of medians; never part of a pass or fail gate.

``python -m conformance.worker.timings FOLDER [PATH ...]``; an empty folder writes no file.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from conformance.checks.timing import Ratios
from conformance.inputs.given import Example
from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.model import FAILING, Entry, Environment
from conformance.results.recorded import TIMINGS
from conformance.results.store import SUFFIX, Results, save_results
from conformance.scripts.program import plan
from conformance.worker.environment import describe, devices, processor
from conformance.worker.judge import judge
from conformance.worker.trial import run_trial


def _measure(claim: Claim, here: Environment) -> Entry:
    """Judge a claim by ratios; one whose program times nothing is invalid."""
    entry = judge(claim, here, examples=1, seed=0)
    for value in run_trial(plan(claim), Example({}, {}, {}), here.device).namespace.values():
        if isinstance(value, Ratios):
            return replace(entry, sizes=value.sizes, kernels=value.to_first())
    return replace(entry, verdict="invalid")


if __name__ == "__main__":
    corpus, _ = load_corpus(list(map(Path, sys.argv[2:])) or [default_root()])
    timed = [claim for claim in corpus.claims if claim.is_timed]
    verdicts = set()
    for device in devices():
        here = replace(describe(device), processor=processor())
        results = Results(here, corpus.revision(), 0, 0, {claim.id: _measure(claim, here) for claim in timed})
        for identity, entry in results.claims.items():
            verdicts.add(entry.verdict)
            print(f"{identity}: {entry.verdict}", *([entry.detail] if entry.verdict in FAILING else ()), sep="\n  ")
            for label, numbers in {"size": entry.sizes, **entry.kernels}.items():
                print(f"  {label:24}", *(f"{number:>9}" for number in numbers))
        if sys.argv[1]:
            path = Path(sys.argv[1], TIMINGS, f"{results.name}{SUFFIX}")
            save_results(results, path)
            print(f"timing file: {path}")
    sys.exit("invalid" in verdicts)
