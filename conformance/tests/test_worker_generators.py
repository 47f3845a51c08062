"""Chance is the same for every example, and a claim that hangs on it gets a verdict."""

from __future__ import annotations

import random
from typing import Callable

import numpy as np
import pytest
import torch

from conformance.results.model import Entry
from conformance.worker.generators import Generators, seed_generators

Judge = Callable[[str], Entry]
DRAWS = {
    "torch": "torch.rand(1).item()",
    "NumPy": "np.random.rand()",
    "NumPy's normal distribution": "np.random.randn()",
    "Python": "__import__('random').random()",
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_generator_is_put_back(name: str) -> None:
    seed_generators()
    generators = Generators()
    names = {"torch": torch, "np": np, "random": random}
    first = eval(DRAWS[name], names)
    generators.reset()
    assert eval(DRAWS[name], names) == first


@pytest.mark.parametrize("name", DRAWS)
def test_every_example_draws_the_same(judge: Judge, name: str) -> None:
    """Also after examples that are not judged; the first statement keeps what was drawn first."""
    program = (
        f"import sys\n  y = {DRAWS[name]}\n  first = sys.__dict__.setdefault('drawn_by_{list(DRAWS).index(name)}', y)"
    )
    expect = "shares_storage(z, z.detach()) and y == first"
    entry = judge(f"given: {{x: tensor()}}\ndo: |\n  {program}\n  z = x.clone()\nexpect: '{expect}'")
    assert entry.verdict == "holds", entry


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
