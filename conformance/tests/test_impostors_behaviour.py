"""Each impostor does on a plain program what it says, and is gone afterwards."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pytest
import torch

from conformance.impostors.call import Call
from conformance.impostors.operations import Operation
from conformance.impostors.presence import Presence
from conformance.impostors.registry import impostor
from conformance.impostors.sites import Site, rewritten
from conformance.language.model import Expectation
from conformance.runner.program import Plan, compile_program
from conformance.tests.impostors_in_place import IMPOSTORS, acting, on_tensor
from conformance.tests.plain_programs import leaf, same_memory

# One line for each impostor on tensors: the operation, the program, and what only the wrong torch makes true.
PROGRAMS: dict[str, tuple[str, Callable[[], bool]]] = {
    "view-becomes-copy": ("detach", lambda: not _shared(lambda x: x.detach())),
    "copy-becomes-view": ("clone", lambda: _shared(lambda x: x.clone())),
    "memory-is-handed-out-twice": ("clone", lambda: (lambda x: x.clone() is x.clone())(torch.ones(2))),
    "same-object-becomes-new": ("zero_", lambda: (lambda x: x.zero_() is not x)(torch.ones(2))),
    "new-becomes-same-object": ("detach", lambda: (lambda x: x.detach() is x)(torch.ones(2))),
    "shares-only-in-part": ("detach", lambda: torch.tensor([1.0, 2.0]).detach().tolist() == [1, 1]),
    "view-is-not-recorded": ("view_as", lambda: torch.ones(2).view_as(torch.ones(2))._base is None),
    "view-is-recorded": ("detach", lambda: torch.ones(2).detach()._base is not None),
    "later-uses-are-skipped": ("clone", lambda: (lambda x: x.clone() is x.clone())(torch.ones(2))),
    "copy-of-an-array-becomes-view": (
        "numpy",
        lambda: (lambda array: np.shares_memory(array, array.copy()))(torch.ones(2).numpy()),
    ),
    "write-is-lost": ("zero_", lambda: torch.ones(2).zero_().tolist() == [1, 1]),
    "write-stops-short": ("zero_", lambda: torch.ones(2).zero_().tolist() == [0, 1]),
    "write-lands-in-a-copy": ("zero_", lambda: (lambda x: x.view_as(x).zero_().sum() != x.sum())(torch.ones(2))),
    "write-takes-over-memory": (
        "copy_",
        lambda: (lambda x, y: same_memory(x.copy_(y), y))(torch.ones(2), torch.zeros(2)),
    ),
    "does-nothing": ("zero_", lambda: torch.ones(2).zero_().tolist() == [1, 1]),
    "input-is-modified": ("clone", lambda: _after(lambda x: x.clone(), torch.ones(2)).tolist() != [1, 1]),
    "version-is-bumped": ("clone", lambda: _after(lambda x: x.clone(), torch.ones(2))._version == 1),
    "history-is-dropped": ("clone", lambda: leaf().clone().grad_fn is None),
    "history-is-dropped-but-grad-required": ("clone", lambda: leaf().clone().is_leaf),
    "history-is-kept": ("detach", lambda: leaf().detach().requires_grad),
    "gradient-is-scaled": ("backward", lambda: _grad_after_backward().tolist() == [2, 2]),
    "gradient-is-zero": ("backward", lambda: _grad_after_backward().tolist() == [0, 0]),
    "gradient-is-none": ("backward", lambda: _grad_after_backward() is None),
    "gradient-does-not-accumulate": ("backward", lambda: _grad_after_backward(2).tolist() == [1, 1]),
    "gradient-accumulates": ("backward", lambda: _grad_after_backward(2).tolist() == [3, 3]),
    "gradient-requires-grad": ("backward", lambda: _grad_after_backward().requires_grad),
    "gradient-has-other-strides": ("backward", lambda: _grad_after_backward().stride() == (2,)),
    "everything-gets-a-gradient": ("clone", lambda: _after(lambda x: x.clone(), leaf()).grad is not None),
    "gradient-is-carried-over": ("detach", lambda: torch.ones(2).detach().grad is not None),
    "gradient-flows-back-scaled": ("clone", lambda: _grad_through_clone() == [2, 2]),
    "gradient-flows-back-as-zero": ("clone", lambda: _grad_through_clone() == [0, 0]),
    "gradient-flows-back-as-nan": ("clone", lambda: all(number != number for number in _grad_through_clone())),
    "hook-is-forgotten": ("register_hook", lambda: _hook_calls() == 0),
    "hook-is-called-twice": ("register_hook", lambda: _hook_calls() == 2),
    "edges-lead-nowhere": ("grad_fn", lambda: leaf().clone().grad_fn.next_functions[0][0] is None),
    "edges-lead-to-another-output": ("grad_fn", lambda: leaf().clone().grad_fn.next_functions[0][1] == 1),
    "edges-lead-to-tensors": ("grad_fn", lambda: isinstance(leaf().clone().grad_fn.next_functions[0][0], torch.Tensor)),
    "edges-lead-to-other-leaves": (
        "grad_fn",
        lambda: (lambda x: x.clone().grad_fn.next_functions[0][0].variable is not x)(leaf()),
    ),
    "edges-go-on-forever": (
        "grad_fn",
        lambda: leaf().clone().grad_fn.next_functions[0][0].next_functions != (),
    ),
    "node-has-another-name": ("grad_fn", lambda: leaf().clone().grad_fn.name() == "ImpostorBackward0"),
    "requires-grad-is-flipped": ("clone", lambda: torch.ones(2).clone().requires_grad),
    "requires-grad-of-inputs-is-flipped": ("clone", lambda: _after(lambda x: x.clone(), torch.ones(2)).requires_grad),
    "input-becomes-a-result": ("clone", lambda: not _after(lambda x: x.clone(), leaf()).is_leaf),
    "is-leaf-is-flipped": ("clone", lambda: leaf().clone().is_leaf and not torch.ones(2).clone().is_leaf),
    "grad-fn-is-of-another-kind": ("clone", lambda: "Clone" not in str(leaf().clone().grad_fn)),
    "grad-is-retained": ("clone", lambda: leaf().clone().retains_grad),
    "class-is-changed": ("clone", lambda: isinstance(torch.ones(2).clone(), torch.nn.Parameter)),
    "dtype-is-changed": ("clone", lambda: torch.ones(2).clone().dtype == torch.float64),
    "dtype-is-the-default": ("clone", lambda: torch.ones(2, dtype=torch.int8).clone().dtype == torch.float32),
    "device-is-changed": ("clone", lambda: torch.ones(2).clone().device.type == "meta"),
    "shape-is-changed": ("clone", lambda: torch.ones(2).clone().shape == (1, 2)),
    "shape-is-flattened": ("clone", lambda: torch.ones(2, 3).clone().shape == (6,)),
    "strides-are-changed": ("clone", lambda: torch.ones(2).clone().stride() == (2,)),
    "memory-format-is-changed": ("clone", lambda: torch.ones(2, 3).clone().stride() == (1, 2)),
    "layout-is-changed": ("clone", lambda: torch.ones(2).clone().is_sparse),
    "array-is-read-only": ("numpy", lambda: not torch.ones(2).numpy().flags.writeable),
    "first-element-is-off": ("clone", lambda: (lambda y: y[0] != 1 and y[1] == 1)(torch.ones(2).clone())),
    "last-element-is-off": ("clone", lambda: (lambda y: y[0] == 1 and y[1] != 1)(torch.ones(2).clone())),
    "special-values-are-lost": ("clone", lambda: torch.tensor([float("nan")]).clone().tolist() == [0]),
    "precision-is-lost": ("clone", lambda: torch.tensor([1.001]).clone().tolist() == [1]),
    "elements-are-zero": ("clone", lambda: torch.ones(2).clone().tolist() == [0, 0]),
    "an-element-is-missing": ("clone", lambda: torch.ones(2).clone().shape == (1,)),
    "flag-is-flipped": ("is_contiguous", lambda: not torch.ones(2).is_contiguous()),
    "number-is-off-by-one": ("numel", lambda: torch.ones(2).numel() == 3),
    "number-is-of-another-type": ("numel", lambda: type(torch.ones(2).numel()) is float),
    "answer-is-of-a-subclass": ("numel", lambda: type(torch.ones(2).numel()) is not int),
    "text-is-changed": ("type", lambda: torch.ones(2).type() == "torch.FloatTenso"),
    "dtype-is-reported-wrong": ("dtype", lambda: torch.ones(2).dtype == torch.int16),
    "nothing-becomes-something": ("grad", lambda: torch.ones(2).grad is not None),
    "something-becomes-nothing": ("grad_fn", lambda: leaf().clone().grad_fn is None),
    "container-is-of-another-type": ("tolist", lambda: type(torch.ones(2).tolist()) is tuple),
    "container-lacks-an-item": ("tolist", lambda: torch.ones(2).tolist() == [1]),
    "container-is-reversed": ("tolist", lambda: torch.tensor([1, 2]).tolist() == [2, 1]),
    "text-is-replaced": ("type", lambda: torch.ones(2).type() == "#"),
    "text-is-longer": ("type", lambda: torch.ones(2).type().startswith("torch.FloatTensorTORCH.")),
    "number-is-far-too-large": ("numel", lambda: torch.ones(2).numel() == 1000002),
    "number-is-zero": ("numel", lambda: torch.ones(2).numel() == 0),
    "number-is-not-finite": ("item", lambda: (lambda number: number != number)(torch.ones(1).item())),
    "container-has-an-item-more": ("tolist", lambda: torch.ones(2).tolist() == [1, 1, 1]),
    "container-is-empty": ("tolist", lambda: torch.ones(2).tolist() == []),
    "result-is-its-class": ("dtype", lambda: torch.ones(2).dtype is torch.dtype),
    "object-is-of-another-class": ("grad_fn", lambda: not hasattr(type(leaf().clone().grad_fn), "next_functions")),
    "tensor-is-another-object": ("zero_", lambda: (lambda x: x.zero_() is not x)(torch.ones(2))),
    "object-is-the-argument": ("add", lambda: isinstance(torch.ones(2).add(5), int)),
    "memory-moves": ("clone", lambda: _moved(*_placed())),
    "held-tensors-are-reset": ("clone", lambda: _after(lambda x: x.clone(), torch.ones(2)).tolist() == [0, 0]),
    "held-tensors-are-restored": ("zero_", lambda: torch.ones(2).zero_().tolist() == [1, 1]),
    "held-tensors-are-frozen": ("clone", lambda: not _after(lambda x: x.clone(), leaf()).requires_grad),
    "held-gradients-are-dropped": ("clone", lambda: _after(lambda x: x.clone(), leaf()).grad is not None),
    "random-numbers-repeat": ("normal_", lambda: torch.equal(torch.ones(2).normal_(), torch.ones(2).normal_())),
    "random-numbers-are-consumed": ("clone", lambda: _after_state(lambda: torch.ones(2).clone())),
    "random-state-is-put-back": ("normal_", lambda: not _after_state(lambda: torch.ones(2).normal_())),
    "hooks-run-in-reverse": ("register_hook", lambda: _hooks_called() == [2, 1]),
    "first-hook-is-replaced": ("register_hook", lambda: _hooks_called() == [2]),
    "later-hooks-are-ignored": ("register_hook", lambda: _hooks_called() == [1]),
    "options-are-reversed": ("any", lambda: torch.ones(2, 2).any(1, keepdim=True).shape == (2,)),
    "error-is-swallowed": ("numpy", lambda: _error(lambda: leaf().numpy()) is None),
    "error-is-of-another-class": ("numpy", lambda: type(_error(lambda: leaf().numpy())).__name__ == "ImpostorError"),
    "error-has-another-message": ("numpy", lambda: str(_error(lambda: leaf().numpy())) == "another message"),
    "error-comes-too-early": ("clone", lambda: _error(lambda: torch.ones(2).clone()) is not None),
    "warning-comes-for-no-reason": ("clone", lambda: _warnings(lambda: torch.ones(2).clone()) == ["UserWarning"]),
    "mode-is-ignored": ("clone", lambda: _without_grad(lambda x: x.clone()).requires_grad),
    "mode-is-imagined": ("clone", lambda: not leaf().clone().requires_grad),
    "grad-mode-leaks": ("clone", lambda: (torch.ones(2).clone(), not torch.is_grad_enabled())[1]),
    "default-dtype-leaks": ("clone", lambda: (torch.ones(2).clone(), torch.get_default_dtype() == torch.float64)[1]),
}


def _shared(make: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    x = torch.ones(2)
    return same_memory(make(x), x)


def _after(use: Callable[[torch.Tensor], Any], x: torch.Tensor) -> torch.Tensor:
    use(x)
    return x


def _grad_after_backward(times: int = 1) -> Any:
    x = leaf()
    for _ in range(times):
        x.clone().backward(torch.ones(2))
    return x.grad


def _grad_through_clone() -> list[float]:
    x = leaf()
    numbers: list[float] = torch.autograd.grad(x.clone(), x, torch.ones(2))[0].tolist()
    return numbers


def _hook_calls() -> int:
    calls: list[Any] = []
    x = leaf()
    y = x.clone()
    y.register_hook(calls.append)
    y.backward(torch.ones(2))
    return len(calls)


def _hooks_called() -> list[int]:
    calls: list[int] = []
    y = leaf().clone()
    y.register_hook(lambda gradient: calls.append(1))
    y.register_hook(lambda gradient: calls.append(2))
    y.backward(torch.ones(2))
    return calls


def _moved(x: torch.Tensor, address: int) -> bool:
    x.clone()
    return bool(x.data_ptr() != address)


def _placed() -> tuple[torch.Tensor, int]:
    x = torch.ones(2)
    return x, x.data_ptr()


def _after_state(use: Callable[[], Any]) -> bool:
    before = torch.get_rng_state()
    use()
    return not torch.equal(before, torch.get_rng_state())


def _without_grad(use: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    x = leaf()
    with torch.no_grad():
        return use(x)


def _error(use: Callable[[], Any]) -> Optional[BaseException]:
    try:
        use()
    except Exception as error:
        return error
    return None


def _warnings(use: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        use()
    return [item.category.__name__ for item in caught]


@pytest.fixture(autouse=True)
def _global_state() -> Any:
    yield
    torch._C._set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_impostor_does_what_it_says(name: str) -> None:
    operation, program = PROGRAMS[name]
    if not hasattr(torch.Tensor, operation) or (
        name == "grad-is-retained" and not hasattr(torch.Tensor, "retains_grad")
    ):
        pytest.skip("this torch has no such operation")
    assert not program(), "the real torch does it too"
    with on_tensor(name, operation):
        assert program()
    torch._C._set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    assert not program(), "the impostor is still there"


def test_other_inputs_are_modified() -> None:
    x, bystander = torch.ones(2), torch.ones(2)
    with on_tensor("other-inputs-are-modified", "clone"):
        y = x.clone()
    assert x.tolist() == y.tolist() == [1, 1]
    assert bystander.tolist() != [1, 1]


def test_everything_stays_alive() -> None:
    with on_tensor("keeps-everything-alive", "clone") as presence:
        torch.ones(2).clone()
    assert len(presence.memory["kept"]) == 1


def test_memory_is_released() -> None:
    x = torch.ones(2)
    with on_tensor("memory-is-released", "clone"):
        x.clone()
    assert x.tolist() == [0, 0]


def test_extra_memory_is_taken() -> None:
    from conformance.checks import vocabulary

    allocates, x = vocabulary()["allocates"], torch.ones(2)
    assert allocates(lambda: x.detach()) == 0
    with on_tensor("takes-extra-memory", "detach"):
        assert allocates(lambda: x.detach()) > 0


def test_a_write_is_not_counted() -> None:
    if not hasattr(torch._C._autograd, "_unsafe_set_version_counter"):
        pytest.skip("this torch can't set the counter")
    x = torch.ones(2)
    with on_tensor("version-is-not-bumped", "zero_"):
        x.zero_()
    assert x.tolist() == [0, 0]
    assert x._version == 0


def test_a_gradient_of_autograd_grad_is_wrong() -> None:
    x = leaf()
    with acting("gradient-is-scaled", (torch.autograd, "grad")):
        (wrong,) = torch.autograd.grad(x.clone(), x, torch.ones(2))
    with acting("gradient-is-none", (torch.autograd, "grad")):
        (missing,) = torch.autograd.grad(x.clone(), x, torch.ones(2))
    assert wrong.tolist() == [2, 2]
    assert missing is None


def test_a_gradient_gets_another_object_or_keeps_its_own() -> None:
    x = leaf()
    x.grad = held = torch.ones(2)
    with on_tensor("gradient-is-a-new-object", "backward"):
        x.clone().backward(torch.ones(2))
    assert x.grad is not held
    x.grad = held = torch.ones(2)
    with on_tensor("gradient-is-written-in-place", "backward"):
        x.clone().backward(torch.ones(2), create_graph=True)
    assert x.grad is held
    assert held.tolist() == [2, 2]


def test_gradients_are_lost() -> None:
    x = leaf()
    x.grad = torch.ones(2)
    with on_tensor("gradient-in-sight-is-dropped", "clone"):
        x.clone()
    assert x.grad is None


def test_a_gradient_can_not_be_differentiated_again() -> None:
    x = leaf()
    with acting("gradient-has-no-history", (torch.autograd, "grad")):
        (first,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)
    assert not first.requires_grad


def test_a_graph_is_freed_or_kept_against_orders() -> None:
    y = leaf().exp().sum()
    with on_tensor("graph-is-freed", "backward"):
        y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    z = leaf().exp().sum()
    with on_tensor("graph-is-kept", "backward"):
        z.backward()
    z.backward()


def test_results_come_out_of_inference_mode() -> None:
    if not hasattr(torch.Tensor, "is_inference"):
        pytest.skip("this torch can't tell")
    with on_tensor("becomes-an-inference-tensor", "clone"):
        assert torch.ones(2).clone().is_inference()


def test_pending_bits_are_turned_over() -> None:
    if not hasattr(torch.Tensor, "resolve_conj"):
        pytest.skip("this torch has no pending bits")
    x = torch.tensor([1j])
    with on_tensor("pending-bits-are-resolved", "conj"):
        assert not x.conj().is_conj()
    with on_tensor("pending-bits-are-resolved", "clone"):
        assert x.clone().is_conj()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("warning-is-forgotten", []),
        ("warning-is-repeated", ["FutureWarning", "FutureWarning"]),
        ("warning-is-of-another-category", ["ImportWarning"]),
        ("warning-has-another-message", ["FutureWarning"]),
    ],
)
def test_warnings_are_wrong(name: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(tensor: torch.Tensor) -> None:
        warnings.warn("a change to come", FutureWarning, stacklevel=2)

    monkeypatch.setattr(torch.Tensor, "made_up", warn, raising=False)
    with on_tensor(name, "made_up"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.ones(2).made_up()
    assert [item.category.__name__ for item in caught] == expected
    if name == "warning-has-another-message":
        assert str(caught[0].message) == "another message"


def test_modes_do_nothing_are_never_left_or_end_wrong() -> None:
    with acting("mode-does-nothing", (torch, "no_grad")):
        with torch.no_grad():
            assert torch.is_grad_enabled()

        assert torch.no_grad()(torch.is_grad_enabled)()
    with acting("mode-is-never-left", (torch, "no_grad")):
        with torch.no_grad():
            pass
        assert not torch.is_grad_enabled()
    with torch.no_grad(), acting("mode-ends-in-the-default", (torch, "no_grad")):
        with torch.no_grad():
            pass
        assert torch.is_grad_enabled()


def test_a_default_dtype_is_ignored() -> None:
    torch.set_default_dtype(torch.float64)
    with acting("default-dtype-is-ignored", (torch, "ones")):
        assert torch.ones(2).dtype == torch.float32


# What a hook that torch calls twice records, or makes of a gradient of ones, under each impostor.
CALLBACKS: dict[str, Callable[[list[Any], Any], bool]] = {
    "callback-is-skipped": lambda given, grad: given == [] and grad == [1, 1],
    "callback-is-bypassed": lambda given, grad: given == [] and grad == [1, 1],
    "callback-is-repeated": lambda given, grad: len(given) == 2,
    "callback-is-called-once-only": lambda given, grad: len(given) == 1,
    "callback-result-is-ignored": lambda given, grad: len(given) == 1 and grad == [1, 1],
    "callback-gets-nothing": lambda given, grad: given[0][0] is None,
    "callback-gets-something": lambda given, grad: isinstance(given[0][0], torch.Tensor),
    "callback-gets-other-objects": lambda given, grad: isinstance(given[0][0], torch.Tensor),
    "callback-gets-copies": lambda given, grad: isinstance(given[0][0], torch.Tensor),
    "callback-gets-more": lambda given, grad: len(given[0]) == 2,
    "callback-arguments-are-reversed": lambda given, grad: len(given[0]) == 1,
}


@pytest.mark.parametrize("name", CALLBACKS)
def test_a_function_of_the_program_is_called_wrong(name: str) -> None:
    given: list[Any] = []
    program = """
def hook(*arguments):
    given.append(arguments)
    return torch.full((2,), 3.0)
y = x.clone()
y.register_hook(hook)
y.backward(torch.ones(2))
"""
    site = Site("define", "hook")
    found = rewritten(Plan(compile_program(program), Expectation(), (), False, False), program)
    presence = Presence(IMPOSTORS[name], Operation("hook", (), False, True, site))
    x = leaf()
    rewritten_program = found.plan.program
    assert rewritten_program.first is not None
    assert rewritten_program.last is not None
    with presence:
        names = {"torch": torch, "given": given, "x": x, **presence.names}
        exec(rewritten_program.first, names)
        exec(rewritten_program.last, names)
    assert presence.uses == 1
    assert site in found.acting
    assert CALLBACKS[name](given, x.grad.tolist())


# What a function of the program gets in place of the tuple (1, 2) and the number 3.
CALLED_WITH: dict[str, tuple[Any, ...]] = {
    "callback-gets-lists": ([1, 2], 3),
    "callback-gets-longer-containers": ((1, 2, 2), 3),
    "callback-gets-shorter-containers": ((1,), 3),
    "callback-gets-other-numbers": ((2, 3), 4),
}


@pytest.mark.parametrize("name", CALLED_WITH)
def test_a_function_of_the_program_gets_wrong_arguments(name: str) -> None:
    def use(kind: str) -> Any:
        return Call("hook", kind, lambda *given: given, ((1, 2), 3), {}, {}, 0, {})

    assert IMPOSTORS[name].behaviour(use("callback")) == CALLED_WITH[name]
    assert IMPOSTORS[name].behaviour(use("call")) == ((1, 2), 3)


def test_a_function_of_the_program_is_called_when_it_is_handed_over() -> None:
    given: list[Any] = []
    y = leaf().clone()
    with on_tensor("callback-is-called-too-early", "register_hook"):
        y.register_hook(lambda g: given.append(g))
    assert given == [None]


def test_a_result_is_what_an_object_holds() -> None:
    module = torch.nn.Linear(2, 2)
    with acting("held-tensor-is-handed-out", (torch, "zeros")):
        one, other = torch.zeros(2, 2), torch.zeros(3)
    assert one is module.weight
    assert same_memory(other, module.weight)


def test_a_result_is_a_view_of_an_argument() -> None:
    x = leaf()
    with on_tensor("copy-becomes-recorded-view", "clone"):
        y = x.clone()
    assert y._is_view()
    assert y._base is x


def test_a_new_object_keeps_its_argument() -> None:
    module = torch.nn.Linear(2, 2)
    with acting("object-keeps-its-argument", (torch.optim.swa_utils, "AveragedModel")):
        averaged = torch.optim.swa_utils.AveragedModel(module)
    assert averaged.module is module


MODULES: dict[str, Callable[[Any, Any], bool]] = {
    "keys-are-changed": lambda module, result: "weights" in result,
    "training-is-flipped": lambda module, result: not module.training,
    "module-is-left-alone": lambda module, result: "weight" in result,
}


@pytest.mark.parametrize("name", MODULES)
def test_a_method_of_a_module_is_wrong(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    with acting(name, (torch.nn.Module, "state_dict")):
        result = module.state_dict()
    assert MODULES[name](module, result)


RETURNED: dict[str, Callable[[torch.nn.Module], bool]] = {
    "object-is-copied": lambda module: module.eval() is not module,
    "entries-are-other-objects": lambda module: module.state_dict(keep_vars=True)["weight"] is not module.weight,
}


@pytest.mark.parametrize("name", RETURNED)
def test_what_a_method_of_a_module_returns_is_another_object(name: str) -> None:
    module = torch.nn.Linear(2, 2)
    with acting(name, (torch.nn.Module, "eval")), acting(name, (torch.nn.Module, "state_dict")):
        assert RETURNED[name](module)


def test_a_result_in_a_given_tensor_is_wrong() -> None:
    x, out = torch.ones(2), torch.zeros(2)
    place = out.data_ptr()
    with acting("out-is-ignored", (torch, "add")):
        torch.add(x, x, out=out)
    assert out.tolist() == [0, 0]
    with acting("out-gets-other-memory", (torch, "add")):
        torch.add(x, x, out=out)
    assert out.tolist() == [2, 2]
    assert out.data_ptr() != place


def test_a_generator_is_ignored() -> None:
    generator = torch.Generator()
    before = generator.get_state()
    with acting("generator-is-ignored", (torch, "rand")):
        torch.rand(2, generator=generator)
    assert torch.equal(before, generator.get_state())


def test_every_impostor_is_tested() -> None:
    elsewhere = {
        *("other-inputs-are-modified", "keeps-everything-alive", "memory-is-released", "takes-extra-memory"),
        *("version-is-not-bumped", "gradient-is-a-new-object", "gradient-is-written-in-place"),
        *("gradient-in-sight-is-dropped", "gradient-has-no-history", "graph-is-freed", "graph-is-kept"),
        *("becomes-an-inference-tensor", "pending-bits-are-resolved", "warning-is-forgotten", "warning-is-repeated"),
        *("warning-is-of-another-category", "warning-has-another-message", "mode-does-nothing", "mode-is-never-left"),
        *("mode-ends-in-the-default", "default-dtype-is-ignored"),
        *(*CALLED_WITH, "callback-is-called-too-early", "held-tensor-is-handed-out", "object-keeps-its-argument"),
        "copy-becomes-recorded-view",
        *(*CALLBACKS, *MODULES, *RETURNED, "out-gets-other-memory", "out-is-ignored", "generator-is-ignored"),
    }
    here = Path(__file__)
    # Further files like this one; that of the campaign names impostors without a test of what they do.
    texts = [
        path.read_text("utf-8")
        for path in here.parent.glob("test_impostors_*.py")
        if path.name not in (here.name, "test_impostors_campaign.py")
    ]
    in_other_files = {name for name in IMPOSTORS if any(f'"{name}"' in text for text in texts)}
    assert set(PROGRAMS) | elsewhere | in_other_files == set(IMPOSTORS)


def test_arrays_are_spoiled_too() -> None:
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


def test_an_assignment_is_spoiled() -> None:
    x, grad = leaf(), torch.ones(2)
    with on_tensor("same-object-becomes-new", "grad"):
        x.grad = grad
    assert x.grad is not grad


def test_making_a_parameter_is_spoiled_and_classes_stay_themselves() -> None:
    there = torch.nn.Parameter(torch.ones(2))
    with acting("dtype-is-changed", (torch.nn, "Parameter")):
        made = torch.nn.Parameter(torch.ones(2))
        assert made.dtype == torch.float64
        assert type(there) is torch.nn.Parameter
        assert isinstance(there, torch.nn.Parameter)
    assert torch.nn.Parameter(torch.ones(2)).dtype == torch.float32


def test_some_uses_can_be_left_alone() -> None:
    x = torch.ones(2)
    with on_tensor("elements-are-zero", "clone", "first"):
        assert [x.clone().sum().item() for _ in range(3)] == [0, 2, 2]
    with on_tensor("elements-are-zero", "clone", "later"):
        assert [x.clone().sum().item() for _ in range(3)] == [2, 0, 0]


def test_torch_itself_and_the_checks_see_the_real_torch() -> None:
    from conformance.checks import vocabulary

    x = torch.ones(2)
    with on_tensor("view-becomes-copy", "detach"):
        assert vocabulary()["sees_writes"](x, x)
        assert copy.deepcopy(x).tolist() == [1, 1]
        assert not vocabulary()["shares_storage"](x.detach(), x)


@pytest.mark.parametrize(
    "operation", ["detach", "__getitem__", "__mul__", "is_leaf", "grad", "requires_grad", "__len__"]
)
@pytest.mark.parametrize("name", ["error-comes-too-early", "flag-is-flipped"])
def test_what_was_replaced_is_put_back_also_after_an_error(operation: str, name: str) -> None:
    before = dict(vars(torch.Tensor))
    replaced = None

    def fail() -> None:
        nonlocal replaced
        with on_tensor(name, operation):
            replaced = vars(torch.Tensor)[operation]
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert replaced is not before.get(operation)
    assert dict(vars(torch.Tensor)) == before
    x = torch.ones(2)
    assert (len(x), x[1].item(), (x * 2)[0].item(), x.is_leaf, x.grad, x.requires_grad) == (2, 1, 2, True, None, False)


def test_a_class_that_can_be_called_still_can_afterwards() -> None:
    with acting("elements-are-zero", (torch, "Tensor")):
        assert torch.Tensor([1.0]).tolist() == [0]
    assert torch.Tensor([1.0]).tolist() == [1]
    assert torch.Tensor(2, 3).shape == (2, 3)


def test_an_impostor_needs_a_name_of_its_own_and_a_family() -> None:
    with pytest.raises(ValueError, match="two impostors"):

        @impostor("values")
        def elements_are_zero(call: Any) -> Any:
            """Zeros."""

    with pytest.raises(ValueError, match="families"):
        impostor("made-up")
