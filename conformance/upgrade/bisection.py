"""``conformance bisect``: the first patch release in which a claim's verdict is another one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from packaging.version import InvalidVersion, Version

from conformance.base.json_files import ResultError
from conformance.base.processes.scratch import ScratchFolder
from conformance.base.recorded_folder import recorded_folder
from conformance.base.release_spans import as_version
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim
from conformance.results.history import truth_timeline
from conformance.results.recorded import Measured, load_recorded
from conformance.upgrade.measuring import Failed, Measurement, measure_with_environment
from conformance.upgrade.releases import NoReleases, list_releases

#: Measures a claim on a release; raises ``Failed`` where the release can't be installed or run.
Measure = Callable[[str], Measurement]


@dataclass(frozen=True)
class Found:
    """Where a verdict changed: ``last`` has ``before``, ``first`` has ``after``; ``skipped`` could not be measured."""

    last: str
    before: str
    first: str
    after: str
    skipped: tuple[str, ...]


class NoChange(Exception):
    """Both ends have the same verdict; the message says so."""


def add_bisect(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "bisect",
        help="find the patch release that changed a claim",
        description="Install releases into throwaway environments and run one claim on each. This downloads "
        "torch several times (0.2 to 3 GB each).",
    )
    parser.add_argument("claim", metavar="CLAIM", help="id of a claim, such as torch.Tensor.item/no-element-raises")
    parser.add_argument("--from", dest="first", metavar="A", help="release to start from (default: as recorded)")
    parser.add_argument("--to", dest="last", metavar="B", help="release to end at (default: as recorded)")
    parser.add_argument(
        "--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)"
    )
    parser.add_argument("--releases", metavar="LIST", help="releases, with commas (default: those of the index)")
    parser.set_defaults(function=bisect)


def bisect(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Find the release and print it; return the exit status."""
    corpus, _ = load_own_corpus()
    claim = next((item for item in corpus.claims if options.claim in (item.id, *item.was)), None)
    if claim is None:
        return _refused(f"no claim is called {options.claim!r}; 'conformance show NAME' lists those of a name")
    try:
        folder = options.results or recorded_folder()
        recorded = load_recorded(folder).on("cpu") if folder.is_dir() else ()
        first, last = _ends(options, claim, recorded)
        releases = _between(options.releases.split(",") if options.releases else list_releases(), first, last)
        print(f"{len(releases)} releases from {first} to {last}: {', '.join(releases)}", flush=True)
        with ScratchFolder() as scratch:
            found = find_change(
                releases,
                lambda release: measure_with_environment(claim, release, scratch, recorded),
                say=lambda line: print(line, flush=True),
            )
    except (ResultError, NoReleases, NoChange, ValueError, Failed) as error:
        return _refused(str(error))
    print(_told(claim, found))
    return 0


def find_change(releases: Sequence[str], measure: Measure, say: Callable[[str], None] = lambda line: None) -> Found:
    """Halve a list of releases until a change of the verdict lies between two neighbours.

    A release that can't be measured is passed over; the answer names it where the change may lie there.

    Parameters
    ----------
    releases
        Oldest first, or newest first; the first and the last must differ in their verdicts.
    say
        Called with a line for each release.

    Raises
    ------
    NoChange
        If the ends have the same verdict.
    Failed
        If an end can't be measured.
    """
    known: dict[str, Measurement] = {}
    failed: set[str] = set()

    def verdict(release: str) -> Optional[str]:
        try:
            known[release] = measure(release)
        except Failed as error:
            failed.add(release)
            say(f"{release}: can't be measured: {error}")
            return None
        say(f"{release}: {known[release].verdict}")
        return known[release].verdict

    low, high = 0, len(releases) - 1
    before, after = verdict(releases[low]), verdict(releases[high])
    if before is None or after is None:
        raise Failed(f"{releases[low if before is None else high]} can't be measured, and a bisection needs both ends")
    if before == after:
        raise NoChange(f"{releases[low]} and {releases[high]} have the same verdict: {before}")
    while True:
        open_ones = [n for n in range(low + 1, high) if releases[n] not in failed]
        if not open_ones:
            break
        middle = open_ones[len(open_ones) // 2]
        found = verdict(releases[middle])
        if found == before:
            low = middle
        elif found is not None:
            high, after = middle, found
    skipped = tuple(releases[n] for n in range(low + 1, high))
    return Found(releases[low], before, releases[high], after, skipped)


def _ends(options: argparse.Namespace, claim: Claim, recorded: Sequence[Measured]) -> tuple[str, str]:
    """Return the ends asked for, and those of the newest recorded change where none are."""
    first, last = options.first, options.last
    if first is None or last is None:
        changes = truth_timeline(claim, recorded).changes()
        if not changes:
            cells = [measured.cell(claim) for measured in recorded]
            told = ", ".join(f"{cell.release} {cell.verdict or cell.gap}" for cell in cells)
            raise ValueError(
                f"no recorded change of {claim.id} ({told or 'nothing is recorded'}); give --from and --to"
            )
        first, last = first or changes[-1].last, last or changes[-1].first
    for text in (first, last):
        try:
            Version(text)
        except InvalidVersion:
            raise ValueError(f"{text!r} is no release") from None
    return first, last


def _between(releases: Sequence[str], first: str, last: str) -> list[str]:
    low, high = sorted((Version(first), Version(last)))
    known = {version: text.strip() for text in releases if (version := as_version(text.strip())) != Version("0")}
    chosen = sorted(version for version in known if low <= version <= high and not version.is_prerelease)
    if len(chosen) < 2:
        raise NoReleases(f"the index offers fewer than two releases from {low} to {high}; give others with --releases")
    return [known[version] for version in chosen]


def _told(claim: Claim, found: Found) -> str:
    lines = [f"{claim.id}: {found.before} in {found.last}, {found.after} in {found.first}"]
    if found.skipped:
        lines.append(f"not known: {', '.join(found.skipped)} can't be measured, and the change may lie there")
    else:
        lines.append(f"the first release with the change is {found.first}")
    return "\n".join(lines)


def _refused(message: str) -> int:
    print(f"conformance: {message}", file=sys.stderr)
    return 2
