"""Files of changes: what they say, the claims that their examples make, and the code that they match."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from conformance.language.changes import check_matches
from conformance.language.corpus import default_root, load_corpus, load_file
from conformance.language.model import Change, CodeMatch
from conformance.language.problems import Problems
from conformance.names.lookup import Names
from conformance.results.model import Entry, Environment
from conformance.results.proofs import check_changes
from conformance.results.store import Results
from conformance.upgrade.changes import concerned

SOURCES = "releases:\n  '2.0.0': {title: Notes, url: https://example.org/2.0}\n"
CHANGE = """\
release: '2.0.0'
changes:
  - id: ones-are-zeros
    title: '`torch.ones` gives zeros'
    harm: changes
    reach: common
    match: [{call: torch.ones}]
    before: Ones.
    after: Zeros.
    instead: torch.zeros(2) + 1
    example:
      do: y = torch.ones(2)
      before: {expect: y.all(), torch: '>=1.9'}
      after: {expect: not y.any()}
    hits: [torch.ones(2)]
    misses: [torch.zeros(2)]
"""


def written(folder: Path, text: str = CHANGE) -> Path:
    (folder / "changes").mkdir(exist_ok=True)
    (folder / "sources.yaml").write_text(SOURCES)
    path = folder / "changes" / "2.0.yaml"
    path.write_text(text)
    return path


def read(folder: Path, text: str = CHANGE) -> Change:
    corpus, problems = load_corpus([written(folder, text)], folder)
    assert not problems, problems[0]
    return corpus.changes[0]


def matching(folder: Path, match: str) -> Change:
    return read(folder, CHANGE.replace("[{call: torch.ones}]", match))


def test_a_change_says_what_happens_and_what_to_write(tmp_path: Path) -> None:
    change = read(tmp_path)
    assert (change.release, change.id, change.harm, change.reach) == ("2.0", "ones-are-zeros", "changes", "common")
    assert (change.before, change.after, change.instead) == ("Ones.", "Zeros.", "torch.zeros(2) + 1")
    assert change.match == (CodeMatch("torch.ones", "call"),)
    limited = read(tmp_path, CHANGE.replace("    before: Ones.", "    if: x is empty\n    before: Ones."))
    assert (change.condition, limited.condition) == ("", "x is empty")


def test_an_example_is_a_claim_about_each_side(tmp_path: Path) -> None:
    before, after = read(tmp_path).examples
    assert (before.id, before.applies.torch) == ("changes/2.0/ones-are-zeros-before", "<2.0,>=1.9")
    assert (after.id, after.applies.torch) == ("changes/2.0/ones-are-zeros-after", ">=2.0")
    assert before.do == after.do
    assert [str(part) for part in after.expectation.expect] == ["not y.any()"]


def test_examples_are_claims_of_the_corpus_and_of_their_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    corpus, _ = load_corpus([tmp_path], tmp_path)
    assert [claim.slug for claim in corpus.claims] == ["ones-are-zeros-after", "ones-are-zeros-before"]
    assert load_file(path, corpus.sources, tmp_path)[0] == list(corpus.changes[0].examples)


def test_a_change_is_proven_by_a_release_on_each_side(tmp_path: Path) -> None:
    change = read(tmp_path)
    sides = [(claim.id, Entry(claim.fingerprint(), "holds")) for claim in change.examples]
    environment = Environment("2.0.0", "default", "3.13", "2.3", "cpu", "linux", "x86_64")
    old, new = (Results(environment, "0" * 12, 0, 0, {name: entry}) for name, entry in sides)
    assert mistakes(change, old, new) == []
    assert mistakes(change, new) == ["EB04"]
    other = Results(environment, "0" * 12, 0, 0, {sides[0][0]: Entry("0" * 8, "holds")})
    assert mistakes(change, other, new) == ["EB04"]


def mistakes(change: Change, *releases: Results) -> list[str]:
    problems = Problems()
    check_changes([change], releases, problems)
    return [problem.code for problem in problems.sorted()]


@pytest.mark.parametrize(
    ("match", "code", "expected"),
    [
        ("[{call: torch.load}]", "torch.load(f)", True),
        ("[{call: torch.load}]", "from torch import load\nload(f)", True),
        ("[{call: torch.load}]", "torch.jit.load(f)", False),
        ("[{call: torch.load}]", "f = torch.load", False),
        ("[{use: torch.load}]", "f = torch.load", True),
        ("[{use: torch._six}]", "from torch._six import inf", True),
        ("[{use: torch._six}]", "try:\n    from torch._six import inf\nexcept ImportError:\n    inf = 1", False),
        ("[{call: torch.load, without: [weights_only]}]", "torch.load(f, weights_only=True)", False),
        ("[{call: torch.load, without: [map_location]}]", "torch.load(f, 'cpu')", False),
        ("[{call: torch.load, without: [map_location]}]", "torch.load(f, **options)", False),
        ("[{call: torch.load, with: [map_location]}]", "torch.load(f, 'cpu')", True),
        ("[{call: torch.load, positional: 2}]", "torch.load(f, map_location='cpu')", False),
        ("[{call: torch.load, positional: 2}]", "torch.load(f, 'cpu')", True),
        ("[{base: torch.nn.Module}]", "class M(torch.nn.Module):\n    pass", True),
        ("[{base: torch.nn.Module}]", "isinstance(m, torch.nn.Module)", False),
        ("[{read: torch.nn.Module}]", "isinstance(m, torch.nn.Module)", True),
        ("[{read: torch.nn.Module}]", "class M(torch.nn.Module):\n    pass", False),
        ("[{class decorator: torch.no_grad}]", "@torch.no_grad()\nclass M:\n    pass", True),
        ("[{class decorator: torch.no_grad}]", "@torch.no_grad()\ndef f():\n    pass", False),
        ("[{use: torch.symeig}, {use: torch.qr}]", "torch.qr(x)", True),
        ("[{call: torch.Tensor.qr}]", "x = torch.ones(2, 2)\nx.qr()", True),
        ("[{call: torch.Tensor.qr}]", "x.qr()", False),
    ],
)
def test_a_match_finds_the_code_that_it_describes(tmp_path: Path, match: str, code: str, expected: bool) -> None:
    assert concerned([(matching(tmp_path, match), code)], Names()) == [expected]


def test_the_changes_of_the_corpus_match_their_hits_and_not_their_misses() -> None:
    changes = load_corpus(sorted((default_root() / "changes").glob("*.yaml")))[0].changes
    assert len(changes) > 60
    problems = Problems()
    check_matches(changes, partial(concerned, names=Names()), problems)
    assert problems.sorted() == []


def test_a_difference_may_be_decided_to_be_none(tmp_path: Path) -> None:
    decision = "no change:\n  - {names: ['torch.zeros*'], what: strides, because: Nobody promised them.}\n"
    corpus, problems = load_corpus([written(tmp_path, CHANGE + decision)], tmp_path)
    assert problems == []
    [found] = corpus.no_changes
    assert (found.release, found.what, found.concerns("torch.zeros_like"), found.concerns("torch.ones")) == (
        *("2.0", "strides"),
        True,
        False,
    )


def test_a_rewrite_is_a_keyword_or_a_name(tmp_path: Path) -> None:
    fix = "    fix: [{of: torch.ones, keyword: a=1}, {of: torch.ones, name: torch.zeros, first: '2', unsafe: true}]\n"
    first, second = read(tmp_path, CHANGE.replace("    example:\n", f"{fix}    example:\n")).fixes
    assert (first.keyword, second.name, second.first, second.unsafe) == ("a=1", "torch.zeros", "2", True)
    both = fix.replace("keyword: a=1", "keyword: a=1, name: b")
    path = written(tmp_path, CHANGE.replace("    example:\n", f"{both}    example:\n"))
    assert [one.code for one in load_corpus([path], tmp_path)[1]] == ["EB01"]
