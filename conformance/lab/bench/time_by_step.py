"""Where the time of a run goes: steps of an example are wrapped, and each is charged what no step inside it took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import wraps
from typing import Any, Callable

PROGRAMS, INPUTS, CHECKS = "programs", "inputs", "checks"
STATE, HYPOTHESIS, REST = "global state", "Hypothesis", "the rest"


class PartTimer:
    """Processor time by part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = dict.fromkeys((PROGRAMS, INPUTS, CHECKS, STATE, HYPOTHESIS, REST), 0.0)
        self._part = REST
        self._since = time.process_time()

    def enter(self, part: str) -> str:
        """Charge what passed to the part that ran, go on with another, and return the one before."""
        now = time.process_time()
        self.seconds[self._part] += now - self._since
        before, self._part, self._since = self._part, part, now
        return before

    def wrap(self, owner: Any, name: str, part: str) -> None:
        """Let a function of a module or class count as a part."""
        step: Callable[..., Any] = getattr(owner, name)

        @wraps(step)
        def timed(*arguments: Any, **named: Any) -> Any:
            before = self.enter(part)
            try:
                return step(*arguments, **named)
            finally:
                self.enter(before)

        setattr(owner, name, timed)


def wrap_steps(timer: PartTimer) -> None:
    """Charge the steps of `conformance.run.worker` to their parts, for the rest of this process."""
    from conformance.inputs import given
    from conformance.run.worker import judge, search, trial
    from conformance.run.worker.generators import Generators
    from conformance.run.worker.torch_state import TorchState

    steps: Sequence[tuple[Any, str, str]] = [
        (trial, "_execute", PROGRAMS),
        (given.Given, "draw", INPUTS),
        (given, "build_all", INPUTS),
        (trial, "_evaluate", CHECKS),
        (trial, "_judge_raises", CHECKS),
        (trial, "_judge_warns", CHECKS),
        (search, "satisfies", CHECKS),
        (judge, "satisfies", CHECKS),
        (search, "see_every_warning", STATE),
        (Generators, "drawn", STATE),
        (TorchState, "leaks", STATE),
        (search.Search, "_hypothesis", HYPOTHESIS),
        (search.Search, "_attempt", REST),  # what Hypothesis calls is not its own
        (search.Search, "_record", REST),
    ]
    for owner, name, part in steps:
        timer.wrap(owner, name, part)
