"""Many releases in few words, such as `1.8.1 to 1.9.0 and since 2.0.1`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Optional, TypeVar

Value = TypeVar("Value", bound=Hashable)


def in_ranges(values: Sequence[tuple[str, Optional[Value]]]) -> dict[Value, str]:
    """Say where each value was seen.

    Parameters
    ----------
    values
        Releases, oldest first, each with its value; None where there is nothing to tell.

    Returns
    -------
    dict
        Value → its releases in words, in the order in which the values came up.
    """
    runs: dict[Value, list[tuple[int, int]]] = {}
    for position, (_, value) in enumerate(values):
        if value is None:
            continue
        known = runs.setdefault(value, [])
        if known and known[-1][1] == position - 1:
            known[-1] = (known[-1][0], position)
        else:
            known.append((position, position))
    releases = [release for release, _ in values]
    return {value: _told(found, releases) for value, found in runs.items()}


def _told(runs: Sequence[tuple[int, int]], releases: Sequence[str]) -> str:
    last = len(releases) - 1
    if list(runs) == [(0, last)]:
        return f"in all {len(releases)} releases, {releases[0]} to {releases[last]}" if last else releases[0]
    told = [_run(releases[first], releases[end], open_ended=end == last) for first, end in runs]
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"


def _run(first: str, last: str, *, open_ended: bool) -> str:
    if open_ended:
        return f"since {first}"
    return first if first == last else f"{first} to {last}"
