"""The command line: ``conformance run``, ``check``, ``show`` and the rest."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from conformance import __version__

if TYPE_CHECKING:
    from conformance.language.corpus import Counts

_EPILOG = """\
exit status: 0 if everything is as expected, 1 if not, 2 if the command line or a spec is wrong

examples:
  conformance run                              run the whole corpus on the installed torch
  conformance run -k detach --device cpu       run the claims whose id contains detach
  conformance run my/specs -n 2                run your own specs in two processes
  conformance check my/specs                   find mistakes before anything runs
  conformance show reshape                     show what it does, what is promised, and where that holds
  conformance impostors my/specs               test whether your own claims can fail
  conformance upgrade 2.4 2.15 --uses src      list what changes between two releases for the code in src
  conformance bisect torch.Tensor.item/no-element-raises    find the patch release that changed a claim
  conformance census --family sharing          show which promises about sharing the corpus covers
  conformance report-docs --list               list what is documented, false and not reported
"""


_COMMAND = "conformance"
#: The module of a distribution on the package index that is called as this package is, and as its command.
_OTHER_MODULE = "conformance_cli"

#: Where each command is declared, and its line in the list of commands, for which nothing else is imported.
_COMMANDS = {
    "run": ("conformance.__main__:add_run", "run claims on the installed torch"),
    "check": ("conformance.__main__:add_check", "find mistakes in spec files without running them"),
    "show": (
        "conformance.show.command:add_show",
        "show what a name does, what an error means, what answers a question",
    ),
    "impostors": (
        "conformance.lab.impostors.command:add_impostors",
        "test whether claims can fail, by making torch wrong",
    ),
    "upgrade": (
        "conformance.upgrade.command:add_upgrade",
        "list the lines of your code that a newer torch breaks or changes",
    ),
    "compare": ("conformance.upgrade.compare.command:add_compare", "list what two records of torch say otherwise"),
    "bisect": ("conformance.upgrade.bisection:add_bisect", "find the patch release that changed a claim"),
    "merge": ("conformance.results.merge:add_merge", "join result files from several machines"),
    "census": (
        "conformance.lab.census.command:add_census",
        "show which promises of the documentation the corpus covers",
    ),
    "report-docs": (
        "conformance.lab.reporting.command:add_report_docs",
        "write issue texts for what is documented, false and not reported",
    ),
}


#: Commands that read their own arguments.
_WITH_PARSERS = {
    "names": (
        "conformance.lab.names.__main__:main",
        "look a name up in every recorded release, or measure the names of the installed torch",
    ),
    "trials": (
        "conformance.lab.trials.__main__:main",
        "try calls on the installed torch, or show what they did on each release",
    ),
}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Run one command and return its exit status."""
    _print_anywhere()
    _say_which_command()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    from conformance.base.plain_output import plain_output
    from conformance.base.processes.ending import EndSignals

    with EndSignals() as signals, plain_output(errors_only=arguments[:1] == ["run"]):
        try:
            status = _main(arguments)
        except KeyboardInterrupt as stop:
            print(": ".join(("stopped", *map(str, stop.args))), file=sys.stderr)
            status = 130
    return signals.status(status)


def _main(arguments: Sequence[str]) -> int:
    commands = parser(only=arguments[0] if arguments else "")
    try:
        options, rest = commands.parse_known_args(arguments)
        if rest and options.command not in ("run", *_WITH_PARSERS):
            commands.error(f"unknown argument {rest[0]}")
        return int(options.function(options, rest))
    except BrokenPipeError:
        # The reader of a pipe, such as head, has seen enough.
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.filename is None:
            raise
        from conformance.base.text import bounded, printable

        print(f"conformance: {printable(bounded(str(error.filename), 200))}: {error.strerror}", file=sys.stderr)
        return 2


def _print_anywhere() -> None:
    """Let the terminal's encoding stop no output: what it lacks is printed as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _say_which_command() -> None:
    """Say so where another distribution has a command of the same name: which one it is depends on the installation."""
    if Path(sys.argv[0]).name == _COMMAND and find_spec(_OTHER_MODULE) is not None:
        told = f"the distribution {_COMMAND!r} is installed here too, and its command has the same name as this one"
        print(f"{_COMMAND}: {told}; torch-conformance is always this one", file=sys.stderr)


def parser(only: Optional[str] = None) -> argparse.ArgumentParser:
    """Return the parser of all commands; the page on commands is made from it.

    Parameters
    ----------
    only
        The one command whose options are wanted; the modules of the others are not imported.
    """
    parser = argparse.ArgumentParser(
        prog="conformance",
        description="Check what PyTorch's documentation promises about sharing, gradients, errors and leaf status.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"conformance {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (place, told) in _COMMANDS.items():
        if only in (None, name):
            _imported(place)(commands)
        else:
            commands.add_parser(name, help=told)
    for name, (place, told) in _WITH_PARSERS.items():
        commands.add_parser(name, help=told, add_help=False).set_defaults(function=partial(_call, place))
    return parser


def _imported(place: str) -> Any:
    module, _, function = place.partition(":")
    return getattr(import_module(module), function)


def _call(place: str, options: argparse.Namespace, rest: list[str]) -> int:
    return int(_imported(place)(rest))


def add_run(commands: Any) -> None:
    """Declare ``conformance run``."""
    from conformance.run.options import OF_COMMAND, OF_PLUGIN, OF_PYTEST, declare

    run = commands.add_parser(
        "run",
        help="run claims on the installed torch",
        description="Try claims on generated inputs, on every device found. Each claim is a pytest item, and other "
        "options are passed to pytest (write --option=value). A spec is a program: run only specs that you trust.",
    )
    run.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    declare((*OF_PLUGIN, *OF_COMMAND, *OF_PYTEST), run)
    run.set_defaults(function=_run)


def add_check(commands: Any) -> None:
    """Declare ``conformance check``."""
    check = commands.add_parser("check", help="find mistakes in spec files without running them")
    check.add_argument("paths", nargs="*", type=Path, help="spec files or folders (default: the whole corpus)")
    check.add_argument(
        "--devices", action="store_true", help="list what claims about every device make on the CPU, and what to write"
    )
    check.set_defaults(function=_check)


def _run(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.run.launch import UnusablePath, run_claims

    try:
        return run_claims(options, rest)
    except UnusablePath as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _check(options: argparse.Namespace, rest: list[str]) -> int:
    from conformance.base.cache import keep, recall
    from conformance.base.files import print_passed_over, why_missing
    from conformance.language.corpus import Counts, decision_files, default_root, load_corpus
    from conformance.language.corpus_cache import check_key

    missing = [(path, why) for path in options.paths if (why := why_missing(path)) is not None]
    for path, why in missing:
        print(f"conformance: {path}: {why}", file=sys.stderr)
    if missing:
        return 2
    paths = options.paths or [default_root()]
    key = check_key(paths, default_root()) if all(map(os.path.isdir, paths)) else None
    known = recall(key)
    if isinstance(known, Counts) and not options.devices:
        print(_checked(known))
        return 0
    decisions = [file for path in paths for file in decision_files(path)]
    corpus, problems = load_corpus([*paths, *decisions])
    print_passed_over(corpus.not_entered)
    if corpus.notes:
        from conformance.upgrade.measurable_notes import check_notes

        problems = sorted([*problems, *check_notes(corpus.notes)])
    if corpus.answers or corpus.messages or corpus.changes:
        from functools import partial

        from conformance.language import changes
        from conformance.language.answers import check_neighbours
        from conformance.language.messages import check_names
        from conformance.language.problems import Problems
        from conformance.names.lookup import Names
        from conformance.upgrade.matching import concerned

        unknown, names = Problems(), Names()
        check_neighbours(corpus.answers, names.may_have, unknown)
        check_names(corpus.messages, names.may_have, unknown)
        changes.check_names(corpus.changes, names.may_have, unknown)
        changes.check_matches(corpus.changes, partial(concerned, names=names), unknown)
        problems = sorted([*problems, *unknown.sorted()])
    for problem in problems:
        print(problem)
    if problems:
        from conformance.base.text import count_of

        print(f"{count_of(len(problems), 'mistake')}; the reference explains the codes", file=sys.stderr)
        return 2
    if options.devices:
        from conformance.language.rules.devices import on_the_cpu

        for place, told in sorted({found for claim in corpus.claims for found in on_the_cpu(claim)}):
            print(f"{place} {told}")
    print(_checked(corpus.counts(), " in what was read" if corpus.not_entered else ""))
    doubts = []
    if options.paths:
        from conformance.language.misspelled import misspelled

        doubts = list(misspelled(corpus.claims))
    for told in doubts:
        print(told, file=sys.stderr)
    # What is to be told again is not kept, nor what was written meanwhile.
    if key is not None and not doubts and key == check_key(paths, default_root()):
        keep(key, corpus.counts())
    return 2 if corpus.not_entered else 0


def _checked(counts: Counts, where: str = "") -> str:
    """Return what is said of a corpus without a mistake."""
    from conformance.base.text import count_of

    told = f"{counts.in_words()}, no mistakes{where}"
    if counts.unreasoned:
        entries = count_of(counts.unreasoned, "entry narrows", "entries narrow")
        told += f"; {entries} dtypes, layouts or states without `because`"
    if counts.uncontrolled:
        told += f"; {count_of(counts.uncontrolled, 'entry judges', 'entries judge')} an error without `control`"
    return told


if __name__ == "__main__":
    sys.exit(main())
