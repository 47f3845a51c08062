"""What a claim shows otherwise in another release while its verdict stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.language.corpus import Corpus
from conformance.language.model import Claim
from conformance.results.model import Coverage, Facts, Flags, Often, Signal, Tiers
from conformance.tests.result_files import RAISING, SIMPLE, entry
from conformance.tests.small_upgrades import (
    LEAF,
    OLD_WARNING,
    changed,
    corpus_of,
    only,
    raising,
    showing,
)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return corpus_of(tmp_path, SIMPLE)


@pytest.fixture
def claim(corpus: Corpus) -> Claim:
    return corpus.claims[0]


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
