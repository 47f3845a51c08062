"""Impostors on what is sparse, handed over or outside of the process, each on a plain program."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Callable

import pytest
import torch

from conformance.impostors.call import Call
from conformance.impostors.campaign import confront
from conformance.language.model import Claim
from conformance.runner.environment import describe
from conformance.tests.impostors_in_place import IMPOSTORS, acting, on_tensor
from conformance.tests.plain_programs import leaf, same_memory

LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "to_sparse": lambda x: x.to_sparse(),
    "to_sparse_csr": lambda x: x.to_sparse_csr(),
    "to_sparse_csc": lambda x: x.to_sparse_csc(),
    "to_sparse_bsr": lambda x: x.to_sparse_bsr((1, 2)),
    "to_sparse_bsc": lambda x: x.to_sparse_bsc((1, 2)),
}


def values_of(sparse: torch.Tensor) -> torch.Tensor:
    return sparse._values() if sparse.layout == torch.sparse_coo else sparse.values()


def called_back(name: str, *given: Any) -> Any:
    """Return what a function of the program gets under an impostor, when torch calls it."""
    return IMPOSTORS[name].behaviour(Call("hook", "callback", lambda *got: got, given, {}, {}, 0, {}))


def needs(layout: str) -> None:
    compresses = hasattr(torch, "sparse_compressed_tensor") or layout == "to_sparse"
    if not compresses or not hasattr(torch.Tensor, layout):
        pytest.skip("this torch has no such layout")
    try:
        LAYOUTS[layout](torch.ones(2, 2))
    except RuntimeError:
        pytest.skip("this torch has no such conversion")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_of_a_sparse_result_share_memory(layout: str) -> None:
    needs(layout)
    x = torch.ones(2, 2)
    assert not same_memory(values_of(LAYOUTS[layout](x)), x)
    with on_tensor("sparse-values-share-memory", layout):
        y = LAYOUTS[layout](x)
    assert same_memory(values_of(y), x)
    assert y.to_dense().tolist() == x.tolist()


def test_values_of_a_coalesced_result_share_memory() -> None:
    values = torch.ones(2)
    x = torch.sparse_coo_tensor(torch.zeros(1, 2, dtype=torch.int64), values, (3,))
    with on_tensor("sparse-values-share-memory", "coalesce"):
        y = x.coalesce()
    assert same_memory(y._values(), x._values())
    assert y.is_coalesced()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sparse_result_is_larger(layout: str) -> None:
    needs(layout)
    x = torch.ones(2, 2)
    with on_tensor("sparse-shape-is-larger", layout):
        y = LAYOUTS[layout](x)
    dense = y.to_dense()
    assert y.shape != x.shape
    assert dense.sum() == 4
    assert dense[:2, :2].tolist() == x.tolist()
    assert LAYOUTS[layout](x).shape == x.shape


def test_an_opaque_result_is_of_another_dtype() -> None:
    if not torch.backends.mkldnn.is_available():
        pytest.skip("this torch has no such layout")
    x = torch.ones(2)
    try:
        torch.ones(2, dtype=torch.bfloat16).to_mkldnn()
    except RuntimeError:
        pytest.skip("this processor has no such dtype")
    with on_tensor("opaque-dtype-is-changed", "to_mkldnn"):
        y = x.to_mkldnn()
    assert y.is_mkldnn
    assert y.dtype == torch.bfloat16
    assert x.to_mkldnn().dtype == torch.float32


def test_a_storage_is_of_another_dtype() -> None:
    if not hasattr(torch, "TypedStorage") or not hasattr(torch.TypedStorage, "untyped"):
        pytest.skip("this torch has no such storage")
    storage = torch.ones(2).storage()
    with acting("storage-is-of-another-dtype", (torch.TypedStorage, "clone")):
        other = storage.clone()
    assert (other.dtype, len(other)) == (torch.uint8, 8)
    assert storage.clone().dtype == torch.float32


def test_a_gradient_that_was_handed_over_is_kept() -> None:
    x, handed = leaf(), torch.ones(3)[:2]
    x.backward(handed)
    assert x.grad is not handed
    x.grad = None
    with on_tensor("handed-gradient-is-kept", "backward"):
        x.backward(handed)
    assert x.grad is handed


@pytest.mark.parametrize("by_name", [False, True])
def test_a_gradient_is_accumulated_as_well(by_name: bool) -> None:
    x, seed = leaf(), torch.full((2,), 3.0)
    y = x.clone()
    with acting("gradient-is-accumulated-as-well", (torch.autograd, "grad")):
        if by_name:
            (gradient,) = torch.autograd.grad(y, x, grad_outputs=seed)
        else:
            (gradient,) = torch.autograd.grad(y, x, seed)
    assert gradient.tolist() == [3, 3]
    assert x.grad is not None
    assert x.grad.tolist() == [3, 3]


def test_a_gradient_is_accumulated_without_a_seed() -> None:
    x = leaf()
    with acting("gradient-is-accumulated-as-well", (torch.autograd, "grad")):
        torch.autograd.grad(x.sum(), x)
    assert x.grad is not None
    assert x.grad.tolist() == [1, 1]


def test_a_function_of_the_program_gets_twins() -> None:
    x = leaf()
    x.grad = torch.ones(2)
    (twin,) = called_back("callback-gets-twins", x)
    assert twin is not x
    assert same_memory(twin, x)
    assert twin.grad is x.grad
    assert twin.requires_grad


def test_a_function_of_the_program_lacks_its_last_tensor() -> None:
    x, y = leaf(), leaf()
    assert called_back("callback-lacks-its-last-tensor", x, y, 3) == (x, None, 3)
    assert called_back("callback-lacks-its-last-tensor", 3) == (3,)


def test_a_function_named_like_an_operation_is_found(read_claim: Callable[[str], Claim]) -> None:
    program = """
    do: |
      calls = []
      def clone(gradient):
          calls.append(gradient)
      y = x.clone()
      y.register_hook(clone)
      y.backward(torch.ones_like(y))
    """
    given = 'given: {x: "tensor(floating, requires_grad=True)"}'
    claim = read_claim(given + textwrap.dedent(program) + "expect: len(calls) == 1")
    finding = confront(claim, describe("cpu"), only=["callback-is-skipped"])
    assert finding.killed == {"expect[0]": "callback-is-skipped"}


def test_a_file_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, lost = tmp_path / "kept", tmp_path / "temporary" / "lost"
    lost.parent.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(lost.parent))
    with acting("named-file-is-removed", (torch, "save")):
        torch.save(torch.ones(2), str(lost))
        torch.save(torch.ones(2), str(kept))
    assert not lost.exists()
    assert kept.exists()
    torch.save(torch.ones(2), str(lost))
    assert lost.exists()


def test_memory_is_shared_by_another_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    if len(torch.multiprocessing.get_all_sharing_strategies()) < 2:
        pytest.skip("this system has one strategy")
    used: list[str] = []

    def note(tensor: torch.Tensor) -> None:
        used.append(torch.multiprocessing.get_sharing_strategy())

    before = torch.multiprocessing.get_sharing_strategy()
    monkeypatch.setattr(torch.Tensor, "made_up", note, raising=False)
    with on_tensor("memory-is-shared-by-another-strategy", "made_up"):
        torch.ones(2).made_up()
    assert used[0] != before
    assert torch.multiprocessing.get_sharing_strategy() == before
