"""Each operator kills its own example, which is true on the real torch; some are shown in more detail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import torch
from packaging.version import Version

from conformance.lab.impostors.engine.call import Call
from conformance.lab.impostors.engine.mutation import run_mutants
from conformance.lab.impostors.engine.registry import Operator, operator
from conformance.lab.impostors.outcome import Request
from conformance.language.model import Claim, Expectation, Fragment, Place, Raises
from conformance.run.worker.environment import describe
from conformance.tests.impostors_in_place import OPERATORS, acting, on_tensor
from conformance.tests.plain_programs import leaf, same_memory

INPUTS = {"x": "torch.tensor([1.0, 2.0])", "w": "torch.tensor([1.0, 2.0], requires_grad=True)"}
HERE = Place("example", 1, 1)


def claim_of(mutation: Operator) -> Claim:
    """Return an operator's example as a claim."""
    example = mutation.example
    assert example is not None
    raises = warns = None
    asked = example.raises if example.warns is None else example.warns
    if asked is not None:
        promised = "message" if example.message else "type" if asked else "error"
        signal = Raises(asked or None, example.message or None, promised, HERE)
        raises, warns = (signal, None) if example.warns is None else (None, signal)
    expect = (Fragment(example.kills, HERE),) if example.kills else ()
    do, family = Fragment(example.do, HERE), min(mutation.families)
    # What gets an argument wrong is tried on what the claim is about: the last call of the example.
    called = re.findall(r"[.](\w+)[(]", example.do)
    subject = "torch" if mutation.change is None else f"torch.Tensor.{called[-1]}"
    return Claim("example", subject, "", family, (), HERE, do=do, expectation=Expectation(expect, raises, warns))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_kills_its_example(name: str) -> None:
    mutation = OPERATORS[name]
    assert mutation.example is not None
    if Version(torch.__version__) < Version(mutation.example.since):
        pytest.skip("this torch can't run the example")
    outcome = run_mutants(Request(claim_of(mutation)), describe("cpu"), only=[name], recipes=INPUTS)
    assert outcome.status == "judged", outcome.detail
    if mutation.change is not None:
        assert name in outcome.arguments.noticed
        return
    assert outcome.parts[-1].name in outcome.killed_by, outcome.detected_by_error
    assert not outcome.only_in_assertion


def test_an_operator_needs_a_name_of_its_own_and_a_family() -> None:
    with pytest.raises(ValueError, match="two operators"):

        @operator("values")
        def elements_are_zero(call: Any) -> Any:
            """Zeros."""

    with pytest.raises(ValueError, match="families"):
        operator("made-up")


def answered(name: str, result: Any) -> Any:
    """Return what a program gets in place of a result."""
    return OPERATORS[name].behaviour(Call("made_up", "call", lambda: result))


LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "to_sparse": lambda x: x.to_sparse(),
    "to_sparse_csr": lambda x: x.to_sparse_csr(),
    "to_sparse_csc": lambda x: x.to_sparse_csc(),
    "to_sparse_bsr": lambda x: x.to_sparse_bsr((1, 2)),
    "to_sparse_bsc": lambda x: x.to_sparse_bsc((1, 2)),
}


def values_of(sparse: torch.Tensor) -> torch.Tensor:
    return sparse._values() if sparse.layout == torch.sparse_coo else sparse.values()


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


@pytest.mark.parametrize("by_name", [False, True])
def test_a_gradient_is_accumulated_as_well(by_name: bool) -> None:
    x, seed = leaf(), torch.full((2,), 3.0)
    options: dict[str, Any] = {"grad_outputs": seed} if by_name else {}
    with acting("gradient-is-accumulated-as-well", (torch.autograd, "grad")):
        (gradient,) = torch.autograd.grad(x.clone(), x, *([] if by_name else [seed]), **options)
    assert gradient.tolist() == [3, 3]
    assert x.grad is not None
    assert x.grad.tolist() == [3, 3]


def test_other_inputs_are_modified_but_neither_the_first_nor_the_result() -> None:
    x, bystander = torch.ones(2), torch.ones(2)
    with on_tensor("other-inputs-are-modified", "clone"):
        y = x.clone()
    assert x.tolist() == y.tolist() == [1, 1]
    assert bystander.tolist() != [1, 1]


def test_a_write_that_is_not_counted_is_made() -> None:
    if not hasattr(torch._C._autograd, "_unsafe_set_version_counter"):
        pytest.skip("this torch can't set the counter")
    x = torch.ones(2)
    with on_tensor("version-is-not-bumped", "zero_"):
        x.zero_()
    assert (x.tolist(), x._version) == ([0, 0], 0)


def test_pending_bits_are_turned_over() -> None:
    if not hasattr(torch.Tensor, "resolve_conj"):
        pytest.skip("this torch has no pending bits")
    x = torch.tensor([1j])
    with on_tensor("pending-bits-are-resolved", "clone"):
        assert x.clone().is_conj()


def test_a_mode_that_does_nothing_does_not_decorate_either() -> None:
    with acting("mode-does-nothing", (torch, "no_grad")):
        assert torch.no_grad()(torch.is_grad_enabled)()
    with acting("mode-is-never-left", (torch, "no_grad")):
        with torch.no_grad():
            pass
        assert not torch.is_grad_enabled()
    torch._C._set_grad_enabled(True)


def test_a_default_dtype_is_ignored() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        with acting("default-dtype-is-ignored", (torch, "ones")):
            assert torch.ones(2).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_function_of_the_program_gets_longer_containers() -> None:
    def use(kind: str) -> Any:
        return Call("hook", kind, lambda *given: given, ((1, 2), 3))

    behaviour = OPERATORS["callback-gets-longer-containers"].behaviour
    assert behaviour(use("callback")) == ((1, 2, 2), 3)
    assert behaviour(use("call")) == ((1, 2), 3)


def test_a_result_is_spread_over_what_an_object_holds() -> None:
    module = torch.nn.Linear(2, 2)
    with acting("held-tensor-is-handed-out", (torch, "zeros")):
        one, other = torch.zeros(2, 2), torch.zeros(3)
    assert one is module.weight
    assert same_memory(other, module.weight)


def test_only_settings_of_the_same_kind_are_handed_out() -> None:
    optimizer = torch.optim.SGD([leaf()], lr=0.5)
    optimizer.param_groups[0]["lr"] = rate = torch.tensor(0.5)
    with on_tensor("setting-is-handed-out", "clone"):
        assert torch.tensor(0.25).clone() is rate
        assert torch.ones(2).clone() is not rate


def test_a_result_depends_on_the_parameters_of_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "made_up", lambda modules: torch.ones(2, 2), raising=False)
    modules = [torch.nn.Linear(2, 2)]
    with acting("history-is-kept", (torch, "made_up")):
        y = torch.made_up(modules)
    y.sum().backward()
    assert modules[0].weight.grad is not None


def test_a_copy_of_a_nested_tensor_shares_its_memory() -> None:
    if not hasattr(torch, "nested") or not hasattr(torch.nested, "nested_tensor"):
        pytest.skip("this torch has no nested tensors")
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(2)])
    with acting("copy-becomes-view", (torch.nested, "to_padded_tensor")):
        y = torch.nested.to_padded_tensor(nested, 0.0)
    assert same_memory(y, nested.unbind()[-1])


def test_containers_that_should_be_empty_are_not() -> None:
    assert answered("empty-container-is-filled", ([1], {}, set())) == ([1], {"another": None}, {"another"})
    assert answered("empty-container-is-filled", torch.Size([])) == ()


def test_only_later_results_have_another_shape() -> None:
    x = torch.ones(2)
    assert [y.shape for y in answered("later-results-have-another-shape", (x, x))] == [(2,), (1, 2)]
    assert answered("later-results-have-another-shape", x) is x


def test_only_a_temporary_file_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, lost = tmp_path / "kept", tmp_path / "temporary" / "lost"
    lost.parent.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(lost.parent))
    with acting("named-file-is-removed", (torch, "save")):
        torch.save(torch.ones(2), str(lost))
        torch.save(torch.ones(2), str(kept))
    assert not lost.exists()
    assert kept.exists()


def test_memory_is_shared_by_another_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    if len(torch.multiprocessing.get_all_sharing_strategies()) < 2:
        pytest.skip("this system has one strategy")
    used: list[str] = []
    strategy = torch.multiprocessing.get_sharing_strategy
    monkeypatch.setattr(torch.Tensor, "made_up", lambda tensor: used.append(strategy()), raising=False)
    before = strategy()
    with on_tensor("memory-is-shared-by-another-strategy", "made_up"):
        torch.ones(2).made_up()
    assert used[0] != before
    assert strategy() == before


def test_arrays_are_mutated_too() -> None:
    x = torch.ones(2)
    with on_tensor("view-becomes-copy", "numpy"):
        assert not np.shares_memory(x.numpy(), x.detach().__array__())
    with acting("view-becomes-copy", (torch, "from_numpy")):
        array = np.ones(2)
        torch.from_numpy(array).zero_()
    assert array.tolist() == [1, 1]
    with on_tensor("first-element-is-off", "__array__"):
        assert np.asarray(x)[0] != 1
    with acting("copy-becomes-view", (np, "array")):
        assert np.shares_memory(np.array(array), array)
