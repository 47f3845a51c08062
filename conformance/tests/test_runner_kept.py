"""A run with a result file there measures what is new, and leaves the file that a whole run would."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from conformance.results.model import HARNESS
from conformance.tests.small_checkout import NAME, make_checkout, run

PACKAGE = Path(__file__).resolve().parents[1]
#: What decides on an entry: the code whose revision is HARNESS.
MEASURING = ("worker", "inputs", "checks", "scripts")
#: The hash of that code when HARNESS, or this line, was last changed.
KNOWN = (3, "50cf4c48593a")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, bytes]:
    """A checkout, and the name and content of its result file."""
    checkout = make_checkout(tmp_path_factory.mktemp("checkout"))
    ran = run(checkout, checkout / "results")
    assert ran.returncode == 0, ran.stdout
    assert " kept " not in ran.stdout
    [path] = (checkout / "results").glob("torch-*.jsonl")
    return checkout, path.name, path.read_bytes()


def spec(checkout: Path) -> Path:
    return checkout / "spec" / "tensor" / f"{NAME}.yaml"


def with_results(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return folder


def kept(printed: str) -> int:
    found = re.search(r"^  (\d+) kept ", printed, re.MULTILINE)
    return int(found[1]) if found else 0


def test_what_has_not_changed_is_kept(measured: tuple[Path, str, bytes], tmp_path: Path) -> None:
    checkout, name, content = measured
    ran = run(checkout, with_results(tmp_path, name, content))
    assert ran.returncode == 0, ran.stdout
    assert kept(ran.stdout) == content.count(b"\n") - 1
    assert (tmp_path / name).read_bytes() == content
    again = run(checkout, tmp_path, "--again")
    assert kept(again.stdout) == 0
    assert (tmp_path / name).read_bytes() == content


@pytest.mark.parametrize("place", [".", "unfinished"])
def test_a_failure_is_measured_again(measured: tuple[Path, str, bytes], tmp_path: Path, place: str) -> None:
    checkout, name, content = measured
    failing = content.replace(b'"verdict":"holds"', b'"verdict":"refuted"', 1)
    with_results(tmp_path / place, name, failing)
    ran = run(checkout, tmp_path, "--resume")
    assert (ran.returncode, kept(ran.stdout)) == (0, content.count(b"\n") - 2), ran.stdout
    assert (tmp_path / name).read_bytes() == content


def test_a_claim_that_is_asked_for_is_measured(measured: tuple[Path, str, bytes], tmp_path: Path) -> None:
    checkout, name, content = measured
    ran = run(checkout, with_results(tmp_path, name, content), "-k", "never-requires-grad")
    assert (ran.returncode, kept(ran.stdout)) == (0, 0), ran.stdout
    assert "1 claim, 11 deselected, 1 holds" in ran.stdout, ran.stdout
    assert (tmp_path / name).read_bytes() == content


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
    measured: tuple[Path, str, bytes], tmp_path: Path, damage: object
) -> None:
    checkout, name, content = measured
    assert callable(damage)
    ran = run(checkout, with_results(tmp_path, name, damage(content)), "-n", "0")
    assert ran.returncode == 0, ran.stdout
    assert (tmp_path / name).read_bytes() == content


def test_an_edited_corpus_leaves_the_file_of_a_whole_run(tmp_path: Path, measured: tuple[Path, str, bytes]) -> None:
    _, name, content = measured
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
    partly = run(checkout, with_results(tmp_path / "partly", name, content), "-n", "2")
    whole = run(checkout, tmp_path / "whole")
    assert (partly.returncode, whole.returncode) == (0, 0), partly.stdout + whole.stdout
    assert kept(partly.stdout) == content.count(b"\n") - 5  # the header, and those deleted, edited and titled otherwise
    assert partly.stdout.count("V002") == 1, partly.stdout
    assert (tmp_path / "partly" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes() != content


def test_a_change_of_the_code_that_measures_is_noticed() -> None:
    digest = hashlib.sha256()
    for path in sorted(path for folder in MEASURING for path in (PACKAGE / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    found = (HARNESS, digest.hexdigest()[:12])
    told = "raise HARNESS in results/model.py if some entry may come out otherwise now; then write here"
    assert found == KNOWN, f"the code that measures has changed: {told} KNOWN = {found}"
