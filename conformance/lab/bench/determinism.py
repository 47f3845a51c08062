"""``python -m conformance.lab.bench.determinism [RUNS]``: the corpus in other orders gives the same bytes, or is told.

Also with one process and with two, with one thread and with many, and with other hashes of strings. The hash of the
bytes tells whether runs at other times, or of another machine, gave the same.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Optional

from conformance.results.store import SUFFIX, load_results


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run, and say after each run whether its file is that of the first; the exit status is 1 where one is not."""
    parser = argparse.ArgumentParser(prog="conformance.lab.bench.determinism", description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=20, help="how many runs (default 20)")
    options = parser.parse_args(arguments)
    if options.runs < 1:
        parser.error(f"argument runs: {options.runs} runs tell nothing: ask for one at least")
    differing = 0
    with TemporaryDirectory() as folder:
        first = _measured(Path(folder, "first"), 0)
        print(f"run 0, {_described(0)}: SHA-256 {hashlib.sha256(first.read_bytes()).hexdigest()}", flush=True)
        for number in range(1, options.runs):
            other = _measured(Path(folder, str(number)), number)
            same = other.read_bytes() == first.read_bytes()
            differing += not same
            print(f"run {number}, {_described(number)}: {'the same bytes' if same else 'not the same'}", flush=True)
            if not same:
                print(*_differences(first, other), sep="\n", flush=True)
    print(f"{options.runs - differing} of {options.runs} runs gave the same bytes")
    return int(differing > 0)


def _measured(folder: Path, number: int) -> Path:
    """Measure the whole corpus once and return the result file."""
    environment = {**os.environ, "PYTHONHASHSEED": str(number)}
    environment.pop("OMP_NUM_THREADS", None)
    if _threads(number):
        environment["OMP_NUM_THREADS"] = str(_threads(number))
    more = ["-pconformance.lab.bench.shuffled", f"--order-seed={number}", "-n", str(_processes(number))]
    command = [sys.executable, "-m", "conformance", "run", "-q", f"--results={folder}", *more]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    found = list(folder.glob(f"torch-*{SUFFIX}"))
    if len(found) != 1:
        raise SystemExit(f"run {number} wrote {len(found)} result files:\n{(done.stdout + done.stderr)[-2000:]}")
    return found[0]


def _processes(number: int) -> int:
    """Return 0 for one process, the one that pytest-xdist does not start."""
    return 2 * (number % 2)


def _threads(number: int) -> int:
    """Return 0 for as many threads as torch takes by itself."""
    return number // 2 % 2


def _described(number: int) -> str:
    processes = "two processes" if _processes(number) else "one process"
    return f"{processes}, {'one thread' if _threads(number) else 'many threads'}"


def _differences(first: Path, other: Path) -> list[str]:
    one, two = load_results(first).claims, load_results(other).claims
    names = [name for name in sorted({*one, *two}) if one.get(name) != two.get(name)]
    return [f"  {name}: {one.get(name)}\n  {' ' * len(name)}  {two.get(name)}" for name in names]


if __name__ == "__main__":
    sys.exit(main())
