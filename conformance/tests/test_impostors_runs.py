"""A claim that can fail is killed, part by part; one that can't is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Callable

import pytest

from conformance.lab.impostors.engine.mutation import run_mutants
from conformance.lab.impostors.engine.registry import operators
from conformance.lab.impostors.outcome import Attempt, MutationOutcome, Request
from conformance.lab.impostors.record import Killed, MutationRecord
from conformance.language.model import Claim
from conformance.tests.small_campaigns import ENVIRONMENT, run, survivors

ReadClaim = Callable[[str], Claim]


Mutated = Callable[[str], MutationOutcome]


DETACH = 'given: {x: "tensor(floating)"}\ndo: y = x.detach()\n'


CLONE = 'given: {x: "tensor(floating)"}\ndo: y = x.clone()\n'


@pytest.fixture
def mutated(read_claim: ReadClaim) -> Mutated:
    return lambda body: run(read_claim(body))


def test_a_good_claim_is_killed_in_every_part(mutated: Mutated) -> None:
    outcome = mutated(CLONE + "expect: ['independent(y, x)', 'equal(y, x)', y.requires_grad == x.requires_grad]")
    assert survivors(outcome) == []
    assert {"copy-becomes-view", "first-element-is-off"} <= set(outcome.killers)
    assert outcome.only_in_assertion == outcome.only_off_subject == ()


@pytest.mark.parametrize(
    "expression",
    [
        "y.ndim * 0 == 0",
        "y.requires_grad in (True, False)",
        "str(y) > chr(0)",
        "y is x or y is not x",
    ],
)
def test_an_expression_that_can_not_be_false_is_found(expression: str, mutated: Mutated) -> None:
    outcome = mutated(CLONE + f"expect: ['equal(y, x)', '{expression}']")
    assert survivors(outcome) == ["expect[1]"]
    assert outcome.survivors[0].text == expression
    assert "first-element-is-off" in outcome.killers


def test_a_program_that_raises_under_an_impostor_kills_no_expression(mutated: Mutated) -> None:
    outcome = mutated(CLONE + "expect: y.ndim * 0 == 0")
    assert survivors(outcome) == ["expect[0]"]
    assert outcome.killers == []
    assert "error-comes-too-early" in outcome.detected_by_error


def test_what_has_nothing_to_do_with_the_subject_is_told(mutated: Mutated) -> None:
    program = "do: |\n  y = x.detach()\n  z = torch.ones(2)\n"
    outcome = mutated("given: {x: tensor()}\n" + program + "expect: [not y.requires_grad, z.sum() == 2]")
    assert survivors(outcome) == []
    assert outcome.only_off_subject == ("expect[1]",)


@pytest.mark.parametrize(
    ("body", "idle"),
    [
        ("do: y = x.clone() if flag else x.clone()\nexpect: y.shape == x.shape", ["flag"]),
        ("do: y = x.clone() if flag else x.detach()\nexpect: y.is_leaf or x.requires_grad", []),
        ("do: |\n  z = x.sum() if flag else 0\n  y = torch.zeros(3).clone()\nexpect: y.shape == (3,)", ["x", "flag"]),
        ("do: |\n  z = x.clone()\n  w = flag\n  z.numpy(3)\nraises: TypeError", ["flag"]),
        ("do: |\n  z = x.clone()\n  z.numpy(int(flag) + 2)\nraises: TypeError", []),
    ],
)
def test_inputs_without_influence_are_found(body: str, idle: list[str], mutated: Mutated) -> None:
    outcome = mutated(f'given: {{x: "tensor(floating, min_size=1)", flag: boolean()}}\n{body}')
    assert list(outcome.idle) == idle
    assert not {*idle} & {*outcome.moving}


def test_what_only_skipping_a_call_kills_is_told(read_claim: ReadClaim) -> None:
    claim = read_claim('given: {x: "tensor(floating, min_size=1)"}\ndo: y = x.neg()\nexpect: y is not x')
    assert run(claim, only=["does-nothing"]).only_skipped
    assert not run(claim, only=["does-nothing", "object-is-the-argument"]).only_skipped


def test_a_question_that_only_a_wrong_answer_makes_false_is_told(mutated: Mutated) -> None:
    # Whatever clone() does, x stays of the class it is.
    outcome = mutated(CLONE + "expect: ['equal(y, x)', x.is_sparse is False]")
    assert survivors(outcome) == []
    assert outcome.only_in_assertion == ("expect[1]",)


@pytest.mark.parametrize(
    ("raises", "parts"),
    [
        ("error", ["error"]),
        ("RuntimeError", ["error", "type"]),
        ("{type: RuntimeError, message: detach, promised: error}", ["error"]),
        ("{type: RuntimeError, message: detach}", ["error", "type", "message"]),
    ],
)
def test_errors_are_killed_as_far_as_they_are_promised(raises: str, parts: list[str], read_claim: ReadClaim) -> None:
    claim = read_claim(f'given: {{x: "tensor(requires_grad=True)"}}\ndo: x.numpy()\nraises: {raises}')
    killers = {
        "error": "error-is-swallowed",
        "type": "error-is-of-another-class",
        "message": "error-has-another-message",
    }
    assert [part.name for part in run(claim).parts] == [f"raises {part}" for part in parts]
    assert survivors(run(claim)) == []
    for tier, killer in killers.items():
        killed = run(claim, only=[killer]).killed_by
        assert killed == ({f"raises {tier}": (killer,)} if tier in parts else {})


def test_an_error_falls_first_to_what_is_made_for_errors(read_claim: ReadClaim) -> None:
    program = "do: |\n  y = (x * 2).sum()\n  y.backward()\n  y.backward()\n"
    body = "given: {x: 'tensor(floating, state=\"leaf\")'}\n" + program
    body += "raises: {type: RuntimeError, message: second time, promised: message}"
    claim = read_claim(body)
    outcome = run(replace(claim, family="gradients"))
    assert set(outcome.killed_by) == {"raises error", "raises type", "raises message"}
    assert "errors" in operators()[outcome.killed_by["raises error"][0]].families


def test_a_warning_is_killed(mutated: Mutated) -> None:
    body = """
    given: {x: "tensor(differentiable, requires_grad=True)"}
    do: |
      y = x.clone()
      torch.autograd.grad([y], [x], [y.detach()], only_inputs=False)
    warns: {message: only_inputs}
    """
    outcome = mutated(body)
    assert [part.name for part in outcome.parts] == ["warns error", "warns message"]
    assert survivors(outcome) == []
    assert outcome.killed_by["warns message"][0] == "warning-has-another-message"


def test_what_holds_instead_is_mutated_on_the_examples_it_matches(mutated: Mutated) -> None:
    body = """
    given: {x: tensor()}
    do: y = x.detach()
    expect: y.requires_grad == x.requires_grad
    diverges:
      - where: x.requires_grad
        kind: docs-wrong
        instead: {expect: [not y.requires_grad, y.ndim * 0 == 0]}
        example: {x: "torch.tensor([1.0], requires_grad=True)"}
        note: It never does
        link: none-filed
    """
    outcome = mutated(body)
    assert [part.name for part in outcome.parts] == ["expect[0]", "diverges[0] expect[0]", "diverges[0] expect[1]"]
    assert survivors(outcome) == ["diverges[0] expect[1]"]


def test_a_claim_that_is_false_anyway_proves_nothing(mutated: Mutated) -> None:
    outcome = mutated(CLONE + "expect: y.dtype == torch.float64")
    assert outcome.status == "unsound"
    assert "float64" in outcome.detail


@pytest.mark.parametrize(
    ("extra", "status"), [("applies: {device: cuda}", "inapplicable"), ("guarantee: unspecified", "unspecified")]
)
def test_claims_that_are_not_judged_are_left_out(extra: str, status: str, mutated: Mutated) -> None:
    assert mutated(CLONE + f"expect: 'equal(y, x)'\n{extra}").status == status


def test_previous_killers_come_first_and_previous_survivors_are_left_alone(read_claim: ReadClaim) -> None:
    claim = read_claim(CLONE + "expect: ['independent(y, x)', 'y.ndim * 0 == 0']")
    tried: list[Attempt] = []
    earlier = Killed(claim.fingerprint(), 2, ("copy-becomes-view",), ("expect[1]",))
    outcome = run_mutants(Request(claim, earlier), ENVIRONMENT, progress=tried.append)
    assert survivors(outcome) == ["expect[1]"]
    assert {attempt.operator for attempt in tried} <= {"control", "records", "copy-becomes-view"}
    wrong = Killed(claim.fingerprint(), 2, ("first-element-is-off",))
    assert survivors(run_mutants(Request(claim, wrong), ENVIRONMENT)) == ["expect[1]"]


def test_a_record_is_of_claims_as_they_were(read_claim: ReadClaim) -> None:
    before, after = read_claim(CLONE + "expect: equal(y, x)"), read_claim(CLONE + "expect: 'y.shape == x.shape'")
    entry = Killed(before.fingerprint(), 1, ("first-element-is-off",))
    record = MutationRecord(1, ENVIRONMENT, "0" * 12, {}, {before.id: entry})
    assert record.entry(before) == entry
    assert record.entry(after) is None


def test_an_expectation_that_divergences_leave_no_example_is_not_judged(
    mutated: Mutated,
) -> None:
    body = """
    given: {x: "tensor(floating)"}
    do: y = x.detach()
    expect: y.requires_grad
    diverges:
      - where: x.ndim * 0 == 0
        kind: docs-wrong
        instead: {expect: not y.requires_grad}
        example: {x: "torch.tensor([1.0], requires_grad=True)"}
        note: It never does
        link: none-filed
    """
    outcome = mutated(body)
    assert [part.name for part in outcome.parts] == ["diverges[0] expect[0]"]
    assert survivors(outcome) == []
