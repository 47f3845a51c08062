"""What is measured, each in a process of its own: seconds of the processor, where it does not say of the clock."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Callable
from xml.etree import ElementTree

from conformance.base.processes.environment import of_a_worker
from conformance.language.corpus import default_root, load_corpus
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim
from conformance.results.model import Environment

_EXAMPLES = 20
#: How it grows, and what the worker costs, is measured on every so many-th claim.
_SHARE = 10


def claims(step: int) -> list[Claim]:
    """Return every ``step``-th claim of the corpus that is no timing claim."""
    corpus, _ = load_own_corpus()
    return [claim for claim in corpus.claims if not claim.is_timed][::step]


def throughput(step: int) -> dict[str, float]:
    """Judge the corpus in this process: examples per second, and the memory that it takes above what torch takes."""
    chosen = claims(step)
    environment = _environment()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, examples = _judge(chosen, environment)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    return {"examples": examples, "seconds": seconds, "claims": len(chosen), "memory MiB": grown / 1024}


def parts(step: int) -> dict[str, float]:
    """Judge the corpus in this process: the seconds of each part of the work."""
    from conformance.lab.bench.time_by_step import PartTimer, wrap_steps

    chosen = claims(step)
    environment = _environment()
    wrap_steps(timer := PartTimer())
    _judge(chosen, environment)
    timer.enter("")
    return timer.seconds


def answers(step: int) -> dict[str, dict[str, float]]:
    """Seconds of the processor that each command takes, and those of an interpreter that imports the same libraries."""
    from conformance.lab.bench.answers import QUESTIONS, ask

    return {question: ask(question) for question in QUESTIONS}


def linearity(step: int) -> dict[str, list[float]]:
    """Judge some claims once, twice, five and ten times; then a few of them with ever more examples of Hypothesis.

    A repeated claim has another name, so that other examples come. The whole corpus ten times would take half an hour.
    """
    chosen = claims(step * _SHARE)
    environment = _environment()
    _judge(chosen, environment)  # what is imported at the first use is no cost of a claim
    times, seconds = [1, 2, 5, 10], []
    for count in times:
        repeated = [replace(claim, id=f"{claim.id}-{number}") for number in range(count) for claim in chosen]
        seconds.append(_judge(repeated, environment)[0])
    tried, each = [], []
    for count in times:
        passed, examples = _judge(chosen[::5], environment, examples=count * 200)
        tried.append(float(examples))
        each.append(passed)
    return {"times": [float(count) for count in times], "seconds": seconds, "examples": tried, "seconds of those": each}


def by_hand(step: int) -> dict[str, dict[str, float]]:
    """Seconds per example: the same properties as claims, and as Hypothesis tests written by hand."""
    from conformance.lab.bench.by_hand import PROPERTIES

    environment = _environment()
    known = {claim.id: claim for claim in claims(1)}
    found = {}
    for identity, test in PROPERTIES.items():
        if identity not in known:
            continue
        _judge([known[identity]], environment)
        seconds, examples = _judge([known[identity]], environment)
        test()
        found[identity] = {"claim": seconds / examples, "by hand": _seconds(test) / 200}
    return found


def sweep(step: int) -> dict[str, float]:
    """Seconds per example: the sweep of one claim, and plain loops over the same inputs."""
    from conformance.inputs.choices import SweepChoices
    from conformance.inputs.given import Given
    from conformance.inputs.recipes import BASE_NAMESPACE
    from conformance.lab.bench.by_hand import plain_loop, plain_loop_with_writes
    from conformance.run.worker.judge import judge

    claim = next(claim for claim in claims(1) if claim.id == "torch.Tensor.detach/shares-storage")
    environment = _environment()
    given = Given(claim.given, "cpu")
    recipes: list[str] = []
    position, length = 0, 1
    while position < length:
        choices = SweepChoices(position)
        recipes += given.draw(choices).recipes.values()
        length, position = max(length, choices.length), position + 1
    compiled = [compile(recipe, "<recipe>", "eval") for recipe in recipes]
    judge(claim, environment, examples=1, seed=0)
    ours = min(_seconds(lambda: judge(claim, environment, examples=1, seed=0)) for _ in range(5))
    loop = min(_seconds(lambda: plain_loop(compiled, dict(BASE_NAMESPACE))) for _ in range(5))
    writes = min(_seconds(lambda: plain_loop_with_writes(compiled, dict(BASE_NAMESPACE))) for _ in range(5))
    seconds = {"sweep": ours, "loop": loop, "loop with writes": writes}
    return {**{name: taken / len(recipes) for name, taken in seconds.items()}, "examples": len(recipes)}


def protection(step: int) -> dict[str, float]:
    """Seconds by the clock of the same claims in this process, and in a worker that may die; taken in turns."""
    from conformance.run.supervisor import Supervisor
    from conformance.run.worker.judge import judge

    environment = _environment()
    chosen = [claim for claim in claims(_SHARE) if not any(divergence.instead.crashes for divergence in claim.diverges)]
    supervisor = Supervisor(examples=_EXAMPLES, seed=0)
    inside = outside = 0.0
    try:
        for claim in chosen:
            judge(claim, environment, examples=_EXAMPLES, seed=0)
            supervisor.judge(claim, "cpu")
        for claim in chosen:
            here = partial(judge, claim, environment, examples=_EXAMPLES, seed=0)
            inside += min(_wall(here) for _ in range(3))
            outside += min(_wall(partial(supervisor.judge, claim, "cpu")) for _ in range(3))
    finally:
        supervisor.close()
    return {"in this process": inside, "in a worker": outside}


def first_verdict(step: int) -> dict[str, float]:
    """Seconds by the clock until torch is imported, and from there to the first verdict."""
    from conformance.run.supervisor import Supervisor

    start = time.perf_counter()
    supervisor = Supervisor(examples=_EXAMPLES, seed=0)
    supervisor.prepare()
    claim = claims(1)[0]
    try:
        _ = supervisor.environments
        imported = time.perf_counter()
        supervisor.judge(claim, "cpu")
        judged = time.perf_counter()
    finally:
        supervisor.close()
    return {"worker": imported - start, "first verdict": judged - imported}


def collection(step: int) -> dict[str, float]:
    """Seconds to read the corpus, as every command does that needs it."""
    start = time.process_time()
    corpus, _ = load_corpus([default_root()])
    return {"claims": len(corpus.claims), "seconds": time.process_time() - start}


def processes(step: int) -> dict[str, float]:
    """Seconds by the clock of a whole run in one process and in two; and the limit, a program alone and two at once."""
    found = {}
    for name, more in (("one", ["-n", "0"]), ("two", ["-n", "2"])):
        with TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "conformance", "run", "-q", f"--results={folder}", *more]
            found[name] = _wall(partial(subprocess.run, command, check=False, capture_output=True))
    share = [sys.executable, "-m", "conformance.lab.bench.measures", "throughput", "10"]
    for name, count in (("alone", 1), ("two at once", 2)):
        found[name] = _wall(partial(_run_at_once, [share] * count))
    return found


def _run_at_once(commands: Sequence[Sequence[str]]) -> None:
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for command in commands]
    ended = [process.wait() for process in started]
    if any(ended):
        raise RuntimeError(f"this failed, so its time says nothing: {commands}")


def array_api(step: int) -> dict[str, float]:
    """Run the Python array-API conformance suite on this torch: the examples of the tests that pass, and their seconds.

    Taken where the variable ``ARRAY_API_TESTS`` names a checkout of that suite, and what it needs is installed. A test
    that fails takes longer, so it would make the suite look slow.
    """
    suite = os.environ.get("ARRAY_API_TESTS")
    if not suite:
        return {}
    root = str(Path(__file__).resolve().parents[3])
    environment = {**os.environ, "ARRAY_API_TESTS_MODULE": "array_api_compat.torch"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), root)))
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-pno:cacheprovider", "-pconformance.lab.bench.unshrunk"]
        done = subprocess.run(
            [*command, "--hypothesis-show-statistics", f"--junitxml={report}", "array_api_tests"],
            cwd=suite,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if not report.exists():
            raise RuntimeError(f"the array-API suite did not run:\n{(done.stdout + done.stderr)[-2000:]}")
        passed = seconds_of_passed_tests(report.read_text(encoding="utf-8"))
    examples = passing_examples(done.stdout)
    return {
        "passed": len(passed),
        "examples": sum(examples.get(name, 1) for name in passed),
        "seconds": sum(passed.values()),
    }


def seconds_of_passed_tests(report: str) -> dict[str, float]:
    """Return by the clock what each test took that passed, from a JUnit report."""
    return {
        f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}": float(case.get("time", 0))
        for case in ElementTree.fromstring(report).iter("testcase")
        if len(case) == 0  # a failure, an error and a skip are elements of it
    }


def passing_examples(printed: str) -> dict[str, int]:
    """Return how many examples passed in each test, from the statistics that Hypothesis prints."""
    found: dict[str, int] = {}
    name = ""
    for line in printed.splitlines():
        if re.fullmatch(r"\S+\.py::.+:", line):
            name = line[:-1]
            found[name] = 0
        elif name:
            found[name] += sum(map(int, re.findall(r"- (\d+) passing", line)))
    return found


MEASURES: dict[str, Callable[[int], Any]] = {
    measure.__name__: measure
    for measure in (
        throughput,
        parts,
        by_hand,
        sweep,
        protection,
        first_verdict,
        collection,
        answers,
        linearity,
        processes,
        array_api,
    )
}


def _environment() -> Environment:
    """Import torch, and return what is measured."""
    from conformance.run.worker.environment import describe

    return describe("cpu")


def _judge(chosen: Sequence[Claim], environment: Environment, examples: int = _EXAMPLES) -> tuple[float, int]:
    from conformance.run.worker.judge import judge

    judged = 0
    start = time.process_time()
    for claim in chosen:
        judged += judge(claim, environment, examples=examples, seed=0).examples or 0
    return time.process_time() - start, judged


def _seconds(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _wall(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(arguments: Sequence[str]) -> int:
    """Take one measure and print it as JSON."""
    print(json.dumps(MEASURES[arguments[0]](int(arguments[1]))))
    return 0


def take(name: str, step: int) -> Any:
    """Take one measure in a process of its own."""
    folder = Path(__file__).resolve().parents[3]
    command = [sys.executable, "-m", "conformance.lab.bench.measures", name, str(step)]
    environment = of_a_worker(os.environ)  # as a worker has it
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name} could not be measured:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
