"""The command ``conformance impostors``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance.impostors.crew import Crew, CrewFailed, processors
from conformance.impostors.record import hints_from, load_record, record_of, save_record
from conformance.impostors.report import Report
from conformance.language.corpus import default_root, load_corpus
from conformance.results.store import ResultError


def confront_claims(
    paths: Sequence[Path],
    *,
    select: Optional[str] = None,
    only: Sequence[str] = (),
    added: Sequence[Path] = (),
    processes: Optional[int] = None,
    results: Optional[Path] = None,
    known: Optional[Path] = None,
    verbose: bool = False,
) -> int:
    """Confront claims with impostors, print what stands, and return the exit status of the command.

    Parameters
    ----------
    paths
        Spec files or folders; none for the whole corpus.
    select
        Only claims whose id contains this text.
    only
        Names of the impostors to use; none for all.
    added
        Python files with further impostors.
    processes
        How many processes share the claims.
    results
        Folder of result files. The record of a campaign on the whole corpus is written into its folder ``impostors``.
    known
        An earlier record: the impostors that killed a claim come first, and what stands there is no failure.
    verbose
        Print the impostors that kill each claim.
    """
    missing = [path for path in (*paths, *added, *([known] if known else [])) if not path.exists()]
    if missing:
        print(f"conformance: {missing[0]}: no such file or folder", file=sys.stderr)
        return 2
    try:
        earlier = load_record(known) if known else None
    except ResultError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    corpus, problems = load_corpus(paths or [default_root()])
    if problems:
        for problem in problems:
            print(problem, file=sys.stderr)
        print(f"conformance: {len(problems)} mistakes in the specs; nothing was run", file=sys.stderr)
        return 2
    claims = [claim for claim in corpus.claims if select is None or select in claim.id]
    hints = hints_from(earlier, claims) if earlier else {}
    if not claims:
        print("conformance: no claim matches", file=sys.stderr)
        return 2
    crew = Crew(min(processes or processors(), len(claims)), plugins=added, only=only)
    try:
        findings = crew.confront(claims, lambda done: _tell(done, len(claims)), hints)
    except CrewFailed as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    finally:
        crew.close()
        _tell(0, 0)
    unknown = sorted(set(only) - set(crew.impostors))
    if unknown:
        print(f"conformance: no impostor is named {unknown[0]}", file=sys.stderr)
        return 2
    everything = not (paths or select or only or added)
    record = record_of(corpus, findings, crew.environment, crew.impostors)
    if results is not None and everything:
        save_record(record, results / "impostors")
    report = Report(corpus, findings, record, known=earlier, whole=everything and earlier is None)
    print("\n".join(report.lines(verbose=verbose)))
    return int(report.failed)


def _tell(done: int, total: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {total} claims" if total else "\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)
