"""Ways to do one thing, such as to copy a tensor, side by side: a page for each file of `docs/ways`.

A cell says what a trial of the call shows, or what we wrote and claims prove, and on which releases it is otherwise.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

import yaml

from conformance.base.release_spans import minor, runs
from conformance.lab.views.call_cells import NONE, PROPERTIES
from conformance.lab.views.content import Content
from conformance.language.model import Answer, AnswerLine, Claim, Place
from conformance.results.recorded import Cell
from conformance.results.trials.model import Trials
from conformance.show.answer import answer_view
from conformance.show.model import LineView

#: The column of what a call costs, which comes from timing claims.
COST = "cost"
NOT_TRIED = "not tried"


@dataclass(frozen=True)
class Way:
    """A call as people write it, and what we wrote of it.

    Attributes
    ----------
    name
        The name of torch that it is about, and under which it was tried.
    tried
        The statements that were tried, where the call alone cannot be.
    lines
        What we wrote, with the claims that prove it, by column; None where the column does not arise.
    place
        The file, and the number of the row.
    """

    call: str
    name: str
    tried: str
    lines: Mapping[str, Optional[AnswerLine]]
    place: Place

    @property
    def answer(self) -> Answer:
        """The lines as those of an answer."""
        return Answer(self.name, tuple(filter(None, self.lines.values())), self.place)


@dataclass(frozen=True)
class WaysPage:
    """A page of ways.

    Attributes
    ----------
    columns
        Key and heading of each column. A key of `PROPERTIES` is filled from trials, and `COST` from timings.
    questions
        What people ask, each with an answer that names calls of rows.
    ways
        The rows.
    """

    title: str
    intro: str
    columns: Mapping[str, str]
    questions: tuple[tuple[str, str], ...]
    ways: tuple[Way, ...]

    @property
    def calls(self) -> frozenset[str]:
        """The calls that have a row."""
        return frozenset(way.call for way in self.ways)

    @property
    def tried(self) -> bool:
        """Whether a column says what calls did when they were tried."""
        return not PROPERTIES.keys().isdisjoint(self.columns)


@dataclass(frozen=True)
class CellView:
    """A cell: words, or a line with its proofs; and what it was on earlier releases."""

    says: str
    line: Optional[LineView] = None
    changed: tuple[str, ...] = ()


def read_ways(path: Path) -> WaysPage:
    """Read a file of ways.

    Raises
    ------
    ValueError
        If it is not of the form that ``docs/extending.rst`` describes.
    """
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8"))
        columns = read["columns"]
        questions = tuple((it["asks"], it["says"]) for it in read["questions"])
        ways = tuple(_way(dict(entry), columns, Place(path.name, row, 1)) for row, entry in enumerate(read["ways"], 1))
        return WaysPage(read["title"], read["intro"], columns, questions, ways)
    except KeyError as error:
        raise ValueError(f"{path}: the key {error} is missing; see docs/extending.rst") from None
    except (TypeError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {error}; see docs/extending.rst") from None


def _way(entry: dict[str, Any], columns: Mapping[str, str], place: Place) -> Way:
    call, name = entry.pop("call"), entry.pop("name")
    tried = entry.pop("tried", call)
    for key, written in entry.items():
        if key not in columns:
            raise ValueError(f"{call}: no column {key}")
        if written != NONE and not (isinstance(written, dict) and {"says", "claims"} <= written.keys()):
            raise ValueError(f"{call}: {key} lacks `says` or `claims`")
    return Way(call, name, tried, {key: _line(cell, name, place) for key, cell in entry.items()}, place)


def _line(written: Any, name: str, place: Place) -> Optional[AnswerLine]:
    if written == NONE:
        return None
    claims = tuple(claim if "/" in claim else f"{name}/{claim}" for claim in written["claims"])
    return AnswerLine(written["says"], claims, place, written.get("except", ""), written.get("torch", ""))


def anchors_of(page: WaysPage) -> Mapping[str, str]:
    """Return the place of each call on its page."""
    return {way.call: f"way-{number}" for number, way in enumerate(page.ways, 1)}


def way_rows(page: WaysPage, content: Content) -> list[tuple[Way, tuple[CellView, ...]]]:
    """Return the ways with their cells, in the order of the columns."""
    claims = {claim.id: claim for claim in content.corpus.claims}
    costs = _costs(page, content)
    return [(way, _cells(way, page, content, claims, costs)) for way in page.ways]


def timed_on(page: WaysPage, content: Content) -> str:
    """Return where the cost of the ways was timed; empty where the page has none."""
    return "; ".join(dict.fromkeys(cost.where for call, cost in _costs(page, content).items() if call in page.calls))


def _cells(
    way: Way, page: WaysPage, content: Content, claims: Mapping[str, Claim], costs: Mapping[str, _Cost]
) -> tuple[CellView, ...]:
    shown = answer_view(way.answer, claims, content.recorded).lines
    lines = dict(zip((key for key, line in way.lines.items() if line), shown))
    known = [content.trials.of(way.name, torch) or () for torch in content.trials.releases]
    calls = [next((call for call in trials if call.text == way.tried), None) for trials in known]
    tried = {minor(torch): call for torch, call in zip(content.trials.releases, calls) if call}
    return tuple(_cell(key, way, lines.get(key), tried, costs) for key in page.columns)


def _cell(
    key: str, way: Way, line: Optional[LineView], tried: Mapping[str, Trials], costs: Mapping[str, _Cost]
) -> CellView:
    if line is not None:
        return CellView(line.says, line)
    if key == COST and way.call in costs:
        return CellView(costs[way.call].says)
    if key in way.lines or key not in PROPERTIES:
        return CellView(NONE)
    return _tried_cell(
        PROPERTIES[key], {torch: call for torch, call in tried.items() if call.returns or key == "raises"}
    )


def _tried_cell(say: Callable[[Trials], str], tried: Mapping[str, Trials]) -> CellView:
    """Return what the newest trials of a call say, and what earlier ones say that differs."""
    if not tried:
        return CellView(NOT_TRIED)
    newest = list(tried.values())[-1]
    said = []
    for torch, call in tried.items():
        # An input that one of the two releases lacks is no difference.
        same = say(_only(call, newest)) == say(_only(newest, call))
        said.append((torch, say(newest if same else call)))
    before = [run for run in runs(said) if run.value != say(newest)]
    return CellView(say(newest), None, tuple(f"{run.span}: {run.value}" for run in reversed(before)))


def _only(call: Trials, other: Trials) -> Trials:
    """Return the trials of a call on the inputs that another release has too."""
    names = other.observations().keys()
    groups = (replace(group, inputs=tuple(name for name in group.inputs if name in names)) for group in call.other)
    return replace(call, other=tuple(group for group in groups if group.inputs))


@dataclass(frozen=True)
class _Cost:
    """What a statement cost relative to another one, and where that was timed."""

    says: str
    where: str


def _costs(page: WaysPage, content: Content) -> Mapping[str, _Cost]:
    """Return what statements cost on the newest release on which they were timed, where the page has a column of it."""
    costs: dict[str, _Cost] = {}
    for claim in content.corpus.claims if COST in page.columns else ():
        timed = [cell for cell in content.cells(claim) if cell.entry and cell.entry.kernels] if claim.is_timed else []
        if timed:
            costs.update(_costs_of(timed[-1], _statements(claim)))
    return costs


def _costs_of(cell: Cell, statements: Mapping[str, str]) -> dict[str, _Cost]:
    assert cell.entry is not None
    kernels, sizes = cell.entry.kernels, cell.entry.sizes
    measure = next(statements[name] for name, ratios in kernels.items() if {*ratios} == {1})
    environment = cell.measured.timings.environment if cell.measured.timings else cell.measured.environment
    place = ", ".join(filter(None, (cell.measured.label, environment.processor)))
    where = f"{sizes[0]:,} to {sizes[-1]:,} elements on {place}"
    costs = {}
    for name, ratios in kernels.items():
        span = " to ".join(dict.fromkeys(f"{ratio:.1f}×" for ratio in (ratios[0], ratios[-1])))
        costs[statements[name]] = _Cost(f"{span} `{measure}`" if statements[name] != measure else "1×", where)
    return costs


def _statements(claim: Claim) -> Mapping[str, str]:
    """Return the statements that a timing claim compares, by their names."""
    tables = [node for node in ast.walk(ast.parse(claim.do.text if claim.do else "")) if isinstance(node, ast.Dict)]
    return {name: statement for table in tables for name, statement in ast.literal_eval(table).items()}
