"""``conformance upgrade``: what a newer torch does to your code."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Callable, Optional

from conformance.base.files import why_missing
from conformance.base.garbage_collection import without_collection
from conformance.base.json_files import ResultError, read_bytes, to_text
from conformance.base.recorded_folder import NAMES, recorded_folder
from conformance.base.text import count_of, printable
from conformance.base.waiting import waiting
from conformance.language.corpus import Corpus
from conformance.language.corpus_cache import corpus_of
from conformance.names.lookup import Names
from conformance.upgrade.changes import is_between, with_changes
from conformance.upgrade.choices import NotRecorded, choose_releases
from conformance.upgrade.coverage import coverage_of
from conformance.upgrade.fixes import Fixes, fix
from conformance.upgrade.floor import Floor, find_floor
from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.ignoring import without_ignored
from conformance.upgrade.model import Report, ReportEntry
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.own_claims import OwnClaims
from conformance.upgrade.release_notes import with_notes
from conformance.upgrade.report import markdown_report, text_report
from conformance.upgrade.sarif import sarif_report
from conformance.upgrade.settings import UpgradeSettings, check_release, read_settings
from conformance.usage import Evidence, Project, UseGroup, read_project

_FORMATS = ("text", "markdown", "json", "github", "sarif")
_EPILOG = """\
exit status: 0 reported, 1 an entry is at least as severe as --fail-on or a file could not be written, 2 a release is
not recorded or the command line is wrong, 3 no differences were found, but parts of the code could not be analysed, or
nothing in it uses torch

examples:
  conformance upgrade 2.4 2.15                          what torch itself changed
  conformance upgrade 2.4 2.15 --uses src               which lines of src break, change or warn
  conformance upgrade installed latest --uses src --exclude tests --fail-on breaks
  conformance upgrade 2.4 2.15 --uses src --fix         what can surely be rewritten, as a diff (--write: do it)
  conformance upgrade 2.4 2.15 --uses src --json > known.json      what is known now, and then
  conformance upgrade 2.4 2.15 --uses src --baseline known.json    what is new
"""


def add_upgrade(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "upgrade",
        help="list the lines of your code that a newer torch breaks or changes",
        description="List what changed between two recorded releases for the code that calls torch: what people wrote "
        "of each release, with examples that were measured, and names that are gone, are deprecated or have other "
        "defaults. Sources are read, never run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("old", metavar="OLD", nargs="?", help="a release: 2.4, 2.4.1, torch==2.4.*, latest, installed")
    add("new", metavar="NEW", nargs="?", help="a release, written in the same way")
    add("--uses", action="append", type=Path, metavar="PATH", help="report what concerns this file or folder")
    add("--exclude", action="append", default=[], metavar="PATTERN", help="leave out files or folders, such as tests")
    add("--all", action="store_true", help="list every entry and every place")
    add("--coverage", action="store_true", help="list what was read, and what could not be read or resolved")
    add("--pending", action="store_true", help="also list what is deprecated, gone or raising in OLD already")
    add("--severity", action="append", choices=SHOWN, help="show only entries of this severity")
    add("--certain", action="store_true", help="show only entries that certainly concern the code")
    add("--ignore", action="append", default=[], metavar="ID", help="leave out an entry, or all of a name")
    add("--baseline", type=Path, metavar="FILE", help="leave out what this file names: a report in JSON, or lines "
        "of an id and '# reason'")  # fmt: skip
    add("--format", choices=_FORMATS, default="text", help="how to write the report (default: text)")
    add("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    add("--fix", action="store_true", help="print what can surely be rewritten as a diff, instead of the report")
    add("--write", action="store_true", help="with --fix: change the files too")
    add("--unsafe", action="store_true", help="with --fix: make the rewrites too that a person must look at")
    add("--floor", metavar="RELEASE", help="with --fix: the oldest torch that the code is to run on (default: what "
        "pyproject.toml, setup.cfg, setup.py or requirements.txt of the project say)")  # fmt: skip
    add("--brief", action="store_true", help="one line for each entry (text and markdown)")
    add("--fail-on", choices=SHOWN, metavar="SEVERITY", help="exit with status 1 if an entry is at least this severe: "
        f"{', '.join(SHOWN)}")  # fmt: skip
    add("--results", type=Path, metavar="DIR", help="folder of recorded results (default: the project's own)")
    add("--specs", action="append", type=Path, metavar="PATH", help="your own spec files or folders, beside the "
        "corpus; --results has their results")  # fmt: skip
    parser.set_defaults(function=upgrade)


def upgrade(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Write the report to the standard output and return the exit status."""
    try:
        _complete(options, read_settings(Path.cwd()))
    except (ResultError, ValueError) as error:
        return _refused(str(error))
    paths = [*(options.uses or []), *(options.specs or []), *([options.baseline] if options.baseline else [])]
    if options.write and not options.fix:
        return _refused("--write needs --fix")
    for option in ("fix", "pending"):
        if getattr(options, option) and not options.uses:
            return _refused(f"--{option} needs --uses PATH")
    missing = [f"{path}: {why}" for path in paths if (why := why_missing(path)) is not None]
    if missing:
        return _refused(missing[0])
    try:
        own = OwnClaims.of(options.specs, options.results)
        names = Names(_recorded(options, own) / NAMES)
        ends = choose_releases(options.old, options.new, names.releases)
        corpus = corpus_of(None)
        changes = NameChanges(names, ends.old, ends.new)
        project = _read(options) if options.uses else None
        report = Report(ends.old, ends.new, remarks=ends.remarks)
        report = _of_torch(report, corpus, changes) if project is None else _of_code(report, corpus, changes, project)
        if options.pending and project is not None:
            report = replace(report, pending=_pending(ends.old, corpus, names, project))
        if own:
            report = own.added_to(report)
        ignored = without_ignored(report, _baseline(options.baseline)) if options.baseline else report
        report = without_ignored(ignored, options.ignore, () if project is None else tuple(project.ignores()))
        report = replace(report, ignored=report.ignored + ignored.ignored)
        if options.certain:
            sure = (entry for entry in report.entries if entry.evidence is Evidence.CERTAIN)
            report = replace(report, entries=tuple(sure))
    except (NotRecorded, ResultError, ValueError) as error:
        return _refused(str(error))
    if options.fix:
        floor = Floor(options.floor, "--floor") if options.floor else find_floor(options.uses)
        if floor is None:
            return _fixed(fix(report, options.uses, write=options.write, unsafe=options.unsafe))
        print(f"rewrites keep to torch {floor.release}, the oldest that {floor.source} allows", file=sys.stderr)
        lacks = partial(floor.lacks, changes.names)
        return _fixed(fix(report, options.uses, lacks=lacks, write=options.write, unsafe=options.unsafe))
    if options.severity:
        report = replace(report, entries=tuple(one for one in report.entries if one.severity in options.severity))
    sys.stdout.write(_WRITERS[options.format](report, options))
    if report.fails(options.fail_on):
        return 1
    return 3 if report.is_silent else 0


def _recorded(options: argparse.Namespace, own: Optional[OwnClaims]) -> Path:
    """Return the folder of the recorded names; one with results of own claims alone has none."""
    has_names = options.results is not None and (options.results / NAMES).is_dir()
    return recorded_folder(None if own and not has_names else options.results)


def _complete(options: argparse.Namespace, settings: UpgradeSettings) -> None:
    """Fill in what pyproject.toml says; raises `ValueError` if nothing says which releases are compared."""
    if options.old is None:
        options.old, options.new = settings.old, settings.new
        options.uses = options.uses or list(settings.uses)
    if options.old is None or options.new is None:
        what = "OLD and NEW are" if options.old is None else "NEW is"
        raise ValueError(
            f"{what} missing: give both releases, or 'old' and 'new' in [tool.conformance.upgrade] of pyproject.toml"
        )
    if options.floor:
        check_release("--floor", options.floor)
    options.floor = options.floor or settings.floor
    if options.uses:
        options.exclude = [*settings.exclude, *options.exclude]
        options.ignore = [*settings.ignore, *options.ignore]
        options.fail_on = options.fail_on or settings.fail_on


def _read(options: argparse.Namespace) -> Project:
    """Read the code; where that takes more than two seconds, a terminal is shown that it goes on."""
    with waiting(f"reading {', '.join(map(str, options.uses))}"):
        return read_project(options.uses, options.exclude)


def _fixed(fixes: Fixes) -> int:
    """Write the diff to the standard output and what was not rewritten to the standard error; return the status."""
    sys.stdout.write(fixes.diff)
    for place, what, why in fixes.left:
        print(printable(f"left as it is: {place} {what}: {why}", keep=""), file=sys.stderr)
    for place, what, why in fixes.failed:
        print(printable(f"conformance: {place}: {what} ({why})", keep=""), file=sys.stderr)
    if fixes.without:
        entries = count_of(fixes.without, "entry has", "entries have")
        print(f"{entries} no rewrite; the report without --fix shows them", file=sys.stderr)
    return 1 if fixes.failed else 0


@without_collection()
def _of_code(report: Report, corpus: Corpus, changes: NameChanges, project: Project) -> Report:
    groups = project.groups()
    found = _entries(report, corpus, changes, groups)
    return replace(found, coverage=coverage_of(project, groups, changes))


def _entries(report: Report, corpus: Corpus, changes: NameChanges, groups: Sequence[UseGroup]) -> Report:
    measured = (entry for entry in changes.entries(groups) if not _is_decided(entry, report, corpus))
    noted = with_notes(replace(report, entries=tuple(measured)), corpus.notes)
    return with_changes(noted, corpus, groups, changes.names)


def _is_decided(entry: ReportEntry, report: Report, corpus: Corpus) -> bool:
    """Return whether somebody decided that a new default does the same, or that nothing is deprecated or gone."""
    text = f"{entry.id.rpartition(':')[2]}: {entry.before} → {entry.after}"
    return entry.kind in ("default", "deprecated", "gone") and any(
        # One without `what` is about what the census of changes lists, which deprecations of names are no part of.
        decision.what
        and decision.what in text
        and is_between(decision.release, report)
        and decision.concerns(entry.subject)
        for decision in corpus.no_changes
    )


def _of_torch(report: Report, corpus: Corpus, changes: NameChanges) -> Report:
    noted = with_notes(replace(report, entries=tuple(changes.of_torch())), corpus.notes)
    return with_changes(noted, corpus, None, changes.names)


def _pending(old: str, corpus: Corpus, names: Names, project: Project) -> tuple[ReportEntry, ...]:
    """Return what earlier releases did to the code: a deprecation that still stands, and what is gone or raises."""
    before = Report(names.releases[0], old)
    found = _entries(before, corpus, NameChanges(names, before.old, before.new), project.groups())
    return tuple(entry for entry in found.entries if entry.severity != "changes" and entry.kind != "default")


def _baseline(path: Path) -> list[str]:
    """Return the ids that a file names: a report in JSON, or lines such as ``torch.load:gone  # looked at``."""
    text = to_text(read_bytes(path), str(path))
    if not text.lstrip().startswith("{"):
        return [found for line in text.splitlines() if (found := line.partition("#")[0].strip())]
    try:
        return [str(entry["id"]) for entry in json.loads(text)["entries"]]
    except (ValueError, KeyError, TypeError):
        what = "neither a report that 'conformance upgrade --json' wrote nor a list of ids, one a line"
        raise ValueError(f"{path}: {what}") from None


def _refused(message: str) -> int:
    print(f"conformance: {message}", file=sys.stderr)
    return 2


_Writer = Callable[[Report, argparse.Namespace], str]
_WRITERS: dict[str, _Writer] = {
    "text": lambda report, options: text_report(
        report, brief=options.brief, everything=options.all, coverage=options.coverage
    ),
    "markdown": lambda report, options: markdown_report(
        report, brief=options.brief, everything=options.all, coverage=options.coverage
    ),
    "json": lambda report, options: json_report(report),
    "github": lambda report, options: github_report(report),
    "sarif": lambda report, options: sarif_report(report),
}
