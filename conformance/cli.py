"""The command line: ``conformance run``, ``check``, ``show`` and the rest."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

from conformance import __version__
from conformance.census.command import add_census
from conformance.reporting.command import add_report_docs
from conformance.results.merge import add_merge
from conformance.upgrade.bisection import add_bisect
from conformance.upgrade.command import add_upgrade

_EPILOG = """\
exit status: 0 as expected, 1 something fails the run, 2 the spec or the call is wrong

examples:
  conformance run                              the whole corpus on the torch installed here
  conformance run -k detach --device cpu       what concerns detach
  conformance run my/specs -n 2                your own spec files, two processes
  conformance check my/specs                   find mistakes before anything runs
  conformance show reshape                     what is promised about a name, and where it holds
  conformance impostors my/specs               can your own claims fail?
  conformance upgrade 2.4 2.15 --uses src      what changes between two releases, for the code in src
  conformance bisect torch.Tensor.item/no-element-raises    the patch release in which a claim changed
  conformance census --family sharing          which promises about sharing the corpus covers
  conformance report-docs --list               what is false and reported nowhere
"""


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run one command and return its exit status."""
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "run":
        parser.error(f"unknown argument {rest[0]}")
    try:
        return int(options.function(options, rest))
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of a pipe, such as head, has seen enough.
        sys.stderr.close()
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="conformance",
        description="Check what PyTorch's documentation promises about sharing, gradients, errors and leaf status.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"conformance {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="try every claim on the torch installed here",
        description="Try claims on generated inputs, each on every device found. A claim is a pytest item, and further "
        "options go to pytest as they are (write --option=value). A spec is a program: run only specs that you trust.",
    )
    run.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    run.add_argument("--device", action="append", choices=["cpu", "cuda"], help="this device only (may be repeated)")
    run.add_argument("--examples", type=int, metavar="N", help="examples by Hypothesis per claim, after the sweep")
    run.add_argument("--seed", type=int, metavar="N", help="seed of the search")
    run.add_argument("--time-limit", type=float, metavar="SECONDS", help="time that one claim may take")
    run.add_argument("--memory-limit", type=float, metavar="GIB", help="memory that one claim may take")
    run.add_argument("--results", type=Path, metavar="DIR", help="write the result file of a whole run to this folder")
    run.add_argument("--resume", action="store_true", help="go on where a stopped run with the same --results ended")
    run.add_argument("--timings", action="store_true", help="measure the timing claims instead, as ratios")
    run.add_argument("-k", dest="select", metavar="EXPRESSION", help="only claims whose id matches, as pytest's -k")
    run.add_argument("-n", dest="processes", metavar="N", help="processes to share the claims (pytest-xdist)")
    run.add_argument("-x", dest="stop_early", action="store_true", help="stop at the first claim that fails the run")
    run.add_argument("--lf", dest="last_failed", action="store_true", help="only what failed last time")
    run.add_argument("-v", "--verbose", action="count", default=0, help="a line for each claim")
    run.add_argument("--debug", action="store_true", help="say what is done and how long each claim took")
    run.add_argument("--durations", type=int, metavar="N", help="show the N slowest claims, slowest first")
    run.add_argument("--junitxml", metavar="FILE", help="write a JUnit XML report")
    run.set_defaults(function=_run)
    check = commands.add_parser("check", help="find the mistakes of spec files; nothing of them is run")
    check.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    check.set_defaults(function=_check)
    show = commands.add_parser("show", help="what is promised about a name, and where it holds")
    show.add_argument("name", help="a subject or a part of it (reshape, torch.Tensor.detach), or a claim's id")
    show.add_argument("--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)")
    show.set_defaults(function=_show)
    impostors = commands.add_parser(
        "impostors",
        help="prove that claims can fail, by running them on wrong torches",
        description="Run each claim on torches that are wrong in one way, and report the parts of expectations that "
        "none makes false.",
    )
    impostors.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    impostors.add_argument("-k", dest="select", metavar="TEXT", help="only claims whose id contains this")
    impostors.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="this impostor only (may be repeated)"
    )
    impostors.add_argument(
        "--add", action="append", default=[], type=Path, metavar="FILE", help="Python file with further impostors"
    )
    impostors.add_argument("-n", dest="processes", type=int, metavar="N", help="processes (default: one per processor)")
    impostors.add_argument(
        "--results", type=Path, metavar="DIR", help="write the record of a campaign on the whole corpus"
    )
    impostors.add_argument(
        "--known", type=Path, metavar="FILE", help="an earlier record: try first what killed then; what stood may stand"
    )
    impostors.add_argument("-v", "--verbose", action="store_true", help="name the impostors that kill each claim")
    impostors.set_defaults(function=_impostors)
    add_upgrade(commands)
    add_bisect(commands)
    add_merge(commands)
    add_census(commands)
    add_report_docs(commands)
    return parser


def _run(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.runner.launch import UnusablePath, run_claims, run_timings

    try:
        if options.timings:
            return run_timings(options.paths, options.results)
        return run_claims(options, rest)
    except UnusablePath as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _check(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.language.corpus import decision_files, default_root, load_corpus

    missing = [path for path in options.paths if not path.exists()]
    for path in missing:
        print(f"conformance: {path}: no such file or folder", file=sys.stderr)
    if missing:
        return 2
    paths = options.paths or [default_root()]
    decisions = [file for path in paths if path.is_dir() for file in decision_files(path)]
    corpus, problems = load_corpus([*paths, *decisions])
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} mistakes; the reference lists the codes", file=sys.stderr)
        return 2
    print(f"{len(corpus.claims)} claims, no mistakes")
    return 0


def _impostors(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.impostors.command import confront_claims

    return confront_claims(
        options.paths,
        select=options.select,
        only=options.only,
        added=options.add,
        processes=options.processes,
        results=options.results,
        known=options.known,
        verbose=options.verbose,
    )


def _show(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.results.show import UnknownName, show
    from conformance.results.store import ResultError

    try:
        print(show(options.name, options.results))
    except (UnknownName, ResultError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    return 0
