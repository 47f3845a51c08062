"""``conformance upgrade``: what a newer torch changes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional

from packaging.version import InvalidVersion, Version

from conformance.language.corpus import default_root, load_corpus
from conformance.results.cells import as_version, load_device, release_order
from conformance.results.recorded import recorded_folder
from conformance.results.store import ResultError, Results, load_results
from conformance.upgrade.entries import Report, compare
from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.report import markdown_report, text_report
from conformance.upgrade.severity import SEVERITIES
from conformance.upgrade.uses import find_uses

_FORMATS = ("text", "markdown", "json", "github")
_EPILOG = """\
exit status: 0 reported, 1 an entry is at least as severe as --fail-on, 2 a version is not recorded or the call is wrong

examples:
  conformance upgrade 2.4 2.13                        all that changed
  conformance upgrade 2.4 2.13 --uses src             what changed in the names that src uses
  conformance upgrade 2.4 2.13 --brief                a line for each change
  conformance upgrade a.json b.json --format json     two result files
"""


class NotRecorded(Exception):
    """A release was not measured; the message gives the command that measures it."""


def add_upgrade(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "upgrade",
        help="what differs between two releases of torch, for your code",
        description="Compare two recorded releases. Sources are read, never run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "old", metavar="OLD", help="a release (2.4: its last patch that was measured), or a result file"
    )
    parser.add_argument("new", metavar="NEW", help="likewise")
    parser.add_argument(
        "--uses", action="append", type=Path, metavar="PATH", help="report only names that this file or folder uses"
    )
    parser.add_argument("--format", choices=_FORMATS, default="text", help="how to write the report (default: text)")
    parser.add_argument("--brief", action="store_true", help="one line for each entry (text and markdown)")
    parser.add_argument(
        "--fail-on", choices=SEVERITIES, metavar="SEVERITY", help=f"exit status 1: {', '.join(SEVERITIES)}"
    )
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="device of recorded releases (default: cpu)"
    )
    parser.add_argument(
        "--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)"
    )
    parser.add_argument(
        "--specs", action="append", type=Path, metavar="PATH", help="spec files or folders (default: the whole corpus)"
    )
    parser.set_defaults(function=upgrade)


def upgrade(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Write the report to the standard output and return the exit status."""
    missing = [path for path in [*(options.uses or []), *(options.specs or [])] if not path.exists()]
    if missing:
        print(f"conformance: {missing[0]}: no such file or folder", file=sys.stderr)
        return 2
    try:
        path = release_path(options.old, options.new, options.results or recorded_folder(), options.device)
    except (NotRecorded, ResultError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    corpus, _ = load_corpus(options.specs or [default_root()])
    report = compare(corpus, path, find_uses(options.uses) if options.uses else None)
    sys.stdout.write(_written(report, options.format, options.brief))
    return 1 if report.fails(options.fail_on) else 0


def release_path(old: str, new: str, folder: Path, device: str) -> list[Results]:
    """Find two releases and the recorded ones between them.

    Parameters
    ----------
    old, new
        A version, whole or only major and minor, or the path of a result file.

    Raises
    ------
    NotRecorded
        If a version was not measured on the device.
    ResultError
        If a file can't be used.
    """
    named = [_file(old), _file(new)]
    device = next((item.environment["device"] for item in named if item is not None), device)
    recorded = load_device(folder, device) if folder.is_dir() else []
    ends = [item or _recorded(text, recorded, device) for item, text in zip(named, (old, new))]
    for item, text in zip(ends, (old, new)):
        if item.void:
            raise NotRecorded(f"{text}: its results are void: {item.void}; {_measure(item.environment['torch'])}")
    low, high = sorted((release_order(ends[0]), release_order(ends[1])))
    between = [item for item in recorded if low < release_order(item) < high and not item.void]
    return [ends[0], *(between if release_order(ends[0]) <= release_order(ends[1]) else between[::-1]), ends[1]]


def _file(text: str) -> Optional[Results]:
    path = Path(text)
    return load_results(path) if path.suffix == ".json" or path.is_file() else None


def _recorded(text: str, recorded: Sequence[Results], device: str) -> Results:
    try:
        wanted = Version(text)
    except InvalidVersion:
        raise NotRecorded(f"{text!r} is neither a version nor a result file") from None
    found = [item for item in recorded if _is_release(wanted, text, as_version(item.environment["torch"]))]
    if found:
        return found[-1]
    known = ", ".join(item.environment["torch"] for item in recorded) or "none"
    raise NotRecorded(f"torch {text} is not recorded on {device} (recorded: {known}); {_measure(text)}")


def _is_release(wanted: Version, text: str, release: Version) -> bool:
    length = len(wanted.release)
    if length < 3 and not wanted.is_prerelease:
        return release.release[:length] == wanted.release
    return release.public == wanted.public


def _measure(text: str) -> str:
    version = text.partition("+")[0]
    pattern = f"{version}.*" if version.count(".") < 2 else version
    return f"measure it with: nox -s conformance -- --torch '{pattern}'"


def _written(report: Report, chosen: str, brief: bool) -> str:
    writers: dict[str, Any] = {
        "text": lambda: text_report(report, brief=brief),
        "markdown": lambda: markdown_report(report, brief=brief),
        "json": lambda: json_report(report),
        "github": lambda: github_report(report),
    }
    return str(writers[chosen]())
