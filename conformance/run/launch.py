"""Starting a run: the call to pytest that ``conformance run`` stands for."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Optional

from conformance.base.files import print_passed_over, why_missing
from conformance.base.text import count_of
from conformance.language.corpus import Corpus, default_root, is_whole, load_corpus
from conformance.language.corpus_cache import load_own_corpus
from conformance.run.options import passed_on

_PYTEST_STATUS_INTERRUPTED = 2
_PYTEST_STATUS_NOTHING_COLLECTED = 5
# What the plugin returns where a signal asked the run to end, less the number of the signal.
_SIGNALLED = 128
_DEBUG = (
    "--override-ini=log_cli=true",
    "--log-cli-level=DEBUG",
    "--log-cli-format=%(relativeCreated)7d ms  %(message)s",
)
# The tests and the configuration of a project that happens to be around are neither imported nor run. The plugin of
# temporary folders leaves one where a run is killed.
_NOTHING_BUT_SPECS = ("--noconftest", *(f"-pno:{plugin}" for plugin in ("python", "unittest", "doctest", "tmpdir")))
# With these, a user changes runs of pytest, of which nobody need know that this is one.
_OF_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
# Plugins that happen to be installed may print in each process, or import much: only one that is named is loaded.
_NO_INSTALLED_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


class UnusablePath(Exception):
    """A path given on the command line does not exist; the message says which."""


def run_claims(options: argparse.Namespace, rest: Sequence[str]) -> int:
    """Check the specs, then run them as pytest items; returns the exit status of the command."""
    import pytest

    from conformance.run.readahead import ReadAhead

    if find_spec("torch") is None:
        print("conformance: torch is not installed in this environment; install the one to measure", file=sys.stderr)
        return 2
    root = default_root()
    paths = options.paths or [root]
    corpus = _load(paths)
    if corpus is None:
        return 2
    selects = _selects(options, rest)
    ahead = ReadAhead(corpus, whole=is_whole(paths), selects=selects)
    closed = {each.path for each in corpus.not_entered}
    paths = [path for path in paths if str(path) not in closed]
    without = [path for path in paths if path.is_file() and ahead.claims(path) is None]
    for path in without:
        told = "no claims in this file; for the claims about a name write: conformance run -k NAME"
        print(f"conformance: {path}: {told}", file=sys.stderr)
    paths = [path for path in paths if path not in without]
    if not paths:
        return 2
    _say_foreign(paths, root, corpus)
    arguments = [
        "-pxdist.plugin",
        "-pconformance.plugin",
        "-c",
        str(Path(__file__).with_name("pytest.ini")),
        f"--rootdir={_rootdir(paths, root)}",
        f"--override-ini=cache_dir={Path.cwd() / '.pytest_cache'}",
        "--no-header",
        "-rN",  # the summary of this package lists what failed
        *_NOTHING_BUT_SPECS,
        *passed_on(options),
        *(("-n", "auto") if paths == [root] and _may_spread(options, selects) else ()),
        *(_DEBUG if options.debug else ()),
        *rest,
        *map(str, paths),
    ]
    for name in _OF_PYTEST:
        os.environ.pop(name, None)
    os.environ.update(_NO_INSTALLED_PLUGINS)
    status = int(pytest.main(arguments, plugins=[ahead]))
    if status == _PYTEST_STATUS_NOTHING_COLLECTED:
        print("conformance: no claim matches", file=sys.stderr)
    if status == 0 and corpus.not_entered:
        return 2
    if status in (0, 1) or status > _SIGNALLED:
        return status
    return 130 if status == _PYTEST_STATUS_INTERRUPTED else 2


def _may_spread(options: argparse.Namespace, selects: bool) -> bool:
    """Return whether nobody asked for a number of processes, or for what needs one."""
    return options.processes is None and not selects and not options.debug and not options.timings


def _selects(options: argparse.Namespace, rest: Sequence[str]) -> bool:
    """Return whether a run may leave out claims, or asks pytest for what needs one process, such as a debugger."""
    return options.select is not None or options.last_failed or bool(set(rest) - {"-q", "-qq"})


def _load(paths: Sequence[Path]) -> Optional[Corpus]:
    missing = [(path, why) for path in paths if (why := why_missing(path)) is not None]
    for path, why in missing:
        file, colons, item = str(path).partition("::")
        advice = f"; for one claim write: conformance run {file} -k {item.partition('[')[0]}" if colons else ""
        raise UnusablePath(f"{path}: {why}{advice}")
    corpus, problems = load_own_corpus() if paths == [default_root()] else load_corpus(paths)
    print_passed_over(corpus.not_entered)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"conformance: {count_of(len(problems), 'mistake')} in the specs; nothing was run", file=sys.stderr)
        return None
    return corpus


def _say_foreign(paths: Sequence[Path], root: Path, corpus: Corpus) -> None:
    from conformance.language.misspelled import misspelled

    foreign = [path for path in paths if not _is_below(path, root)]
    if foreign:
        print(f"conformance: {foreign[0]} is not part of the corpus; running it runs its Python", file=sys.stderr)
        for told in misspelled(corpus.claims):
            print(told, file=sys.stderr)


def _is_below(path: Path, root: Path) -> bool:
    return root.resolve() in (path.resolve(), *path.resolve().parents)


def _rootdir(paths: Sequence[Path], root: Path) -> Path:
    return root.resolve().parent if all(_is_below(path, root) for path in paths) else Path.cwd()
