"""A claim that can fail is killed, part by part; one that can't is found."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest
import torch

from conformance.impostors.campaign import confront
from conformance.impostors.command import confront_claims
from conformance.impostors.crew import Crew
from conformance.impostors.finding import Finding, Hint
from conformance.impostors.operations import operations
from conformance.impostors.record import Record, hints_from, load_record, record_of, save_record
from conformance.impostors.registry import impostors
from conformance.impostors.report import Report
from conformance.language.corpus import Corpus, load_corpus
from conformance.language.model import Claim
from conformance.results.store import ResultError
from conformance.runner.environment import describe
from conformance.runner.program import plan

ENVIRONMENT = describe("cpu")
ReadClaim = Callable[[str], Claim]

DETACH = 'given: {x: "tensor(floating)"}\ndo: y = x.detach()\n'
CLONE = 'given: {x: "tensor(floating)"}\ndo: y = x.clone()\n'


@pytest.fixture
def confronted(read_claim: ReadClaim) -> Callable[[str], Finding]:
    return lambda body: confront(read_claim(body), ENVIRONMENT)


def standing(finding: Finding) -> list[str]:
    assert finding.status == "judged", finding.detail
    return [part.name for part in finding.standing]


def test_a_good_claim_is_killed_in_every_part(confronted: Callable[[str], Finding]) -> None:
    finding = confronted(CLONE + "expect: ['independent(y, x)', 'equal(y, x)', y.requires_grad == x.requires_grad]")
    assert standing(finding) == []
    assert {"copy-becomes-view", "first-element-is-off"} <= set(finding.killers)
    assert finding.answers_only == finding.elsewhere_only == []


@pytest.mark.parametrize(
    "expression",
    [
        "y.ndim >= 0",
        "y.dtype == y.dtype",
        "y.requires_grad in (True, False)",
        "len(str(y)) >= 0",
        "isinstance(y, object)",
        "y is x or y is not x",
    ],
)
def test_an_expression_that_can_not_be_false_is_found(expression: str, confronted: Callable[[str], Finding]) -> None:
    finding = confronted(CLONE + f"expect: ['equal(y, x)', '{expression}']")
    assert standing(finding) == ["expect[1]"]
    assert finding.standing[0].text == expression
    assert "first-element-is-off" in finding.killers


def test_a_program_that_raises_under_an_impostor_kills_no_expression(confronted: Callable[[str], Finding]) -> None:
    finding = confronted(CLONE + "expect: y.ndim >= 0")
    assert standing(finding) == ["expect[0]"]
    assert finding.killers == []
    assert "error-comes-too-early" in finding.stoppers


def test_what_has_nothing_to_do_with_the_subject_is_told(confronted: Callable[[str], Finding]) -> None:
    program = "do: |\n  y = x.detach()\n  z = torch.ones(2)\n"
    finding = confronted("given: {x: tensor()}\n" + program + "expect: [not y.requires_grad, z.sum() == 2]")
    assert standing(finding) == []
    assert finding.elsewhere_only == ["expect[1]"]


def test_a_question_that_only_a_wrong_answer_makes_false_is_told(confronted: Callable[[str], Finding]) -> None:
    # Whatever clone() does, x stays of the class it is.
    finding = confronted(CLONE + "expect: ['equal(y, x)', x.is_sparse is False]")
    assert standing(finding) == []
    assert finding.answers_only == ["expect[1]"]


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
    assert [part.name for part in confront(claim, ENVIRONMENT).parts] == [f"raises {part}" for part in parts]
    assert standing(confront(claim, ENVIRONMENT)) == []
    for tier, killer in killers.items():
        killed = confront(claim, ENVIRONMENT, only=[killer]).killed
        assert killed == ({f"raises {tier}": killer} if tier in parts else {})


def test_an_error_falls_first_to_what_is_made_for_errors(read_claim: ReadClaim) -> None:
    program = "do: |\n  y = (x * 2).sum()\n  y.backward()\n  y.backward()\n"
    body = "given: {x: 'tensor(floating, state=\"leaf\")'}\n" + program
    body += "raises: {type: RuntimeError, message: second time, promised: message}"
    claim = read_claim(body)
    finding = confront(replace(claim, family="gradients"), ENVIRONMENT)
    assert set(finding.killed) == {"raises error", "raises type", "raises message"}
    assert "errors" in impostors()[finding.killed["raises error"]].families


def test_a_warning_is_killed(confronted: Callable[[str], Finding]) -> None:
    body = """
    given: {x: "tensor(differentiable, requires_grad=True)"}
    do: |
      y = x.clone()
      torch.autograd.grad([y], [x], [y.detach()], only_inputs=False)
    warns: {message: only_inputs}
    """
    finding = confronted(body)
    assert [part.name for part in finding.parts] == ["warns error", "warns message"]
    assert standing(finding) == []
    assert finding.killed["warns message"] == "warning-has-another-message"


def test_what_holds_instead_is_confronted_on_the_examples_it_matches(confronted: Callable[[str], Finding]) -> None:
    body = """
    given: {x: tensor()}
    do: y = x.detach()
    expect: y.requires_grad == x.requires_grad
    diverges:
      - where: x.requires_grad
        kind: docs-wrong
        instead: {expect: [not y.requires_grad, y.ndim >= 0]}
        example: {x: "torch.tensor([1.0], requires_grad=True)"}
        note: It never does
        link: none-filed
    """
    finding = confronted(body)
    assert [part.name for part in finding.parts] == ["expect[0]", "diverges[0] expect[0]", "diverges[0] expect[1]"]
    assert standing(finding) == ["diverges[0] expect[1]"]


def test_a_claim_that_is_false_anyway_proves_nothing(confronted: Callable[[str], Finding]) -> None:
    finding = confronted(CLONE + "expect: y.dtype == torch.float64")
    assert finding.status == "unsound"
    assert "float64" in finding.detail


@pytest.mark.parametrize(
    ("extra", "status"), [("applies: {device: cuda}", "inapplicable"), ("guarantee: unspecified", "unspecified")]
)
def test_claims_that_are_not_judged_are_left_out(extra: str, status: str, confronted: Callable[[str], Finding]) -> None:
    assert confronted(CLONE + f"expect: 'equal(y, x)'\n{extra}").status == status


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
  sources: [{docs: torch.clone, key: Returns a copy}]
  given: {x: tensor()}
  do: y = torch.clone(x)
  expect: ['equal(y, x)', y is not None]
- id: excused
  title: The result is itself
  family: values
  sources: [{docs: torch.clone, key: Returns a copy}]
  do: y = torch.clone(torch.ones(2))
  expect: y is not None
  unkillable: an object is always itself
- id: stale
  title: The result has two elements
  family: values
  sources: [{docs: torch.clone, key: Returns a copy}]
  do: y = torch.clone(torch.ones(2))
  expect: y.shape == (2,)
  unkillable: nobody has tried
"""


def report_of(corpus: Corpus) -> Report:
    findings = {claim.id: confront(claim, ENVIRONMENT) for claim in corpus.claims}
    names = {name: "" for finding in findings.values() for name in finding.killers}
    return Report(corpus, findings, record_of(corpus, findings, ENVIRONMENT, names), whole=True)


def test_the_report_tells_survivors_excuses_and_stale_excuses(tmp_path: Path) -> None:
    report = report_of(corpus_of(tmp_path, THREE_CLAIMS))
    text = "\n".join(report.lines())
    assert report.failed
    assert [claim.slug for claim, _ in report.survivors] == ["vacuous"]
    assert "claims.yaml:10:29 torch.clone/vacuous: no impostor makes expect[1] false: y is not None" in text
    assert "torch.clone/excused: an object is always itself" in text
    assert "torch.clone/stale: remove 'unkillable'" in text
    assert "1 of 3 claims killed, 2 of 4 parts" in text
    assert "1 may stand, for a reason" in text


def test_a_campaign_without_survivors_succeeds(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    assert not report_of(corpus).failed


def test_a_record_survives_being_written_and_read(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    findings = {claim.id: confront(claim, ENVIRONMENT) for claim in corpus.claims}
    names = {name: "what is wrong" for finding in findings.values() for name in finding.killers}
    record = record_of(corpus, findings, ENVIRONMENT, names)
    path = save_record(record, tmp_path / "impostors")
    assert load_record(path) == record
    assert record.claims["torch.clone/vacuous"]["standing"] == ["expect[1]"]
    assert record.score() == (1, 1, 3)
    again = save_record(record, tmp_path / "again")
    assert again.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 2, "claims": {}}', "{" * 100_000])
def test_a_file_that_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13"):
        load_record(path)


def test_operations_are_found_by_name_wherever_they_stand(read_claim: ReadClaim) -> None:
    claim = read_claim(
        """
        given: {x: "tensor(floating, min_size=1)"}
        do: |
          import copy
          import torch.autograd.forward_ad as forward
          y = x.detach() * 2
          y[0] += 1
          z = copy.deepcopy(torch.nn.functional.relu(y))
          with torch.no_grad(), forward.dual_level():
              z.add_(1)
        expect: ['y.is_leaf', 'len(y) > 0', '(lambda: y.clone())() is not None']
        """
    )
    found = {operation.name: operation for operation in operations(claim, plan(claim))}
    assert {
        *("detach", "mul", "setitem", "iadd", "copy.deepcopy", "nn.functional.relu", "no_grad", "add_"),
        *("autograd.forward_ad.dual_level", "is_leaf", "len", "clone", "gt"),
    } == set(found)
    assert next(iter(found)) == "detach"
    assert found["detach"].is_subject
    assert [name for name, operation in found.items() if not operation.in_program] == ["is_leaf", "gt", "len"]
    assert (torch.nn.functional, "relu") in found["nn.functional.relu"].places


def test_the_command_tells_by_its_status_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus_of(tmp_path, THREE_CLAIMS)
    paths = [tmp_path / "claims.yaml"]
    assert confront_claims(paths, processes=1, verbose=True) == 1
    assert "torch.clone/stale: " in capsys.readouterr().out
    assert confront_claims(paths, processes=1, select="excused") == 0
    assert "1 may stand, for a reason" in capsys.readouterr().out
    assert confront_claims(paths, processes=1, only=["made-up"]) == 2
    assert "made-up" in capsys.readouterr().err
    assert confront_claims([tmp_path / "missing.yaml"]) == 2
    assert confront_claims(paths, select="nothing like this") == 2


CRASHING = '''
import ctypes, signal, time
from conformance.impostors.registry import impostor

@impostor("values")
def crashes(call):
    """The process dies."""
    ctypes.string_at(0)

@impostor("values")
def hangs(call):
    """The process can't be interrupted."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60)

@impostor("values")
def waits(call):
    """The program waits too long."""
    while True:
        time.sleep(0.01)
'''


def test_with_a_hint_what_killed_before_comes_first_and_what_stood_is_left(read_claim: ReadClaim) -> None:
    claim = read_claim(CLONE + "expect: ['independent(y, x)', 'y.ndim >= 0']")
    tried: list[str] = []
    hint = Hint(frozenset({"copy-becomes-view"}), frozenset({"expect[1]"}))
    finding = confront(claim, ENVIRONMENT, note=lambda attempt: tried.append(attempt.split()[0]), hint=hint)
    assert standing(finding) == ["expect[1]"]
    assert set(tried) <= {"honest", "copy-becomes-view"}
    wrong = Hint(frozenset({"first-element-is-off"}), frozenset())
    assert standing(confront(claim, ENVIRONMENT, hint=wrong)) == ["expect[1]"]


def test_hints_are_for_claims_as_they_were(read_claim: ReadClaim) -> None:
    before, after = read_claim(CLONE + "expect: equal(y, x)"), read_claim(CLONE + "expect: 'y.shape == x.shape'")
    entry = {"claim": before.fingerprint(), "parts": 1, "killers": ["first-element-is-off"]}
    record = Record(ENVIRONMENT, "", {}, {before.id: entry})
    assert hints_from(record, [before]) == {before.id: Hint(frozenset({"first-element-is-off"}), frozenset())}
    assert hints_from(record, [after]) == {}


def test_a_crash_or_a_hang_does_not_end_the_campaign(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(CRASHING, encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0])
    only = ["crashes", "hangs", "waits", "elements-are-zero"]
    crew = Crew(1, plugins=[added], only=only, attempt_limit=4)
    try:
        findings = crew.confront(corpus.claims)
    finally:
        crew.close()
    assert sorted(crew.impostors) == sorted(only)
    vacuous = findings["torch.clone/vacuous"]
    assert vacuous.killers == ["crashes", "elements-are-zero"]
    assert vacuous.crashes == ["crashes clone every", "hangs clone every"]
    assert "waits" in vacuous.stoppers
    assert standing(vacuous) == ["expect[1]"]


LATER = '''
import os, pathlib
from conformance.impostors.registry import impostor

FIRST = pathlib.Path({path!r})

@impostor("values")
def wrong_in_the_second_process(call):
    """The first process that asks gets the right result."""
    if not FIRST.exists():
        FIRST.write_text(str(os.getpid()))
    result = call.run()
    return result if FIRST.read_text() == str(os.getpid()) else result + 1
'''


def test_what_stands_is_confronted_once_more_in_another_process(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(LATER.format(path=str(tmp_path / "first")), encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    crew = Crew(1, plugins=[added], only=["wrong-in-the-second-process"])
    try:
        findings = crew.confront(corpus.claims)
    finally:
        crew.close()
    assert standing(findings["torch.clone/vacuous"]) == []


def test_two_campaigns_give_the_same_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    records: list[Any] = []
    for processes in (1, 2):
        crew = Crew(processes)
        try:
            findings = crew.confront(corpus.claims)
        finally:
            crew.close()
        path = save_record(record_of(corpus, findings, crew.environment, crew.impostors), tmp_path / str(processes))
        records.append(path.read_bytes())
    assert records[0] == records[1]
