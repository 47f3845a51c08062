"""``python -m conformance.lab.bench [--quick] [--write DIR]``: measure, print ratios, and record them."""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, Optional

from conformance.base.json_files import replace_file
from conformance.base.processes.environment import processor
from conformance.lab.bench.answers import QUESTIONS
from conformance.lab.bench.measures import MEASURES, take

_NAME = "benchmarks"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Measure and print; returns the exit status."""
    parser = argparse.ArgumentParser(prog="conformance.lab.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="every tenth claim only; the ratios are rougher")
    parser.add_argument("--only", action="append", choices=list(MEASURES), help="take this measure only")
    parser.add_argument("--write", type=Path, metavar="DIR", help=f"record in DIR/{_NAME}.json and DIR/{_NAME}.csv")
    options = parser.parse_args(arguments)
    measured = {}
    for name in options.only or MEASURES:
        print(f"measuring {name} …", file=sys.stderr)
        measured[name] = take(name, 10 if options.quick else 1)
    rows = table(measured)
    width = max(len(row[0]) for row in rows)
    for name, value, aim in rows:
        print(f"{name:{width}}  {value:>12}  {aim}")
    if options.write:
        document = {"schema": 1, "machine": machine(), "measured": measured}
        replace_file(options.write / f"{_NAME}.json", json.dumps(_rounded(document), indent=1, sort_keys=True) + "\n")
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        replace_file(options.write / f"{_NAME}.csv", text.getvalue())
    return 0


def table(measured: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return a row for each figure: what it is, its value, and what is aimed at."""
    rows: list[tuple[str, str, str]] = []
    if "throughput" in measured:
        corpus = measured["throughput"]
        rate = corpus["examples"] / corpus["seconds"]
        rows.append(("examples per second per core, whole corpus", f"{rate:,.0f}", "10,000"))
        rows.append(("peak memory above torch's import", f"{corpus['memory MiB']:.0f} MiB", "below 600 MiB"))
    if "parts" in measured:
        whole = sum(measured["parts"].values())
        rows += [(f"of a run, {part}", f"{seconds / whole:.0%}", "") for part, seconds in measured["parts"].items()]
    if "by_hand" in measured:
        ratios = [pair["by hand"] / pair["claim"] for pair in measured["by_hand"].values()]
        rows.append(("an example of Hypothesis by hand, in examples of a claim", f"{median(ratios):.1f}", ""))
    if "sweep" in measured:
        ours, loop, writes = (measured["sweep"][name] for name in ("sweep", "loop", "loop with writes"))
        rows.append(
            ("an example of a sweep, in rounds of a plain loop with its writes", f"{ours / writes:.1f}", "below 3")
        )
        rows.append(("an example of a sweep, in rounds of a plain loop over addresses", f"{ours / loop:.1f}", ""))
    if "protection" in measured:
        cost = measured["protection"]["in a worker"] / measured["protection"]["in this process"] - 1
        rows.append(("cost of the worker that may die", f"{cost:.1%}", "below 10 %"))
    if "first_verdict" in measured:
        seconds = measured["first_verdict"]["first verdict"]
        rows.append(("from torch imported to the first verdict", f"{seconds:.2f} s", "below 3 s"))
    if "collection" in measured:
        seconds = measured["collection"]["seconds"] / measured["collection"]["claims"] * 2000
        rows.append(("reading 2,000 claims", f"{seconds:.2f} s", "below 1 s"))
    for question, found in measured.get("answers", {}).items():
        name = f"`conformance {question}`, in imports of the same libraries"
        ratio = f"{found['command'] / found['imports']:.1f} ({found['command']:.2f} s)"
        rows.append((name, ratio, f"below {QUESTIONS[question]:g} s"))
    if "linearity" in measured:
        times, seconds_each = measured["linearity"]["times"], measured["linearity"]["seconds"]
        cost = seconds_each[-1] / seconds_each[0] / times[-1]
        rows.append((f"a claim among {times[-1]:.0f} times as many, in claims among few", f"{cost:.2f}", "1"))
    if "processes" in measured:
        seconds = measured["processes"]
        rows.append(("a run in two processes, times as fast", f"{seconds['one'] / seconds['two']:.2f}", "1.8"))
        limit = 2 * seconds["alone"] / seconds["two at once"]
        rows.append(("two programs at once that share nothing, times as fast (the limit)", f"{limit:.2f}", ""))
    if measured.get("array_api") and "throughput" in measured:
        suite, corpus = measured["array_api"], measured["throughput"]
        ratio = corpus["examples"] / corpus["seconds"] / (suite["examples"] / suite["seconds"])
        rows.append(("examples per second, in those of the array-API suite", f"{ratio:.0f}", "25"))
    return rows


def machine() -> dict[str, str]:
    """Return what the machine is."""
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "system": platform.system().lower(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "numpy", "hypothesis", "pytest")},
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    sys.exit(main())
