"""The command ``conformance impostors``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional

from conformance.base.files import print_passed_over, why_missing
from conformance.base.json_files import ResultError
from conformance.base.processes.environment import processors
from conformance.base.processes.worker import ServiceFailed, StartFailed
from conformance.base.text import count_of
from conformance.lab.impostors.outcome import Greeting, Options
from conformance.lab.impostors.pool import Stopped, WorkerPool
from conformance.lab.impostors.record import (
    FOLDER,
    Killed,
    MutationRecord,
    extended_entry,
    judged_entries,
    left_to_run,
    load_record,
    missed_arguments,
    new_operators,
    previous_results,
    record_name,
    record_of,
    save_record,
)
from conformance.lab.impostors.report import Report, missed_lines, score_of_arguments
from conformance.language.corpus import default_root, load_corpus
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
    impostors.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    impostors.add_argument("-k", dest="select", metavar="TEXT", help="only claims whose id contains this")
    impostors.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="only this impostor (may be repeated)"
    )
    impostors.add_argument(
        "--add", action="append", default=[], type=Path, metavar="FILE", help="Python file with more impostors"
    )
    impostors.add_argument(
        "-n", dest="processes", type=at_least_one, metavar="N", help="number of processes (default: one per processor)"
    )
    impostors.add_argument(
        "--results",
        type=Path,
        metavar="DIR",
        help="write the record to DIR/impostors, if the run is on the whole corpus",
    )
    impostors.add_argument("--again", action="store_true", help="run all claims, also those in the record")
    impostors.add_argument(
        "--known",
        type=Path,
        metavar="FILE",
        help="an earlier record (default: the one in DIR/impostors); only claims of the corpus that it lacks are run, "
        "earlier killers are tried first, and known survivors do not fail the run",
    )
    impostors.add_argument("-v", "--verbose", action="store_true", help="list the impostors that kill each claim")
    impostors.add_argument(
        "--survivors", action="store_true", help="run nothing, and list what survived in the record of --known"
    )
    impostors.set_defaults(function=_command)


def _command(options: argparse.Namespace, rest: list[str]) -> int:
    if options.survivors:
        return print_survivors(options.known)
    return mutate_claims(
        options.paths,
        select=options.select,
        only=options.only,
        added=options.add,
        processes=options.processes,
        results=options.results,
        known=options.known,
        again=options.again,
        verbose=options.verbose,
    )


def mutate_claims(
    paths: Sequence[Path],
    *,
    select: Optional[str] = None,
    only: Sequence[str] = (),
    added: Sequence[Path] = (),
    processes: Optional[int] = None,
    results: Optional[Path] = None,
    known: Optional[Path] = None,
    again: bool = False,
    verbose: bool = False,
) -> int:
    """Run claims on mutants, print the report, and return the exit status of the command.

    Parameters
    ----------
    paths, select, processes, verbose
        Spec files or folders (none for the whole corpus); only claims whose id contains a text; how many processes
        share them; whether the operators that kill each claim are printed.
    only, added
        The names of the operators to use (none for all); Python files with further operators.
    results
        Folder of result files. The record of a run on the whole corpus is written into its folder ``impostors``.
    known
        An earlier record: the operators that killed a claim come first, and what survived there is no failure. By
        default it is the one that would be replaced.
    again
        Run also the claims of the whole corpus that are in the record as they are.
    """
    try:
        for path in (*paths, *added, *([known] if known else [])):
            why = why_missing(path)
            if why is not None:
                raise _Unusable(f"{path}: {why}")
        corpus, problems = load_corpus(paths or [default_root()])
        print_passed_over(corpus.not_entered)
        if problems:
            print(*problems, sep="\n", file=sys.stderr)
            raise _Unusable(f"{count_of(len(problems), 'mistake')} in the specs; nothing was run")
        corpus = corpus.without_examples()
        claims = [claim for claim in corpus.claims if select is None or select in claim.id]
        if not claims:
            raise _Unusable("there is no claim" if select is None else f"no claim has an id that contains {select!r}")
        options = Options("cpu", tuple(str(path.absolute()) for path in added), tuple(only))
        pool = WorkerPool(min(processes or processors(), len(claims)), options)
        try:
            greeting = pool.greeting()
            names = [item.name for item in greeting.operators]
            unknown = sorted(set(only) - set(names))
            if unknown:
                raise _Unusable(f"there is no impostor named {unknown[0]}")
            earlier = _earlier(known, results, greeting)
            previous = previous_results(earlier, claims) if earlier else {}
            everything = not (paths or select or only or added)
            kept = judged_entries(earlier, claims, names) if earlier and everything and not again else {}
            new = new_operators(earlier, greeting) if earlier and kept else set()
            if earlier and new:
                previous.update(left_to_run(earlier, kept))
            else:
                claims = [claim for claim in claims if claim.id not in kept]
            outcomes = pool.run(claims, previous, lambda done: _tell(f"\r{done} of {len(claims)} claims"))
        except Stopped as stopped:
            if results is not None and everything and stopped.outcomes and not new:
                record = record_of(corpus, stopped.outcomes, greeting, kept)
                if earlier is not None and earlier.is_like(record):
                    unreached = [claim for claim in claims if claim.id not in stopped.outcomes]
                    kept.update(judged_entries(earlier, unreached, names))
                    record = record_of(corpus, stopped.outcomes, greeting, kept)
                if _save(record, kept, earlier, results):
                    _say_stopped(len(stopped.outcomes), len(claims))
            raise
        finally:
            pool.close()
            _tell("\r" + " " * 30 + "\r")
    except (_Unusable, ResultError, StartFailed, ServiceFailed) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    extended = {name: outcomes.pop(name) for name in kept if name in outcomes and outcomes[name].status == "judged"}
    kept = {name: entry for name, entry in kept.items() if name not in outcomes}
    kept.update({name: extended_entry(kept[name], outcome, names) for name, outcome in extended.items()})
    report = Report(corpus, outcomes, names, known=earlier, whole=everything and earlier is None)
    if kept:
        told = ", and only the new impostors ran on them" if new else " and were left out"
        print(f"{len(kept)} claims are as they were when their mutants ran{told}; --again runs all")
        for name in sorted(new):
            print(f"  {name} kills {sum(name in entry.killers for entry in kept.values())} of them")
    print("\n".join(report.lines(verbose=verbose)))
    if results is not None and everything:
        _save(record_of(corpus, outcomes, greeting, kept), kept, earlier, results, extended=bool(new))
    return 1 if report.failed else 2 if corpus.not_entered else 0


def print_survivors(known: Optional[Path]) -> int:
    """Print what survived in a record, as far as its claims are as they were; return the exit status."""
    try:
        if known is None:
            raise _Unusable("--survivors needs a record: --known FILE")
        record = load_record(known)
    except (_Unusable, ResultError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    corpus, _ = load_corpus([default_root()])
    found = [(claim, entry) for claim in corpus.claims if (entry := record.entry(claim))]
    for claim, entry in found:
        if entry.standing:
            print(f"{claim.place} {claim.id}: no impostor kills {', '.join(entry.standing)}")
    noticing = [(claim, entry.arguments) for claim, entry in found]
    missed = missed_arguments(noticing)
    pairs = [(claim, missed[claim.id]) for claim, _ in found if claim.id in missed]
    print("\n".join([*missed_lines(pairs), "", *score_of_arguments(noticing, pairs)]))
    return 0


def _save(
    record: MutationRecord,
    kept: Mapping[str, Killed],
    earlier: Optional[MutationRecord],
    results: Path,
    *,
    extended: bool = False,
) -> bool:
    """Write a record, unless it has taken entries from an earlier one that it can't be joined with; say whether."""
    if kept and earlier is not None and not extended and not earlier.is_like(record):
        print("no record written: its operators or its environment have changed; --again runs all")
        return False
    save_record(record, results / FOLDER)
    return True


def _say_stopped(done: int, claims: int) -> None:
    told = f"{done} of {count_of(claims, 'claim')}"
    print(f"conformance: the record has what was found for {told}; a run without --again goes on", file=sys.stderr)


def _earlier(known: Optional[Path], results: Optional[Path], greeting: Greeting) -> Optional[MutationRecord]:
    """Return the record that was asked for, else the one of this environment among the results, if there is one."""
    if known is None and results is not None:
        here = greeting.environment
        path = results / FOLDER / f"{record_name(here.torch, here.device)}.json"
        known = path if path.exists() else None
    return load_record(known) if known else None


def _tell(text: str) -> None:
    if sys.stderr.isatty():
        print(text, end="", file=sys.stderr, flush=True)
