"""Releases, gaps, environments, conditions and sources in words: one wording for every output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Optional, get_args

import pytest

from conformance.base.release_spans import Unknown, gaps_in_words, in_ranges
from conformance.lab.views.program import expectation, inputs_of
from conformance.lab.views.running_text import plain
from conformance.language.condition_words import conditions_in_words, divergence_in_words
from conformance.language.model import Claim, Conditions, Divergence, Expectation, Fragment, Place, Source
from conformance.language.source_words import source_view
from conformance.results.facts import flags_in_words, signal_in_words
from conformance.results.model import Entry, Facts, Flags, Signal, Tiers, Verdict
from conformance.results.recorded import Measured, environments_in_words, in_order
from conformance.results.verdicts import APPEARANCES
from conformance.tests.result_files import RAISING, SIMPLE, entry, make_claim, release

PLACE = Place("specs/x.yaml", 1, 1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("aa", {"a": "in all 2 releases, r0 to r1"}),
        ("a", {"a": "r0"}),
        ("ab", {"a": "r0", "b": "since r1"}),
        ("aab", {"a": "r0 to r1", "b": "since r2"}),
        ("aba", {"a": "r0 and since r2", "b": "r1"}),
        ("ababa", {"a": "r0, r2 and since r4", "b": "r1 and r3"}),
        ("a-a", {"a": "r0 and since r2"}),
        ("-", {}),
    ],
)
def test_where_each_value_was_seen(values: str, words: dict[str, str]) -> None:
    seen: list[tuple[str, Optional[str]]] = [
        (f"r{position}", None if value == "-" else value) for position, value in enumerate(values)
    ]
    assert in_ranges(seen) == words


def test_gaps_with_the_same_reason_are_named_together_and_never_swallowed() -> None:
    gaps = [Unknown("2.0", "not measured"), Unknown("2.1", "not measured"), Unknown("2.2", "lacks the name")]
    assert gaps_in_words(gaps) == "2.0 to 2.1 not measured, 2.2 lacks the name"
    many = [Unknown(f"2.{number}", f"reason {number}") for number in range(6)]
    assert gaps_in_words(many).endswith("2.3 reason 3 and 2 gaps more")


def test_environments_are_named_by_device_and_three_neighbours_are_a_range() -> None:
    recorded = in_order([release(torch, {}) for torch in ("2.0.1", "2.1.2", "2.2.2", "2.10.0")])
    cuda = in_order([*recorded.environments, release("2.10.0", {}, device="cuda")]).environments
    assert environments_in_words(cuda) == "torch 2.0.1 to 2.10.0 (cpu); torch 2.10.0 (cuda)"
    assert environments_in_words([cuda[0], *cuda[2:4]]) == "torch 2.0.1, 2.2.2 and 2.10.0 (cpu)"


def divergence(when: Conditions, where: Optional[str]) -> Divergence:
    fragment = None if where is None else Fragment(where, PLACE)
    return Divergence("torch-bug", when, fragment, Expectation(), (), "note", "none-filed", None, PLACE)


@pytest.mark.parametrize(
    ("when", "where", "words"),
    [
        (Conditions(), None, ""),
        (Conditions(torch=">=2", numpy="<2", python=">=3.10"), None, "torch >=2, NumPy <2, Python >=3.10"),
        (
            Conditions(device="cuda", system="linux"),
            "x.ndim\n  > 0",
            "the device cuda, the system linux, where x.ndim > 0",
        ),
    ],
)
def test_where_a_divergence_applies(when: Conditions, where: Optional[str], words: str) -> None:
    assert divergence_in_words(divergence(when, where)) == words
    assert words.startswith(conditions_in_words(when))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (Source("docs", "torch.add", "is new", None, PLACE), "docstring of torch.add, at “is new”"),
        (Source("note", "broadcasting", None, None, PLACE), "note broadcasting"),
        (Source("release", "2.0.0", "now", None, PLACE), "release notes of 2.0.0, at “now”"),
        (Source("article", "A", None, "A1", PLACE), "article A, row A1"),
    ],
)
def test_sources(source: Source, words: str) -> None:
    assert str(source_view(source)) == words


def test_flags_and_signals() -> None:
    flags = Flags("float32", "meta", False, True, "CloneBackward0", same=("x",), view_of=("x",), shares=("x", "z"))
    assert flags_in_words(flags) == (
        "float32, meta, non-leaf, requires grad, grad_fn CloneBackward0, is x itself, view of x, shares memory with x, "
        "shares memory with z"
    )
    assert flags_in_words(Flags("int64", writable=False)) == "int64, read-only"
    assert [signal_in_words(Signal("E", text)) for text in ("no", "")] == ["E: no", "E"]


def test_every_verdict_has_an_appearance_of_its_own() -> None:
    assert set(APPEARANCES) == set(get_args(Verdict))
    assert len({look.word for look in APPEARANCES.values()}) == len(APPEARANCES)


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path, SIMPLE)


@pytest.mark.parametrize(
    ("tiers", "raised", "word"),
    [
        (Tiers("always", "always"), "TypeError", "not promised; happens: raises TypeError"),
        (Tiers("always", "always"), None, "not promised; happens: raises RuntimeError"),
        (Tiers("sometimes", "never"), None, "not promised; happens: raises for some inputs"),
        (Tiers("never"), None, "not promised; happens: does not raise"),
        (None, None, "unspecified"),
    ],
)
def test_what_happens_where_no_error_is_promised(
    tmp_path: Path, tiers: Optional[Tiers], raised: Optional[str], word: str
) -> None:
    claim = make_claim(tmp_path, RAISING + "\nguarantee: unspecified")
    facts = Facts(Signal(raised, "")) if raised else None
    measured = release("2.4.1", {claim.id: entry(claim, "unspecified", tiers=tiers, facts=facts)})
    assert measured.cell(claim).word == word


def test_what_happens_where_no_warning_is_promised(tmp_path: Path) -> None:
    claim = make_claim(
        tmp_path, RAISING.replace("raises", "warns").replace("RuntimeError", "UserWarning") + "\nguarantee: unspecified"
    )
    found = entry(claim, "unspecified", tiers=Tiers("always", "always"))
    assert release("2.4.1", {claim.id: found}).cell(claim).word == "not promised; happens: warns UserWarning"


def test_what_is_only_looked_at_is_not_called_a_promise(tmp_path: Path) -> None:
    def shown(body: str) -> tuple[str, ...]:
        claim = make_claim(tmp_path, body)
        return tuple(map(plain, (*expectation(claim.expectation, judged=not claim.unspecified), *inputs_of(claim))))

    told = "the last statement raises RuntimeError"
    assert shown(RAISING)[0] == f"{told} (the source promises only that it happens; the rest is recorded)"
    observed = shown(f"{RAISING}\nguarantee: unspecified\nbecause: It is slow otherwise")
    assert observed == (told, "x: tensor()", "narrowed because: It is slow otherwise")


def test_a_promised_error_has_the_word_of_its_verdict(tmp_path: Path) -> None:
    claim = make_claim(tmp_path, RAISING)
    assert release("2.4.1", {claim.id: entry(claim, tiers=Tiers("always"))}).cell(claim).word == "holds"


@pytest.mark.parametrize(
    ("claims", "void", "gap"),
    [
        (lambda one: {}, None, "not measured"),
        (lambda one: {"torch.Tensor.detach/claim-0": one}, None, ""),
        (
            lambda one: {"torch.Tensor.detach/claim-0": replace(one, claim="0" * 8)},
            None,
            "measured in an older form of the claim",
        ),
        (lambda one: {"torch.Tensor.detach/claim-0": one}, "broken", "the whole file is void"),
    ],
)
def test_a_gap_says_why(claim: Claim, claims: object, void: Optional[str], gap: str) -> None:
    assert callable(claims)
    cell = release("2.0.1", claims(entry(claim)), void=void).cell(claim)
    assert cell.gap == gap
    assert (cell.verdict is None) == (cell.entry is None) == bool(gap)
    assert cell.word == (gap or "holds")


def test_a_timing_claim_is_looked_up_among_the_timings(claim: Claim) -> None:
    timed = replace(claim, family="timing")
    plain = release("2.0.1", {timed.id: entry(timed, "refuted")})
    entries = {timed.id: Entry(timed.fingerprint(), "holds", sizes=(1, 2))}
    with_timings = Measured(plain.name, plain.environment, plain.results, release("2.0.1", entries).results)
    assert with_timings.cell(timed).entry == entries[timed.id]
    assert [found.cell(timed).verdict for found in (with_timings, plain)] == ["holds", "refuted"]
