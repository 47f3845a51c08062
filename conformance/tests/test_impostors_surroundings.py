"""Impostors on what surrounds an operation: classes, modules, optimizers, modes, queues and functions."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch

from conformance.impostors.call import Call
from conformance.impostors.campaign import confront
from conformance.impostors.operations import Operation
from conformance.impostors.presence import Presence
from conformance.impostors.sites import Site, rewritten
from conformance.language.model import Claim, Expectation
from conformance.runner.environment import describe
from conformance.runner.program import Plan, compile_program
from conformance.tests import plain_programs
from conformance.tests.impostors_in_place import IMPOSTORS, acting, on_tensor
from conformance.tests.plain_programs import leaf, same_memory

OBJECT = object()
KNOWN = {"one": OBJECT}


def answered(name: str, result: Any) -> Any:
    """Return what a program gets in place of a result."""
    return IMPOSTORS[name].behaviour(Call("made_up", "call", lambda: result, (), {}, {}, 0, {}))


def made_class() -> Any:
    # The base is not in sight here, where impostors would spoil it for other tests.
    return type("Made", (plain_programs.Twice,), {"__module__": "program"})


def test_classes_of_nodes_are_wrong() -> None:
    kind, other = made_class(), made_class()
    before = torch.autograd.Function._backward_cls
    assert kind._backward_cls is not other._backward_cls
    with on_tensor("node-class-is-another", "clone"):
        leaf().clone()
    assert kind._backward_cls is other._backward_cls
    assert not issubclass(kind._backward_cls, torch.autograd.function.BackwardCFunction)
    assert torch.autograd.Function._backward_cls is before


def test_a_class_is_of_another_metaclass() -> None:
    kind = made_class()
    metaclass = type(torch.autograd.Function)
    assert type(kind) is metaclass
    with on_tensor("metaclass-is-another", "clone"):
        leaf().clone()
    assert type(kind) is not metaclass
    assert type(torch.autograd.Function) is metaclass
    assert kind.apply(leaf()).tolist() == [2, 4]


def test_something_is_left_in_a_module() -> None:
    module = torch.nn.Linear(2, 2)
    with acting("something-is-left-in-the-module", (torch.nn.Module, "eval")):
        module.eval()
        module.eval()
    assert len(list(module.parameters())) == 3
    assert len(list(module.buffers())) == len(module._forward_pre_hooks) == 1
    assert module(torch.ones(1, 2)).shape == (1, 2)


def test_a_module_hands_out_the_tensors_that_it_holds() -> None:
    module = torch.nn.Linear(2, 2)
    assert module.state_dict()["weight"] is not module.weight
    with acting("held-tensor-comes-itself", (torch.nn.Module, "state_dict")):
        state = module.state_dict()
    assert state["weight"] is module.weight
    assert state["bias"] is module.bias


def test_an_optimizer_hands_out_what_it_holds() -> None:
    optimizer = torch.optim.SGD([leaf()], lr=0.5)
    optimizer.param_groups[0]["lr"] = rate = torch.tensor(0.5)
    x = torch.tensor(0.25)
    with on_tensor("setting-is-handed-out", "clone"):
        assert x.clone() is optimizer.param_groups[0]["lr"]
        assert torch.ones(2).clone() is not rate


def test_what_a_nested_container_holds_becomes_another_object() -> None:
    x = torch.ones(2)
    state = {"state": [{"buffer": x}]}
    with acting("entries-are-other-objects", (torch, "is_tensor")):
        torch.is_tensor(state)
    assert state["state"][0]["buffer"] is not x
    assert same_memory(state["state"][0]["buffer"], x)


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


def test_a_mode_comes_where_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> Any:
        raise RuntimeError("not here")

    monkeypatch.setattr(torch, "made_up", refuse, raising=False)
    with acting("mode-comes-despite-an-error", (torch, "made_up")), torch.made_up():
        pass
    with pytest.raises(RuntimeError, match="not here"):
        torch.made_up()


class Holding:
    """A mode that holds something as long as it lasts."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def __enter__(self) -> Holding:
        self.items.append(1)
        return self

    def __exit__(self, *error: object) -> None:
        self.items.clear()


def test_a_mode_keeps_what_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Holding, "__module__", "torch.made_up")
    monkeypatch.setattr(torch, "made_up", Holding, raising=False)
    with acting("mode-keeps-what-it-holds", (torch, "made_up")):
        with torch.made_up() as held:
            assert held.items == [1]
        assert held.items == [1]
    with torch.made_up() as held:
        pass
    assert held.items == []


def test_a_queue_hands_back_the_very_object() -> None:
    item = [1]
    with acting("queue-hands-back-the-object", (torch.multiprocessing, "get_context")):
        queue = torch.multiprocessing.get_context().SimpleQueue()
    assert queue.empty()
    queue.put(item)
    assert not queue.empty()
    assert queue.get() is item
    assert queue.empty()


def test_a_function_that_is_handed_over_is_called_in_reverse() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU())
    seen: list[Any] = []
    with acting("handed-function-is-called-in-reverse", (torch.nn.Module, "apply")):
        assert module.apply(seen.append) is module
    assert seen == [module, module[1], module[0]]


def test_a_function_that_torch_makes_returns_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "made_up", lambda function: function, raising=False)
    x = leaf()
    with acting("made-function-returns-its-argument", (torch, "made_up")):
        skipped = torch.made_up(torch.zeros_like)
    with acting("made-function-returns-copies", (torch, "made_up")):
        copying = torch.made_up(lambda x: x)
    assert skipped(x) is x
    assert copying(x) is not x
    assert copying(x).tolist() == x.tolist()
    assert not same_memory(copying(x), x)


def test_a_function_of_the_program_gets_a_dict_that_is_in_sight() -> None:
    def called_back(kind: str, given: dict[str, Any]) -> Any:
        call = Call("hook", kind, lambda got: got, (given,), {}, {}, 0, {})
        return IMPOSTORS["callback-gets-what-is-in-sight"].behaviour(call)

    assert called_back("callback", dict(KNOWN)) is KNOWN
    assert called_back("callback", {"one": object()}) is not KNOWN
    assert called_back("call", dict(KNOWN)) is not KNOWN


def test_containers_that_should_be_empty_are_not() -> None:
    assert answered("empty-container-is-filled", []) == ["another"]
    assert answered("empty-container-is-filled", ([1], {}, set())) == ([1], {"another": None}, {"another"})
    assert answered("empty-container-is-filled", torch.Size([])) == ()


def test_a_text_names_everything() -> None:
    text = answered("text-names-everything", "graph")
    assert text.startswith("graph ")
    assert {"add_", "linear", "Linear"} <= set(text.split())


def test_later_results_have_another_shape() -> None:
    x = torch.ones(2)
    assert [y.shape for y in answered("later-results-have-another-shape", (x, x))] == [(2,), (1, 2)]
    assert answered("later-results-have-another-shape", x) is x


def test_a_result_comes_in_a_tuple() -> None:
    with on_tensor("result-comes-in-a-tuple", "clone"):
        assert type(torch.ones(2).clone()) is tuple
    assert isinstance(torch.ones(2).clone(), torch.Tensor)


def test_a_node_that_names_no_module_is_of_torch() -> None:
    program = "name = x.clone().grad_fn.name()"
    found = rewritten(Plan(compile_program(program), Expectation(), (), False, False), program)
    site = Site("call", "x.clone().grad_fn.name")
    assert site in found.sites
    presence = Presence(IMPOSTORS["text-is-replaced"], Operation("name", (), False, True, site))
    names = {"torch": torch, "x": leaf(), **presence.names}
    assert found.plan.program.last is not None
    with presence:
        exec(found.plan.program.last, names)
    assert names["name"] == "#"


def test_an_expectation_that_divergences_leave_no_example_is_not_judged(read_claim: Callable[[str], Claim]) -> None:
    body = """
    given: {x: "tensor(floating)"}
    do: y = x.detach()
    expect: y.requires_grad
    diverges:
      - where: x.dim() >= 0
        kind: docs-wrong
        instead: {expect: not y.requires_grad}
        example: {x: "torch.tensor([1.0], requires_grad=True)"}
        note: It never does
        link: none-filed
    """
    finding = confront(read_claim(body), describe("cpu"))
    assert finding.status == "judged"
    assert [part.name for part in finding.parts] == ["diverges[0] expect[0]"]
    assert finding.standing == []
