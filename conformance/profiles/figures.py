"""How much is measured of calls: names and calls by module, and how many axes explain an aspect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance.profiles.model import Profile
from conformance.profiles.store import Profiles, load_profiles
from conformance.text import count_of

_NO_RULE = "no rule"


def axes_used(profiles: Iterable[Profile]) -> Counter[str]:
    """Return how many aspects are explained by so many axes, or have no rule; what is usual does not count."""
    return Counter(
        _NO_RULE if rule is None else str(len(rule.axes)) for profile in profiles for _, _, rule in profile.findings()
    )


def shares(counts: Counter[str]) -> str:
    """Return counts as shares of all, such as ``0: 40.0 %, 1: 50.0 %, no rule: 10.0 %``."""
    total = sum(counts.values())
    return ", ".join(f"{name}: {100 * count / total:.1f} %" for name, count in sorted(counts.items()))


def module_of(name: str) -> str:
    """Return the module of a name, or torch.Tensor."""
    parts = name.split(".")[:-1]
    while len(parts) > 1 and parts[-1][:1].isupper() and parts != ["torch", "Tensor"]:
        parts.pop()
    return ".".join(parts)


def figures(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the figures of profile files, oldest first: a line for each, then names and calls by module of the last."""
    profiles = None
    for path in paths:
        profiles = load_profiles(path)
        found = list(profiles.calls.values())
        failed = sum(profile.failed is not None for profile in found)
        returned = sum(bool(profile.returned) for profile in found)
        yield (
            f"{profiles.name}: {count_of(len(found), 'call')} of {count_of(len(profiles.subjects), 'name')}, "
            f"{returned} return on some input, {failed} not measured, {path.stat().st_size:,} bytes; "
            f"aspects by the axes that explain them: {shares(axes_used(found))}"
        )
    if profiles is not None:
        yield from _by_module(profiles)


def _by_module(profiles: Profiles) -> Iterator[str]:
    names = Counter(map(module_of, profiles.subjects))
    calls = Counter(module_of(name) for name, of_one in profiles.subjects.items() for _ in of_one)
    for module, count in names.most_common():
        yield f"{module}: {count_of(count, 'name')}, {count_of(calls[module], 'call')}"
