"""The tables of ways: each cell is what the call does on the torch at hand, and each claim holds as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.trials.calls import Call
from conformance.lab.trials.observe.trying import try_call
from conformance.language.kept import load_own_corpus
from conformance.language.model import Place
from conformance.trials.model import Group
from conformance.views.recorded import load_recorded
from conformance.views.ways import Way, read_ways

DOCS = Path(__file__).parent.parent.parent / "docs"
WAYS = read_ways(DOCS / "ways-to-copy.yaml")
LEAF = {"x": "torch.ones(2, 3, requires_grad=True)"}
MEMORY = {"own": {"own memory"}, "shared": {"shares storage", "view"}, "x itself": {"same object"}, "no tensor": {""}}
GRADIENT = {"flows": {"flows"}, "cut": {"", "does not flow"}, "no tensor": {""}}


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.call)
def test_cells_are_what_the_call_does(way: Way) -> None:
    given = way.given or LEAF
    base, *others = try_call(Call(way.name, "", way.call, given, Place("here.yaml", 1, 1)))
    facts, input = Group(base.inputs, base.facts), next(iter(given))
    assert not facts.error
    assert facts.value("memory", input) in MEMORY[way.memory]
    assert facts.value("gradient", input) in GRADIENT[way.gradient]
    if way.grad != "no tensor":
        # What cannot require grad is a leaf, and neither is recorded where no input requires grad.
        assert (facts.value("requires grad") or "no", facts.value("leaf") or "yes") == (way.grad, way.leaf)
    assert facts.value("warning").partition(":")[0] == way.warns
    for name, error in way.raises.items():
        [group] = [Group(row.inputs, row.facts) for row in others if name in row.inputs]
        assert group.value("error") == error


def test_claims_hold_on_the_newest_release() -> None:
    claims = {claim.id: claim for claim in load_own_corpus()[0].claims}
    newest = load_recorded(DOCS / "results").by_device["cpu"][-1]
    named = [name for way in WAYS for name in way.claims]
    standing = {name: newest.cell(claims[name]).verdict for name in named}
    assert {name: verdict for name, verdict in standing.items() if verdict not in ("holds", "unspecified")} == {}
