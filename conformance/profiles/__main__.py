"""``conformance profiles``: check the calls, measure them, show and compare what was measured."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Optional

from conformance.processes.worker import ServiceFailed, StartFailed
from conformance.profiles.calls import Call, load_calls
from conformance.profiles.compare import compare
from conformance.profiles.figures import axes_used, figures, shares
from conformance.profiles.measuring import measure_calls
from conformance.profiles.model import Profile
from conformance.profiles.store import SUFFIX, Profiles, load_profiles, save_profiles
from conformance.profiles.words import change_in_words, profile_in_words
from conformance.results.files import ResultError
from conformance.results.recorded import CALLS, recorded_folder
from conformance.text import count_of, printable
from conformance.views.call_changes import told
from conformance.views.calls import CallHistory


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except (ResultError, StartFailed, ServiceFailed) as error:
        print(error, file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    described = "Measure what calls do, show it, and compare two releases."
    parser = argparse.ArgumentParser(prog="conformance profiles", description=described)
    commands = parser.add_subparsers(required=True)
    check = commands.add_parser("check", help="check the files of calls without running them")
    check.add_argument("paths", nargs="*", type=Path, help="files and folders; by default those of the corpus")
    check.set_defaults(run=_check)
    measuring = commands.add_parser("measure", help="measure calls on the installed torch")
    measuring.add_argument("paths", nargs="*", type=Path, help="files and folders; by default those of the corpus")
    measuring.add_argument("--all", action="store_true", help="also the calls that are not measured on every release")
    measuring.add_argument("-k", dest="select", default="", help="only calls whose subject or text contains this")
    measuring.add_argument("-n", dest="processes", type=int, default=1, help="how many processes measure")
    measuring.add_argument("--output", type=Path, help="write a profile file instead of printing the profiles")
    measuring.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="write the profile file of this torch below DIR; with -k, replace these calls in it",
    )
    measuring.set_defaults(run=_measure)
    showing = commands.add_parser("show", help="print all that the calls of a name do on the newest release measured")
    showing.add_argument("name", help="the name in full, such as torch.Tensor.reshape")
    showing.add_argument("--results", type=Path, metavar="DIR", default=recorded_folder(), help="folder of results")
    showing.set_defaults(run=_show)
    changing = commands.add_parser(
        "changes", help="print what changed in the calls of a name between measured releases"
    )
    changing.add_argument("name", help="the name in full, such as torch.Tensor.reshape")
    changing.add_argument("--results", type=Path, metavar="DIR", default=recorded_folder(), help="folder of results")
    changing.set_defaults(run=_changes)
    counting = commands.add_parser("figures", help="print how much is measured, by release and by module")
    counting.add_argument("--results", type=Path, metavar="DIR", default=recorded_folder(), help="folder of results")
    counting.set_defaults(run=_figures)
    comparing = commands.add_parser("compare", help="print what differs between two profile files")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.set_defaults(run=_compare)
    return parser


def _check(options: argparse.Namespace) -> int:
    calls = _read(options.paths)
    if calls is None:
        return 1
    everywhere = sum(call.every_release for call in calls)
    names = len({call.subject for call in calls})
    print(f"{len(calls)} calls of {names} names, {everywhere} measured on every release, no mistakes")
    return 0


def _measure(options: argparse.Namespace) -> int:
    calls = _read(options.paths)
    if calls is None:
        return 1
    every = options.all or options.paths or (options.select and options.results is None)
    chosen = [
        call
        for call in calls
        if (options.select in call.subject or options.select in call.text) and (every or call.every_release)
    ]
    if not chosen:
        print(f"no call has {options.select!r} in its subject or text", file=sys.stderr)
        return 2
    start = time.monotonic()
    profiles = measure_calls(chosen, options.processes)
    output = options.output
    if options.results is not None:
        output = options.results / CALLS / f"{profiles.name}{SUFFIX}"
    if output is None:
        _print(profiles, sorted(profiles.calls.values(), key=lambda profile: (profile.subject, profile.call)))
        return 0
    if options.select and options.results is not None and output.exists():
        known = None if options.paths else {call.fingerprint for call in calls}
        profiles = _beside(load_profiles(output), profiles, known)
    save_profiles(profiles, output)
    print(_summary(profiles, time.monotonic() - start, output.stat().st_size))
    return 0


def _beside(recorded: Profiles, measured: Profiles, known: Optional[Collection[str]]) -> Profiles:
    """Return what was measured with what is recorded of other calls; nothing of another environment is kept.

    Parameters
    ----------
    known
        The fingerprints of all calls, so that what is recorded of another one goes; None keeps all.
    """
    if recorded.environment != measured.environment:
        raise ResultError(f"{recorded.name} was measured in another environment; measure all calls, without -k")
    kept = {one: recorded.calls[one] for one in recorded.calls if known is None or one in known}
    return Profiles(measured.environment, {**recorded.domains, **measured.domains}, {**kept, **measured.calls})


def _show(options: argparse.Namespace) -> int:
    profiles = CallHistory(options.results).newest(options.name)
    if profiles is None:
        print(f"no call of {printable(options.name)} is recorded in {options.results / CALLS}", file=sys.stderr)
        return 2
    print(f"measured on torch {printable(profiles.environment.torch)} {printable(profiles.environment.device)}\n")
    _print(profiles, profiles.of(options.name))
    return 0


def _print(profiles: Profiles, chosen: Iterable[Profile]) -> None:
    for profile in chosen:
        print(printable("\n".join(profile_in_words(profile, profiles.domain(profile)))), end="\n\n")


def _changes(options: argparse.Namespace) -> int:
    history = CallHistory(options.results)
    calls = history.calls(options.name)
    if not calls:
        print(f"no call of {printable(options.name)} is recorded in {options.results / CALLS}", file=sys.stderr)
        return 2
    print(f"{count_of(len(calls), 'call')}, measured on torch {printable(', '.join(history.releases))}\n")
    for one in told(history.history(options.name)):
        print(printable(f"{one.severity}, {one.since}, {one.aspect}: {one.text}"))
        print(printable("\n".join(f"    {call}" for _, call in one.calls)))
    for call, why in history.gaps(options.name).items():
        print(printable(f"not compared: {call} ({why})"))
    return 0


def _figures(options: argparse.Namespace) -> int:
    history = CallHistory(options.results)
    if not history.releases:
        print(f"{options.results / CALLS}: no profiles are there; give the folder of results", file=sys.stderr)
        return 2
    for line in figures(history.files(*history.releases)):
        print(printable(line))
    return 0


def _compare(options: argparse.Namespace) -> int:
    old, new = load_profiles(options.old), load_profiles(options.new)
    for identity in new.calls:
        if identity not in old.calls:
            continue
        before, after = old.calls[identity], new.calls[identity]
        old_domain, new_domain = old.domain(before), new.domain(after)
        if old_domain is None or new_domain is None:
            continue
        changes = compare(before, after, old_domain, new_domain)
        if changes:
            print(f"{after.subject}: {after.call}")
            print("\n".join(f"    {sentence}" for change in changes for sentence in change_in_words(change)))
    return 0


def _read(paths: Sequence[Path]) -> Optional[tuple[Call, ...]]:
    calls, problems = load_calls(paths or None)
    for problem in problems:
        print(problem, file=sys.stderr)
    return None if problems else calls


def _summary(profiles: Profiles, seconds: float, size: int) -> str:
    """Return how much was measured, and how many axes explain it."""
    examples = 0
    for profile in profiles.calls.values():
        domain = profiles.domain(profile)
        examples += domain.examples if domain is not None else 0
    failed = sum(profile.failed is not None for profile in profiles.calls.values())
    return (
        f"{len(profiles.calls)} calls, {examples} examples in {seconds:.1f} s; {size} bytes; {failed} not measured\n"
        f"aspects by the axes that explain them: {shares(axes_used(profiles.calls.values()))}"
    )


if __name__ == "__main__":
    sys.exit(main())
