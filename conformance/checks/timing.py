"""How long kernels take, as ratios."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import torch

from conformance.checks.registry import check


@dataclass(frozen=True)
class Ratios:
    """The median times of kernels for each size, told as ratios only."""

    sizes: tuple[int, ...]
    medians: Mapping[str, Sequence[float]]

    def __call__(self, one: str, other: str) -> list[float]:
        """Return the time of one kernel over that of another, for each size; raises NameError for an unknown kernel."""
        unknown = {one, other} - self.medians.keys()
        if unknown:
            raise NameError(f"no kernel is called {unknown.pop()!r}; they are {', '.join(self.medians)}")
        return [round(mine / others, 2) for mine, others in zip(self.medians[one], self.medians[other])]

    def to_first(self) -> dict[str, tuple[float, ...]]:
        """Return the time of each kernel over that of the first."""
        return {name: tuple(self(name, next(iter(self.medians)))) for name in self.medians}


@check
def timed(setup: str, kernels: Mapping[str, str], sizes: Sequence[int]) -> Ratios:
    """Return the ratios of the times that kernels take, for each size ``n``; for claims of the family timing only.

    Call what it returns with the names of two kernels: it gives the median time of the first over that of the second, a
    number for each size. In one process the same is timed once.

    Parameters
    ----------
    setup : str
        Statements that build what the kernels use, for the size ``n``.
    kernels : dict of str to str
        The statement that is timed, by name.
    sizes : sequence of int
        Values of ``n``, each larger than the one before.

    Raises
    ------
    ValueError
        If the ratios would say nothing: of one kernel, or where no size matters.
    """
    uses_n = any(re.search(r"\bn\b", text) for text in (setup, *kernels.values()))
    if len(kernels) < 2 or not sizes or sorted({0, *sizes}) != [0, *sizes] or not uses_n:
        raise ValueError(
            "timed(...) needs two kernels or more, increasing sizes from 1, and n in the setup or a kernel"
        )
    return _timed(setup, tuple(kernels.items()), tuple(sizes))


@cache
def _timed(setup: str, kernels: tuple[tuple[str, str], ...], sizes: tuple[int, ...]) -> Ratios:
    from torch.utils.benchmark import Timer  # most runs never need it

    def median(kernel: str, n: int) -> float:
        timer = Timer(kernel, setup, globals={"torch": torch, "n": n})
        return float(timer.blocked_autorange(min_run_time=0.2).median)

    # All kernels of a size, then the next size: what slows the machine slows them alike.
    times = [[median(kernel, n) for _, kernel in kernels] for n in sizes]
    return Ratios(sizes, {name: column for (name, _), column in zip(kernels, zip(*times))})
