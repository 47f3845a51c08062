"""What a note of a release may give as measured, from what is recorded."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.language.problems import Problem, Problems
from conformance.language.release_notes import Measurable, ReleaseNotes, check_measured
from conformance.names.lookup import Names
from conformance.names.model import Found, Gone, NotMeasured
from conformance.profiles.calls import load_calls
from conformance.profiles.model import ASPECTS


def check_notes(all_notes: Sequence[ReleaseNotes]) -> list[Problem]:
    """Return the mistakes in notes that only the recorded names and the project's own calls show."""
    problems = Problems()
    check_measured(all_notes, recorded_measures(), problems)
    return problems.sorted()


def recorded_measures() -> Measurable:
    """Return the names of all recorded releases, and those of the project's own calls that every release measures."""
    names = Names()

    def has_name(name: str) -> bool:
        answers = [span.answer for span in names.history(name)]
        there = any(isinstance(answer, (Found, Gone)) for answer in answers)
        return there or all(isinstance(answer, NotMeasured) for answer in answers)

    calls, _ = load_calls()
    return Measurable(has_name, {(call.subject, call.text) for call in calls if call.every_release}, tuple(ASPECTS))
