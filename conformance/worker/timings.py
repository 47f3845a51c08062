"""Timing claims: named kernels over sizes, as ratios of medians; never part of a pass or fail gate.

``python -m conformance.worker.timings FOLDER [PATH ...]``; an empty folder writes no file.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path

import torch
from torch.utils import benchmark

from conformance.language.conditions import admits
from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim, Comparison, Expectation
from conformance.results.model import Entry, Environment, FailedPart
from conformance.results.store import SUFFIX, Results, save_results
from conformance.scripts.program import compile_expression
from conformance.worker.environment import describe, devices, processor
from conformance.worker.explain import explain


def _measure(claim: Claim, compare: Comparison, environment: Environment) -> Entry:
    medians: dict[str, list[float]] = {name: [] for name, _ in compare.kernels}
    for size in compare.sizes:
        names = {"torch": torch, "n": size, "device": environment.device}
        for name, kernel in compare.kernels:
            timer = benchmark.Timer(stmt=kernel.text, setup=compare.setup.text, globals=names, num_threads=1)
            medians[name].append(timer.blocked_autorange(min_run_time=0.2).median)

    def ratio(one: str, other: str) -> list[float]:
        return [round(mine / others, 2) for mine, others in zip(medians[one], medians[other])]

    def judged(expectation: Expectation) -> Entry:
        for position, fragment in enumerate(expectation.expect):
            expression = compile_expression(fragment.text)
            if not eval(expression.code, {"ratio": ratio}):
                failed = FailedPart("expect", position, expression.text)
                detail = explain(expression.text, {"ratio": ratio})
                return replace(entry, verdict="refuted", failed=failed, detail=detail)
        return replace(entry, verdict="holds")

    kernels = {name: tuple(ratio(name, compare.kernels[0][0])) for name in medians}
    entry = Entry(claim.fingerprint(), "unspecified", sizes=compare.sizes, kernels=kernels)
    if claim.unspecified or not claim.expectation.expect:
        return entry
    found = judged(claim.expectation)
    diverges = next((item.instead for item in claim.diverges if admits(item.when, environment)), None)
    if diverges is None:
        return found
    if found.verdict == "holds":
        return replace(found, verdict="unexpected-pass")
    instead = judged(diverges)
    as_recorded = instead.verdict == "holds"
    return replace(found, verdict="diverges") if as_recorded else replace(instead, verdict="diverges-differently")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    corpus, _ = load_corpus(list(map(Path, sys.argv[2:])) or [default_root()])
    for device in devices():
        here = replace(describe(device), processor=processor())
        timed = [(claim, claim.compare) for claim in corpus.claims if claim.compare and admits(claim.applies, here)]
        results = Results(here, corpus.revision(), 0, 0, {claim.id: _measure(claim, how, here) for claim, how in timed})
        for identity, entry in results.claims.items():
            print(f"{identity}: {entry.verdict}")
            for label, numbers in {"size": entry.sizes, **entry.kernels}.items():
                print(f"  {label:24}", *(f"{number:>9}" for number in numbers))
        if sys.argv[1]:
            path = Path(sys.argv[1], "timings", f"{results.name}{SUFFIX}")
            save_results(results, path)
            print(f"timing file: {path}")
