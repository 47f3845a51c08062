"""What became of what release notes announced."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.lab.trials.calls import Call
from conformance.lab.trials.measuring import Measured
from conformance.lab.trials.record import record
from conformance.language.model import Place
from conformance.language.release_notes import Argument, CallAspect, Measures, ReleaseNote, ReleaseNotes
from conformance.names.lookup import Names
from conformance.results.model import Environment
from conformance.results.trials.model import BASE, Fact
from conformance.results.trials.recorded import RecordedTrials
from conformance.results.trials.rows import Row
from conformance.upgrade.measured_notes import Judged, Measurements, notes_by_topic

NOTE = ReleaseNote("a-note", "A note", "breaking", "states", "2.0.0", "2.0", False, Place("2.0.yaml", 1, 1))
UNTRIED = RecordedTrials()
ZERO_GRAD = Argument("torch.nn.Module.zero_grad", "set_to_none", "default")


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


def judged(names: Names, release: str, measures: Measures, trials: RecordedTrials = UNTRIED) -> Judged:
    note = replace(NOTE, by=release, measures=measures)
    return Measurements(names, (), (), trials).judge(ReleaseNotes("2.0.0", "full", (note,)))[0]


@pytest.mark.parametrize(
    ("measures", "release", "outcome", "since"),
    [
        (Measures(gone=("torch.cholesky",)), "2.14", "came true", "2.14"),
        (Measures(gone=("torch.cholesky",)), "2.15", "earlier", "2.14"),
        (Measures(gone=("torch.cholesky",)), "2.13", "later", "2.14"),
        (Measures(gone=("torch.cat",)), "2.13", "never came", ""),
        (Measures(gone=("torch.cholesky",)), "2.99", "not measured", ""),
        (Measures(new=("torch.func.vmap",)), "2.0", "came true", "2.0"),
        (Measures(deprecated=("torch.norm",)), "1.9", "earlier", ""),
        (Measures(deprecated=("torch.jit.script",)), "2.10", "came true", "2.10"),
        (Measures(arguments=(Argument("torch.onnx.export", "aten", "removed"),)), "1.10", "came true", "1.10"),
        (Measures(arguments=(Argument("torch.onnx.export", "verbose", "keyword-only"),)), "2.5", "came true", "2.5"),
        (Measures(arguments=(replace(ZERO_GRAD, default="True"),)), "2.0", "came true", "2.0"),
        (Measures(arguments=(replace(ZERO_GRAD, default="None"),)), "2.0", "never came", ""),
    ],
)
def test_the_releases_decide(names: Names, measures: Measures, release: str, outcome: str, since: str) -> None:
    found = judged(names, release, measures)
    assert (found.outcome, found.findings[0].since) == (outcome, since)


def test_the_worst_of_several_names_counts(names: Names) -> None:
    assert judged(names, "1.13", Measures(gone=("torch.eig", "torch.cat"))).outcome == "never came"
    assert judged(names, "1.13", Measures(gone=("torch.eig", "torch.lstsq"))).outcome == "came true"


def test_what_no_cpu_tries_is_not_tried(names: Names) -> None:
    note = replace(NOTE, untested="It needs CUDA.")
    assert Measurements(names, (), (), UNTRIED).judge(ReleaseNotes("2.0.0", "full", (note,)))[0].outcome == "not tried"


def test_a_call_is_compared_with_the_release_before(names: Names, tmp_path: Path) -> None:
    call = Call("torch.cat", "", "torch.cat([])", {}, Place("calls.yaml", 1, 1))
    for torch, error in (("2.7.1", "A"), ("2.8.0", "A"), ("2.9.1", "B"), ("2.10.0", "B")):
        environment = Environment(torch, "cpu", "3.11", "2.0", "cpu", "linux", "x86_64", "6")
        row = Row((BASE,), (Fact("error", "", f"{error}Error"),))
        record(Measured(environment, (), ((call, (row,)),)), tmp_path, whole=True)
    measured = RecordedTrials(tmp_path)
    about = Measures(calls=(CallAspect("torch.cat", "torch.cat([])", "error"),))
    assert judged(names, "2.9", about, measured).outcome == "came true"
    later = judged(names, "2.8", about, measured)
    assert (later.outcome, later.findings[0].since) == ("later", "2.9")
    assert judged(names, "2.10", about, measured).outcome == "earlier"
    assert judged(names, "2.7", about, measured).outcome == "not measured"
    other = Measures(calls=(CallAspect("torch.cat", "torch.cat([])", "warning"),))
    assert judged(names, "2.9", other, measured).outcome == "never came"


def test_notes_are_found_by_name_and_by_claim() -> None:
    one = replace(NOTE, measures=Measures(gone=("torch.cholesky",), claims=("torch.cat/a-claim",)))
    other = replace(NOTE, measures=Measures(arguments=(Argument("torch.load", "f", "removed"),)))
    found = notes_by_topic([ReleaseNotes("2.0.0", "full", (one, other))])
    assert found == {"torch.cholesky": [one], "torch.cat/a-claim": [one], "torch.load": [other]}
