"""The pages of ways: a cell is what trials, claims and timings show, and says where earlier releases differ."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from conformance.lab.views.content import Content
from conformance.lab.views.running_text import prose
from conformance.lab.views.ways import CellView, WaysPage, anchors_of, read_ways, timed_on, way_rows
from conformance.language.answers import check_proofs
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim
from conformance.language.problems import Problems
from conformance.results.proofs import check_lines, recorded_releases
from conformance.results.recorded import load_recorded
from conformance.results.store import Results
from conformance.results.trials.recorded import RecordedTrials

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = {path.stem: read_ways(path) for path in sorted((DOCS / "ways").glob("*.yaml"))}
TRIALS = Path(__file__).parent / "fixtures" / "trials"
EVERY_PAGE = pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)


@cache
def claims() -> dict[str, Claim]:
    return {claim.id: claim for claim in load_own_corpus()[0].claims}


@cache
def releases() -> list[Results]:
    return recorded_releases(DOCS / "results")


@cache
def own_content() -> Content:
    trials = RecordedTrials(DOCS / "results" / "trials")
    return Content(load_own_corpus()[0], load_recorded(DOCS / "results"), trials=trials)


@cache
def cells_of(name: str) -> dict[str, dict[str, CellView]]:
    page = PAGES[name]
    return {way.call: dict(zip(page.columns, cells)) for way, cells in way_rows(page, own_content())}


def cell(name: str, call: str, column: str) -> CellView:
    return cells_of(name)[call][column]


def page_of(tmp_path: Path, columns: str, way: str) -> WaysPage:
    path = tmp_path / "page.yaml"
    path.write_text(f"title: T\nintro: I\nquestions: []\ncolumns: {columns}\nways:\n  - {way}\n", encoding="utf-8")
    return read_ways(path)


def tried(tmp_path: Path, key: str, way: str) -> CellView:
    content = Content(load_own_corpus()[0], trials=RecordedTrials(TRIALS))
    [(_, [cell])] = way_rows(page_of(tmp_path, f"{{{key}: Heading}}", way), content)
    return cell


@EVERY_PAGE
def test_claims_prove_every_line_on_the_newest_release(page: WaysPage) -> None:
    problems = Problems()
    answers = [way.answer for way in page.ways]
    check_proofs(answers, claims(), problems)
    check_lines(answers, claims(), releases(), problems)
    assert [f"{page.ways[problem.place.line - 1].call}: {problem}" for problem in problems.sorted()] == []


@EVERY_PAGE
def test_a_line_names_the_errors_and_warnings_that_its_claims_expect(page: WaysPage) -> None:
    unproven = {}
    for line in (line for way in page.ways for line in way.answer.lines):
        texts = [_expected(claims()[name]) for name in line.claims if name in claims()]
        for error in re.findall(r"\w+(?:Error|Warning)\b", line.says):
            if not any(error in text for text in texts):
                unproven[line.says] = error
    assert unproven == {}


def _expected(claim: Claim) -> str:
    """Return all that a claim says of errors and warnings."""
    signals = [claim.expectation.raises, claim.expectation.warns]
    signals += [signal for it in claim.diverges for signal in (it.instead.raises, it.instead.warns) if it.instead]
    program = claim.do.text if claim.do else ""
    return " ".join([program, *(signal.type or "" for signal in signals if signal is not None)])


@EVERY_PAGE
def test_four_questions_lead_to_rows(page: WaysPage) -> None:
    anchors = anchors_of(page)
    led = [sum(piece.code and piece.text in anchors for piece in prose(says)) for _, says in page.questions]
    assert len(led) == 4
    assert all(led)


@pytest.mark.parametrize("name", PAGES)
def test_every_call_has_one_row_and_every_cell_says_something(name: str) -> None:
    rows = cells_of(name)
    assert 10 <= len(rows) <= 30
    assert len(rows) == len(PAGES[name].ways)
    assert [call for call, cells in rows.items() if not all(it.says for it in cells.values())] == []


def test_what_a_write_does_at_backward_goes_with_the_version_counter() -> None:
    """Backward notices what the counter counts, and nothing else."""
    rows = [{key: it.says for key, it in cells.items()} for cells in cells_of("in-place").values()]
    noticed = {(row["counter"], row["later"]) for row in rows if row["later"].startswith(("It raises", "The gradient"))}
    assert noticed == {("rises", "It raises a RuntimeError."), ("stays", "The gradient is wrong, without an error.")}


@pytest.mark.parametrize(
    ("call", "cells"),
    [
        ("x.clone()", "own no yes flows no"),
        ("x.detach()", "shared with x|no|no|cut|yes"),
        ("x.cpu()", "x itself|yes|yes|flows|yes"),
        ("copy.deepcopy(x)", "own no yes cut yes"),
        ("torch.from_numpy(a)", "shared with a|no|no|–|yes"),
        ("x.tolist()", "no tensor|no tensor|no tensor|no tensor|no tensor"),
    ],
)
def test_cells_of_a_call_are_what_it_did_on_the_newest_release(call: str, cells: str) -> None:
    columns = ("memory", "same object", "requires grad", "gradient", "leaf")
    wanted = cells.split("|") if "|" in cells else cells.split()
    assert [cell("copying", call, column).says for column in columns] == wanted


def test_a_cell_names_the_inputs_that_raise_and_those_with_other_memory() -> None:
    assert cell("copying", "copy.deepcopy(x)", "raises").says == "RuntimeError: non-leaf, view of a leaf"
    assert cell("copying", "torch.tensor(x)", "raises").says == "always warns UserWarning"
    assert cell("views", "x.reshape(-1)", "memory elsewhere").says == "own: transposed, expanded, channels-last"
    assert cell("in-place", "x.add_(1)", "writes").says == "its elements"
    assert cell("copying", "copy.copy(x)", "write").says == "It shows in x."


def test_a_cell_says_what_it_was_on_earlier_releases(tmp_path: Path) -> None:
    memory = tried(tmp_path, "memory", "{call: x.detach(), name: torch.Tensor.detach}")
    assert (memory.says, memory.changed) == ("shared with x", ("1.13: view of x",))
    raises = tried(tmp_path, "raises", "{call: x.reshape(5), name: torch.Tensor.reshape}")
    assert (raises.says, raises.changed) == ("always ValueError", ("1.13 to 2.0: always RuntimeError",))


def test_an_input_that_an_earlier_release_lacks_is_no_change() -> None:
    """There are inference tensors since 1.9, and writes to them raise."""
    raises = cell("in-place", "x.zero_()", "raises")
    assert "inference tensor" in raises.says
    assert raises.changed == ()


@pytest.mark.parametrize(
    ("way", "says"),
    [
        ("{call: x.view(-1), name: torch.Tensor.view}", "not tried"),
        ('{call: x.detach(), name: torch.Tensor.detach, memory: "–"}', "–"),
    ],
)
def test_what_was_not_tried_is_said_and_differs_from_what_does_not_arise(tmp_path: Path, way: str, says: str) -> None:
    assert tried(tmp_path, "memory", way).says == says


def test_a_line_shows_since_when_it_is_true() -> None:
    line = cell("saving", "torch.load(f)", "gives").line
    assert line is not None
    assert [(chip.truth, chip.releases[0], chip.releases[-1]) for chip in line.chips][1:] == [("false", "1.8", "2.5")]


def test_cost_is_what_was_timed_of_the_very_call() -> None:
    recorded = (DOCS / "results" / "timings" / "torch-2.13.0-cpu.jsonl").read_text(encoding="utf-8").splitlines()
    kernels = next(entry["kernels"] for entry in map(json.loads, recorded) if "new-tensor" in entry.get("kernels", ()))
    first, last = kernels["new-tensor"][0], kernels["new-tensor"][-1]
    assert cell("copying", "x.new_tensor(x)", "cost").says == f"{first:.1f}× to {last:.1f}× `x.detach().clone()`"
    assert cell("copying", "x.detach().clone()", "cost").says == "1×"
    assert cell("copying", "x.cpu()", "cost").says == "–"
    assert timed_on(PAGES["copying"], own_content()).startswith("1 to 16,384 elements on torch 2.13.0, cpu, ")
    assert timed_on(PAGES["views"], own_content()) == ""


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("{call: x.t(), name: torch.Tensor.t, memroy: {says: a, claims: [b]}}", "x.t(): no column memroy"),
        ("{call: x.t(), name: torch.Tensor.t, memory: own}", "x.t(): memory"),
        ("{call: x.t(), name: torch.Tensor.t, memory: {says: own}}", "x.t(): memory"),
        ("{name: torch.Tensor.t}", "call"),
    ],
)
def test_a_mistake_in_a_page_says_where_it_is(tmp_path: Path, way: str, told: str) -> None:
    with pytest.raises(ValueError, match=r"page\.yaml: .*extending") as caught:
        page_of(tmp_path, "{memory: Memory}", way)
    assert told in str(caught.value)
