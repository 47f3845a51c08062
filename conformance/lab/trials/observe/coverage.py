"""How many documented names have trials, counted on the installed torch."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from conformance.base.recorded_folder import TRIALS
from conformance.base.text import count_of
from conformance.lab.census.objects import left_out_of_census, public_objects
from conformance.lab.trials.calls import load_calls
from conformance.results.trials.recorded import RecordedTrials
from conformance.run.worker.docstrings import resolve

#: Modules that the census of sentences leaves out, and that have trials.
_ALSO = ("distributions", "masked", "signal")


def coverage_lines(results: Path, with_names: bool) -> Iterator[str]:
    """Yield how many of the documented names have trials, by module; the modules that lack most come first.

    A name counts that the installed torch documents, with its aliases as one. A name that only has calls which no
    release was tried on does not count.

    Parameters
    ----------
    results
        The folder of results.
    with_names
        Whether the names without trials are listed.
    """
    found = public_objects(left_out_of_census(but=_ALSO))
    documented = [one for one in found if not isinstance(resolve(one.name), types.ModuleType)]
    recorded = RecordedTrials(results / TRIALS)
    tried = set(recorded.names) & {call.subject for call in load_calls()[0]}
    left = [one.name for one in documented if not tried.intersection((one.name, *one.aliases))]
    share = 100 * (1 - len(left) / len(documented)) if documented else 0.0
    yield f"{len(documented) - len(left):,} of {len(documented):,} documented names have trials ({share:.1f} %)"
    for module, count in Counter(map(_module, left)).most_common():
        yield f"  {module}: {count_of(count, 'name')} without"
    yield from (f"    {name}" for name in left if with_names)


def _module(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 else parts[0]
