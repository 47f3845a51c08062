"""The kinds of tensors that a verdict names."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.show.tried import kinds_tried, on_kinds
from conformance.tests.small_campaigns import corpus_of

CLAIM = """
- id: one
  title: A copy is equal
  family: values
  sources: [{{docs: torch.clone, key: Returns a copy, says: states}}]
  given: {{{given}}}
  do: {do}
  expect: equal(y, x)
"""


@pytest.mark.parametrize(
    ("given", "do", "kinds"),
    [
        ("x: tensor()", "y = x.clone()", ("dense",)),
        ("x: \"tensor(state=['plain', 'inference'])\"", "y = x.clone()", ("dense", "inference")),
        ("x: tensor()", "y = x.to_sparse()", ("dense", "sparse")),
        ("n: 'integer(1, 2)'", "x = y = torch.ones(n)", ("dense",)),
        ("n: 'integer(1, 2)'", "x = y = torch.ones(n, device='meta')", ("meta",)),
        ("x: tensor()", "y = torch.quantize_per_tensor(x, 1.0, 0, torch.qint8)", ("dense", "quantized")),
        ("x: tensor()", "y = torch.fake_quantize_per_tensor_affine(x, 1.0, 0, 0, 255)", ("dense",)),
        ("n: 'integer(1, 2)'", "x, y = n, n + 0", ()),
    ],
)
def test_a_claim_knows_the_kinds_that_it_draws_or_builds(
    tmp_path: Path, given: str, do: str, kinds: tuple[str, ...]
) -> None:
    (claim,) = corpus_of(tmp_path, CLAIM.format(given=given, do=do)).claims
    assert kinds_tried(claim) == kinds


def test_kinds_in_words() -> None:
    assert on_kinds(()) == ""
    assert on_kinds(["dense", "dense"]) == "on dense tensors"
    assert on_kinds(["dense", "sparse", "meta"]) == "on dense, sparse and meta tensors"
