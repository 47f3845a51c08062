"""Observing a call: every aspect is seen, and a change of one aspect is seen by it alone."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace
from typing import Any, Callable

import pytest
import torch

from conformance.language.model import Fragment, Place
from conformance.profiles.calls import Call
from conformance.profiles.model import ASPECTS, Profile
from conformance.profiles.observe.examples import Sample, sample
from conformance.profiles.observe.measure import explain_all, fresh_memory, measure, observe_all

Body = Callable[[torch.Tensor], Any]
NARROW = (("x", "tensor(floating, dtype=['float32', 'float64'], min_size=2, layout=['contiguous', 'transposed'])"),)
PLAIN = (("x", "tensor(dtype=['float32', 'float64'], min_size=2, layout=['contiguous', 'transposed'], state='plain')"),)


def profile_of(body: Body, examples: Sample) -> dict[str, Any]:
    """Return what a function of x does, by aspect: always the same, by a rule, or counted."""
    observations = observe_all(lambda inputs: body(inputs["x"]), examples)
    found: dict[str, Any] = {}
    for part in explain_all(observations, examples):
        found.update(part)
    return found


def measured(text: str, given: str = "tensor()") -> Profile:
    place = Place("here.yaml", 1, 1)
    inputs = (("x", Fragment(given, place)),) if given else ()
    return measure(Call("torch.made_up", text, inputs, True, place)).profile


def plain(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


class Cut(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return None


class Passed(Cut):
    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        return gradient


# A class of the same name, so that the node has the same one.
Stopped: Any = type("Passed", (Cut,), {})


class Kind(torch.Tensor):  # type: ignore[misc]
    pass


def raises(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 3:
        raise RuntimeError("three dimensions")
    return x.clone()


def warns(x: torch.Tensor) -> torch.Tensor:
    warnings.warn("only once", DeprecationWarning, stacklevel=1)
    return x.clone()


def writes(x: torch.Tensor) -> torch.Tensor:
    result = x.clone()
    # A write that the version counter does not see.
    x.numpy()[...] = 7
    return result


def bumps(x: torch.Tensor) -> torch.Tensor:
    result = x.clone()
    torch._C._autograd._unsafe_set_version_counter((x,), (x._version + 1,))
    return result


def hooks(x: torch.Tensor) -> torch.Tensor:
    result = x.clone()
    if x.requires_grad and x.is_leaf:
        x.grad = torch.zeros_like(x)
    return result


def changes_state(x: torch.Tensor) -> torch.Tensor:
    torch.set_default_dtype(torch.float64)
    return x.clone()


def lacks_kernel(x: torch.Tensor) -> torch.Tensor:
    if x.dim() == 3:
        raise NotImplementedError("\"f\" not implemented for 'Float'")
    return x.clone()


def warns_otherwise(x: torch.Tensor) -> torch.Tensor:
    warnings.warn("only once", FutureWarning, stacklevel=1)
    return x.clone()


def replaces_storage(x: torch.Tensor) -> torch.Tensor:
    result = x.clone()
    with torch.autograd._unsafe_preserve_version_counter(x):
        x.set_(x.clone(memory_format=torch.preserve_format))
    return result


def registers(x: torch.Tensor) -> torch.Tensor:
    result = x.clone()
    if x.requires_grad:
        x.register_hook(lambda gradient: gradient)
    return result


def stops_gradients(x: torch.Tensor) -> torch.Tensor:
    torch.set_grad_enabled(False)
    return x.clone()


class Refused(Cut):
    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        raise RuntimeError("no gradient")


Failing: Any = type("Passed", (Refused,), {})
EMPTY = (("x", "tensor(dtype=['float32', 'float64'], max_size=0, state='plain')"),)
CONJUGATE = (("x", "tensor(dtype='complex64', min_size=2, state='plain', layout='contiguous')"),)

# Two functions that differ in one aspect only: what differs, the aspect, the inputs, and the two.
IMPOSTORS: dict[str, tuple[str, tuple[tuple[str, str], ...], Body, Body]] = {
    "raises on some": ("error", PLAIN, plain, raises),
    "another class of error": ("error", PLAIN, raises, lacks_kernel),
    "warns": ("warning", PLAIN, plain, warns),
    "another category": ("warning", PLAIN, warns, warns_otherwise),
    "another class": ("type", PLAIN, plain, lambda x: x.clone().as_subclass(Kind)),
    "another container": ("type", PLAIN, lambda x: (x.clone(),), lambda x: [x.clone()]),
    "shares": ("memory", PLAIN, lambda x: x.detach().clone(), lambda x: x.detach()),
    "view on record": ("memory", PLAIN, lambda x: x.detach(), lambda x: x.view_as(x)),
    "same object": ("memory", PLAIN, lambda x: x.detach(), lambda x: x),
    "writes elements": ("writes", PLAIN, plain, writes),
    "replaces the storage": ("writes", PLAIN, plain, replaces_storage),
    "raises the version counter": ("version", PLAIN, plain, bumps),
    "leaves a gradient": ("input autograd", NARROW, plain, hooks),
    "leaves a hook": ("input autograd", NARROW, plain, registers),
    "a leaf that requires grad": ("autograd", PLAIN, plain, lambda x: x.clone().requires_grad_()),
    "another node": ("grad_fn", NARROW, Passed.apply, lambda x: x.clone()),
    "no gradient": ("gradient", NARROW, Passed.apply, Stopped.apply),
    "backward raises": ("gradient", NARROW, Passed.apply, Failing.apply),
    "another dtype": ("dtype", PLAIN, plain, lambda x: x.to(torch.float16)),
    # Memory can't be looked at on the device meta: with empty tensors it proves nothing anyway.
    "another device": ("device", EMPTY, plain, lambda x: x.to("meta")),
    "another shape": ("shape", PLAIN, lambda x: x.clone().flatten(), lambda x: x.clone().flatten()[:2].clone()),
    "other strides": ("strides", PLAIN, plain, lambda x: x.contiguous().clone()),
    "conjugate bit": ("bits", CONJUGATE, plain, lambda x: x.clone().conj()),
    "default dtype": ("global state", PLAIN, plain, changes_state),
    "grad mode": ("global state", PLAIN, plain, stops_gradients),
}


@pytest.mark.parametrize("what", IMPOSTORS)
def test_a_change_of_one_aspect_is_seen_by_it_and_by_no_other(what: str) -> None:
    aspect, given, honest, impostor = IMPOSTORS[what]
    examples = sample(given)

    right, wrong = profile_of(honest, examples), profile_of(impostor, examples)

    assert {name for name in ASPECTS if right.get(name) != wrong.get(name)} == {aspect}


def test_every_aspect_has_an_impostor() -> None:
    assert {aspect for aspect, *_ in IMPOSTORS.values()} == set(ASPECTS)


def test_other_values_are_seen_in_the_printed_results_and_nowhere_else() -> None:
    right, wrong = measured("x + 1"), measured("x + 2")
    assert right.values != wrong.values
    assert replace(right, values=(), call="") == replace(wrong, values=(), call="")


def test_the_fifth_digit_is_not_seen() -> None:
    assert measured("x * 1.1").values == measured("x * 1.10000001").values


@pytest.mark.parametrize(
    ("call", "aspect", "of", "outcome"),
    [
        ("x.detach()", "memory", "x", "shares storage"),
        ("x.view_as(x)", "memory", "x", "view on record"),
        ("x.clone()", "memory", "x", "independent"),
        ("x.data", "autograd", "", "requires no grad"),
        ("x.clone()", "autograd", "", "follows the inputs"),
        ("x.clone()", "gradient", "x", "reaches"),
        ("x.bool()", "dtype", "", "bool"),
        ("x.flatten()", "shape", "", "x flattened"),
        ("torch.empty_like(x)", "strides", "", "memory format of x"),
        ("[x]", "type", "", "list of Tensor"),
        ("x.tolist", "type", "", "builtin_function_or_method"),
        ("x", "memory", "x", "itself"),
    ],
)
def test_what_is_always_so_is_said_in_terms_of_the_input(call: str, aspect: str, of: str, outcome: str) -> None:
    rule = measured(call, "tensor(dtype=['float32', 'int64', 'float64', 'complex64'])").rule(aspect, of)
    assert rule is not None
    assert outcome in rule.outcomes


def test_an_in_place_write_is_seen_with_its_condition() -> None:
    profile = measured("x.add_(1)", "tensor(dtype=['float32', 'int64'], min_size=1)")

    error = profile.rule("error")
    assert error is not None
    assert error.outcome({("x", "state"): "leaf", ("x", "layout"): "contiguous"}) == "RuntimeError"
    assert error.outcome({("x", "state"): "plain", ("x", "layout"): "contiguous"}) == "returns"
    assert profile.always["writes"] == {"x": "elements"}
    assert profile.always["version"] == {"x": "rises"}


def test_what_a_statement_assigns_is_its_result() -> None:
    profile = measured("n, m = x.max(0)", "tensor(dtype='float32', ndim=2, min_size=1)")
    assert profile.always["type"] == {"": "tuple of Tensor"}


def test_what_a_with_statement_computes_is_its_result() -> None:
    profile = measured(
        "with torch.no_grad(): y = x * 2", "tensor(dtype='float32', min_size=1, state=['leaf', 'plain'])"
    )
    assert profile.always["autograd"] == {"": "requires no grad"}


def test_a_statement_without_a_result_prints_the_inputs_and_a_call_that_returns_none_does_not() -> None:
    given = "tensor(dtype='float32', shape=(2,), state='plain')"
    assert measured("x[0] = 7", given).values[0] == "([7 -1])"
    assert measured("x.fill_(7) and None if x.numel() == 1 else None", given).values[0] == "None"


def test_a_result_whose_shape_can_not_be_asked_for_is_measured() -> None:
    profile = measured("torch.nn.parameter.UninitializedParameter()", "")
    assert profile.always["shape"] == {"": "raises RuntimeError"}
    assert profile.always["device"] == {"": "cpu"}


def test_the_stride_of_a_dimension_of_size_1_means_nothing() -> None:
    given = "tensor(dtype='float32', shape=(2, 1), layout='contiguous', state='plain')"
    assert measured("x.as_strided((2, 1), (1, 7))", given).rule("strides") == measured("x", given).rule("strides")
    assert measured("x.as_strided((1, 1), (5, 7))", given).rule("strides") is None


def test_an_empty_tensor_proves_nothing_about_memory() -> None:
    profile = measured("x.view_as(x)", "tensor(max_size=0)")
    assert "memory" not in profile.always
    assert "memory" not in profile.rules


def test_memory_is_shared_with_a_storage_that_begins_elsewhere() -> None:
    profile = measured("torch.from_dlpack(x)", "tensor(dtype='float32', layout='offset', min_size=1, state='plain')")
    assert profile.always["memory"] == {"x": "shares storage"}


def test_a_warning_is_seen_every_time() -> None:
    given = "tensor(dtype='float32', ndim=2)"
    warned = measured("torch.nn.functional.softmax(x)", given).rule("warning")
    assert warned is not None
    assert warned.otherwise == "UserWarning"
    assert not warned.branches


@pytest.mark.skipif(not hasattr(torch.storage, "_set_always_warn_typed_storage_removal"), reason="torch before 2.1")
def test_a_warning_that_python_gives_once_is_seen_every_time() -> None:
    for _ in range(2):
        warned = measured("x.storage()", "tensor(dtype='float32', ndim=2)").rule("warning")
        assert warned is not None
        assert (warned.otherwise, warned.branches) == ("UserWarning", ())


def test_a_missing_kernel_is_an_outcome() -> None:
    error = measured("torch.cumsum(x, 0)", "tensor(dtype=['float32', 'float8_e5m2'], min_ndim=1, min_size=1)").rule(
        "error"
    )
    assert error is not None
    assert error.outcome({("x", "dtype"): "float32"}) == "returns"
    assert error.outcome({("x", "dtype"): "float8_e5m2"}) == "NotImplementedError (no kernel)"


@pytest.mark.parametrize(
    "call",
    ["torch.rand(3)", "torch.empty(3)", "x.new_empty(5)", "torch.rand_like(x)", "getattr(torch, 'em' + 'pty')(3)"],
)
def test_random_and_unwritten_results_are_not_printed(call: str) -> None:
    profile = measured(call, "tensor(dtype='float32')" if "x" in call.replace("torch.rand(", "") else "")
    assert profile.values == ()


@pytest.mark.parametrize("size", [1, 3, 6, 24, 100])
def test_fresh_memory_holds_other_bytes_with_the_second_seed(size: int) -> None:
    for _ in range(20):
        found = []
        for seed in (0, 1):
            with fresh_memory(seed):
                found.append(bytes(torch.empty(4 * size, dtype=torch.uint8).numpy()))
        assert found[0] != found[1]


@pytest.mark.parametrize(
    ("call", "state"),
    [
        ("torch.set_grad_enabled(False)", "grad mode"),
        ("torch.set_default_dtype(torch.float64)", "default dtype"),
        ("torch.set_num_threads(torch.get_num_threads() + 1)", "number of threads"),
    ],
)
def test_global_state_is_seen_and_put_back(call: str, state: str) -> None:
    before = torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads()
    assert measured(call, "").always["global state"] == {"": state}
    assert before == (torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads())


def test_a_call_that_wants_to_end_the_process_has_raised() -> None:
    rule = measured("raise SystemExit(3)", "").rule("error")
    assert rule is not None
    assert rule.otherwise == "SystemExit"


def test_two_processes_measure_the_same_bytes() -> None:
    script = (
        "from conformance.tests.test_profiles_observe import measured\n"
        "from conformance.results.codec import encode, to_line\n"
        "for call in ('x.reshape(-1)', 'repr(object())', 'x.storage()', 'id(x)'):\n"
        "    print(to_line(encode(measured(call))))\n"
    )
    first, second = (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
        for _ in "12"
    )
    assert first == second
