"""What a note of a release may give as measured, from what is recorded."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.base.recorded_folder import TRIALS, recorded_folder
from conformance.language.problems import Problem, Problems
from conformance.language.release_notes import Measurable, ReleaseNotes, check_measured
from conformance.names.lookup import Names
from conformance.results.trials.model import ASPECTS
from conformance.results.trials.recorded import RecordedTrials


def check_notes(all_notes: Sequence[ReleaseNotes]) -> list[Problem]:
    """Return the mistakes in notes that only the recorded names and the project's own calls show."""
    problems = Problems()
    check_measured(all_notes, recorded_measures(), problems)
    return problems.sorted()


def recorded_measures() -> Measurable:
    """Return what the recorded releases have: their names, and the calls that were tried."""
    trials = RecordedTrials(recorded_folder() / TRIALS)
    return Measurable(Names().may_have, lambda name, call: bool(trials.measured(name, call)), ASPECTS)
