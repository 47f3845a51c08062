"""What the rules look things up in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from conformance.language.expressions import BUILTINS
from conformance.language.vocabulary import Word, checks, dtype_classes, input_kinds

ALWAYS = frozenset({"torch", "np", "device"})


@dataclass(frozen=True)
class Context:
    """The words that a spec can use."""

    checks: Mapping[str, Word]
    input_kinds: Mapping[str, Word]
    dtype_classes: tuple[str, ...]

    @classmethod
    def default(cls) -> Context:
        """Read what `conformance.inputs` and `conformance.checks` define."""
        return cls(checks(), input_kinds(), dtype_classes())

    @cached_property
    def in_programs(self) -> frozenset[str]:
        """The names that every program and expectation can use."""
        return BUILTINS | ALWAYS | set(self.checks)

    @cached_property
    def in_inputs(self) -> frozenset[str]:
        """The names that every input can use."""
        return BUILTINS | ALWAYS | set(self.dtype_classes) | set(self.input_kinds)
