"""The command ``conformance impostors``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Optional

from conformance.base.files import print_passed_over, why_missing
from conformance.base.json_files import ResultError
from conformance.base.processes.environment import processors
from conformance.base.processes.worker import ServiceFailed, StartFailed
from conformance.base.text import count_of
from conformance.lab.impostors.campaign import Campaign
from conformance.lab.impostors.outcome import Greeting, Options
from conformance.lab.impostors.pool import WorkerPool
from conformance.lab.impostors.record import (
    FOLDER,
    MutationRecord,
    load_record,
    missed_arguments,
    record_path,
    save_record,
)
from conformance.lab.impostors.report import Report, missed_lines, score_of_arguments
from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim
from conformance.run.options import at_least_one


class _Unusable(Exception):
    """The arguments or specs can't be used; nothing was run."""


def add_impostors(commands: Any) -> None:
    """Declare ``conformance impostors``."""
    impostors = commands.add_parser(
        "impostors",
        help="test whether claims can fail, by making torch wrong",
        description="Run each claim on impostors, copies of torch with one thing wrong, and report the parts of "
        "expectations that no impostor makes false.",
    )
    add = impostors.add_argument
    add("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    add("-k", dest="select", metavar="TEXT", help="only claims whose id contains this")
    add("--only", action="append", default=[], metavar="NAME", help="only this impostor (may be repeated)")
    add("--add", action="append", default=[], type=Path, metavar="FILE", help="Python file with more impostors")
    add("-n", dest="processes", type=at_least_one, metavar="N", help="number of processes (default: one per processor)")
    add(
        "--results",
        type=Path,
        metavar="DIR",
        help="write the record to DIR/impostors, if the run is on the whole corpus",
    )
    add("--again", action="store_true", help="run all claims, also those in the record")
    add(
        "--known",
        type=Path,
        metavar="FILE",
        help="an earlier record (default: the one in DIR/impostors); only claims of the corpus that it lacks are run, "
        "earlier killers are tried first, and known survivors do not fail the run",
    )
    add("-v", "--verbose", action="store_true", help="list the impostors that kill each claim")
    add("--survivors", action="store_true", help="run nothing, and list what survived in the record of --known")
    impostors.set_defaults(function=_command)


def _command(options: argparse.Namespace, rest: list[str]) -> int:
    try:
        return _print_survivors(options.known) if options.survivors else _mutate(options)
    except (_Unusable, ResultError, StartFailed, ServiceFailed) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _mutate(options: argparse.Namespace) -> int:
    """Run claims on mutants, write the record of the whole corpus, print the report, and return the exit status."""
    corpus, claims = _chosen(options)
    whole = not (options.paths or options.select or options.only or options.add)
    started = Options("cpu", tuple(str(path.absolute()) for path in options.add), tuple(options.only))
    pool = WorkerPool(min(options.processes or processors(), len(claims)), started)
    try:
        greeting = pool.greeting()
        unknown = sorted({*options.only} - greeting.operators.keys())
        if unknown:
            raise _Unusable(f"there is no impostor named {unknown[0]}")
        earlier = _earlier(options, greeting)
        campaign = Campaign(corpus, claims, greeting, earlier, whole=whole, again=options.again)
        every = len(campaign.requests)
        try:
            for claim, outcome in pool.run(campaign.requests, lambda done: _tell(f"\r{done} of {every} claims")):
                campaign.add(claim, outcome)
        except KeyboardInterrupt:
            is_recorded = options.results and whole and campaign.outcomes and not campaign.new
            if is_recorded and _save(campaign.record(stopped=True), options.results):
                print(
                    f"conformance: the record has what was found for {len(campaign.outcomes)} of"
                    f" {count_of(every, 'claim')}; a run without --again goes on",
                    file=sys.stderr,
                )
            raise
    finally:
        pool.close()
        _tell("\r" + " " * 30 + "\r")
    if campaign.kept:
        how = ", and only the new impostors ran on them" if campaign.new else " and were left out"
        print(f"{len(campaign.kept)} claims are as they were when their mutants ran{how}; --again runs all")
        for name in sorted(campaign.new):
            print(f"  {name} kills {sum(name in entry.killers for entry in campaign.kept.values())} of them")
    report = Report(corpus, campaign.outcomes, campaign.operators, known=earlier, whole=whole and earlier is None)
    print("\n".join(report.lines(verbose=options.verbose)))
    if options.results and whole:
        _save(campaign.record(), options.results)
    return 1 if report.failed else 2 if corpus.not_entered else 0


def _chosen(options: argparse.Namespace) -> tuple[Corpus, list[Claim]]:
    """Read the specs, and return them with the claims that are asked for."""
    for path in (*options.paths, *options.add, *([options.known] if options.known else [])):
        why = why_missing(path)
        if why is not None:
            raise _Unusable(f"{path}: {why}")
    corpus, problems = load_corpus(options.paths or [default_root()])
    print_passed_over(corpus.not_entered)
    if problems:
        print(*problems, sep="\n", file=sys.stderr)
        raise _Unusable(f"{count_of(len(problems), 'mistake')} in the specs; nothing was run")
    corpus = corpus.without_examples()
    claims = [claim for claim in corpus.claims if options.select is None or options.select in claim.id]
    if not claims:
        text = options.select
        raise _Unusable("there is no claim" if text is None else f"no claim has an id that contains {text!r}")
    return corpus, claims


def _earlier(options: argparse.Namespace, greeting: Greeting) -> Optional[MutationRecord]:
    """Return the record that was asked for, else the one of this environment among the results, if there is one."""
    path: Optional[Path] = options.known
    if path is None and options.results is not None:
        path = record_path(options.results / FOLDER, greeting.environment)
        path = path if path.exists() else None
    return load_record(path) if path else None


def _save(record: Optional[MutationRecord], results: Path) -> bool:
    """Write a record, and return whether there is one."""
    if record is None:
        print("no record written: its operators or its environment have changed; --again runs all")
        return False
    save_record(record, results / FOLDER)
    return True


def _print_survivors(known: Optional[Path]) -> int:
    """Print what survived in a record, as far as its claims are as they were; return the exit status."""
    if known is None:
        raise _Unusable("--survivors needs a record: --known FILE")
    record = load_record(known)
    corpus, _ = load_corpus([default_root()])
    entries = [(claim, entry) for claim in corpus.claims if (entry := record.entry(claim))]
    for claim, entry in entries:
        if entry.standing:
            print(f"{claim.place} {claim.id}: no impostor kills {', '.join(entry.standing)}")
    noticing = [(claim, entry.arguments) for claim, entry in entries]
    missed = missed_arguments(noticing)
    pairs = [(claim, missed[claim.id]) for claim, _ in entries if claim.id in missed]
    print("\n".join([*missed_lines(pairs), "", *score_of_arguments(noticing, pairs)]))
    return 0


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(text, end="", file=sys.stderr, flush=True)
