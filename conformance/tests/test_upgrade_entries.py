"""What a report tells about two releases, how severe it is, and in which order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.model import Coverage, Fact, Facts, Flags, Often, Signal, Tiers, Verdict
from conformance.results.model import Entry as Measurement
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_corpus, release
from conformance.upgrade.claims import compare_claims
from conformance.upgrade.model import Entry, Report
from conformance.views.recorded import Measured

FALSE_BELOW_2 = """
given: {x: tensor()}
do: y = x.detach()
expect: shares_storage(y, x)
diverges:
  - when: {torch: "<2"}
    kind: %s
    instead: {expect: ["not shares_storage(y, x)"]}
    example: {x: "torch.zeros(2)"}
    note: The first way.
    link: none-filed
  - when: {torch: ">=2"}
    where: x.dtype == torch.%s
    kind: torch-bug
    instead: {expect: ["not shares_storage(y, x)"]}
    example: {x: "torch.zeros(2, dtype=torch.%s)"}
    note: The second way.
    link: none-filed
"""


LEAF = Flags("float32", leaf=True)


def showing(value: str, flags: Flags = LEAF) -> Facts:
    return Facts(names={"y": Fact(value, flags)})


def raising(name: str, message: str = "no") -> Facts:
    return Facts(Signal(name, message))


def diverging(kind: str = "torch-bug", dtype: str = "bool") -> str:
    return FALSE_BELOW_2 % (kind, dtype, dtype)


def corpus_of(folder: Path, *bodies: str) -> Corpus:
    return make_corpus(folder / "specs", *bodies)


def path_of(corpus: Corpus, *columns: tuple[str, list[Measurement]]) -> list[Measured]:
    """Make the path of an upgrade: release and an entry for each claim of the corpus."""
    return [release(torch, {claim.id: one for claim, one in zip(corpus.claims, entries)}) for torch, entries in columns]


def changed(corpus: Corpus, before: Measurement, after: Measurement) -> list[Entry]:
    """Compare two releases of a corpus of one claim."""
    return list(compare_claims(corpus, path_of(corpus, ("1.13.1", [before]), ("2.0.1", [after]))).entries)


def only(corpus: Corpus, before: Measurement, after: Measurement) -> Entry:
    [found] = changed(corpus, before, after)
    return found


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


def test_an_error_that_is_gone_hurts_nobody(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging("changed"))
    [claim] = corpus.claims
    before = entry(claim, "diverges", divergence=(0,), facts=raising("RuntimeError"))
    assert only(corpus, before, entry(claim, facts=Facts())).severity == "improvement"


def test_false_in_another_way(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, diverging())
    [claim] = corpus.claims
    found = only(corpus, entry(claim, "diverges", divergence=(0,)), entry(claim, "diverges", divergence=(1,)))
    assert (found.severity, found.before, found.after) == ("corner", "The first way.", "The second way.")
    assert "torch.zeros(2" in found.script


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


@pytest.mark.parametrize(
    ("before", "after", "severity", "what"),
    [
        (replace(LEAF, shares=("x",)), LEAF, "changes", "y shares memory with x no longer"),
        (LEAF, replace(LEAF, view_of=("x",)), "changes", "y is a view of x now"),
        (LEAF, replace(LEAF, same=("x",)), "changes", "y is the same object as x now"),
        (LEAF, replace(LEAF, leaf=False), "changes", "y is a leaf no longer"),
        (LEAF, replace(LEAF, requires_grad=True), "changes", "y requires grad now"),
        (LEAF, replace(LEAF, dtype="float64"), "changes", "y has another dtype"),
        (replace(LEAF, grad_fn="A"), replace(LEAF, grad_fn="B"), "wording", "grad_fn is B, was A"),
        (replace(LEAF, grad_fn="A"), LEAF, "changes", "y has a grad_fn no longer"),
        (Flags("float64", writable=True), Flags("float64", writable=False), "changes", "y has another property"),
    ],
)
def test_flags_under_one_verdict(
    corpus: Corpus, claim: Claim, before: Flags, after: Flags, severity: str, what: str
) -> None:
    sides = [entry(claim, facts=showing("tensor([1.])", flags)) for flags in (before, after)]
    assert [(found.severity, found.what) for found in changed(corpus, *sides)] == [(severity, what)]


def test_a_value_under_one_verdict(corpus: Corpus, claim: Claim) -> None:
    sides = [entry(claim, facts=showing(value)) for value in ("tensor([1.])", "tensor([2.])")]
    found = only(corpus, *sides)
    assert (found.severity, found.kind, found.before, found.after) == (
        "corner",
        "value",
        "tensor([1.])",
        "tensor([2.])",
    )


@pytest.mark.parametrize(
    ("before", "after", "severity", "what"),
    [
        (raising("ValueError"), raising("RuntimeError"), "corner", "raises RuntimeError, was ValueError"),
        (
            raising("RuntimeError"),
            raising("NotImplementedError"),
            "wording",
            "raises NotImplementedError, was RuntimeError",
        ),
        (
            raising("RuntimeError"),
            raising("RuntimeError", "never"),
            "wording",
            "the message of the RuntimeError is worded otherwise",
        ),
        (raising("RuntimeError"), Facts(), "improvement", "no longer raises RuntimeError"),
        (Facts(), raising("RuntimeError"), "breaks", "raises RuntimeError now"),
    ],
)
def test_errors_under_one_verdict(tmp_path: Path, before: Facts, after: Facts, severity: str, what: str) -> None:
    corpus = corpus_of(tmp_path, RAISING)
    [claim] = corpus.claims
    sides = [entry(claim, facts=facts) for facts in (before, after)]
    found = only(corpus, *sides)
    assert (found.severity, found.what) == (severity, what)
    assert "except Exception as error:" in found.script


OLD_WARNING = Signal("UserWarning", "use clone().detach() rather than tensor(x)")
NEW_WARNING = Signal("UserWarning", "use detach().clone() rather than tensor(x)")


@pytest.mark.parametrize(
    ("before", "after", "severity", "what"),
    [
        ((), (OLD_WARNING,), "warns", "new UserWarning"),
        ((OLD_WARNING,), (), "improvement", "no UserWarning any more"),
        ((OLD_WARNING,), (NEW_WARNING,), "wording", "a UserWarning is worded otherwise"),
    ],
)
def test_warnings(
    corpus: Corpus, claim: Claim, before: tuple[Any, ...], after: tuple[Any, ...], severity: str, what: str
) -> None:
    found = only(corpus, *(entry(claim, facts=Facts(warns=warned)) for warned in (before, after)))
    assert (found.severity, found.what) == (severity, what)
    assert "catch_warnings" in found.script


def test_a_warning_of_another_class_is_not_reworded(corpus: Corpus, claim: Claim) -> None:
    after = (replace(OLD_WARNING, type="FutureWarning"),)
    found = changed(corpus, *(entry(claim, facts=Facts(warns=warned)) for warned in ((OLD_WARNING,), after)))
    assert {one.what for one in found} == {"no UserWarning any more", "new FutureWarning"}


@pytest.mark.parametrize(
    ("before", "after", "severity"), [("always", "never", "changes"), ("sometimes", "always", "wording")]
)
def test_what_the_source_leaves_open(tmp_path: Path, before: Often, after: Often, severity: str) -> None:
    corpus = corpus_of(tmp_path, SIMPLE + "\nguarantee: unspecified")
    [claim] = corpus.claims
    found = only(corpus, *(entry(claim, "unspecified", observed=(often,)) for often in (before, after)))
    assert found.severity == severity
    assert found.what == f"shares_storage(y, x) is {after} true, was {before}"


@pytest.mark.parametrize(
    ("after", "what"),
    [("never", "does not raise now (not promised)"), ("sometimes", "raises for some inputs now (not promised)")],
)
def test_an_error_that_is_not_promised_is_told_where_it_changes(tmp_path: Path, after: Often, what: str) -> None:
    corpus = corpus_of(tmp_path, RAISING + "\nguarantee: unspecified")
    [claim] = corpus.claims
    found = only(corpus, *(entry(claim, "unspecified", tiers=Tiers(error=often)) for often in ("always", after)))
    assert (found.what, found.before) == (what, "raises")


def test_a_kernel_that_is_gone(corpus: Corpus, claim: Claim) -> None:
    found = only(corpus, entry(claim), entry(claim, no_kernel=("Half",), example={"x": "torch.tensor([1.])"}))
    assert (found.severity, found.what) == ("corner", "no kernel any more for Half")
    assert "torch.tensor([1.], dtype=torch.float16)" in found.script


KERNELS = {"NotImplementedError": ("Half",)}
JUDGED = {"x": Coverage((3, 1, 1, 1), 3, 4, ("bool",))}
NOT_JUDGED = {"x": Coverage((2, 1, 1, 1), 2, 4, ("bool", "float16"))}


@pytest.mark.parametrize(
    ("lacking", "other", "what", "before", "after"),
    [
        ("new", JUDGED, "no kernel any more for Half", "worked", "not implemented"),
        ("new", {}, "no kernel any more for Half", "no kernel was missing", "not implemented"),
        ("old", JUDGED, "works for Half now", "not implemented", "works"),
        ("old", {}, "no kernel is missing for Half any more", "not implemented", "no kernel is missing"),
    ],
)
def test_a_dtype_worked_only_where_an_example_was_judged(
    corpus: Corpus, claim: Claim, lacking: str, other: dict[str, Coverage], what: str, before: str, after: str
) -> None:
    entries = [entry(claim, covered=other), entry(claim, covered=NOT_JUDGED, missing_kernels=KERNELS)]
    found = only(corpus, *(entries if lacking == "new" else entries[::-1]))
    assert (found.what, found.before, found.after) == (what, before, after)


@pytest.mark.parametrize("order", [1, -1])
def test_nothing_is_said_of_a_dtype_that_was_not_judged(corpus: Corpus, claim: Claim, order: int) -> None:
    entries = [entry(claim, covered=NOT_JUDGED), entry(claim, covered=NOT_JUDGED, missing_kernels=KERNELS)]
    assert changed(corpus, *entries[::order]) == []


def test_a_new_dtype_without_a_kernel_is_no_loss(corpus: Corpus, claim: Claim) -> None:
    assert changed(corpus, entry(claim), entry(claim, no_kernel=("Float8_e5m2",))) == []


@pytest.mark.parametrize(
    ("before", "after", "what"),
    [
        ((None,), ("0123abcd",), "1 sentence new in the docstring of torch.Tensor.detach"),
        (("0123abcd",), (None,), "1 sentence gone from the docstring of torch.Tensor.detach"),
        (("0123abcd",), ("4567abcd",), "1 sentence reworded in the docstring of torch.Tensor.detach"),
    ],
)
def test_sentences(corpus: Corpus, claim: Claim, before: tuple[Any, ...], after: tuple[Any, ...], what: str) -> None:
    found = only(corpus, entry(claim, sentences=before), entry(claim, sentences=after))
    assert (found.severity, found.what) == ("documentation", what)
    assert "detached from the current graph" in found.notes[0]


def test_a_sentence_that_is_gone_while_the_claim_stays_true(corpus: Corpus, claim: Claim) -> None:
    found = only(corpus, entry(claim, sentences=("0123abcd",)), entry(claim, sentences=(None,)))
    assert found.notes[0].endswith("documented and true, now no longer documented but still true")


def test_what_was_seen_beside_a_changed_verdict_belongs_to_it(corpus: Corpus, claim: Claim) -> None:
    before = entry(claim, facts=showing("tensor([1.])", replace(LEAF, shares=("x",))))
    after = entry(claim, "refuted", facts=showing("tensor([1.])"))
    found = only(corpus, before, after)
    assert (found.kind, found.notes) == ("silent", ("also: y shares memory with x no longer",))


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


def test_a_downgrade_is_told_the_other_way_round(corpus: Corpus, claim: Claim) -> None:
    columns = [("2.1.2", [entry(claim, "refuted")]), ("2.0.1", [entry(claim)]), ("1.13.1", [entry(claim)])]
    [found] = compare_claims(corpus, path_of(corpus, *columns)).entries
    assert (found.severity, found.when) == ("improvement", "in 2.0 (2.1.2 → 2.0.1)")


def test_a_new_canonical_example_hides_only_the_step_to_it(corpus: Corpus, claim: Claim) -> None:
    def seen(flags: Flags, recipe: str) -> Measurement:
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
