"""Change points: told with no more certainty than was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.base.release_spans import unmeasured_minors
from conformance.language.model import Claim
from conformance.results.history import since, truth_timeline
from conformance.results.model import Entry, Facts, Signal, Verdict
from conformance.results.recorded import load_recorded
from conformance.tests.result_files import SIMPLE, entry, make_claim, release, releases, save

OTHER_EXAMPLE = {"x": "torch.tensor([7.])"}


@pytest.fixture
def claim(tmp_path: Path) -> Claim:
    return make_claim(tmp_path / "specs", SIMPLE)


def raising(claim: Claim, name: str, **fields: Any) -> Entry:
    return entry(claim, facts=Facts(Signal(name, "no")), **fields)


def test_a_change_between_neighbours_came_with_that_minor_version(claim: Claim) -> None:
    columns = releases(claim, v1_13_1=entry(claim, "diverges"), v2_0_1=entry(claim), v2_1_2=entry(claim))
    [change] = truth_timeline(claim, columns).changes()
    assert (change.before, change.after) == ("false", "true")
    assert change.when() == "in 2.0 (1.13.1 → 2.0.1)"


def test_patches_of_one_minor_version_are_told_apart(claim: Claim) -> None:
    columns = releases(claim, v2_0_0=entry(claim, "refuted"), v2_0_1=entry(claim))
    [change] = truth_timeline(claim, columns).changes()
    assert change.when() == "in 2.0.1 (2.0.0 → 2.0.1)"


def test_a_release_that_was_not_measured_is_a_gap(claim: Claim) -> None:
    columns = releases(claim, v2_4_1=entry(claim), v2_6_0=entry(claim, "diverges"))
    [change] = truth_timeline(claim, columns).changes()
    assert change.when() == "between 2.4.1 and 2.6.0 (2.5 not measured)"


@pytest.mark.parametrize(
    ("middle", "why"),
    [
        (lambda claim: None, "not measured"),
        (lambda claim: replace(entry(claim), claim="00000000"), "measured in an older form of the claim"),
        (lambda claim: entry(claim, "absent"), "lacks the name"),
        (lambda claim: entry(claim, "inapplicable"), "is excluded"),
        (lambda claim: entry(claim, "invalid"), "could not judge it"),
    ],
)
def test_what_says_nothing_is_never_counted_as_false(claim: Claim, middle: Any, why: str) -> None:
    columns = releases(claim, v2_4_1=entry(claim), v2_5_1=middle(claim), v2_6_0=entry(claim))
    line = truth_timeline(claim, columns)
    assert line.changes() == []
    assert line.unknown == (("2.5.1", why),)


def test_a_void_file_is_a_gap(claim: Claim) -> None:
    columns = [
        release("2.4.1", {claim.id: entry(claim)}),
        release("2.5.1", {claim.id: entry(claim, "refuted")}, void="a smoke claim failed"),
        release("2.6.0", {claim.id: entry(claim)}),
    ]
    assert truth_timeline(claim, columns).changes() == []


def test_there_and_back_are_two_changes(claim: Claim) -> None:
    columns = releases(claim, v2_0_1=entry(claim), v2_1_2=entry(claim, "diverges"), v2_2_2=entry(claim))
    assert [change.first for change in truth_timeline(claim, columns).changes()] == ["2.1.2", "2.2.2"]


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        (("holds", "holds"), "true in every release measured (2.0.1 to 2.1.2)"),
        (("diverges", "holds"), "false from 2.0.1; true since 2.1"),
        (("holds", "crashed"), "true from 2.0.1; crashes since 2.1"),
        (("absent", "holds"), "true in every release measured (2.1.2); 2.0.1 lacks the name"),
        (("absent", "absent"), "measured in no release"),
    ],
)
def test_since_when_a_claim_holds(claim: Claim, verdicts: tuple[Verdict, Verdict], told: str) -> None:
    columns = releases(claim, v2_0_1=entry(claim, verdicts[0]), v2_1_2=entry(claim, verdicts[1]))
    assert since(claim, columns) == told


def test_since_tells_a_gap(claim: Claim) -> None:
    columns = releases(claim, v2_0_1=entry(claim, "diverges"), v2_3_1=entry(claim))
    assert "some release between 2.0.1 and 2.3.1 (2.1 to 2.2 not measured)" in since(claim, columns)


@pytest.mark.parametrize(
    ("older", "newer", "between"),
    [
        ("1.13.1", "2.0.1", ()),
        ("1.12.1", "2.1.2", ("1.13", "2.0")),
        ("2.9.1", "2.10.0", ()),
        ("2.10.0", "2.8.0", ("2.9",)),
        ("nonsense", "2.0.1", ("0.1", "0.2", "0.3", "0.4", *(f"1.{minor}" for minor in range(14)))),
    ],
)
def test_minor_versions_between_two_releases(older: str, newer: str, between: tuple[str, ...]) -> None:
    assert unmeasured_minors(older, newer) == between


def test_one_file_counts_for_each_release_of_a_device(claim: Claim, tmp_path: Path) -> None:
    folder = save(
        tmp_path / "results",
        release("2.10.0", {}),
        release("2.9.1", {claim.id: entry(claim)}),
        release("2.9.1", {}, device="cuda"),
    )
    other = release("2.9.1", {}, python="3.12")
    save(tmp_path / "other", other)
    (tmp_path / "other" / "torch-2.9.1-cpu.jsonl").rename(folder / "torch-2.9.1-cpu-python3.12.jsonl")
    recorded = load_recorded(folder)
    assert [measured.torch for measured in recorded.on("cpu")] == ["2.9.1", "2.10.0"]
    assert recorded.on("cpu")[0].environment.python == "3.11"
    assert [measured.name for measured in recorded.environments] == [
        "torch-2.9.1-cpu",
        "torch-2.9.1-cpu-python3.12",
        "torch-2.10.0-cpu",
        "torch-2.9.1-cuda",
    ]


def test_a_claim_that_one_environment_lacks_is_shown_from_another_of_the_release(claim: Claim, tmp_path: Path) -> None:
    save(tmp_path / "corpus", release("2.9.1", {}), release("2.10.0", {}))
    save(tmp_path / "own", release("2.9.1", {claim.id: entry(claim)}, python="3.12"))
    recorded = load_recorded(tmp_path / "corpus", tmp_path / "own")
    older, newer = recorded.on("cpu")
    assert (older.environment.python, older.cell(claim).verdict) == ("3.11", "holds")
    assert older.cell(claim).measured.environment.python == "3.12"
    assert newer.cell(claim).verdict is None
