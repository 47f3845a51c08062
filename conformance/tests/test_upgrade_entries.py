"""What a report tells about two releases, how severe it is, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.model import Entry, Facts, Flags, Verdict
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_corpus, release
from conformance.tests.small_upgrades import (
    LEAF,
    OLD_WARNING,
    changed,
    corpus_of,
    diverging,
    only,
    path_of,
    raising,
    showing,
)
from conformance.upgrade.claims import compare_claims
from conformance.upgrade.model import Report


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, SIMPLE)


@pytest.fixture
def claim(corpus: Corpus) -> Claim:
    return corpus.claims[0]


@pytest.mark.parametrize("verdict", ["holds", "diverges", "unspecified", "absent", "inapplicable", "crashed"])
def test_what_stays_is_no_entry(corpus: Corpus, claim: Claim, verdict: Verdict) -> None:
    same = entry(claim, verdict, facts=showing("tensor([1.])", replace(LEAF, shares=("x",))), sentences=("0123abcd",))
    assert changed(corpus, same, same) == []


@pytest.mark.parametrize(
    ("before", "after", "severity", "kind"),
    [
        ("holds", "refuted", "changes", "silent"),
        ("holds", "crashed", "breaks", "crash"),
        ("holds", "timed-out", "breaks", "crash"),
        ("diverges", "crashed", "breaks", "crash"),
        ("holds", "absent", "breaks", "vanished"),
        ("absent", "holds", "improvement", "appeared"),
        ("refuted", "holds", "improvement", "fixed"),
        ("crashed", "holds", "improvement", "fixed"),
        ("crashed", "refuted", "improvement", "fixed"),
    ],
)
def test_verdicts(corpus: Corpus, claim: Claim, before: Verdict, after: Verdict, severity: str, kind: str) -> None:
    found = only(corpus, entry(claim, before), entry(claim, after))
    assert (found.severity, found.kind) == (severity, kind)
    assert found.when == "in 2.0 (1.13.1 → 2.0.1)"
    assert found.page == "reference/torch.Tensor.detach.html#claim-0"


def test_a_broken_claim_is_never_compared(corpus: Corpus, claim: Claim) -> None:
    report = compare_claims(corpus, path_of(corpus, ("1.13.1", [entry(claim)]), ("2.0.1", [entry(claim, "invalid")])))
    assert report.entries == ()
    assert report.gaps == {claim.id: "2.0.1: it could not be judged"}


def test_an_older_form_of_a_claim_is_never_compared(corpus: Corpus, claim: Claim) -> None:
    old = replace(entry(claim, "refuted"), claim="00000000")
    report = compare_claims(corpus, path_of(corpus, ("1.13.1", [old]), ("2.0.1", [entry(claim)])))
    assert (report.entries, report.compared) == ((), 0)
    assert report.gaps == {claim.id: "1.13.1: measured in an older form of the claim"}


def test_what_an_article_alone_says_is_only_counted(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, SIMPLE + "\nsources: [{article: B, row: B5}]")
    [claim] = corpus.claims
    assert only(corpus, entry(claim), entry(claim, "refuted")).severity == "corner"


def test_a_dtype_that_was_not_there_breaks_nothing(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging(dtype="float8_e5m2"))
    [claim] = corpus.claims
    found = only(corpus, entry(claim), entry(claim, "diverges", divergence=(1,)))
    assert found.severity == "wording"
    assert found.notes == ("false only for float8_e5m2, which torch 1.13.1 does not have",)


def test_the_note_of_a_divergence_tells_what_happens(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging())
    [claim] = corpus.claims
    found = only(corpus, entry(claim), entry(claim, "diverges", divergence=(1,), counterexample="assert 0\n"))
    assert (found.severity, found.before, found.after) == ("corner", "true", "The second way.")
    assert found.script == "assert 0\n"


@pytest.mark.parametrize(("kind", "severity"), [("changed", "changes"), ("torch-bug", "improvement")])
def test_code_may_rely_on_what_was_other_before(tmp_path: Path, kind: str, severity: str) -> None:
    corpus = corpus_of(tmp_path, diverging(kind))
    [claim] = corpus.claims
    assert only(corpus, entry(claim, "diverges", divergence=(0,)), entry(claim)).severity == severity


def test_what_was_other_for_unusual_inputs_alone_is_a_corner(tmp_path: Path) -> None:
    where = 'when: {torch: "<2"}\n    where: x.dim() == 0'
    corpus = corpus_of(
        tmp_path, diverging("changed").replace('when: {torch: "<2"}', where).replace("zeros(2)", "zeros(())")
    )
    [claim] = corpus.claims
    assert only(corpus, entry(claim, "diverges", divergence=(0,)), entry(claim)).severity == "corner"


def test_an_error_that_is_gone_hurts_nobody(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging("changed"))
    [claim] = corpus.claims
    before = entry(claim, "diverges", divergence=(0,), facts=raising("RuntimeError"))
    assert only(corpus, before, entry(claim, facts=Facts())).severity == "improvement"


def test_an_error_for_some_inputs_that_is_gone_hurts_nobody(tmp_path: Path) -> None:
    instead = '{expect: ["not shares_storage(y, x)"]}'
    corpus = corpus_of(tmp_path, diverging("changed").replace(instead, "{raises: RuntimeError}", 1))
    [claim] = corpus.claims
    before = entry(claim, "diverges", divergence=(0,), facts=showing("tensor([1.])"))
    assert only(corpus, before, entry(claim)).severity == "improvement"


def test_false_in_another_way(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging())
    [claim] = corpus.claims
    found = only(corpus, entry(claim, "diverges", divergence=(0,)), entry(claim, "diverges", divergence=(1,)))
    assert (found.severity, found.before, found.after) == ("corner", "The first way.", "The second way.")
    assert "torch.zeros(2" in found.script


def test_two_ways_of_one_cause_are_told_apart_by_what_happens(tmp_path: Path) -> None:
    body = diverging().replace("The second way.", "The first way.")
    corpus = corpus_of(tmp_path, body.replace('{expect: ["not shares_storage(y, x)"]}', "{raises: RuntimeError}", 1))
    [claim] = corpus.claims
    one, other, both = (entry(claim, "diverges", divergence=ways) for ways in ((0,), (1,), (0, 1)))
    found = only(corpus, one, other)
    assert (found.before, found.after) == (
        "the last statement raises RuntimeError",
        "where x.dtype == torch.bool: not shares_storage(y, x)",
    )
    assert only(corpus, one, both).after == f"{found.before}; {found.after}"


@pytest.mark.parametrize(
    ("applies", "before", "after", "severity"),
    [
        ('{torch: ">=2"}', "inapplicable", "holds", "improvement"),
        ('{torch: ">=2"}', "inapplicable", "refuted", "documentation"),
        ('{torch: "<2"}', "holds", "inapplicable", "wording"),
    ],
)
def test_promises_begin_and_end(tmp_path: Path, applies: str, before: Verdict, after: Verdict, severity: str) -> None:
    corpus = corpus_of(tmp_path, f"{SIMPLE}\napplies: {applies}")
    [claim] = corpus.claims
    assert only(corpus, entry(claim, before), entry(claim, after)).severity == severity


def test_what_numpy_excludes_is_not_blamed_on_torch(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, f'{SIMPLE}\napplies: {{numpy: "<2"}}')
    [claim] = corpus.claims
    assert changed(corpus, entry(claim), entry(claim, "inapplicable")) == []


def test_what_many_claims_show_alike_is_one_entry(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, SIMPLE, SIMPLE, SIMPLE)
    sides = [
        [entry(claim, facts=showing("tensor([1.])", replace(LEAF, grad_fn=node))) for claim in corpus.claims]
        for node in ("CloneBackward", "CloneBackward0")
    ]
    [found] = compare_claims(corpus, path_of(corpus, ("1.9.0", sides[0]), ("1.10.2", sides[1]))).entries
    assert [claim.slug for claim in found.claims] == ["claim-0", "claim-1", "claim-2"]


def test_promises_that_one_cause_breaks_are_one_entry(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging(), diverging())
    before = [entry(claim) for claim in corpus.claims]
    after = [entry(claim, "diverges", divergence=(1,)) for claim in corpus.claims]
    [found] = compare_claims(corpus, path_of(corpus, ("1.13.1", before), ("2.0.1", after))).entries
    assert found.what == "no longer true for some inputs: 2 promises of torch.Tensor.detach"


def test_what_fails_on_every_input_comes_before_what_fails_on_some(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging(), SIMPLE)
    before = [entry(claim) for claim in corpus.claims]
    after = [entry(corpus.claims[0], "diverges", divergence=(1,)), entry(corpus.claims[1], "refuted")]
    found = compare_claims(corpus, path_of(corpus, ("1.13.1", before), ("2.0.1", after))).entries
    assert [(one.claims[0].slug, one.kind) for one in found] == [("claim-1", "silent"), ("claim-0", "silent on some")]


def test_a_subject_that_is_gone_is_one_entry(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, SIMPLE, SIMPLE)
    before = [entry(claim) for claim in corpus.claims]
    after = [entry(claim, "absent") for claim in corpus.claims]
    [found] = compare_claims(corpus, path_of(corpus, ("1.13.1", before), ("2.0.1", after))).entries
    assert (found.what, len(found.claims)) == ("torch.Tensor.detach is gone", 2)


_WARNING = """
do: y = torch.ones(2).detach()
warns: warning
diverges:
  - when: {torch: "<2"}
    kind: changed
    note: It was silent.
    link: none-filed
    instead: {expect: [y.is_leaf]}
    example: {}
"""


def test_a_promised_warning_that_comes_is_one_entry(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, _WARNING)
    claim, quiet = corpus.claims[0], Facts()
    found = only(
        corpus, entry(claim, "diverges", divergence=(0,), facts=quiet), entry(claim, facts=Facts(warns=(OLD_WARNING,)))
    )
    assert (found.severity, found.notes) == ("warns", (f"new UserWarning: {OLD_WARNING.message}",))


def report(tmp_path: Path) -> Report:
    corpus = corpus_of(tmp_path, SIMPLE, SIMPLE, SIMPLE, SIMPLE, RAISING)
    fixed, documented, broken, noticed, other = corpus.claims
    before = [
        entry(fixed, "refuted"),
        entry(documented, sentences=(None,)),
        entry(broken),
        entry(noticed, facts=Facts()),
        entry(other, facts=raising("ValueError")),
    ]
    after = [
        entry(fixed),
        entry(documented, sentences=("0123abcd",)),
        entry(broken, "refuted"),
        entry(noticed, facts=Facts(warns=(OLD_WARNING,))),
        entry(other, facts=raising("RuntimeError")),
    ]
    return compare_claims(corpus, path_of(corpus, ("1.13.1", before), ("2.0.1", after)))


def test_what_hurts_most_comes_first(tmp_path: Path) -> None:
    found = [one.severity for one in report(tmp_path).entries]
    assert found == ["changes", "warns", "corner", "documentation", "improvement"]


@pytest.mark.parametrize("count", range(1, 6))
def test_fail_on_a_severity(tmp_path: Path, count: int) -> None:
    whole = report(tmp_path)
    severities = [one.severity for one in whole.entries]
    left = replace(whole, entries=whole.entries[count - 1 :])
    assert [left.fails(severity) for severity in severities] == [position >= count - 1 for position in range(5)]
    assert not left.fails(None)


def test_the_release_of_a_change_is_found_between_the_ends(corpus: Corpus, claim: Claim) -> None:
    columns = [(torch, [entry(claim)]) for torch in ("1.9.0", "1.10.2", "1.11.0")]
    columns += [(torch, [entry(claim, "refuted")]) for torch in ("1.12.1", "1.13.1")]
    [found] = compare_claims(corpus, path_of(corpus, *columns)).entries
    assert found.when == "in 1.12 (1.11.0 → 1.12.1)"


def test_there_and_back_again_is_no_entry(corpus: Corpus, claim: Claim) -> None:
    columns = [("2.0.1", [entry(claim)]), ("2.1.2", [entry(claim, "refuted")]), ("2.2.2", [entry(claim)])]
    assert compare_claims(corpus, path_of(corpus, *columns)).entries == ()


def test_a_new_canonical_example_hides_only_the_step_to_it(corpus: Corpus, claim: Claim) -> None:
    def seen(flags: Flags, recipe: str) -> Entry:
        return entry(claim, facts=showing("tensor([1.])", flags), example={"x": recipe})

    columns = [
        ("2.0.1", [seen(LEAF, "torch.zeros(1)")]),
        ("2.1.2", [seen(replace(LEAF, same=("x",)), "torch.zeros(1)")]),
        ("2.2.2", [seen(replace(LEAF, same=("x",)), "torch.ones(1)")]),
    ]
    [found] = compare_claims(corpus, path_of(corpus, *columns)).entries
    assert (found.what, found.when) == ("y is the same object as x now", "in 2.1 (2.0.1 → 2.1.2)")


def test_numpy_is_named_where_it_changed_too(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, "given: {x: tensor()}\ndo: y = np.asarray(x)\nexpect: shares_storage(y, x)")
    [claim] = corpus.claims
    path = [
        release("2.2.2", {claim.id: entry(claim)}, numpy="1.26.4"),
        release("2.3.1", {claim.id: entry(claim, "refuted")}, numpy="2.0.2"),
    ]
    [found] = compare_claims(corpus, path).entries
    assert found.notes == ("NumPy differs there too: 1.26.4 and 2.0.2",)
