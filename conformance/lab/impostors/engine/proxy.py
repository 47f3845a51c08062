"""Objects that stand in for others."""

from __future__ import annotations

from typing import Any


class Proxy:
    """Behaves like a real object, but for what a subclass changes."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the real object."""
        return self._real(*args, **kwargs)
