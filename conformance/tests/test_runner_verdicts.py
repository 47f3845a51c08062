"""Each verdict, and the evidence behind it, from a claim to its entry in a result file."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any, Callable

import pytest
import torch
from packaging.version import Version

from conformance.language.model import Claim
from conformance.results.model import Entry, Often, Signal, Tiers
from conformance.run.supervisor import Supervisor

Judge = Callable[[str], Entry]


def run_script(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)


def test_a_true_claim_holds_on_every_pair_of_the_domain(judge: Judge) -> None:
    outcome = judge("given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad")
    assert outcome.verdict == "holds"
    assert outcome.covered["x"].pairs == outcome.covered["x"].admitted > 300


def test_a_false_claim_is_refuted_by_the_smallest_counterexample(judge: Judge) -> None:
    outcome = judge("given: {x: tensor()}\ndo: y = x.detach()\nexpect: y.dtype != torch.complex64")
    assert outcome.verdict == "refuted"
    assert "every failing x is one of complex64" in (outcome.detail or "")
    # Only the dtype matters, so all else is the simplest there is: contiguous, one element, no grad.
    assert "\nx = torch.tensor([1-2j])\n" in (outcome.counterexample or "")


def test_an_error_is_shown_without_addresses(judge: Judge) -> None:
    outcome = judge("given: {x: tensor()}\ndo: raise ValueError(object())\nexpect: x.numel() == 0")
    assert "raised ValueError: <object object at 0x…>" in (outcome.detail or "")


@pytest.mark.parametrize(
    ("given", "false", "smallest"),
    [
        ("x: tensor()", "y.requires_grad", ["x = torch.tensor([1.])"]),
        ("x: tensor()", "x.numel() < 2", ["x = torch.tensor([1., 2.])"]),
        ("x: tensor()", "x.numel() > 0", ["x = torch.tensor([])"]),
        ("x: tensor()", "x.ndim != 3 or x.numel() < 3", ["x = torch.tensor([[[1., 2., 3.]]])"]),
        ("x: tensor()", "x.ndim < 2 or x.is_contiguous()", ["x = torch.tensor([[1., 2.], [3., 4.]]).t()"]),
        (
            "x: tensor(), o: tensor_like(x)",
            "o.requires_grad and x.requires_grad",
            ["x = torch.tensor([1.])", "o = torch.tensor([1.])"],
        ),
        ("a: array()", "torch.from_numpy(a).requires_grad", ["a = np.array([1.])"]),
    ],
)
def test_a_counterexample_has_no_more_elements_than_it_needs(
    judge: Judge, given: str, false: str, smallest: list[str]
) -> None:
    first = given.partition(":")[0]
    outcome = judge(f"given: {{{given}}}\ndo: y = torch.as_tensor({first}).clone()\nexpect: {false}")
    assert outcome.verdict == "refuted"
    lines = (outcome.counterexample or "").splitlines()
    assert [line for line in lines if line[:4] in ("x = ", "o = ", "a = ")] == smallest


def test_two_decisions_that_must_agree_are_made_simpler_together(judge: Judge) -> None:
    given = "given: {x: tensor(), o: tensor()}\nassume: x.shape == o.shape"
    outcome = judge(f"{given}\ndo: y = x.clone() is o\nexpect: x.numel() < 2")
    lines = (outcome.counterexample or "").splitlines()
    assert [line for line in lines if line[:4] in ("x = ", "o = ")] == [
        "x = torch.tensor([1., 2.])",
        "o = torch.tensor([1., 2.])",
    ]


def test_a_divergence_without_an_example_that_was_judged_is_invalid(judge: Judge) -> None:
    body = """
    given: {x: tensor(ndim=1)}
    assume: x.ndim > 1
    do: y = x.detach()
    expect: y.requires_grad
    diverges:
      - kind: torch-bug
        instead: {expect: not y.requires_grad}
        example: {x: "torch.ones(1)"}
        note: A note
        link: none-filed
    """
    outcome = judge(body)
    assert outcome.verdict == "invalid"
    assert "no example could be judged" in (outcome.detail or "")
    assert judge(body.replace("x.ndim > 1", "x.ndim > 0")).verdict == "diverges"


def test_a_counterexample_runs_without_this_package(judge: Judge) -> None:
    outcome = judge("given: {x: tensor(min_size=1)}\ndo: y = x.clone()\nexpect: shares_storage(x, y)")
    assert outcome.verdict == "refuted"
    assert "conformance" not in (outcome.counterexample or "conformance")
    ran = run_script(outcome.counterexample or "")
    assert "AssertionError" in ran.stderr


def test_a_failing_expression_shows_the_values_of_its_parts(judge: Judge) -> None:
    outcome = judge('given: {x: "tensor(floating, min_size=1)"}\ndo: y = x.detach()\nexpect: y.ndim > x.ndim')
    assert (outcome.detail or "").startswith("y.ndim = 1\nx.ndim = 1\n")


@pytest.mark.parametrize(
    ("raises", "verdict", "tiers"),
    [
        ("RuntimeError", "holds", {"error": "always", "type": "always"}),
        ("error", "holds", {"error": "always"}),
        ("TypeError", "refuted", {"error": "always", "type": "never"}),
        ("{type: TypeError, promised: error}", "holds", {"error": "always", "type": "never"}),
        (
            "{type: RuntimeError, message: leaf Variable}",
            "holds",
            {"error": "always", "type": "always", "message": "always"},
        ),
        (
            "{type: RuntimeError, message: no such words, promised: type}",
            "holds",
            {"error": "always", "type": "always", "message": "never"},
        ),
        (
            "{type: RuntimeError, message: no such words}",
            "refuted",
            {"error": "always", "type": "always", "message": "never"},
        ),
    ],
)
def test_an_error_is_tried_in_tiers(judge: Judge, raises: str, verdict: str, tiers: dict[str, Often]) -> None:
    outcome = judge(f"given: {{x: \"tensor(floating, state='leaf', min_size=1)\"}}\ndo: x.add_(1)\nraises: {raises}")
    assert (outcome.verdict, outcome.tiers) == (verdict, Tiers(**tiers))
    assert outcome.facts is not None
    assert outcome.facts.raises is not None
    assert outcome.facts.raises.type == "RuntimeError"


def test_an_error_of_an_earlier_statement_is_not_the_one_promised(judge: Judge) -> None:
    outcome = judge(
        "given: {x: tensor(floating)}\ndo: |\n  raise RuntimeError('early')\n  x.add_(1)\nraises: RuntimeError"
    )
    assert outcome.verdict == "refuted"
    assert "earlier statement" in (outcome.detail or "")


@pytest.mark.parametrize(("category", "verdict"), [("UserWarning", "holds"), ("DeprecationWarning", "refuted")])
def test_a_warning_is_recorded_each_time(judge: Judge, category: str, verdict: str) -> None:
    outcome = judge(
        "given: {x: tensor(floating)}\ndo: |\n  import warnings\n  warnings.warn('so it is')\n"
        f"expect: x is not None\nwarns: {category}"
    )
    assert outcome.verdict == verdict
    assert outcome.facts is not None
    assert outcome.facts.warns == (Signal("UserWarning", "so it is"),)


def test_what_a_source_leaves_open_is_recorded_and_not_judged(judge: Judge) -> None:
    outcome = judge(
        "guarantee: unspecified\ngiven: {x: tensor()}\ndo: y = x.detach()\n"
        "expect: [x.ndim == y.ndim, x.ndim > 1, y is x]"
    )
    assert outcome.verdict == "unspecified"
    assert outcome.observed == ("always", "sometimes", "never")


@pytest.mark.parametrize(
    ("last", "raises", "tiers"),
    [
        ("x.add_(1)", "RuntimeError", {"error": "always", "type": "always"}),
        ("x.add_(1)", "TypeError", {"error": "always", "type": "never"}),
        ("x.add(1)", "RuntimeError", {"error": "never"}),
        ("x.view(-1, 2)", "error", {"error": "sometimes"}),
    ],
)
def test_an_error_that_nobody_promises_is_recorded_and_not_judged(
    judge: Judge, last: str, raises: str, tiers: dict[str, Often]
) -> None:
    outcome = judge(
        f"guarantee: unspecified\ngiven: {{x: \"tensor(floating, state='leaf', min_size=1)\"}}\ndo: {last}\n"
        f"raises: {raises}\nexpect: [x.is_leaf, x.ndim > 1]"
    )
    assert (outcome.verdict, outcome.tiers) == ("unspecified", Tiers(**tiers))
    assert outcome.observed == ("always", "sometimes")
    assert outcome.failed is None


def test_a_warning_that_nobody_promises_is_recorded_and_not_judged(judge: Judge) -> None:
    outcome = judge(
        "guarantee: unspecified\ngiven: {x: tensor(floating)}\ndo: x.add(1)\nexpect: x is not None\nwarns: warning"
    )
    assert (outcome.verdict, outcome.tiers) == ("unspecified", Tiers(error="never"))


def test_a_subject_that_torch_lacks_is_absent(read_claim: Callable[[str], Claim], supervisor: Supervisor) -> None:
    from dataclasses import replace

    claim = read_claim("given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad")
    missing = replace(claim, subject="torch.Tensor.no_such_name", id="torch.Tensor.no_such_name/made-up")
    assert supervisor.judge(missing, "cpu").entry.verdict == "absent"


@pytest.mark.parametrize("condition", ["device: cuda", 'torch: "==1.8.0"', 'numpy: "<1.17"', "system: darwin"])
def test_conditions_that_exclude_the_environment_are_inapplicable(judge: Judge, condition: str) -> None:
    outcome = judge(f"applies: {{{condition}}}\ngiven: {{x: tensor()}}\ndo: y = x.detach()\nexpect: y is x")
    assert outcome.verdict == "inapplicable"


def test_an_input_that_this_torch_lacks_is_inapplicable(judge: Judge) -> None:
    outcome = judge("given: {x: tensor(dtype=torch.float8_e4m3fn)}\ndo: y = x.detach()\nexpect: y.ndim == x.ndim")
    if hasattr(torch, "float8_e4m3fn"):
        assert outcome.verdict == "holds"
    else:
        assert (outcome.verdict, "float8_e4m3fn" in (outcome.detail or "")) == ("inapplicable", True)


def test_the_class_of_a_missing_kernels_error_is_recorded(judge: Judge) -> None:
    given = 'given: {x: \'tensor(dtype=["float32", "bfloat16", "float16"], ndim=1)\'}'
    program = """
    class Odd(RuntimeError):
        pass
    if x.dtype == torch.float16:
        raise Odd("not implemented for 'Half'")
    if x.dtype == torch.bfloat16:
        raise NotImplementedError("not implemented for 'BFloat16'" if x.numel() else "not implemented for 'Half'")
    y = x.detach()
    """
    outcome = judge(f"{given}\ndo: |\n{textwrap.indent(textwrap.dedent(program), '  ')}\nexpect: y is not None")
    assert outcome.verdict == "holds", outcome
    assert outcome.missing_kernels == {"NotImplementedError": ("BFloat16", "Half"), "Odd": ("Half",)}
    assert outcome.covered["x"].unjudged == ("bfloat16", "float16")


DIVERGING = """
    given: {{x: tensor()}}
    do: y = x.detach()
    expect: y.dtype != torch.bool
    diverges:
      - where: {where}
        kind: docs-wrong
        instead: {{expect: ["{instead}"]}}
        example: {{x: "{example}"}}
        note: A test.
        link: none-filed
"""


@pytest.mark.parametrize(
    ("where", "instead", "example", "verdict"),
    [
        ("x.dtype == torch.bool", "y.dtype == torch.bool", "torch.tensor([True])", "diverges"),
        ("x.dtype == torch.bool", "y.dtype == torch.int8", "torch.tensor([True])", "diverges-differently"),
        ("x.dtype in (torch.bool, torch.int64)", "y.dtype == x.dtype", "torch.tensor([1])", "unexpected-pass"),
        ("x.dtype == torch.bool", "y.dtype == torch.bool", "torch.tensor([1])", "invalid"),
        ("x.dtype == torch.int8", "y.dtype == torch.bool", "torch.tensor([True])", "invalid"),
        ("x.dtype == torch.bool and x.ndim == 1", "y.dtype == torch.bool", "torch.tensor([True])", "refuted"),
    ],
)
def test_a_divergence_is_asserted_as_strictly_as_the_claim(
    judge: Judge, where: str, instead: str, example: str, verdict: str
) -> None:
    outcome = judge(DIVERGING.format(where=where, instead=instead, example=example))
    assert outcome.verdict == verdict
    if verdict == "diverges":
        assert "torch.tensor([True])" in (outcome.counterexample or "")


def test_where_is_about_the_inputs_as_they_were(judge: Judge) -> None:
    outcome = judge("""
        given: {x: "tensor(floating, state=['plain', 'leaf'])"}
        do: y = x.requires_grad_()
        expect: not y.requires_grad
        diverges:
          - where: not x.requires_grad
            kind: docs-wrong
            instead: {expect: [y.requires_grad, y is x]}
            example: {x: "torch.tensor([1.])"}
            note: A test.
            link: none-filed
          - where: x.requires_grad
            kind: docs-wrong
            instead: {expect: [y.requires_grad, y is x]}
            example: {x: "torch.tensor([1.], requires_grad=True)"}
            note: A test.
            link: none-filed
    """)
    assert (outcome.verdict, outcome.divergence) == ("diverges", (0, 1))


def _from(release: str, program: str, leak: str) -> Any:
    older = Version(torch.__version__) < Version(release)
    return pytest.param(program, leak, marks=pytest.mark.skipif(older, reason=f"torch has this from {release} on"))


@pytest.mark.parametrize(
    ("program", "leak"),
    [
        ("torch.set_grad_enabled(False)", "grad mode"),
        ("torch.set_default_dtype(torch.float64)", "default dtype"),
        ("torch.autograd.set_detect_anomaly(True)", "anomaly mode"),
        ("import warnings\n  warnings.simplefilter('error')", "warning filters"),
        ("torch.set_autocast_enabled(True)", "autocast"),
        ("import sys\n  sys.mode = torch.inference_mode()\n  sys.mode.__enter__()", "inference mode"),
        ("torch.nn.modules.module.register_module_forward_hook(print)", "hooks on all modules"),
        ("torch.set_printoptions(precision=2)", "print options"),
        ("np.seterr(all='raise')", "NumPy's handling of errors"),
        _from("2.4", "torch.set_autocast_enabled('cpu', True)", "autocast on the CPU"),
        _from("2.1", "torch.autograd.graph.save_on_cpu().__enter__()", "hooks on saved tensors"),
        _from("2.1", "torch._C._functorch._vmap_increment_nesting(2, 'error')", "function transforms"),
        ("import torch.autograd.forward_ad as ad\n  ad.enter_dual_level()", "level of forward-mode AD"),
        _from("2.2", "torch.set_default_device('meta')", "default device"),
        _from("2.2", "torch.autograd.set_multithreading_enabled(False)", "multithreading"),
        _from("2.2", "torch._C._set_view_replay_enabled(True)", "view replay"),
        _from(
            "2.13",
            "torch._C._set_grad_layout_enforcement_enabled(not torch._C._is_grad_layout_enforcement_enabled())",
            "policy for the layout of gradients",
        ),
    ],
)
def test_a_claim_that_leaks_global_state_is_invalid(judge: Judge, program: str, leak: str) -> None:
    outcome = judge(f"given: {{x: tensor()}}\ndo: |\n  {program}\nexpect: x is not None")
    assert outcome.verdict == "invalid"
    assert leak in (outcome.detail or "")
    after = judge('given: {x: "tensor(floating, requires_grad=True)"}\ndo: y = x * 2\nexpect: y.requires_grad')
    assert after.verdict == "holds"


@pytest.mark.parametrize("kinds", [("", "full_"), ("full_", "")])
def test_backward_hooks_of_one_claim_do_not_forbid_those_of_another(judge: Judge, kinds: tuple[str, str]) -> None:
    for kind in kinds:
        register = f"torch.nn.modules.module.register_module_{kind}backward_hook"
        assert judge(f"do: |\n  handle = {register}(print)\n  handle.remove()\nexpect: handle").verdict == "holds"


def test_a_switch_that_one_claim_sets_does_not_keep_torch_from_warning_another(judge: Judge) -> None:
    """Since torch 2.11 a sparse tensor warns, unless somebody has said whether its invariants are checked."""
    made = "do: y = torch.sparse_coo_tensor([[0]], [1.0], (2,))\nexpect: y.is_sparse"
    before = judge(made).facts
    switch = "torch.sparse.check_sparse_tensor_invariants"
    set_it = f"applies: {{torch: '>=2.0'}}\ndo: |\n  with {switch}():\n    y = torch.ones(1)\nexpect: y.sum() == 1"
    assert judge(set_it).verdict in ("holds", "inapplicable")
    assert judge(made).facts == before


def test_a_leak_of_an_example_that_is_not_judged_is_told(judge: Judge) -> None:
    program = "torch.set_default_dtype(torch.float64)\n  y = x.detach()\n  z = x.storage_of_no_kind if 0 else x"
    unjudged = f"given: {{x: tensor(max_size=0)}}\ndo: |\n  {program}\nexpect: shares_storage(z, y)"
    entry = judge(unjudged)
    assert (entry.verdict, "default dtype" in (entry.detail or "")) == ("invalid", True)
    after = judge("given: {x: tensor(floating)}\ndo: y = torch.ones(x.ndim)\nexpect: y.dtype == torch.float32")
    assert after.verdict == "holds"


def test_sharing_is_never_judged_on_an_empty_tensor(judge: Judge) -> None:
    outcome = judge("given: {x: tensor(max_size=0)}\ndo: y = x.detach()\nexpect: shares_storage(x, y)")
    assert outcome.verdict == "invalid"
    assert "no example could be judged" in (outcome.detail or "")


def test_before_is_the_input_as_it_was(judge: Judge) -> None:
    given = "tensor(floating, finite=True, requires_grad=False, layout='contiguous')"
    body = f'given: {{{{x: "{given}"}}}}\ndo: x.add_(1)\nexpect: {{expect}}'
    assert judge(body.format(expect="same_values(x, before.x + 1)")).verdict == "holds"
    assert judge(body.format(expect="same_values(x, before.x)")).verdict == "refuted"


def test_the_same_call_gives_the_same_entry(judge: Judge) -> None:
    body = "given: {x: tensor(), y: broadcastable_with(x)}\ndo: z = x.detach()\nexpect: z.ndim >= y.ndim"
    assert judge(body) == judge(body)
