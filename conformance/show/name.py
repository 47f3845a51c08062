"""A name at a glance: the releases that have it, what was tried, and what changed in its signature and its calls."""

from __future__ import annotations

import re
from pathlib import Path

from conformance.base.recorded_folder import NAMES
from conformance.base.release_spans import listed, minor, runs, span
from conformance.names.answers import deprecation, describe
from conformance.names.lookup import Names
from conformance.names.model import Found, Gone, NotMeasured
from conformance.names.modules import ROOTS
from conformance.names.signatures import compare_parameters
from conformance.results.trials.recorded import RecordedTrials
from conformance.show.model import NameFacts
from conformance.show.trials import changes_of_calls, tried_view

_OF_TORCH = re.compile(rf"({'|'.join(ROOTS)})(\.[^\W\d]\w*)*", re.ASCII)
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


def load_names(folder: Path) -> Names:
    """Return the names recorded in a folder of results, or those of the corpus where it has none."""
    own = folder / NAMES
    return Names(own if own.is_dir() else None)


def name_facts(names: Names, trials: RecordedTrials, name: str) -> NameFacts:
    """Return what was measured of a name."""
    calls, corners = changes_of_calls(trials.history(name))
    parameters = () if name.endswith("__") else changes_of_parameters(names, name)
    return NameFacts(*name_releases(names, name), tried_view(trials.of(name)), parameters, calls, len(corners))


def is_of_torch(name: str) -> bool:
    """Return whether a text can be a name in torch; the subject of a note is none, nor one of another package."""
    return _OF_TORCH.fullmatch(name) is not None


def releases_in_words(names: Names, name: str) -> str:
    """Return where a name is, such as ``1.8 to 1.13; gone since 2.0; use torch.linalg.eigh``."""
    return "; ".join(filter(None, name_releases(names, name))) or "not measured"


def name_releases(names: Names, name: str) -> tuple[str, str]:
    """Return the releases that have a name, such as ``1.8 to 2.15``, and since when it is gone or deprecated."""
    spans = names.history(name)
    there = runs((minor(release), isinstance(item.answer, Found)) for item in spans for release in item.releases)
    releases = [run.span for run in there if run.value]
    if not spans:
        return "", ""
    newest = spans[-1].answer
    standing = []
    if not releases or isinstance(newest, Gone):
        standing.append(describe(newest))
    elif isinstance(newest, Found) and newest.record.deprecated:
        standing.append(deprecation(names, spans))
    unknown = [item for item in spans if releases and isinstance(item.answer, NotMeasured)]
    standing += [f"{describe(item.answer)} ({span([*map(minor, item.releases)])})" for item in unknown]
    return listed(releases) if releases else "", "; ".join(standing)


def changes_of_parameters(names: Names, name: str) -> tuple[str, ...]:
    """Return what changed in a signature, the newest first, such as ``2.6 changes the default of weights_only``."""
    spans = names.history(name)
    found = [(item.releases[0], item.answer.record) for item in spans if isinstance(item.answer, Found)]
    told = []
    for (_, old), (release, new) in zip(found, found[1:]):
        changed: dict[str, list[str]] = {}
        for change in compare_parameters(old, new):
            changed.setdefault(_VERBS[change.what], []).append(change.parameter)
        if changed:
            told.append(f"{minor(release)} {', '.join(f'{verb} {listed(of)}' for verb, of in changed.items())}")
    return tuple(reversed(told))
