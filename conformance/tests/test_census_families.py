"""The rules: what carries a claim of which family, and how often they are right on sentences judged by hand."""

from __future__ import annotations

import pytest
import torch

from conformance.lab.census.families import FAMILIES, families
from conformance.lab.census.files import load_labels
from conformance.lab.census.judged import load_samples, scores
from conformance.lab.census.objects import public_objects
from conformance.language.corpus import default_root


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The frobbed tensor is a view of its input.", {"sharing"}),
        ("Both of them share the same storage.", {"sharing"}),
        ("In-place version of :meth:`~Tensor.frob`", {"sharing"}),
        ("Frobbing gives a deep copy.", {"sharing"}),
        ("It returns :attr:`self`.", {"sharing"}),
        ("inplace (bool, optional): If set, the frob is done in-place", {"sharing"}),
        ("Frobbing is a no-op where the tensor already has that type.", {"sharing"}),
        ("A frobbed tensor is a leaf.", {"leaf"}),
        ("The input must be a leaf tensor.", {"leaf", "errors"}),
        ("Its gradient is that of the identity.", {"gradients"}),
        ("The result requires grad.", {"gradients"}),
        ("requires_grad (bool): whether autograd records what happens to the result.", {"gradients"}),
        ("Frobbing twice raises an error.", {"errors"}),
        ("It warns where the frob is rusty.", {"errors"}),
        (":attr:`other` must be at least 2-dimensional.", {"errors"}),
        ("Complex inputs are not supported.", {"errors"}),
        ("Its behavior is undefined for negative numbers.", {"errors"}),
    ],
)
def test_a_promise_belongs_to_its_families(sentence: str, expected: set[str]) -> None:
    assert set(families(sentence, "torch.frob")) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "frob(input, *, out=None, requires_grad=False) -> Tensor",
        "out (Tensor, optional): the output tensor.",
        "Alias for :func:`torch.frob`.",
        "See :func:`torch.frob` for its gradient.",
        "The mean squared error between both.",
        "Implements stochastic gradient descent.",
        "In this view as of today, the frob is fast.",
        "Some sums leave the leaves of trees alone.",
        "tensor([1., 2.], requires_grad=True)",
        "It is kept for backward compatibility.",
        "This function is deprecated and will be removed.",
        "The hyperbolic tangent of each element.",
    ],
)
def test_signatures_references_and_other_meanings_carry_no_claim(sentence: str) -> None:
    assert families(sentence, "torch.frob") == ()


@pytest.mark.skipif(not torch.__version__.startswith("2.13."), reason="the sentences were drawn from torch 2.13")
def test_precision_and_recall_on_the_judged_sentences() -> None:
    objects = public_objects()
    samples = load_samples(default_root())
    for sample in samples:
        found, present = scores([sample], objects)
        assert present == len(sample.sentences) >= 200
        # The rules were mended where they were wrong on the samples for tuning, and have to stay right there.
        least = 0.90 if sample.tuning else 0.85
        for kind in ("all", "sentence"):
            assert found[kind].precision >= 0.85
            assert found[kind].recall >= least
    assert sum(len(sample.sentences) for sample in samples) >= 2000
    before_the_labels, _ = scores(samples[:-1], objects)
    assert min(before_the_labels[family].recall for family in FAMILIES) >= 0.90
    labelled, _ = scores(samples[-1:], objects, load_labels(default_root()))
    for family in FAMILIES:
        assert labelled[family].precision >= 0.85
        assert labelled[family].recall >= 0.93
