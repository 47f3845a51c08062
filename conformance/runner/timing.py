"""Timing claims: named kernels over sizes, as ratios of medians; never part of a pass or fail gate."""

from __future__ import annotations

import platform
import warnings
from pathlib import Path
from typing import Any, Optional

import torch
from torch.utils import benchmark

from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Comparison, Expectation
from conformance.results.store import Timings, save_timings
from conformance.runner.environment import admits, describe, devices
from conformance.runner.explain import explain
from conformance.runner.program import compile_expression

_SECONDS_PER_KERNEL = 0.2
_DIGITS = 2


def measure_timings(corpus: Corpus, folder: Optional[Path]) -> None:
    """Measure every timing claim on every device, print the ratios, and write them below ``folder``."""
    for device in devices():
        environment = {**describe(device), "processor": _processor()}
        timings = Timings(environment)
        for claim in corpus.claims:
            if claim.compare is None or not admits(claim.applies, environment):
                continue
            entry = _measure(claim, claim.compare, environment)
            timings.claims[claim.id] = entry
            _print(claim, entry)
        if folder is not None:
            path = folder / "timings" / f"torch-{environment['torch']}-{device}.json"
            save_timings(timings, path)
            print(f"timing file: {path}")


def _measure(claim: Claim, compare: Comparison, environment: dict[str, str]) -> dict[str, Any]:
    medians: dict[str, list[float]] = {name: [] for name, _ in compare.kernels}
    for size in compare.sizes:
        for name, kernel in compare.kernels:
            timer = benchmark.Timer(
                stmt=kernel.text,
                setup=compare.setup.text,
                globals={"torch": torch, "n": size, "device": environment["device"]},
                num_threads=1,
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                medians[name].append(timer.blocked_autorange(min_run_time=_SECONDS_PER_KERNEL).median)
    first = medians[compare.kernels[0][0]]
    ratios = {name: [round(a / b, _DIGITS) for a, b in zip(values, first)] for name, values in medians.items()}
    return {
        "claim": claim.fingerprint(),
        "sizes": list(compare.sizes),
        "kernels": ratios,
        **_judge(claim, medians, environment),
    }


def _judge(claim: Claim, medians: dict[str, list[float]], environment: dict[str, str]) -> dict[str, str]:
    failed = _failed(claim.expectation, medians)
    if claim.unspecified or not claim.expectation.expect:
        return {"verdict": "unspecified"}
    applying = [divergence for divergence in claim.diverges if admits(divergence.when, environment)]
    if not applying:
        return {"verdict": "holds"} if failed is None else {"verdict": "refuted", **failed}
    if failed is None:
        return {"verdict": "fixed"}
    changed = _failed(applying[0].instead, medians)
    return {"verdict": "diverges", **failed} if changed is None else {"verdict": "changed", **changed}


def _failed(expectation: Expectation, medians: dict[str, list[float]]) -> Optional[dict[str, str]]:
    namespace = {"ratio": lambda a, b: [round(x / y, _DIGITS) for x, y in zip(medians[a], medians[b])]}
    for position, fragment in enumerate(expectation.expect):
        expression = compile_expression(fragment.text)
        if not eval(expression.code, namespace):
            return {"failed": f"expect[{position}]: {expression.text}", "detail": explain(expression.text, namespace)}
    return None


def _print(claim: Claim, entry: dict[str, Any]) -> None:
    print(f"{claim.id}: {entry['verdict']}")
    width = max(len(name) for name in entry["kernels"])
    print(f"  {'size':{width}} " + " ".join(f"{size:>8}" for size in entry["sizes"]))
    for name, ratios in entry["kernels"].items():
        print(f"  {name:{width}} " + " ".join(f"{ratio:8.2f}" for ratio in ratios))


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()
