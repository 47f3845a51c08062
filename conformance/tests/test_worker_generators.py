"""Each example draws from a random state of its own, and a claim that depends on chance is refuted."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from typing import Callable

import numpy as np
import pytest
import torch

from conformance.results.model import Entry
from conformance.run.worker.generators import Generators

Judge = Callable[[str], Entry]
DRAWS = {
    "torch": "torch.rand(1).item()",
    "NumPy": "np.random.rand()",
    "NumPy's normal distribution": "np.random.randn()",
    "Python": "__import__('random').random()",
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_is_put_back(name: str) -> None:
    generators = Generators(7)
    assert not generators.drawn()
    names = {"torch": torch, "np": np, "random": random}
    first = eval(DRAWS[name], names)
    assert len(generators.drawn()) == 1
    generators.reset()
    assert not generators.drawn()
    assert eval(DRAWS[name], names) == first
    generators.seed(8)
    assert eval(DRAWS[name], names) != first


@pytest.mark.parametrize("name", DRAWS)
def test_examples_draw_differently_and_an_example_always_the_same(judge: Judge, name: str) -> None:
    """The first statement counts which example drew what."""
    place = f"seen_by_{list(DRAWS).index(name)}"
    program = f"""given: {{x: tensor()}}
do: |
  import sys
  seen = sys.__dict__.setdefault("{place}", {{}})
  drawn = seen.setdefault(str(x) + str(x.stride()) + str(x.storage_offset()), set())
  drawn.add({DRAWS[name]})
"""
    # The first example draws once more, before it is known that the claim draws.
    entry = judge(program + "expect: len(drawn) < 3 and (len(seen) < 40 or len(set.union(*seen.values())) > 20)")
    assert entry.verdict == "holds", entry


QUOTED = {
    "one draw is less than a half": ("given: {x: tensor()}\ndo: y = torch.rand(1) + 0 * x.numel()", "bool(y < 0.5)"),
    "a permutation is sorted": (
        "given: {x: tensor()}\ndo: y = torch.randperm(2 + 0 * x.numel())",
        "y.tolist() == [0, 1]",
    ),
    "bernoulli is the draw of seed 0": (
        "given: {x: tensor(floating)}\ndo: |\n  y = torch.full_like(x.detach(), 0.5).bernoulli()\n"
        "  z = torch.full_like(x.detach(), 0.5).bernoulli(generator=torch.Generator(device).manual_seed(0))",
        "equal(y, z)",
    ),
    "without an input": ("do: y = torch.rand(1)", "bool(y < 0.9)"),
    "with few inputs": (
        'given: {n: "one_of(1, 2)"}\ndo: y = torch.randperm(n + 2)',
        "y.tolist() != list(range(n + 2))",
    ),
    "behind fork_rng": ("do: |\n  with torch.random.fork_rng():\n      y = torch.rand(1)", "bool(y < 0.9)"),
    "NumPy": ("given: {x: tensor()}\ndo: y = np.random.rand() + 0 * x.numel()", "y < 0.5"),
    "Python": ("given: {x: tensor()}\ndo: |\n  import random\n  y = random.random() + 0 * x.numel()", "y < 0.5"),
}


@pytest.mark.parametrize("name", QUOTED)
def test_what_one_draw_makes_true_is_refuted(judge: Judge, name: str) -> None:
    program, expect = QUOTED[name]
    entry = judge(f"{program}\nexpect: '{expect}'")
    assert entry.verdict == "refuted", entry
    (weak,) = entry.weak_evidence
    assert re.fullmatch(r"V004 the verdict depends on chance: \d+ of 50 random .* on the same example", str(weak))
    assert entry.counterexample is not None
    assert re.search(r"(torch\.manual_seed|random\.seed)\(\d+\)", entry.counterexample), entry.counterexample
    ran = subprocess.run([sys.executable, "-c", entry.counterexample], capture_output=True, text=True, check=False)
    assert "AssertionError" in ran.stderr, (entry.counterexample, ran.stderr)


def test_what_holds_whatever_is_drawn_holds(judge: Judge) -> None:
    entry = judge(
        "given: {n: 'integer(1, 3)'}\ndo: y = torch.randperm(n)\nexpect: sorted(y.tolist()) == list(range(n))"
    )
    assert (entry.verdict, entry.examples, entry.weak_evidence) == ("holds", 3, ()), entry


def test_a_counterexample_that_any_draw_shows_has_no_seed(judge: Judge) -> None:
    entry = judge("given: {x: tensor()}\ndo: y = torch.rand(1) + 0 * x.numel()\nexpect: bool(y > 1)")
    assert entry.verdict == "refuted"
    assert entry.weak_evidence == ()
    assert "seed" not in (entry.counterexample or "seed")


@pytest.mark.parametrize(
    "program",
    [
        "y = torch.randperm(2).tolist() == [0, 1] and x.ndim < 2",
        "y = __import__('random').random() < 0.5 or x.ndim < 2",
        "y = __import__('os').urandom(1)[0] % 2 == 0 or x.ndim < 2",
        "y = __import__('time').perf_counter_ns() // 100 % 3 > 0 and x.ndim < 9",
        "y = float(torch.nn.functional.dropout(torch.ones(1)).sum()) > 0 and x.ndim < 3",
    ],
)
def test_a_claim_that_hangs_on_chance_gets_a_verdict(judge: Judge, program: str) -> None:
    assert judge(f"given: {{x: tensor()}}\ndo: {program}\nexpect: y").verdict == "refuted"
