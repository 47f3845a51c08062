"""``conformance trials``: check the calls, try them on the installed torch, and show what they did."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance.base.json_files import ResultError
from conformance.base.processes.worker import ServiceFailed, StartFailed
from conformance.base.recorded_folder import recorded_folder
from conformance.base.text import count_of, printable
from conformance.lab.trials.calls import Call, load_calls
from conformance.lab.trials.measuring import try_calls
from conformance.lab.trials.record import record
from conformance.results.trials.recorded import RecordedTrials, trials_folder
from conformance.run.options import device_name, module_name
from conformance.show.trials import in_words

_DEVICE = "the device, such as cuda or cuda:1 (default cpu)"


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
    parser = argparse.ArgumentParser(prog="conformance trials", description="Try calls, and show what they did.")
    commands = parser.add_subparsers(required=True)
    check = commands.add_parser("check", help="check the files of calls without running them")
    check.add_argument("paths", nargs="*", type=Path, help="files and folders; by default those of the corpus")
    check.set_defaults(run=_check)
    measuring = commands.add_parser("measure", help="try calls on the installed torch")
    measuring.add_argument("paths", nargs="*", type=Path, help="files and folders; by default those of the corpus")
    measuring.add_argument("-k", dest="select", default="", help="only calls whose subject or text contains this")
    measuring.add_argument("-n", dest="processes", type=int, default=1, help="how many processes try calls")
    measuring.add_argument("--device", type=device_name, default="cpu", metavar="NAME", help=_DEVICE)
    measuring.add_argument(
        "--import",
        dest="imports",
        type=module_name,
        action="append",
        default=[],
        metavar="PACKAGE",
        help="import this first, for a device that it adds to torch (may be repeated)",
    )
    measuring.add_argument(
        "--results", type=Path, metavar="DIR", help="record the trials below DIR instead of printing them"
    )
    measuring.set_defaults(run=_measure)
    showing = commands.add_parser("show", help="print what the calls of a name did, and what changed in them")
    showing.add_argument("name", help="the name in full, such as torch.Tensor.reshape")
    showing.add_argument("--torch", metavar="RELEASE", help="the release; by default the newest that was measured")
    showing.add_argument("--device", type=device_name, default="cpu", metavar="NAME", help=_DEVICE)
    showing.add_argument("--results", type=Path, metavar="DIR", default=recorded_folder(), help="folder of results")
    showing.set_defaults(run=_show)
    counting = commands.add_parser("coverage", help="print how many documented names have trials")
    counting.add_argument("--results", type=Path, metavar="DIR", default=recorded_folder(), help="folder of results")
    counting.add_argument("--left", action="store_true", help="also print the names that have none")
    counting.set_defaults(run=_coverage)
    return parser


def _check(options: argparse.Namespace) -> int:
    calls = _read(options.paths)
    if calls is None:
        return 1
    print(f"{len(calls)} calls of {len({call.subject for call in calls})} names, no mistakes")
    return 0


def _measure(options: argparse.Namespace) -> int:
    calls = _read(options.paths)
    if calls is None:
        return 1
    chosen = [call for call in calls if options.select in call.subject or options.select in call.text]
    if not chosen:
        print(f"no call has {options.select!r} in its subject or text", file=sys.stderr)
        return 2
    start = time.monotonic()
    measured = try_calls(chosen, options.processes, options.device, options.imports)
    if untried := sum(not rows for _, rows in measured.calls):
        why = "no such name here, inputs that can't be made, or too little memory"
        print(f"{count_of(untried, 'call')} not tried: {why}", file=sys.stderr)
    if options.results is None:
        with tempfile.TemporaryDirectory() as folder:
            record(measured, Path(folder), whole=True)
            trials = RecordedTrials(Path(folder))
            for name in trials.names:
                _print(trials, name, None)
        return 0
    whole = not options.select and not options.paths
    files = record(measured, trials_folder(options.results, options.device), whole=whole)
    size = sum(path.stat().st_size for path in files)
    print(
        f"{len(chosen)} calls on torch {measured.environment.torch}, {options.device}, "
        f"in {time.monotonic() - start:.1f} s; "
        f"{size:,} bytes for all releases"
    )
    return 0


def _show(options: argparse.Namespace) -> int:
    folder = trials_folder(options.results, options.device)
    trials = RecordedTrials(folder)
    if trials.of(options.name, options.torch) is None:
        print(f"no call of {printable(options.name)} is recorded in {folder}", file=sys.stderr)
        return 2
    _print(trials, options.name, options.torch)
    for difference in trials.history(options.name):
        print(printable(f"{difference.new}: {difference.call} on {', '.join(difference.inputs)}"))
        print(printable(f"    before: {in_words(difference.before) or 'as usual'}"))
        print(printable(f"    after: {in_words(difference.after) or 'as usual'}"))
    return 0


def _print(trials: RecordedTrials, name: str, release: Optional[str]) -> None:
    of_name = trials.of(name, release)
    assert of_name is not None
    for trial in of_name:
        print(printable(f"{trial.subject}: {trial.text}"))
        for name, expression in trial.given.items():
            print(printable(f"    {name} = {expression}"))
        print(printable(f"    {in_words(trial.base.facts) or 'returns None'}"))
        for group in trial.other:
            print(printable(f"    {', '.join(group.inputs)}: {in_words(group.facts)}"))
        print(printable(f"    the same: {', '.join(trial.same)}"), end="\n\n")


def _coverage(options: argparse.Namespace) -> int:
    from conformance.lab.trials.observe.coverage import coverage_lines

    for line in coverage_lines(options.results, with_names=options.left):
        print(printable(line))
    return 0


def _read(paths: Sequence[Path]) -> Optional[tuple[Call, ...]]:
    calls, problems = load_calls(paths or None)
    for problem in problems:
        print(problem, file=sys.stderr)
    return None if problems else calls


if __name__ == "__main__":
    sys.exit(main())
