"""A target is mutated while a program uses it, and nowhere else; call sites reach what no name does."""

from __future__ import annotations

import copy
import textwrap
from typing import Any, Callable

import pytest
import torch

from conformance.checks import vocabulary
from conformance.lab.impostors.engine.call_sites import CallSite, rewritten
from conformance.lab.impostors.engine.mutation import run_mutants
from conformance.lab.impostors.engine.patch import Patch
from conformance.lab.impostors.engine.targets import Target, named_targets
from conformance.lab.impostors.outcome import Request
from conformance.language.model import Claim, Expectation
from conformance.run.scripts.program import Plan, compile_program, plan
from conformance.run.worker.environment import describe
from conformance.tests.impostors_in_place import OPERATORS, acting, on_tensor
from conformance.tests.plain_programs import leaf

ReadClaim = Callable[[str], Claim]


def test_an_assignment_is_mutated() -> None:
    x, grad = leaf(), torch.ones(2)
    with on_tensor("same-object-becomes-new", "grad"):
        x.grad = grad
    assert x.grad is not grad


def test_making_a_parameter_is_mutated_and_classes_stay_themselves() -> None:
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
    x = torch.ones(2)
    with on_tensor("view-becomes-copy", "detach"):
        assert vocabulary()["sees_writes"](x, x)
        assert copy.deepcopy(x).tolist() == [1, 1]
        assert not vocabulary()["shares_storage"](x.detach(), x)


@pytest.mark.parametrize("target", ["detach", "__getitem__", "__mul__", "is_leaf", "grad", "requires_grad", "__len__"])
@pytest.mark.parametrize("name", ["error-comes-too-early", "flag-is-flipped"])
def test_what_was_replaced_is_put_back_also_after_an_error(target: str, name: str) -> None:
    before = dict(vars(torch.Tensor))
    replaced = None

    def fail() -> None:
        nonlocal replaced
        with on_tensor(name, target):
            replaced = vars(torch.Tensor)[target]
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert replaced is not before.get(target)
    assert dict(vars(torch.Tensor)) == before
    x = torch.ones(2)
    assert (len(x), x[1].item(), (x * 2)[0].item(), x.is_leaf, x.grad, x.requires_grad) == (2, 1, 2, True, None, False)


def test_a_class_that_can_be_called_still_can_afterwards() -> None:
    with acting("elements-are-zero", (torch, "Tensor")):
        assert torch.Tensor([1.0]).tolist() == [0]
    assert torch.Tensor([1.0]).tolist() == [1]
    assert torch.Tensor(2, 3).shape == (2, 3)


def test_targets_are_found_by_name_wherever_they_stand(read_claim: ReadClaim) -> None:
    claim = read_claim(
        """
        given: {x: "tensor(floating, min_size=1)"}
        do: |
          import copy
          import torch.autograd.forward_ad as forward
          from torch.nn import functional as F
          y = x.detach() * 2
          y[0] += 1
          z = copy.deepcopy(F.relu(y))
          with torch.no_grad(), forward.dual_level():
              z.add_(1)
        expect: ['y.is_leaf', 'len(y) > 0', '(lambda: y.clone())() is not None']
        """
    )
    found = {target.name: target for target in named_targets(claim, plan(claim))}
    assert {
        *("detach", "mul", "setitem", "iadd", "copy.deepcopy", "nn.functional.relu", "no_grad", "add_"),
        *("autograd.forward_ad.dual_level", "is_leaf", "len", "clone", "gt"),
    } == set(found)
    assert next(iter(found)) == "detach"
    assert found["detach"].is_subject
    assert [name for name, target in found.items() if not target.in_program] == ["is_leaf", "gt", "len"]
    assert (torch.nn.functional, "relu") in found["nn.functional.relu"].places


def run_at(site: CallSite, program: str, name: str, **values: Any) -> dict[str, Any]:
    """Run a program with one of its call sites mutated, and return its names."""
    found = rewritten(Plan(compile_program(program), Expectation(), (), False, False), program)
    assert site in found.acting
    patch = Patch(OPERATORS[name].behaviour, Target(site.name, (), False, True, site))
    names = {"torch": torch, **values, **patch.names}
    with patch:
        for code in (found.plan.program.first, found.plan.program.last):
            if code is not None:
                exec(code, names)
    assert patch.count == 1
    return names


def test_a_function_of_the_program_is_mutated_where_torch_calls_it() -> None:
    program = "def hook(g):\n  seen.append(g)\nhook(1)\ny = x.clone()\ny.register_hook(hook)\ny.sum().backward()"
    names = run_at(CallSite("define", "hook"), program, "callback-is-repeated", x=leaf(), seen=[])
    assert len(names["seen"]) == 3


def test_a_node_that_names_no_module_is_of_torch() -> None:
    site = CallSite("call", "x.clone().grad_fn.name")
    assert run_at(site, "name = x.clone().grad_fn.name()", "text-is-changed", x=leaf())["name"] == "CloneBackward"


def test_a_function_named_like_one_of_torch_is_found(read_claim: ReadClaim) -> None:
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
    outcome = run_mutants(Request(claim), describe("cpu"), only=["callback-is-repeated"])
    assert outcome.killed_by == {"expect[0]": ("callback-is-repeated",)}
