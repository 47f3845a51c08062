"""The most surprising things that calls do, written down with what the recorded profiles must say for them to be true.

They stand in ``surprises.yaml``. What is said is never taken from a profile: a profile that says something else fails
a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

import yaml

from conformance.profiles.model import Profile
from conformance.results.codec import decode

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True)
class Earlier:
    """What an older release did."""

    release: str
    seen: str


@dataclass(frozen=True)
class Surprise:
    """One surprising thing.

    Attributes
    ----------
    sentence
        What surprises, in a sentence.
    name, call
        The name that is called, and the call.
    aspect, of
        The aspect, and the input that it is about; empty for the result.
    seen
        What is said of it.
    where
        The properties of x for which that is so.
    before
        What an older release did.
    """

    sentence: str
    name: str
    call: str
    aspect: str
    seen: str
    of: str = ""
    where: Mapping[str, str] = field(default_factory=dict)
    before: Optional[Earlier] = None

    def said(self, profile: Profile) -> tuple[str, ...]:
        """Return all that a profile says of the aspect there."""
        rule = profile.rule(self.aspect, self.of)
        if rule is None:
            return ()
        branch = rule.decide({("x", axis): value for axis, value in self.where.items()})
        return (branch.then, *branch.also)


@lru_cache(1)
def surprises() -> tuple[Surprise, ...]:
    """Return the surprising things, the worst first."""
    text = Path(__file__).with_name("surprises.yaml").read_text(encoding="utf-8")
    return tuple(decode(Surprise, item) for item in yaml.load(text, _LOADER))
