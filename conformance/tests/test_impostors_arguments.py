"""Which wrong arguments claims notice, which they miss, and which another claim of the subject notices."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from conformance.__main__ import main
from conformance.lab.impostors.engine.parameters import arguments_of
from conformance.lab.impostors.record import Killed, MutationRecord, Noticing, missed_arguments, save_record
from conformance.lab.impostors.report import Report
from conformance.language.corpus import Corpus
from conformance.tests.small_campaigns import ENVIRONMENT, corpus_of, greeting_for, run

ONE_VALUE, IGNORED, AS_ONE = "argument-has-one-good-value", "argument-is-ignored", "elements-are-taken-for-one"
SUMS = """
    - id: {id}
      subject: {subject}
      title: {title}
      family: {family}
      sources: [{{docs: torch.clone, key: Returns a copy, says: states}}]
      given: {{x: 'tensor(dtype="float32", ndim=2, min_size=2, finite=True, requires_grad=False)'{given}}}
      do: y = {call}
      expect: {expect}
"""


def sums(id: str, call: str, **parts: str) -> str:
    """Return a claim about cumsum."""
    usual = {
        "subject": "torch.Tensor.cumsum",
        "title": "The sums run along dim",
        "family": "values",
        "given": "",
        "expect": "equal(y[:1], x[:1]) or equal(y[:, :1], x[:, :1])",
    }
    return SUMS.format(id=id, call=call, **{**usual, **parts})


def noticing(tmp_path: Path, *claims: str) -> list[Noticing]:
    return [run(claim).arguments for claim in corpus_of(tmp_path, "".join(claims)).claims]


def test_an_argument_with_one_value_is_missed_and_a_drawn_one_noticed(tmp_path: Path) -> None:
    expect = "equal(y.select(dim, -1), torch.ones_like(x).mul(x).cumsum(dim).select(dim, -1))"
    one, drawn = noticing(
        tmp_path,
        sums("first", "x.cumsum(0)"),
        sums("second", "x.cumsum(dim)", given=", dim: dim_of(x)", expect=expect),
    )
    assert one.missed[ONE_VALUE] == ("cumsum(dim)",)
    assert "cumsum(dim)" in drawn.noticed[ONE_VALUE]
    assert ONE_VALUE not in drawn.missed


@pytest.mark.parametrize(
    ("about", "parts"),
    [
        (False, {"title": "The result is new", "family": "sharing", "expect": "not same_object(y, x)"}),
        (True, {"title": "dim is taken", "family": "sharing", "expect": "not same_object(y, x)"}),
        (True, {"title": "The sums are right"}),
        (False, {"title": "The sums of dim 0 are right"}),
    ],
)
def test_a_sentence_is_about_an_argument_that_it_names_or_whose_values_it_tells(
    tmp_path: Path, about: bool, parts: dict[str, str]
) -> None:
    [found] = noticing(tmp_path, sums("sum", "x.cumsum(0)", **parts))
    assert ("cumsum(dim)" in found.missed.get(ONE_VALUE, ())) is about


def test_a_tensor_whose_elements_are_all_the_same_is_missed(tmp_path: Path) -> None:
    same, different = noticing(
        tmp_path,
        sums("first", "torch.ones_like(x).abs()", subject="torch.Tensor.abs", expect="equal(y, torch.ones_like(x))"),
        sums("second", "x.abs()", subject="torch.Tensor.abs", expect="equal(y, torch.where(x < 0, -x, x).add(0))"),
    )
    assert same.missed[AS_ONE] == ("abs(self)",)
    assert different.noticed[AS_ONE] == ("abs(self)",)


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "names"),
    [
        (torch.Tensor.cumsum, (torch.ones(2), 0), {}, ["self", "dim"]),
        (torch.cumsum, (torch.ones(2),), {"dim": 0}, ["input", "dim"]),
        (torch.nn.Embedding, (3, 2), {"padding_idx": 0}, ["num_embeddings", "embedding_dim", "padding_idx"]),
        (torch.Tensor.permute, (torch.ones(2, 2), 1, 0), {}, ["self", "dims"]),
        (torch.cumsum, (torch.ones(2),), {"made_up": 0}, []),
    ],
)
def test_arguments_have_the_names_of_the_documentation(function: Any, args: Any, kwargs: Any, names: list[str]) -> None:
    assert [one.name for one in arguments_of(function, args, kwargs)] == names


def two_claims(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, sums("first", "x.cumsum(0)") + sums("second", "x.cumsum(0)"))


def test_another_claim_of_the_subject_notices(tmp_path: Path) -> None:
    first, second = two_claims(tmp_path).claims
    misses = Noticing(missed={IGNORED: ("cumsum(dim)",), ONE_VALUE: ("cumsum(dim)",)})
    found = missed_arguments([(first, misses), (second, Noticing({IGNORED: ("cumsum(dim)",)}))])
    assert {item.operator: item.sibling for item in found[first.id]} == {IGNORED: second.id, ONE_VALUE: ""}
    assert second.id not in found


def record_with(corpus: Corpus, found: Noticing, impostors: dict[str, str]) -> MutationRecord:
    entries = {claim.id: Killed(claim.fingerprint(), 1, (), arguments=found) for claim in corpus.claims}
    return MutationRecord(1, ENVIRONMENT, corpus.revision(), impostors, entries)


def test_only_what_the_record_does_not_have_fails_a_run(tmp_path: Path) -> None:
    corpus = two_claims(tmp_path)
    outcomes = {claim.id: run(claim) for claim in corpus.claims}
    names = greeting_for(outcomes).operators
    of_arguments = dict.fromkeys((ONE_VALUE, IGNORED), "")
    misses = Noticing(missed={ONE_VALUE: ("cumsum(dim)",)})

    def fails(known: MutationRecord) -> bool:
        return Report(corpus, outcomes, names, known=known, whole=False).failed

    assert fails(record_with(corpus, Noticing(), of_arguments))
    assert not fails(record_with(corpus, misses, of_arguments))
    assert not fails(record_with(corpus, Noticing(), {}))


def test_a_reason_of_the_spec_excuses_an_argument(tmp_path: Path) -> None:
    reason = "{cause: it is something else, dim: every dimension gives the same}"
    corpus = corpus_of(tmp_path, sums("only", "x.cumsum(0)") + f"      unnoticed: {reason}\n")
    (claim,) = corpus.claims
    outcomes = {claim.id: run(claim)}
    assert outcomes[claim.id].arguments.missed[ONE_VALUE] == ("cumsum(dim)",)
    names = greeting_for(outcomes).operators
    report = Report(
        corpus, outcomes, names, known=record_with(corpus, Noticing(), dict.fromkeys(names, "")), whole=False
    )
    assert not report.failed
    text = "\n".join(report.lines())
    assert "cumsum(dim): every dimension gives the same" in text
    assert "by another claim of the subject, 1 by none for a reason that the spec gives, 0 by none" in text


def test_survivors_of_a_record_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = two_claims(tmp_path)
    monkeypatch.setattr("conformance.lab.impostors.command.default_root", lambda: tmp_path / "claims.yaml")
    misses = Noticing({IGNORED: ("cumsum(dim)",)}, {ONE_VALUE: ("cumsum(dim)",)})
    path = save_record(record_with(corpus, misses, {}), tmp_path / "records")
    assert main(["impostors", "--survivors", "--known", str(path)]) == 0
    told = capsys.readouterr().out
    assert f"torch.Tensor.cumsum/first: {ONE_VALUE} cumsum(dim)" in told
    assert "wrong arguments: 2 noticed, 0 by another claim of the subject, 0 by none for a reason" in told
    assert f"  {ONE_VALUE}: 0, 0, 0, 2\n" in told
    assert main(["impostors", "--survivors"]) == 2
