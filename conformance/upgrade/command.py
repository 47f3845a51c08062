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

from conformance.cache import Kept, kept
from conformance.collection import without_collection
from conformance.files import files_in, why_missing
from conformance.language.corpus import Corpus
from conformance.language.kept import own_key
from conformance.names.lookup import Names
from conformance.names.store import StoreError
from conformance.results.files import ResultError, read_bytes, to_text
from conformance.results.recorded import NAMES, recorded_folder
from conformance.results.store import SUFFIX
from conformance.terminal.waiting import waiting
from conformance.text import count_of, printable
from conformance.upgrade.changes import with_changes
from conformance.upgrade.choices import NotRecorded, release_path
from conformance.upgrade.claims import compare_claims, differing, read_specs
from conformance.upgrade.code_uses import CodeUses
from conformance.upgrade.coverage import coverage_of
from conformance.upgrade.fixes import Fixes, fix
from conformance.upgrade.floor import Floor, find_floor
from conformance.upgrade.folding import folded
from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.ignoring import without_ignored
from conformance.upgrade.matching import ClaimUses
from conformance.upgrade.model import Report, ReportEntry
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.own_claims import OwnClaims
from conformance.upgrade.release_notes import with_notes
from conformance.upgrade.report import markdown_report, text_report
from conformance.upgrade.sarif import sarif_report
from conformance.upgrade.settings import UpgradeSettings, check_release, read_settings
from conformance.upgrade.severity import SEVERITIES, SHOWN, Severity
from conformance.usage import Evidence, Project, read_project
from conformance.views.addresses import subject_page
from conformance.views.recorded import Measured

_FORMATS = ("text", "markdown", "json", "github", "sarif")
_EPILOG = """\
exit status: 0 reported, 1 an entry is at least as severe as --fail-on or a file could not be written, 2 a release is
not recorded or the command line is wrong, 3 no difference was found, but part of the code could not be read or resolved

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
        description="Compare names and measured behaviour of two recorded releases. Sources are read, never run.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "old",
        metavar="OLD",
        nargs="?",
        help="a release (2.4, 2.4.1, torch==2.4.*, latest, installed), or a result file",
    )
    add("new", metavar="NEW", nargs="?", help="a release or a result file, written in the same way")
    add("--uses", action="append", type=Path, metavar="PATH", help="report what concerns this file or folder")
    add("--exclude", action="append", default=[], metavar="PATTERN", help="leave out files or folders, such as tests")
    add("--all", action="store_true", help="also show entries that are otherwise only counted")
    add(
        "--severity",
        action="append",
        choices=SEVERITIES,
        help="show only entries of this severity, also those that are otherwise only counted",
    )
    add("--certain", action="store_true", help="show only entries that certainly concern the code")
    add("--ignore", action="append", default=[], metavar="ID", help="leave out an entry, or all of a name")
    add("--baseline", type=Path, metavar="FILE", help="leave out what this file names: a report in JSON, or lines "
        "of an id and '# reason'")  # fmt: skip
    add("--format", choices=_FORMATS, default="text", help="how to write the report (default: text)")
    add("--json", action="store_const", dest="format", const="json", help="the same as --format json")
    add("--fix", action="store_true", help="print what can surely be rewritten as a diff, instead of the report")
    add("--write", action="store_true", help="with --fix: change the files too")
    add("--floor", metavar="RELEASE", help="with --fix: the oldest torch that the code is to run on (default: what "
        "pyproject.toml, setup.cfg, setup.py or requirements.txt of the project say)")  # fmt: skip
    add("--brief", action="store_true", help="one line for each entry (text and markdown)")
    add(
        "--fail-on",
        type=_severity,
        metavar="SEVERITY",
        help=f"exit with status 1 if an entry is at least this severe: {', '.join(SHOWN)}",
    )
    add("--device", choices=("cpu", "cuda"), default="cpu", help="device of recorded releases (default: cpu)")
    add("--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)")
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
    if (options.fix and not options.uses) or (options.write and not options.fix):
        return _refused("--fix needs --uses PATH, and --write needs --fix")
    missing = [f"{path}: {why}" for path in paths if (why := why_missing(path)) is not None]
    if missing:
        return _refused(missing[0])
    try:
        own = OwnClaims.taken_from(options)
        folder = recorded_folder(options.results)
        path, remarks = release_path(options.old, options.new, folder, options.device)
        changes = NameChanges(Names(folder / "names"), path[0].torch, path[-1].torch)
        if not changes.is_recorded:
            remarks = (*remarks, "the names of one of the releases are not recorded: only claims are compared")
        project = _read(options) if options.uses else None
        report = _of_torch(options, path, changes) if project is None else _of_code(options, path, changes, project)
        report = replace(report, remarks=(*remarks, *report.remarks))
        if own:
            report = own.added_to(report, options.old, options.new, options.device)
        known = without_ignored(report, _baseline(options.baseline)) if options.baseline else report
        report = without_ignored(known, options.ignore, () if project is None else tuple(project.ignores()))
        report = replace(report, ignored=report.ignored + known.ignored)
        if options.certain:
            sure = (entry for entry in report.entries if entry.evidence is Evidence.CERTAIN)
            report = replace(report, entries=tuple(sure))
    except (NotRecorded, ResultError, StoreError, ValueError) as error:
        return _refused(str(error))
    if options.fix:
        floor = Floor(options.floor, "--floor") if options.floor else find_floor(options.uses)
        if floor is None:
            return _fixed(fix(report, options.uses, write=options.write))
        print(f"rewrites keep to torch {floor.release}, the oldest that {floor.source} allows", file=sys.stderr)
        return _fixed(fix(report, options.uses, lacks=partial(floor.lacks, changes.names), write=options.write))
    sys.stdout.write(_written(report, options))
    if report.fails(options.fail_on):
        return 1
    return 3 if report.is_silent else 0


def _complete(options: argparse.Namespace, settings: UpgradeSettings) -> None:
    """Fill in what pyproject.toml says; raises `ValueError` if nothing says which releases are compared."""
    if options.old is None:
        options.old, options.new = settings.old, settings.new
        options.uses = options.uses or list(settings.uses)
    if options.old is None or options.new is None:
        what = "OLD and NEW are missing: give both, or 'old' and 'new' in [tool.conformance.upgrade] of pyproject.toml"
        raise ValueError(what)
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


def _written(report: Report, options: argparse.Namespace) -> str:
    if options.severity:
        options.all = True
        report = replace(report, entries=tuple(one for one in report.entries if one.severity in options.severity))
    return _WRITERS[options.format](report, options)


@without_collection()
def _of_code(options: argparse.Namespace, path: Sequence[Measured], changes: NameChanges, project: Project) -> Report:
    groups = project.groups()
    uses = CodeUses(groups, changes)
    facts = Kept(_key(options, path))
    claims = ClaimUses(uses, facts)
    corpus = facts.of("claims", lambda: differing(path, options.specs))
    told = compare_claims(replace(corpus, claims=tuple(filter(claims.concerned, corpus.claims))), path, facts)
    by_claims = [placed for entry in told.entries if (placed := claims.placed(entry)) is not None]
    if changes.is_recorded:  # The names tell of a name that is gone, and of more of them.
        by_claims = [entry for entry in by_claims if entry.kind not in ("vanished", "appeared")]
    found = [*changes.entries(groups), *by_claims]
    known = [{id.rpartition("/")[0] for id in end.entries} for end in (path[0], path[-1])]
    entries = [
        entry if entry.page or entry.subject not in known[1] else replace(entry, page=subject_page(entry.subject))
        for entry in sorted(found, key=ReportEntry.order)
    ]
    facts.save()
    coverage = coverage_of(project, groups, changes, known[0] & known[1])
    subjects = uses.subjects
    compared = sum(id.rpartition("/")[0] in subjects for id in path[-1].entries)
    report = with_notes(replace(told, entries=tuple(entries), coverage=coverage, compared=compared), corpus.notes)
    return report if options.fix else with_changes(report, corpus.changes, groups, changes.names)


def _key(options: argparse.Namespace, path: Sequence[Measured]) -> Optional[str]:
    """Return the key of what is found by comparing two recorded releases; none for other specs or files."""
    if options.specs or Path(options.old).exists() or Path(options.new).exists():
        return None
    folder = options.results or recorded_folder()
    measured = [folder / f"{item.name}{SUFFIX}" for item in path]
    releases = [item.torch for item in path]
    return own_key(" ".join(["upgrade of code", options.device, *releases]), measured)


def _of_torch(options: argparse.Namespace, path: Sequence[Measured], changes: NameChanges) -> Report:
    if options.specs:
        return _compared(read_specs(options.specs), path, changes)
    folder = options.results or recorded_folder()
    measured = [*files_in(folder, f"*{SUFFIX}"), *files_in(folder / NAMES, "*.txt")]
    asked = " ".join([options.old, options.new, options.device])
    key = None if Path(options.old).exists() or Path(options.new).exists() else own_key(f"upgrade {asked}", measured)
    report = kept(key, Report, lambda: replace(_compared(read_specs(None), path, changes), path=()))
    return replace(report, path=path)


def _compared(corpus: Corpus, path: Sequence[Measured], changes: NameChanges) -> Report:
    report = compare_claims(corpus, path)
    entries = [entry for entry in report.entries if not (changes.is_recorded and entry.kind == "vanished")]
    ordered = tuple(sorted([*changes.of_torch(), *entries], key=ReportEntry.order))
    return with_notes(replace(report, entries=ordered), corpus.notes)


def _baseline(path: Path) -> list[str]:
    """Return the ids that a file names: a report in JSON, or lines such as ``torch.load:gone  # looked at``."""
    text = to_text(read_bytes(path), str(path))
    if not text.lstrip().startswith("{"):
        return [found for line in text.splitlines() if (found := line.partition("#")[0].strip())]
    try:
        return [str(entry["id"]) for entry in json.loads(text)["entries"]]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{path}: no report of 'conformance upgrade --json', nor lines with ids") from None


def _severity(text: str) -> Severity:
    if text not in SEVERITIES:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(SHOWN)}")
    return next(name for name in SEVERITIES if name == text)


def _refused(message: str) -> int:
    print(f"conformance: {message}", file=sys.stderr)
    return 2


def _folded(report: Report) -> Report:
    return report if report.coverage is None else replace(report, entries=folded(report.entries))


_Writer = Callable[[Report, argparse.Namespace], str]
_WRITERS: dict[str, _Writer] = {
    "text": lambda report, options: text_report(_folded(report), brief=options.brief, everything=options.all),
    "markdown": lambda report, options: markdown_report(_folded(report), brief=options.brief, everything=options.all),
    "json": lambda report, options: json_report(report, everything=options.all),
    "github": lambda report, options: github_report(report),
    "sarif": lambda report, options: sarif_report(report),
}
