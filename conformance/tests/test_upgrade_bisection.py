"""Bisecting: a change is narrowed by measuring few releases, whatever does not install."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.language.corpus import default_root, load_corpus
from conformance.results.model import Verdict
from conformance.tests.result_files import entry, release, save
from conformance.upgrade.bisection import NoChange, find_change
from conformance.upgrade.measuring import Failed, Measurement
from conformance.upgrade.releases import parse_versions

CLAIM = "torch.Tensor.detach/shares-storage"
RELEASES = [f"2.{minor}.{patch}" for minor in range(4) for patch in range(2)]


class Asked:
    """Answers from a table, and counts what it was asked."""

    def __init__(self, first: str, broken: tuple[str, ...] = ()) -> None:
        self.first, self.broken = first, broken
        self.releases: list[str] = []

    def __call__(self, release: str) -> Measurement:
        self.releases.append(release)
        if release in self.broken:
            raise Failed("no wheel")
        return Measurement("holds" if release < self.first else "refuted")


@pytest.mark.parametrize("first", RELEASES[1:])
def test_every_change_is_found_in_few_steps(first: str) -> None:
    asked = Asked(first)
    found = find_change(RELEASES, asked)
    assert (found.first, found.last) == (first, RELEASES[RELEASES.index(first) - 1])
    assert (found.before, found.after, found.skipped) == ("holds", "refuted", ())
    assert len(asked.releases) == len(set(asked.releases)) <= 5


def test_a_release_that_does_not_install_is_passed_over() -> None:
    found = find_change(RELEASES, Asked("2.2.0", broken=("2.0.1", "2.3.0")))
    assert (found.last, found.first, found.skipped) == ("2.1.1", "2.2.0", ())


def test_a_change_beside_what_can_not_be_measured_is_not_claimed() -> None:
    found = find_change(RELEASES, Asked("2.2.0", broken=("2.1.1", "2.2.0")))
    assert (found.last, found.first, found.skipped) == ("2.1.0", "2.2.1", ("2.1.1", "2.2.0"))


def test_the_same_verdict_at_both_ends_is_no_change() -> None:
    with pytest.raises(NoChange, match="same verdict: holds"):
        find_change(RELEASES, Asked("9"))


def test_an_end_that_can_not_be_measured_is_an_error() -> None:
    with pytest.raises(Failed, match=r"2\.0\.0 can't be measured"):
        find_change(RELEASES, Asked("2.2.0", broken=("2.0.0",)))


@pytest.fixture
def bisect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Call the command; every release answers from a table, since an environment of each would be downloaded."""

    def run(*arguments: str) -> tuple[int, str, list[str]]:
        asked = Asked("2.1.1")
        monkeypatch.setattr(
            "conformance.upgrade.bisection.measure_with_environment", lambda claim, release, *_: asked(release)
        )
        status = main(["bisect", *arguments, "--releases", ",".join(RELEASES)])
        written = capsys.readouterr()
        return status, written.out + written.err, asked.releases

    return run


def test_only_releases_between_the_ends_are_measured(bisect: Any) -> None:
    status, told, asked = bisect(CLAIM, "--from", "2.1.0", "--to", "2.2.0")
    assert (status, set(asked) <= {"2.1.0", "2.1.1", "2.2.0"}) == (0, True)
    assert f"{CLAIM}: holds in 2.1.0, refuted in 2.1.1" in told
    assert "the first release with the change is 2.1.1" in told


def test_the_recorded_change_is_where_it_starts(bisect: Any, tmp_path: Path) -> None:
    corpus, _ = load_corpus([default_root()])
    claim = next(claim for claim in corpus.claims if claim.id == CLAIM)
    verdicts: dict[str, Verdict] = {"1.13.1": "holds", "2.0.1": "holds", "2.2.1": "diverges"}
    folder = save(
        tmp_path / "results",
        *(release(torch, {CLAIM: entry(claim, verdict)}) for torch, verdict in verdicts.items()),
    )
    status, told, _ = bisect(CLAIM, "--results", str(folder))
    assert status == 0
    assert "from 2.0.1 to 2.2.1: 2.0.1, 2.1.0, 2.1.1, 2.2.0, 2.2.1" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["torch.no/such-claim"], "no claim is called"),
        ([CLAIM, "--from", "x", "--to", "2.3.1"], "'x' is no release"),
        ([CLAIM, "--from", "3.0", "--to", "3.1"], "fewer than two releases"),
    ],
)
def test_wrong_calls(bisect: Any, arguments: list[str], message: str) -> None:
    status, told, _ = bisect(*arguments)
    assert status == 2
    assert message in told


def test_without_a_recorded_change_the_ends_are_asked_for(bisect: Any, tmp_path: Path) -> None:
    status, told, _ = bisect(CLAIM, "--results", str(tmp_path / "none"))
    assert status == 2
    assert "give --from and --to" in told


def test_what_pip_prints_is_read() -> None:
    text = "torch (2.2.0)\nAvailable versions: 2.2.0, 2.1.2,  1.13.1\n  INSTALLED: 2.1.2\n"
    assert parse_versions(text) == ["2.2.0", "2.1.2", "1.13.1"]
    assert parse_versions("ERROR: nothing") == []
