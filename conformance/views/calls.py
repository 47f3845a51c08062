"""The calls of a name through the recorded releases: what changed between two of them, and what can't be compared."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Optional, Union

from conformance.profiles.compare import Change, Difference, compare, is_absent
from conformance.profiles.model import RETURNS, USUAL, Domain, Profile
from conformance.profiles.store import Decoded, Profiles, load_profiles, load_profiles_of
from conformance.results.recorded import CALLS, result_files
from conformance.upgrade.severity import Severity, rank
from conformance.views.releases import MISSING, Run, Step, Unknown, as_version, runs, unknown_between

#: After so many names of a file, all its lines are indexed at once.
_SOUGHT = 8
_ABSENT = "lacks the name"
#: Aspects that a person reads, and those that few look at.
_WORDING = frozenset(("grad_fn",))
_CORNER = frozenset(("strides", "global state"))
#: Names for which inputs that are unusual elsewhere are the usual ones.
_ABOUT_CORNERS = re.compile(r"complex|conj|_neg\b|imag|resolve|polar|fft|expand|broadcast")


@dataclass(frozen=True)
class CallChange:
    """An aspect of a call that differs between two releases.

    Attributes
    ----------
    name, call, given
        The name that is called, the call, and the expression of each input.
    change
        The aspect, and each way in which it differs, with its condition.
    when
        The steps in which it changed, oldest first.
    """

    name: str
    call: str
    given: Mapping[str, str]
    change: Change
    when: tuple[Step, ...]

    @property
    def worst(self) -> Difference:
        """The difference that can hurt most, of these the one that reaches furthest."""
        return min(self.change.differences, key=lambda one: rank(self.severity_of(one)))

    @property
    def severity(self) -> Severity:
        """How much the worst difference can hurt."""
        return self.severity_of(self.worst)

    def is_like(self, other: CallChange) -> bool:
        """Return whether two changes are of the same aspect, and can hurt as much."""
        mine, others = ((one.change.aspect, one.change.of, one.severity) for one in (self, other))
        return mine == others

    def severity_of(self, difference: Difference) -> Severity:
        """Return how much one of the differences can hurt code that makes such a call."""
        at_home = difference.reach == "corner" and _ABOUT_CORNERS.search(self.name) is not None
        return _severity(self.change.aspect, replace(difference, reach="ordinary") if at_home else difference)


def _severity(aspect: str, difference: Difference) -> Severity:
    before, after = difference.before.outcome, difference.after.outcome
    if difference.only_message or aspect in _WORDING:
        return "wording"
    better = {"error": after == RETURNS, "warning": after == USUAL["warning"], "gradient": before.startswith("raises")}
    if better.get(aspect):
        return "improvement"
    if difference.reach in ("corner", "unknown") or aspect in _CORNER:
        return "corner"
    if aspect == "error":
        return "breaks" if before == RETURNS else "corner"
    return "warns" if aspect == "warning" else "changes"


@dataclass(frozen=True)
class _Seen:
    profile: Profile
    domain: Domain


class CallHistory:
    """What the calls of names do in each release that was measured on a device.

    Files and lines are read when they are asked for.

    Parameters
    ----------
    folder
        A folder of results; None for nothing measured.

    Raises
    ------
    conformance.results.files.ResultError
        If a file can't be used; so do the methods.
    """

    def __init__(self, folder: Optional[Path] = None, device: str = "cpu") -> None:
        stems = {path.stem: path for path in result_files(folder / CALLS)} if folder is not None else {}
        paths = {stem.split("-")[1]: path for stem, path in stems.items() if stem.endswith(f"-{device}")}
        self._paths = {release: paths[release] for release in sorted(paths, key=as_version)}
        self._decoded = Decoded()
        self._whole: dict[str, Profiles] = {}
        self._sought: dict[tuple[str, str], Profiles] = {}
        self._asked = ""
        self._seen: dict[tuple[str, str], Union[_Seen, str]] = {}
        self._compared: dict[tuple[str, str, str], tuple[Change, ...]] = {}

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases that were measured, oldest first."""
        return tuple(self._paths)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every name of which some release has a call."""
        return tuple(sorted({name for release in self.releases for name in self.whole(release).subjects}))

    def names_in(self, release: str) -> frozenset[str]:
        """Return the names of which a release has a call; none where it was not measured."""
        return frozenset(self.whole(release).subjects) if release in self._paths else frozenset()

    def profiles(self, name: str, release: str) -> Profiles:
        """Return what was measured of the calls of a name in a release; other names may be left out."""
        if release in self._whole or len({sought for sought, _ in self._sought}) > _SOUGHT:
            return self.whole(release)
        known = self._sought.get((name, release))
        if known is None:
            known = self._sought[name, release] = load_profiles_of(self._paths[release], name, self._decoded)
        return known

    def whole(self, release: str) -> Profiles:
        """Return all that was measured in a release."""
        known = self._whole.get(release)
        if known is None:
            known = self._whole[release] = load_profiles(self._paths[release], self._decoded)
        return known

    def newest(self, name: str) -> Optional[Profiles]:
        """Return what the newest release that has calls of a name measured; None where none has any."""
        found = (self.profiles(name, release) for release in reversed(self.releases))
        return next((profiles for profiles in found if profiles.of(name)), None)

    def changes(self, name: str, old: str, new: str) -> tuple[CallChange, ...]:
        """Return what differs in the calls of a name between two releases, each with the steps in which it came.

        A call that one of the two lacks, or that could not be measured there, is not compared: see `gaps`.
        """
        return tuple(self.dated(changed, old, new) for changed in self.ends(name, old, new))

    def ends(self, name: str, old: str, new: str) -> tuple[CallChange, ...]:
        """Return what differs in the calls of a name between two releases, whenever it came; `dated` tells that."""
        return tuple(
            self._change(name, identity, new, change, whole)
            for identity in self._calls(name, (old, new))
            for whole, change in self._followed(name, identity, (old, new))
        )

    def dated(self, changed: CallChange, old: str, new: str) -> CallChange:
        """Return a change between two releases with the steps in which it came."""
        name, path = changed.name, self._path(old, new)
        if len(path) < 3:
            return changed
        steps = [
            self._change(name, identity, new, change, step)
            for identity, call in self._calls(name, (new,)).items()
            if call == changed.call and self.profiles(name, new).calls[identity].given == changed.given
            for step, change in self._followed(name, identity, path)
        ]
        when = [step for one in steps if one.is_like(changed) for step in one.when]
        return replace(changed, when=tuple(when) or changed.when)

    def history(self, name: str) -> tuple[CallChange, ...]:
        """Return what changed in the calls of a name, between each release and the next one that can tell."""
        return tuple(
            self._change(name, identity, step.first, change, step)
            for identity in self._calls(name, self.releases)
            for step, change in self._followed(name, identity, self.releases)
        )

    def gaps(self, name: str, *releases: str) -> dict[str, str]:
        """Return the calls of a name of which some release, of these or of all, can't tell what they do, and why."""
        return {
            call: "; ".join(f"{run.span}: {run.value}" for run in found)
            for call, found in self._gaps(name, releases or self.releases)
        }

    def failures(self, name: str) -> tuple[tuple[str, Run[str]], ...]:
        """Return the calls of a name that can't be measured, such as those that end the process, with the releases."""
        return tuple(
            (call, run)
            for call, found in self._gaps(name, self.releases)
            for run in found
            if run.value not in (MISSING, _ABSENT)
        )

    def _gaps(self, name: str, releases: Sequence[str]) -> Iterator[tuple[str, list[Run[str]]]]:
        for identity, call in self._calls(name, releases).items():
            looked_up = ((release, self._look_up(name, identity, release)) for release in releases)
            untold = [(release, seen) for release, seen in looked_up if isinstance(seen, str)]
            if untold:
                yield call, runs(untold)

    def calls(self, name: str) -> tuple[str, ...]:
        """Return the calls of a name in any release."""
        return tuple(self._calls(name, self.releases).values())

    def files(self, *releases: str) -> tuple[Path, ...]:
        """Return the files of some releases."""
        return tuple(self._paths[release] for release in releases)

    def told(self, name: str) -> tuple[str, ...]:
        """Return the releases in which every call of a name was measured."""
        calls = self._calls(name, self.releases)
        return tuple(
            release
            for release in self.releases
            if calls and all(isinstance(self._look_up(name, identity, release), _Seen) for identity in calls)
        )

    def compared(self, name: str, old: str, new: str) -> tuple[str, ...]:
        """Return the calls of a name that are compared."""
        gaps = self.gaps(name, old, new)
        return tuple(call for call in self._calls(name, (old, new)).values() if call not in gaps)

    def _followed(self, name: str, identity: str, releases: Sequence[str]) -> Iterator[tuple[Step, Change]]:
        """Yield each change of a call between neighbours of some releases, of those that can tell."""
        unknown: list[Unknown] = []
        known: list[tuple[str, _Seen]] = []
        for release in releases:
            seen = self._look_up(name, identity, release)
            if isinstance(seen, str):
                unknown.append(Unknown(release, seen))
            else:
                known.append((release, seen))
        for (last, before), (first, after) in zip(known, known[1:]):
            key = (identity, last, first)
            changes = self._compared.get(key)
            if changes is None:
                changes = compare(before.profile, after.profile, before.domain, after.domain)
                self._compared[key] = changes
            if changes:
                step = Step(last, first, unknown_between(last, first, unknown, self.releases))
                yield from ((step, change) for change in changes)

    def _change(self, name: str, identity: str, release: str, change: Change, step: Step) -> CallChange:
        profile = self.profiles(name, release).calls[identity]
        return CallChange(name, profile.call, profile.given, change, (step,))

    def _path(self, old: str, new: str) -> tuple[str, ...]:
        """Return the releases from one to another."""
        known = [release for release in self.releases if release in (old, new)]
        if len(known) < 2:
            return ()
        path = self.releases[self.releases.index(known[0]) : self.releases.index(known[1]) + 1]
        return path if known[0] == old else path[::-1]

    def _calls(self, name: str, releases: Sequence[str]) -> dict[str, str]:
        """Return the calls of a name in some releases by their fingerprints, those of the newest first."""
        found: dict[str, str] = {}
        for release in reversed(releases):
            profiles = self.profiles(name, release) if release in self._paths else None
            for identity in profiles.subjects.get(name, ()) if profiles is not None else ():
                if identity not in found and profiles is not None:
                    found[identity] = profiles.calls[identity].call
        return found

    def _look_up(self, name: str, identity: str, release: str) -> Union[_Seen, str]:
        """Return what a call does in a release, or why that is not known; kept until another name is asked for."""
        if self._asked != name:
            self._asked, self._seen, self._compared = name, {}, {}
        if (identity, release) not in self._seen:
            self._seen[identity, release] = self._see(name, identity, release)
        return self._seen[identity, release]

    def _see(self, name: str, identity: str, release: str) -> Union[_Seen, str]:
        if release not in self._paths:
            return MISSING
        profiles = self.profiles(name, release)
        profile = profiles.calls.get(identity)
        if profile is None:
            return MISSING
        domain = profiles.domain(profile)
        if profile.failed is not None or domain is None:
            return profile.failed or MISSING
        return _ABSENT if is_absent(profile) else _Seen(profile, domain)
