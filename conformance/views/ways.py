"""Ways to do one thing, such as to copy a tensor, side by side: a table that we wrote, with what proves each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from conformance.views.content import Content
from conformance.views.pieces import Text, linked
from conformance.views.trials import changes_of_calls

_NO_TENSOR = "no tensor"


@dataclass(frozen=True)
class Way:
    """A call, and what it gives.

    Attributes
    ----------
    name
        The name under which the call is tried.
    given
        The inputs of which the cells speak; a leaf ``x`` that requires grad if there are none.
    memory
        ``own``, ``shared``, ``x itself`` or ``no tensor``.
    grad, gradient, leaf
        Of a result that is a tensor: whether it requires grad, whether the gradient ``flows`` or is ``cut``, and
        whether it is a leaf.
    raises
        The classes of errors, by the inputs on which they are raised.
    warns
        The class of a warning that is always given.
    write
        What a later write in place to the result does, proven by ``claims``.
    """

    call: str
    name: str
    memory: str
    write: str
    given: Mapping[str, str] = field(default_factory=dict)
    grad: str = _NO_TENSOR
    gradient: str = _NO_TENSOR
    leaf: str = _NO_TENSOR
    raises: Mapping[str, str] = field(default_factory=dict)
    warns: str = ""
    claims: tuple[str, ...] = ()

    @property
    def errors(self) -> str:
        """What it raises, and on which inputs; and what it warns of."""
        errors = [f"{error} on: {input}" for input, error in self.raises.items()]
        return "; ".join([*errors, *([f"warns {self.warns}"] if self.warns else [])]) or "nothing"


@dataclass(frozen=True)
class WayRow:
    """A way with a link to its name, and what changed in its call on ordinary inputs."""

    way: Way
    name: Text
    changed: tuple[str, ...]


def read_ways(path: Path) -> tuple[Way, ...]:
    """Return the ways of a file of this project's documentation."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8"))["ways"]
    return tuple(Way(**{**entry, "claims": tuple(entry.get("claims", ()))}) for entry in entries)


def way_rows(path: Path, content: Content) -> tuple[WayRow, ...]:
    """Return the rows of a table of ways."""
    return tuple(
        WayRow(way, linked(f"`{way.name}`", "subject", way.name), _changed(way, content)) for way in read_ways(path)
    )


def _changed(way: Way, content: Content) -> tuple[str, ...]:
    history = [one for one in content.trials.history(way.name) if one.call == way.call]
    shown = ("memory", "leaf", "requires grad", "gradient", "error", "warning")
    return changes_of_calls(one for one in history if any(map(one.concerns, shown)))[0]
