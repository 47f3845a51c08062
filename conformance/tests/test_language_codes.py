"""Every code of the checker: its entry, its fixtures, and that each fixture has exactly the problems it states."""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path

import pytest

import conformance
from conformance.language import changes
from conformance.language.answers import check_neighbours
from conformance.language.codes import CODES, GROUPS
from conformance.language.corpus import folder_of, load_corpus
from conformance.language.forms import FORMS
from conformance.language.messages import check_names
from conformance.language.problems import Problem, Problems
from conformance.language.rules.context import Context
from conformance.language.vocabulary import checks, dtype_classes, input_kinds
from conformance.names.lookup import Names
from conformance.results.messages import seen_in_claims
from conformance.results.model import Entry, Environment, Facts, Signal
from conformance.results.proofs import check_changes, check_lines, check_messages
from conformance.results.store import Results
from conformance.upgrade.matching import concerned

LINT = Path(__file__).parent / "fixtures" / "lint"
FIXTURES = sorted(LINT.glob("*.yaml"))
VOCABULARY = LINT / "vocabulary"
CONTEXT = Context(
    checks(VOCABULARY / "checks"), input_kinds(VOCABULARY / "inputs"), dtype_classes(VOCABULARY / "inputs")
)


def headers(fixture: Path, name: str) -> list[str]:
    text = fixture.read_bytes().decode("utf-8", "replace")
    return re.findall(rf"^# {name}: (.*)$", text, re.MULTILINE)


def problems_of(fixture: Path, folder: Path) -> list[Problem]:
    """Check a fixture where it stands, or with ``# as:`` a copy at that place of a corpus."""
    root = LINT / "spec"
    path = fixture
    for name in headers(fixture, "check"):
        path = fixture.parent / name
    for name in headers(fixture, "as"):
        root = folder / "spec"
        shutil.copytree(LINT / "spec", root)
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(fixture, path)
        # What names a cause, and which claims there are, is seen in the whole corpus only.
        if folder_of(path) in ("causes", "changes", "messages", "releases") or fixture.stem.startswith("EA"):
            path = root
    corpus, problems = load_corpus([path], root, CONTEXT)
    of_answers = Problems()
    if path == root and not problems:
        check_neighbours(corpus.answers, Names().may_have, of_answers)
        check_names(corpus.messages, Names().may_have, of_answers)
        changes.check_names(corpus.changes, Names().may_have, of_answers)
        changes.check_matches(corpus.changes, partial(concerned, names=Names()), of_answers)
        check_lines(corpus.answers, {claim.id: claim for claim in corpus.claims}, [measured(fixture)], of_answers)
        check_messages(corpus.messages, seen_in_claims([measured(fixture)]), of_answers)
        check_changes(corpus.changes, [measured(fixture)], of_answers)
    return [*problems, *of_answers.sorted()]


def measured(fixture: Path) -> Results:
    """Return a release on which the claim of the corpus has the verdict of ``# measured:``, or holds."""
    (verdict, often) = (*" ".join(headers(fixture, "measured") or ["holds"]).split(), None)[:2]
    facts = Facts(Signal("RuntimeError", "a leaf Variable that requires grad is being used in an in-place operation."))
    entry = Entry("0" * 8, verdict, observed=(often,) if often else (), facts=facts)  # type: ignore[arg-type]
    environment = Environment("2.15.0", "default", "3.13", "2.3", "cpu", "linux", "x86_64")
    claims = {} if verdict == "nothing" else {"torch.Tensor.is_leaf/is-leaf": entry}
    return Results(environment, "0" * 12, 0, 0, claims)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
def test_a_fixture_has_exactly_the_problems_it_states(fixture: Path, tmp_path: Path) -> None:
    found = [
        f"{problem.place.line}:{problem.place.column} {problem.code}" for problem in problems_of(fixture, tmp_path)
    ]
    assert found == headers(fixture, "expect")


@pytest.mark.parametrize("fixture", [path for path in FIXTURES if path.stem != "good"], ids=lambda path: path.stem)
def test_a_message_is_one_line_with_place_code_name_and_advice(fixture: Path, tmp_path: Path) -> None:
    for problem in problems_of(fixture, tmp_path):
        line = str(problem)
        assert "\n" not in line
        assert line.startswith(f"{problem.place} {problem.code} {CODES[problem.code].name}: ")
        assert not problem.message.endswith(".")
        assert len(problem.message) < 400


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_fixture_named_after_it(code: str) -> None:
    named = [path for path in FIXTURES if path.stem.startswith(f"{code}-")]
    assert named
    for path in named:
        assert any(expected.endswith(code) for expected in headers(path, "expect"))


def test_the_registry_and_the_source_have_the_same_codes() -> None:
    source = Path(conformance.__file__).parent
    used = {
        code
        for path in source.rglob("*.py")
        if path.name != "codes.py" and "tests" not in path.parts
        for code in re.findall(r'"(E[0-9ABC][0-9]{2})"', path.read_text(encoding="utf-8"))
    }
    assert used == set(CODES)


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_entry_is_complete(code: str) -> None:
    entry = CODES[code]
    assert entry.code == code
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.name)
    assert entry.rule.endswith(".")
    assert "\n" not in entry.rule
    assert entry.why
    assert entry.bad != entry.good
    assert code[:2] in GROUPS


def test_names_are_unique() -> None:
    assert len({entry.name for entry in CODES.values()}) == len(CODES)


def test_the_good_fixture_uses_every_key_of_the_language() -> None:
    text = (LINT / "good.yaml").read_text(encoding="utf-8")
    keys = {key for form in FORMS.values() for key in form.keys}
    assert [key for key in keys if not re.search(rf"\b{key}:", text)] == []
