"""A name at a glance: the releases that have it, what changed there, and what a call does where that was measured."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from conformance.names.answers import deprecation, describe
from conformance.names.lookup import Names, Span
from conformance.names.model import Found, Gone, NotMeasured
from conformance.names.modules import ROOTS
from conformance.names.parameters import compare_parameters
from conformance.names.store import minor
from conformance.profiles.model import RETURNS, Profile, Rule
from conformance.profiles.store import Profiles
from conformance.profiles.words import finding_clauses
from conformance.results.recorded import NAMES
from conformance.text import bounded
from conformance.views.call_changes import changed_in_words
from conformance.views.calls import CallHistory
from conformance.views.releases import listed, runs, span

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*", re.ASCII)
#: Where a name without its module may be.
_PLACES = (
    *("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.Module", "torch.nn.init", "torch.nn.utils"),
    *("torch.linalg", "torch.fft", "torch.special", "torch.sparse", "torch.optim", "torch.optim.lr_scheduler"),
    *("torch.autograd", "torch.func", "torch.cuda", "torch.utils.data", "torch.distributions"),
)
_TOPICS = {
    "memory": ("memory", "writes", "version"),
    "autograd": ("autograd", "input autograd", "gradient"),
    "result": ("type", "dtype"),
    "errors": ("error", "warning"),
}
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
_LONGEST_CLAUSE = 120
_LONGEST_TOPIC = 240


@dataclass(frozen=True)
class CallView:
    """What the plainest measured call of a name does, in words.

    Attributes
    ----------
    measured
        On how many examples, and where.
    topics
        Memory, autograd, the result's type and dtype, and errors; a topic of which nothing was seen is left out.
    others
        How many other calls of the name were measured.
    """

    call: str
    measured: str
    topics: tuple[tuple[str, str], ...]
    others: int


@dataclass(frozen=True)
class NameView:
    """A name at a glance.

    Attributes
    ----------
    releases
        Which releases have it, since when it is gone or deprecated, and what to use instead.
    parameters
        What changed in its signature; empty where nothing did, as far as signatures are known.
    call
        What a call does; None where none was measured.
    changes
        What changed in its calls between releases.
    """

    name: str
    releases: str
    parameters: str
    call: Optional[CallView]
    changes: str = ""


def load_names(folder: Path) -> Names:
    """Return the names recorded in a folder of results, or those of the corpus where it has none."""
    own = folder / NAMES
    return Names(own if own.is_dir() else None)


def name_view(name: str, names: Names, calls: CallHistory) -> NameView:
    """Return a name at a glance, with what the newest release that measured its calls says of them.

    Raises
    ------
    conformance.results.files.ResultError
        If a file of profiles can't be used.
    """
    profiles = calls.newest(name)
    call = call_view(profiles, name) if profiles is not None else None
    changes = "" if call is None else changed_in_words(calls, name)
    return NameView(name, releases_in_words(names, name), _parameters(names.history(name)), call, changes)


def is_dotted(name: str) -> bool:
    """Return whether a text can be a name in torch; the subject of a note is none."""
    return _DOTTED.fullmatch(name) is not None


def is_of_torch(name: str) -> bool:
    """Return whether a name in full is one of torch, and of no other package."""
    return is_dotted(name) and name.partition(".")[0] in ROOTS


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


def call_view(profiles: Profiles, name: str) -> Optional[CallView]:
    """Return what the plainest call of a name does: the shortest of those that returned on some input."""
    measured = [profile for profile in profiles.of(name) if profile.failed is None]
    if not measured:
        return None
    plainest = min(measured, key=lambda profile: (not profile.returned, len(profile.call), profile.call))
    others = [profile for profile in measured if profile is not plainest]
    topics = [(title, _topic(plainest, others, aspects)) for title, aspects in _TOPICS.items()]
    domain = profiles.domain(plainest)
    examples = f"{domain.examples} examples" if domain is not None else f"{plainest.returned} examples that return"
    inputs = ", ".join(f"{name}: {text}" for name, text in plainest.given.items())
    environment = profiles.environment
    where = f"on torch {environment.torch} {environment.device}"
    return CallView(
        plainest.call,
        f"{f'with {inputs}, ' if inputs else ''}{examples} {where}",
        tuple((title, text) for title, text in topics if text),
        len(others),
    )


def _topic(profile: Profile, others: Iterable[Profile], aspects: Sequence[str]) -> str:
    """Return what a call does in some aspects, and which other calls differ there."""
    clauses = [clause for of_one in _clauses(profile, aspects).values() for clause in of_one]
    if profile.rule("error") == Rule(RETURNS) and "error" in aspects:
        clauses.insert(0, "none seen")
    if not clauses:
        return ""
    kept: list[str] = []
    for clause in clauses:
        if kept and len("; ".join([*kept, clause])) > _LONGEST_TOPIC:
            break
        kept.append(bounded(clause, _LONGEST_CLAUSE))
    more = [f"and {len(clauses) - len(kept)} more"] if len(kept) < len(clauses) else []
    differing = [other.call for other in others if _differ(profile, other, aspects)]
    told = f" ({bounded(listed(differing), _LONGEST_CLAUSE)} differ{'s' * (len(differing) == 1)})" if differing else ""
    return "; ".join([*kept, *more]) + told


def _clauses(profile: Profile, aspects: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    return {
        (aspect, of): finding_clauses(profile, aspect, of, rule)
        for aspect, of, rule in profile.findings()
        if aspect in aspects
    }


def _differ(one: Profile, other: Profile, aspects: Sequence[str]) -> bool:
    """Return whether two calls differ in what was seen of both: in the result, and in the inputs that both have."""
    before, after = _clauses(one, aspects), _clauses(other, aspects)
    common = {"", *(one.given.keys() & other.given.keys())}
    return any(
        before.get(key) != after.get(key)
        for key in before.keys() | after.keys()
        if key[1] in common and _was_seen(one, *key) and _was_seen(other, *key)
    )


def _was_seen(profile: Profile, aspect: str, of: str) -> bool:
    return of in profile.tables.get(aspect, {}) or profile.rule(aspect, of) is not None
