"""A name at a glance: the releases that have it, and what changed in its signature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.names.answers import deprecation, describe
from conformance.names.lookup import Names, Span
from conformance.names.model import Found, Gone, NotMeasured
from conformance.names.modules import ROOTS
from conformance.names.parameters import compare_parameters
from conformance.names.store import minor
from conformance.results.recorded import NAMES
from conformance.views.releases import listed, runs, span

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*", re.ASCII)
#: Where a name without its module may be.
_PLACES = (
    *("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.Module", "torch.nn.init", "torch.nn.utils"),
    *("torch.linalg", "torch.fft", "torch.special", "torch.sparse", "torch.optim", "torch.optim.lr_scheduler"),
    *("torch.autograd", "torch.func", "torch.cuda", "torch.utils.data", "torch.distributions"),
)
#: What a change of parameters is called; `compare_parameters` gives it.
_VERBS = {
    "added": "adds",
    "required": "requires",
    "removed": "removes",
    "default": "changes the default of",
    "moved": "moves",
    "keyword-only": "takes only by keyword",
    "positional-only": "takes only by position",
}
_SHOWN_CHANGES = 3


@dataclass(frozen=True)
class NameView:
    """A name at a glance.

    Attributes
    ----------
    releases
        Which releases have it, since when it is gone or deprecated, and what to use instead.
    parameters
        What changed in its signature; empty where nothing did, as far as signatures are known.
    """

    name: str
    releases: str
    parameters: str


def load_names(folder: Path) -> Names:
    """Return the names recorded in a folder of results, or those of the corpus where it has none."""
    own = folder / NAMES
    return Names(own if own.is_dir() else None)


def name_view(name: str, names: Names) -> NameView:
    """Return a name at a glance."""
    return NameView(name, releases_in_words(names, name), _parameters(names.history(name)))


def is_dotted(name: str) -> bool:
    """Return whether a text can be a name in torch; the subject of a note is none."""
    return _DOTTED.fullmatch(name) is not None


def recorded_names(names: Names, name: str) -> tuple[str, ...]:
    """Return the names in full that a user can mean by one, of those that any recorded release has or had."""
    if not is_dotted(name):
        return ()
    in_full = [name] if name.split(".")[0] in ROOTS else [f"{place}.{name}" for place in _PLACES]
    return tuple(one for one in in_full if any(isinstance(run.answer, (Found, Gone)) for run in names.history(one)))


def releases_in_words(names: Names, name: str) -> str:
    """Return where a name is, such as ``1.8 to 1.13; gone since 2.0; use torch.linalg.eigh``."""
    spans = names.history(name)
    if not spans:
        return "not measured"
    there = runs((minor(release), isinstance(item.answer, Found)) for item in spans for release in item.releases)
    told = [listed([run.span for run in there if run.value])] if any(run.value for run in there) else []
    newest = spans[-1].answer
    if not told or isinstance(newest, Gone):
        told.append(describe(newest))
    elif isinstance(newest, Found) and newest.record.deprecated:
        told.append(deprecation(names, spans))
    unknown = [item for item in spans if told and isinstance(item.answer, NotMeasured)]
    told += [f"{describe(item.answer)} ({span([*map(minor, item.releases)])})" for item in unknown if item != spans[-1]]
    return "; ".join(told)


def _parameters(spans: Sequence[Span]) -> str:
    """Return what changed in a signature, the newest changes last."""
    found = [(item.releases[0], item.answer.record) for item in spans if isinstance(item.answer, Found)]
    told = []
    for (_, old), (release, new) in zip(found, found[1:]):
        changed: dict[str, list[str]] = {}
        for change in compare_parameters(old, new):
            changed.setdefault(_VERBS[change.what], []).append(change.parameter)
        if changed:
            told.append(f"{minor(release)} {', '.join(f'{verb} {listed(of)}' for verb, of in changed.items())}")
    more = len(told) - _SHOWN_CHANGES
    return "; ".join([f"{more} earlier changes", *told[more:]] if more > 0 else told)
