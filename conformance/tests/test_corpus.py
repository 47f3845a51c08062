"""The corpus itself and what is recorded of it: complete, current, and found in its sources."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.__main__ import main
from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim
from conformance.language.problems import Problems
from conformance.language.sentences import find_sentences
from conformance.results.model import HARNESS
from conformance.results.proofs import check_lines, recorded_releases
from conformance.results.record import stored_results
from conformance.results.schema import line_schemas
from conformance.results.staleness import against_corpus, gaps
from conformance.results.store import result_lines, save_results
from conformance.run.earlier import Settings
from conformance.run.protocol import ItemRecord
from conformance.run.tally import Tally
from conformance.run.worker.docstrings import docstring

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "docs" / "results"
RESULTS = stored_results(RECORDED)
CORPUS, PROBLEMS = load_corpus([default_root()])
WRITTEN_FROM = "2.13"


def test_the_corpus_has_no_mistakes() -> None:
    assert [str(problem) for problem in PROBLEMS] == []


def test_every_row_of_every_article_is_encoded() -> None:
    rows = {(letter, row) for letter, article in CORPUS.sources.articles.items() for row in article.rows}
    encoded = {
        (source.name, source.row) for claim in CORPUS.claims for source in claim.sources if source.kind == "article"
    }
    assert len(rows) == 66
    assert rows - encoded == set()


def _is_later(claim: Claim) -> bool:
    """Whether a claim is about releases after the one whose documentation is read, and only about these."""
    releases = SpecifierSet(claim.applies.torch or "").filter(one.environment.torch for one in RESULTS.values())
    return min(map(Version, releases), default=Version("0")) > Version(f"{WRITTEN_FROM}.999")


@pytest.mark.skipif(not torch.__version__.startswith(WRITTEN_FROM), reason="keys are written from one release")
def test_every_key_finds_one_sentence_of_the_documentation() -> None:
    wrong = []
    for claim in CORPUS.claims:
        for source in claim.sources:
            if source.kind == "docs" and not _is_later(claim):
                found = set(find_sentences(docstring(source.name), source.key or ""))
                if len(found) != 1:
                    wrong.append(f"{source.place}: '{source.key}' is in {len(found)} sentences of {source.name}")
    assert wrong == []


@pytest.mark.parametrize("name", ["torch-2.13.0-cpu", "torch-1.9.0-cpu"])
def test_the_two_worlds_are_recorded(name: str) -> None:
    assert RESULTS[name].void is None


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_recorded_is_current_and_as_expected(name: str) -> None:
    assert list(against_corpus(RESULTS[name], CORPUS)) == []


def test_no_claim_lacks_its_input_on_the_release_it_was_written_from() -> None:
    results = RESULTS["torch-2.13.0-cpu"]
    lacking = [
        name for name, entry in results.claims.items() if entry.verdict == "inapplicable" and entry.detail is not None
    ]
    assert lacking == []


def test_the_default_release_has_no_gaps() -> None:
    assert gaps(RESULTS["torch-2.13.0-cpu"], CORPUS) == []


def test_no_answer_is_false_on_the_newest_release() -> None:
    problems = Problems()
    check_lines(CORPUS.answers, {claim.id: claim for claim in CORPUS.claims}, recorded_releases(RECORDED), problems)
    unmeasured = "EA08"  # told by `nox -s fresh`: an answer may be written before its claims are measured
    assert [str(problem) for problem in problems.sorted() if problem.code != unmeasured] == []


def test_an_ordinary_entry_is_small() -> None:
    lines = result_lines(RESULTS["torch-2.13.0-cpu"])
    sizes = sorted(len(line) for line in lines if '"verdict":"holds"' in line)
    assert sizes[len(sizes) // 2] < 520


def test_the_published_schema_is_current() -> None:
    import json

    assert json.loads((RECORDED / "schema.json").read_text(encoding="utf-8")) == line_schemas()


def test_the_readme_shows_the_end_of_a_run_in_a_fresh_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives what is recorded, as of the present claims and code, and nothing was measured there before."""
    recorded = RESULTS["torch-2.13.0-cpu"]
    claims = {claim.id: claim for claim in CORPUS.claims}
    entries = {name: replace(entry, claim=claims[name].fingerprint()) for name, entry in recorded.claims.items()}
    results = replace(recorded, claims=entries, harness=HARNESS)
    save_results(results, tmp_path / "recorded" / "torch-2.13.0-cpu.jsonl")
    monkeypatch.setattr("conformance.run.tally.recorded_folder", lambda: tmp_path / "recorded")
    monkeypatch.chdir(tmp_path)
    tally = Tally(Path("measured"), settings=Settings(20, 0), resume=False, again=False, corpus=CORPUS)
    for identity, entry in results.claims.items():
        tally.add(identity, ItemRecord(identity, results.environment, entry, written=claims[identity].entry))
    for _ in range(sum(claim.is_timed for claim in CORPUS.claims)):
        tally.leave_out_timed()
    assert tally.finish(stopped=False)
    said = ["[…]", *tally.summary()]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- excerpt: run -->")[2].partition("```\n<!-- end -->")[0].splitlines()[2:]
    assert shown[0].startswith(f"{len(results.claims):,} claims to measure on torch 2.13.0 (cpu) on cpu: ")
    end = shown.index("= conformance =".center(80, "="))
    assert [line for line in shown[end + 1 : -1] if line not in said] == []
    assert len(shown[end + 1 : -1]) > 5
    assert shown[-1].startswith(f"= {tally.counts()}, ")


def test_the_readme_shows_what_show_says(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("<!-- excerpt: show -->")[2].partition("```\n<!-- end -->")[0]
    examples = shown.split("$ conformance ")[1:]
    assert len(examples) == 2
    for example in examples:
        command, *lines = example.splitlines()
        assert main(shlex.split(command)) == 0
        told = capsys.readouterr().out.splitlines()
        assert lines[-1] == "[…]"
        assert lines[:-1] == told[: len(lines) - 1]
