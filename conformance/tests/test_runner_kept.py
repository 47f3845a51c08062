"""What a run keeps: what this machine measured, or what a record has; its file is that of a whole run."""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path
from typing import Callable

import pytest

from conformance.results import origin
from conformance.results.model import HARNESS
from conformance.results.origin import MEASURING, PACKAGE, Origin
from conformance.results.store import load_results
from conformance.tests.small_checkout import NAME, make_checkout, run

#: The hash of the code that measures when HARNESS, or this line, was last changed.
KNOWN = (3, "39bfcfdf9f17")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def measured(checkout: Path) -> Path:
    """The result file that a run has left in a folder; nothing changes it."""
    ran = run(checkout, checkout / "results")
    assert ran.returncode == 0, ran.stdout
    assert counts(ran.stdout) == (12, 0)
    [path] = (checkout / "results").glob("torch-*.jsonl")
    assert path.read_bytes().count(b"\n") == 13
    return path


@pytest.fixture
def results(measured: Path, tmp_path: Path) -> Path:
    """The result file in a folder of the test's own, beside what says that it was measured here."""
    shutil.copytree(measured.parent, tmp_path / "results")
    return tmp_path / "results" / measured.name


def spec(checkout: Path) -> Path:
    return checkout / "spec" / "tensor" / f"{NAME}.yaml"


def counts(printed: str) -> tuple[int, int]:
    """Return how many claims were measured and how many were kept, as a run says it."""
    found = re.search(r"^  (\d+) measured here, (\d+) kept", printed, re.MULTILINE)
    assert found is not None, printed
    return int(found[1]), int(found[2])


def replace_once(path: Path, old: bytes, new: bytes) -> None:
    content = path.read_bytes().replace(old, new, 1)
    assert content != path.read_bytes()
    path.write_bytes(content)


def test_what_this_machine_measured_is_kept(checkout: Path, measured: Path, results: Path) -> None:
    ran = run(checkout, results.parent)
    assert ran.returncode == 0, ran.stdout
    assert counts(ran.stdout) == (0, 12)
    assert results.read_bytes() == measured.read_bytes()
    assert counts(run(checkout, results.parent, "--again").stdout) == (12, 0)
    assert results.read_bytes() == measured.read_bytes()


def test_a_changed_entry_is_measured_again(checkout: Path, measured: Path, results: Path) -> None:
    replace_once(results, b'"verdict":"holds"', b'"verdict":"absent"')
    assert counts(run(checkout, results.parent).stdout) == (1, 11)
    assert results.read_bytes() == measured.read_bytes()


def test_what_nothing_says_was_measured_here_is_measured_again(checkout: Path, measured: Path, results: Path) -> None:
    """As in a clone, which has the committed files alone."""
    [own] = results.parent.glob(".torch-*")
    own.unlink()
    replace_once(results, b'"verdict":"holds"', b'"verdict":"absent"')
    assert counts(run(checkout, results.parent).stdout) == (12, 0)
    assert results.read_bytes() == measured.read_bytes()


def test_what_another_machine_measured_is_measured_again(checkout: Path, results: Path, tmp_path: Path) -> None:
    other = {"XDG_STATE_HOME": str(tmp_path / "other")}
    assert counts(run(checkout, results.parent, variables=other).stdout) == (12, 0)
    assert counts(run(checkout, results.parent, variables=other).stdout) == (0, 12)
    assert counts(run(checkout, results.parent).stdout) == (12, 0)


def test_a_machine_that_can_keep_no_name_keeps_nothing(checkout: Path, results: Path) -> None:
    nameless = {"XDG_STATE_HOME": "/dev/null"}
    for _ in range(2):
        assert counts(run(checkout, results.parent, variables=nameless).stdout) == (12, 0)


def test_what_other_code_measured_is_measured_again(results: Path, tmp_path: Path) -> None:
    changed = make_checkout(tmp_path / "checkout")
    with (changed / "conformance" / MEASURING[0] / "judge.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert counts(run(changed, results.parent).stdout) == (12, 0)


def test_what_another_build_of_torch_measured_is_measured_again(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that a developer makes again has the version that it had."""
    known = load_results(results)
    folder = tmp_path / "built" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(folder.parent)
    monkeypatch.delitem(sys.modules, "torch", raising=False)  # another test may have imported it
    marks = set()
    for content in ("one", "other"):
        (folder / "library.so").write_text(content)
        origin._torch.cache_clear()
        marks.add(Origin.here(known).mark)
    origin._torch.cache_clear()
    assert len(marks) == 2


def test_a_record_keeps_what_any_machine_measured(
    checkout: Path, measured: Path, results: Path, tmp_path: Path
) -> None:
    other = {"XDG_STATE_HOME": str(tmp_path / "other")}
    ran = run(checkout, results.parent, "--record", variables=other)
    assert counts(ran.stdout) == (0, 12)
    assert "whatever machine measured them" in ran.stdout
    assert results.read_bytes() == measured.read_bytes()
    # That a run extended it does not make it this machine's.
    assert counts(run(checkout, results.parent, variables=other).stdout) == (12, 0)


def test_the_committed_record_changes_only_where_that_is_asked_for(
    checkout: Path, measured: Path, tmp_path: Path
) -> None:
    committed = checkout / "docs" / "results"
    committed.mkdir(parents=True)
    shutil.copy(measured, committed)
    replace_once(committed / measured.name, b'"verdict":"holds"', b'"verdict":"absent"')
    try:
        refused = run(checkout, committed)
        assert refused.returncode == 2
        assert "add --record to extend them, or give another folder" in refused.stderr
        # What differs from it is said, wherever this machine's own results go.
        ran = run(checkout, tmp_path)
        assert ran.returncode == 0
        assert counts(ran.stdout) == (12, 0)
        assert "  1 of 12 differs from what is recorded for torch " in ran.stdout
        assert ": recorded as absent, holds here\n" in ran.stdout
        assert b'"absent"' in (committed / measured.name).read_bytes()
        extended = run(checkout, committed, "--record", "--again")
        assert "  1 of 12 differs from what is recorded for torch " in extended.stdout
        assert (committed / measured.name).read_bytes() == measured.read_bytes()
        assert re.search("^  as recorded for torch .* on cpu: the same$", run(checkout, tmp_path).stdout, re.MULTILINE)
    finally:
        shutil.rmtree(committed)


def test_a_record_is_extended_in_a_folder(checkout: Path) -> None:
    ran = run(checkout, None, "--record")
    assert ran.returncode == 2
    assert "add --results=DIR" in ran.stderr


def unfinished(results: Path, content: bytes) -> None:
    """Put what a stopped run would have left beside a result file, and nothing else."""
    known = load_results(results)
    mark = Origin.here(known).mark
    shutil.rmtree(results.parent)
    (results.parent / "unfinished").mkdir(parents=True)
    (results.parent / "unfinished" / f"{known.name}.{mark}.x.jsonl").write_bytes(content)


def test_a_failure_is_measured_again(checkout: Path, measured: Path, results: Path) -> None:
    replace_once(results, b'"verdict":"holds"', b'"verdict":"refuted"')
    assert counts(run(checkout, results.parent, "--record").stdout) == (1, 11)
    assert results.read_bytes() == measured.read_bytes()


def test_what_a_stopped_run_left_is_resumed_on_its_machine(
    checkout: Path, measured: Path, results: Path, tmp_path: Path
) -> None:
    failing = results.read_bytes().replace(b'"verdict":"holds"', b'"verdict":"refuted"', 1)
    unfinished(results, failing)
    copied = shutil.copytree(results.parent, tmp_path / "copied")
    assert counts(run(checkout, results.parent, "--resume").stdout) == (1, 11)
    other = {"XDG_STATE_HOME": str(tmp_path / "other")}
    assert counts(run(checkout, copied, "--resume", variables=other).stdout) == (12, 0)
    assert results.read_bytes() == (copied / results.name).read_bytes() == measured.read_bytes()


def test_a_claim_that_is_asked_for_is_measured(checkout: Path, measured: Path, results: Path) -> None:
    ran = run(checkout, results.parent, "-k", "never-requires-grad")
    assert (ran.returncode, counts(ran.stdout)) == (0, (1, 0)), ran.stdout
    assert "1 claim, 11 deselected, 1 holds" in ran.stdout, ran.stdout
    assert results.read_bytes() == measured.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content.replace(b'"examples":20,', b'"examples":21,', 1),
        lambda content: content.replace(b'"seed":0', b'"seed":1', 1),
        lambda content: content.replace(b'"seed":0', b'"seed":0,"harness":%d' % (HARNESS + 1), 1),
        lambda content: re.sub(b'"numpy":"[^"]*"', b'"numpy":"1.0"', content, count=1),
        lambda content: content[: len(content) // 2],
        lambda content: b"no result file",
    ],
)
def test_what_was_measured_otherwise_is_measured_again(
    checkout: Path, measured: Path, results: Path, damage: Callable[[bytes], bytes]
) -> None:
    results.write_bytes(damage(results.read_bytes()))
    ran = run(checkout, results.parent, "--record")
    assert ran.returncode == 0, ran.stdout
    assert results.read_bytes() == measured.read_bytes()


def test_an_edited_corpus_leaves_the_file_of_a_whole_run(tmp_path: Path, measured: Path, results: Path) -> None:
    checkout = make_checkout(tmp_path / "checkout")
    claims = spec(checkout).read_text(encoding="utf-8").split("\n  - ")
    key = next(number for number, claim in enumerate(claims) if "key: " in claim and number > 2)
    claims[key] = re.sub(r"key: [^,}\n]*", "key: no such words", claims[key], count=1)
    claims[2] = claims[2].partition("expect:")[0] + "expect: y is not None"
    # One title says of examples what none is, another one what many are.
    for slug in ("neighbours-one-element-apart", "never-requires-grad"):
        titled = next(number for number, claim in enumerate(claims) if claim.startswith(f"id: {slug}\n"))
        claims[titled] = claims[titled].replace("title: ", "title: In 0-d, ", 1)
    del claims[1]
    spec(checkout).write_text("\n  - ".join(claims), encoding="utf-8")
    partly = run(checkout, results.parent, "-n", "2")
    whole = run(checkout, tmp_path / "whole")
    assert (partly.returncode, whole.returncode) == (0, 0), partly.stdout + whole.stdout
    assert counts(partly.stdout) == (3, 8)  # one was deleted, one edited, two titled otherwise
    assert partly.stdout.count("V002") == 1, partly.stdout
    assert results.read_bytes() == (tmp_path / "whole" / results.name).read_bytes() != measured.read_bytes()


def test_a_change_of_the_code_that_measures_is_noticed() -> None:
    digest = hashlib.sha256()
    for path in sorted(path for folder in MEASURING for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    found = (HARNESS, digest.hexdigest()[:12])
    told = "raise HARNESS in results/model.py if some entry may come out otherwise now; then write here"
    assert found == KNOWN, f"the code that measures has changed: {told} KNOWN = {found}"
