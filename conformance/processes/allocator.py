"""Memory that nobody wrote holds the same bytes in every run.

What ``torch.empty`` returns shows in printed values and in details. glibc can fill each block that it hands out, which
makes such values the same everywhere, and never zero, so that no claim holds because fresh memory happens to be clean.
"""

from __future__ import annotations

from collections.abc import Mapping

# A block out of the per-thread cache would keep what the allocator wrote into it, hence no such cache.
_TUNABLES = "glibc.malloc.tcache_count=0:glibc.malloc.perturb=165"


def with_filled_memory(environment: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables for a process whose fresh memory is filled; other C libraries ignore them."""
    tunables = [environment["GLIBC_TUNABLES"]] if environment.get("GLIBC_TUNABLES") else []
    return {**environment, "GLIBC_TUNABLES": ":".join([*tunables, _TUNABLES])}
