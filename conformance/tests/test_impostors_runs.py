"""A claim that can fail is killed, part by part; one that can't is found."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest

from conformance.impostors.command import mutate_claims
from conformance.impostors.engine.mutation import run_mutants
from conformance.impostors.engine.registry import operators
from conformance.impostors.outcome import (
    Attempt,
    Described,
    Greeting,
    MutationOutcome,
    Options,
    PreviousResult,
    Request,
)
from conformance.impostors.pool import WorkerPool
from conformance.impostors.record import Entry, Record, load_record, previous_results, record_of, save_record
from conformance.impostors.report import Report
from conformance.language.corpus import Corpus, load_corpus
from conformance.language.model import Claim
from conformance.results.files import ResultError
from conformance.worker.environment import describe

ENVIRONMENT = describe("cpu")
ReadClaim = Callable[[str], Claim]
Mutated = Callable[[str], MutationOutcome]

DETACH = 'given: {x: "tensor(floating)"}\ndo: y = x.detach()\n'
CLONE = 'given: {x: "tensor(floating)"}\ndo: y = x.clone()\n'


def run(claim: Claim, **options: Any) -> MutationOutcome:
    return run_mutants(Request(claim), ENVIRONMENT, **options)


@pytest.fixture
def mutated(read_claim: ReadClaim) -> Mutated:
    return lambda body: run(read_claim(body))


def survivors(outcome: MutationOutcome) -> list[str]:
    assert outcome.status == "judged", outcome.detail
    return [part.name for part in outcome.survivors]


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


def corpus_of(folder: Path, claims: str, name: str = "claims") -> Corpus:
    path = folder / f"{name}.yaml"
    path.write_text(
        "subject: torch.clone\nclaims:\n" + textwrap.indent(textwrap.dedent(claims), "  "), encoding="utf-8"
    )
    corpus, problems = load_corpus([path])
    assert not problems, "\n".join(map(str, problems))
    return corpus


THREE_CLAIMS = """
- id: vacuous
  title: The result is whatever it is
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  given: {x: tensor()}
  do: y = torch.clone(x)
  expect: ['equal(y, x)', y is not None]
- id: excused
  title: The result is itself
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  do: y = torch.clone(torch.ones(2))
  expect: y is not None
  unkillable: an object is always itself
- id: stale
  title: The result has two elements
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  do: y = torch.clone(torch.ones(2))
  expect: y.shape == (2,)
  unkillable: nobody has tried
"""


def greeting_for(outcomes: dict[str, MutationOutcome]) -> Greeting:
    names = dict.fromkeys(name for outcome in outcomes.values() for name in outcome.killers)
    return Greeting(ENVIRONMENT, tuple(Described(name, "what is wrong") for name in names))


def report_of(corpus: Corpus) -> Report:
    outcomes = {claim.id: run(claim) for claim in corpus.claims}
    return Report(corpus, outcomes, [item.name for item in greeting_for(outcomes).operators], whole=True)


def test_the_report_tells_survivors_excuses_and_stale_excuses(tmp_path: Path) -> None:
    report = report_of(corpus_of(tmp_path, THREE_CLAIMS))
    text = "\n".join(report.lines())
    assert report.failed
    assert [claim.slug for claim, _ in report.survivors] == ["vacuous"]
    assert "claims.yaml:10:29 torch.clone/vacuous: no impostor kills expect[1]: y is not None" in text
    assert "torch.clone/excused: an object is always itself" in text
    assert "torch.clone/stale: remove 'unkillable'" in text
    assert "1 of 3 claims killed, 2 of 4 parts" in text
    assert "1 survive for a reason that the spec gives" in text


def test_a_run_without_survivors_succeeds(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    assert not report_of(corpus).failed


def test_the_report_of_a_whole_run_tells_which_operators_it_would_not_miss(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0])
    (identity,) = (claim.id for claim in corpus.claims)
    killed_by = {"expect[0]": ("first", "second"), "expect[1]": ("third",)}
    outcome = MutationOutcome("judged", (), killed_by, detected_by_error=("fourth", "third"))
    names = ["first", "second", "third", "fourth", "fifth"]
    lines = Report(corpus, {identity: outcome}, names, whole=True).lines()
    assert "\nimpostors that kill nothing: fifth" in lines
    assert "\nimpostors that only make programs raise: fourth" in lines
    assert "\nimpostors that are no part's only killer: first, second" in lines
    assert not any("impostors that" in line for line in Report(corpus, {identity: outcome}, names, whole=False).lines())


def test_a_record_survives_being_written_and_read(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    outcomes = {claim.id: run(claim) for claim in corpus.claims}
    record = record_of(corpus, outcomes, greeting_for(outcomes))
    path = save_record(record, tmp_path / "impostors")
    assert load_record(path) == record
    assert list(load_record(path).impostors) == list(record.impostors)
    assert record.claims["torch.clone/vacuous"].standing == ("expect[1]",)
    again = save_record(record, tmp_path / "again")
    assert again.read_bytes() == path.read_bytes()


def test_the_recorded_run_can_be_read(tmp_path: Path) -> None:
    recorded = Path(__file__).parents[2] / "docs" / "results" / "impostors" / "torch-2.13.0-cpu.json"
    record = load_record(recorded)
    assert record.claims
    assert load_record(save_record(record, tmp_path)) == record


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 2, "claims": {}}', "{" * 100_000])
def test_a_file_that_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13"):
        load_record(path)


def test_the_command_tells_by_its_status_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus_of(tmp_path, THREE_CLAIMS)
    paths = [tmp_path / "claims.yaml"]
    assert mutate_claims(paths, processes=1, verbose=True) == 1
    assert "torch.clone/stale: " in capsys.readouterr().out
    assert mutate_claims(paths, processes=1, select="excused") == 0
    assert "1 survive for a reason that the spec gives" in capsys.readouterr().out
    assert mutate_claims(paths, processes=1, only=["made-up"]) == 2
    assert "made-up" in capsys.readouterr().err
    assert mutate_claims([tmp_path / "missing.yaml"]) == 2
    assert mutate_claims(paths, select="nothing like this") == 2


CRASHING = '''
import ctypes, signal, time
from conformance.impostors.engine.registry import operator

@operator("values")
def crashes(call):
    """The process dies."""
    ctypes.string_at(0)

@operator("values")
def hangs(call):
    """The process can't be interrupted."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60)

@operator("values")
def waits(call):
    """The program waits too long."""
    while True:
        time.sleep(0.01)
'''


def test_previous_killers_come_first_and_previous_survivors_are_left_alone(read_claim: ReadClaim) -> None:
    claim = read_claim(CLONE + "expect: ['independent(y, x)', 'y.ndim * 0 == 0']")
    tried: list[Attempt] = []
    previous = PreviousResult(frozenset({"copy-becomes-view"}), frozenset({"expect[1]"}))
    outcome = run_mutants(Request(claim, previous), ENVIRONMENT, progress=tried.append)
    assert survivors(outcome) == ["expect[1]"]
    assert {attempt.operator for attempt in tried} <= {"control", "copy-becomes-view"}
    wrong = PreviousResult(frozenset({"first-element-is-off"}))
    assert survivors(run_mutants(Request(claim, wrong), ENVIRONMENT)) == ["expect[1]"]


def test_previous_results_are_for_claims_as_they_were(read_claim: ReadClaim) -> None:
    before, after = read_claim(CLONE + "expect: equal(y, x)"), read_claim(CLONE + "expect: 'y.shape == x.shape'")
    entry = Entry(before.fingerprint(), 1, ("first-element-is-off",))
    record = Record(1, ENVIRONMENT, "0" * 12, {}, {before.id: entry})
    assert previous_results(record, [before]) == {before.id: PreviousResult(frozenset({"first-element-is-off"}))}
    assert previous_results(record, [after]) == {}


def pooled(
    corpus: Corpus, processes: int = 1, *, added: tuple[Path, ...] = (), only: tuple[str, ...] = (), **options: Any
) -> tuple[Greeting, dict[str, MutationOutcome]]:
    pool = WorkerPool(processes, Options("cpu", tuple(map(str, added)), only), **options)
    try:
        return pool.greeting(), pool.run(corpus.claims, {})
    finally:
        pool.close()


def test_a_crash_or_a_hang_does_not_end_the_run(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(CRASHING, encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0])
    only = ("crashes", "hangs", "waits", "elements-are-zero")
    greeting, outcomes = pooled(corpus, added=(added,), only=only, attempt_limit=4)
    assert sorted(item.name for item in greeting.operators) == sorted(only)
    vacuous = outcomes["torch.clone/vacuous"]
    assert vacuous.killers == ["crashes", "elements-are-zero"]
    assert vacuous.died == (Attempt("crashes", "clone", "every"), Attempt("hangs", "clone", "every"))
    assert "waits" in vacuous.detected_by_error
    assert survivors(vacuous) == ["expect[1]"]


LATER = '''
import os, pathlib
from conformance.impostors.engine.registry import operator

FIRST = pathlib.Path({path!r})

@operator("values")
def wrong_in_the_second_process(call):
    """The first process that asks gets the right result."""
    if not FIRST.exists():
        FIRST.write_text(str(os.getpid()))
    result = call.run()
    return result if FIRST.read_text() == str(os.getpid()) else result + 1
'''


def test_survivors_are_retried_once_in_another_process(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(LATER.format(path=str(tmp_path / "first")), encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    _, outcomes = pooled(corpus, added=(added,), only=("wrong-in-the-second-process",))
    assert survivors(outcomes["torch.clone/vacuous"]) == []


def test_two_runs_give_the_same_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    records: list[bytes] = []
    for processes in (1, 2):
        greeting, outcomes = pooled(corpus, processes)
        records.append(save_record(record_of(corpus, outcomes, greeting), tmp_path / str(processes)).read_bytes())
    assert records[0] == records[1]


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
