"""What changed in calls on ordinary inputs, from one release to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.base.release_spans import listed
from conformance.base.text import bounded
from conformance.results.trials.model import Difference
from conformance.results.trials.recorded import RecordedTrials
from conformance.show.trials import in_words
from conformance.upgrade.compare.differences import harm_of_call
from conformance.upgrade.harm import Harm, rank

_MOST_INPUTS = 4
_LONGEST = 240
_BASE = "a plain tensor"


@dataclass(frozen=True)
class Shared:
    """A change that several calls have in common.

    Attributes
    ----------
    text
        On which inputs, and what happened before and since.
    calls
        The calls that have it.
    """

    harm: Harm
    text: str
    calls: tuple[str, ...]


def ordinary_changes(trials: RecordedTrials) -> Mapping[str, tuple[Difference, ...]]:
    """Return what changed on ordinary inputs, by the release that has it; new wording is no change."""
    found: dict[str, list[Difference]] = {}
    for name in trials.names:
        for difference in trials.history(name):
            if difference.is_ordinary and not difference.is_wording and harm_of_call(difference) != "wording":
                found.setdefault(difference.new, []).append(difference)
    return {release: tuple(differences) for release, differences in found.items()}


def shared_changes(differences: Iterable[Difference]) -> tuple[Shared, ...]:
    """Return changes with the calls that have them, the worst first, then those of most calls."""
    calls: dict[tuple[Harm, str], list[str]] = {}
    for difference in differences:
        calls.setdefault((harm_of_call(difference), _text(difference)), []).append(difference.call)
    shared = [Shared(harm, text, tuple(dict.fromkeys(own))) for (harm, text), own in calls.items()]
    return tuple(sorted(shared, key=lambda one: (rank(one.harm), -len(one.calls))))


def _text(difference: Difference) -> str:
    inputs = [_BASE if name == "base" else name for name in difference.inputs]
    more = [f"{len(inputs) - _MOST_INPUTS} more"] if len(inputs) > _MOST_INPUTS else []
    before, after = (
        bounded(in_words(facts), _LONGEST) or "as usual" for facts in (difference.before, difference.after)
    )
    return f"{listed([*inputs[:_MOST_INPUTS], *more])}: {after}; before: {before}"
