"""The census of changes: differences between releases that no entry explains, by how much their names are used."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.lab.names.record import record
from conformance.language.corpus import Corpus, load_corpus
from conformance.language.model import Claim
from conformance.names.model import MeasuredNames, NameRecord
from conformance.results.model import Entry, Facts, Signal
from conformance.tests.result_files import entry, release, save

SOURCES = """\
releases:
  '2.0.0': {title: Notes, url: https://example.org/2.0}
  '2.1.0': {title: Notes, url: https://example.org/2.1}
"""
CLAIMS = """\
subject: torch.ones
claims:
  - id: gives-ones
    title: Every element is one
    family: values
    sources: [{docs: torch.ones, key: the scalar value 1, says: states}]
    do: y = torch.ones(2)
    expect: y.all()
"""
CHANGE = """\
  - id: zeros-are-ones
    title: Zeros are ones
    harm: changes
    reach: common
    match: [{call: NAME}]
    before: Zeros.
    after: Ones.
    instead: torch.full((2,), 0)
    unmeasured: It is made up.
    hits: [NAME(2)]
    misses: ['torch.full((2,), 1)']
"""
HOLDS, RAISED = Facts(), Facts(Signal("RuntimeError", "no"))


class Census:
    """A corpus of one claim, two releases, and the changes of the newer one."""

    def __init__(self, folder: Path) -> None:
        self.corpus, self.results = folder / "spec", folder / "results"
        (self.corpus / "changes").mkdir(parents=True)
        (self.corpus / "sources.yaml").write_text(SOURCES)
        (self.corpus / "torch").mkdir()
        (self.corpus / "torch" / "ones.yaml").write_text(CLAIMS)
        self.changes()
        shutil.copytree(Path(__file__).parent / "fixtures" / "trials", self.results / "trials")
        for file in (self.results / "trials").glob("torch*.txt"):
            file.unlink()
        self.names("(size, layout=3)", "(size, layout=3)")
        self.measured({}, {})

    def changes(self, name: str = "torch.zeros", none: str = "") -> None:
        text = f"release: '2.1.0'\nchanges:\n{CHANGE.replace('NAME', name)}" + (f"no change:\n{none}" if none else "")
        (self.corpus / "changes" / "2.1.yaml").write_text(text)

    def names(self, before: str, after: str, rank: int = 1) -> None:
        folder = self.results / "names"
        for torch, signature in (("2.0.1", before), ("2.1.2", after)):
            function = NameRecord("function", "", (signature,), "inspect")
            record([MeasuredNames(torch, "3.11.7", {"torch": {"": NameRecord("module"), "ones": function}})], folder)
        others = "".join(f"torch.other{number},9,9\n" for number in range(1, rank))
        (folder / "by-use.csv").write_text(f"name,uses,projects\n{others}torch.ones,9,9\n")

    def measured(self, before: Mapping[str, object], after: Mapping[str, object]) -> None:
        [claim] = self.read().without_examples().claims
        ends = (("2.0.1", before), ("2.1.2", after))
        save(self.results, *(release(torch, {claim.id: _entry(claim, fields)}) for torch, fields in ends))

    def read(self) -> Corpus:
        corpus, problems = load_corpus([self.corpus], self.corpus)
        assert not problems, problems[0]
        return corpus

    def status(self, *options: str) -> int:
        return main(["census", "--changes", "--corpus", str(self.corpus), "--results", str(self.results), *options])


def _entry(claim: Claim, fields: Mapping[str, object]) -> Entry:
    return entry(claim, **fields)  # type: ignore[arg-type]


@pytest.fixture
def census(tmp_path: Path) -> Census:
    return Census(tmp_path)


def test_what_differs_stands_with_its_rank_and_release(census: Census, capsys: pytest.CaptureFixture[str]) -> None:
    census.measured({}, {"verdict": "refuted"})
    census.names("(size, layout=3)", "(size, layout=None)", rank=2)
    assert census.status() == 0
    told = capsys.readouterr().out
    assert "    2 2.1   claim    torch.ones: changes: Every element is one" in told
    assert "    2 2.1   default  torch.ones: layout: 3 → None" in told
    assert "2 differences between neighbouring releases, 2 without an entry, 2 of these about the 400 names" in told


def test_a_change_explains_its_names_whatever_class_they_are_of(
    census: Census, capsys: pytest.CaptureFixture[str]
) -> None:
    census.measured({}, {"verdict": "refuted"})
    census.names("(size, layout=3)", "(size, layout=None)")
    census.changes("torch.Tensor.ones")
    census.status()
    assert "2 differences between neighbouring releases, 0 without" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ("names: [torch.ones]", 0),
        ("names: ['torch.on*']", 0),
        ("names: [torch.zeros]", 2),
        ("names: [torch.ones]\n    what: 'layout: 3 → None'", 1),
        ("names: [torch.ones]\n    what: is one", 1),
    ],
)
def test_a_decision_is_about_names_and_words(
    decision: str, left: int, census: Census, capsys: pytest.CaptureFixture[str]
) -> None:
    census.measured({}, {"verdict": "refuted"})
    census.names("(size, layout=3)", "(size, layout=None)")
    census.changes(none=f"  - {decision}\n    because: None means 3.\n")
    census.status()
    assert f", {left} without an entry" in capsys.readouterr().out


def test_a_decision_is_about_one_release(census: Census, capsys: pytest.CaptureFixture[str]) -> None:
    census.measured({}, {"verdict": "refuted"})
    census.changes(none="  - names: [torch.ones]\n    because: None means 3.\n")
    changes = census.corpus / "changes"
    (changes / "2.0.yaml").write_text((changes / "2.1.yaml").read_text().replace("'2.1.0'", "'2.0.0'"))
    census.status()
    assert "0 without" in capsys.readouterr().out
    census.changes()
    census.status()
    assert "1 without" in capsys.readouterr().out


def test_a_decision_that_explains_nothing_is_told(census: Census, capsys: pytest.CaptureFixture[str]) -> None:
    census.changes(none="  - names: [torch.ones]\n    because: None means 3.\n")
    assert census.status() == 0
    assert "2.1.yaml:15:5: this decision explains nothing; remove it" in capsys.readouterr().err
    assert census.status("--strict") == 1


def test_a_default_that_is_another_value_is_said_without_an_entry(
    census: Census, capsys: pytest.CaptureFixture[str]
) -> None:
    census.names("(size, layout=3)", "(size, layout=4)")
    census.status()
    assert "0 differences between neighbouring releases, 0 without" in capsys.readouterr().out
    census.changes(none="  - names: [torch.ones]\n    because: 4 does what 3 did.\n")
    census.status()
    told = capsys.readouterr()
    assert "0 differences between" in told.out
    assert "explains nothing" not in told.err


def test_what_raised_before_is_not_listed(census: Census, capsys: pytest.CaptureFixture[str]) -> None:
    ends = {"facts": RAISED}, {"facts": Facts(Signal("ValueError", "no"))}
    census.measured(*ends)
    census.status()
    assert "0 differences between" in capsys.readouterr().out
    census.measured({"facts": HOLDS}, ends[1])
    census.status()
    assert "breaks: Every element is one" in capsys.readouterr().out


def test_strict_fails_for_the_names_that_most_programs_use_alone(census: Census) -> None:
    census.measured({}, {"verdict": "refuted"})
    for rank, status in ((400, 1), (401, 0)):
        census.names("(size)", "(size)", rank=rank)
        assert census.status("--strict") == status
