"""The pytest plugin: every claim is an item such as ``detach.yaml::torch.Tensor.detach/shares-storage[cpu]``.

Load it with ``pytest -p conformance.plugin spec/``; without that it does nothing. The process that runs pytest never
imports torch: a worker process does, and its end is a verdict, not the end of the run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Optional

import pytest

from conformance.base.codec import decode, encode, to_line
from conformance.base.files import can_enter
from conformance.base.json_files import ResultError
from conformance.base.processes.ending import EndSignals, leave_ending_to_the_parent
from conformance.base.processes.environment import UNFILLED, processor, processors
from conformance.base.processes.protection import die_with
from conformance.base.recorded_folder import recorded_folder
from conformance.base.text import count_of, printable
from conformance.language.corpus import default_root, is_spec_file, is_whole, load_corpus, load_file
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim
from conformance.language.problems import Problems
from conformance.language.sources import FILE_NAME, SourceList, read_sources
from conformance.results.model import Device, Environment, Outcome
from conformance.run.earlier import Settings, kept_records
from conformance.run.expected import (
    Expectations,
    ExpectedFailure,
    UnusableExpectations,
    expected_of,
    read_expectations,
    review,
    unknown_claims,
)
from conformance.run.failure import failure_text
from conformance.run.options import OF_PLUGIN, declare, writable_folder
from conformance.run.protocol import ItemRecord
from conformance.run.readahead import ReadAhead, read_ahead
from conformance.run.supervisor import Supervisor, TorchUnusable
from conformance.run.tally import OtherClaims, Tally

_PROPERTY = "conformance"
_AHEAD = "the command has read the corpus"
_KEPT_IDS = "claims taken over"
_PASSES_OVER = "the command has named the folders that can't be entered"
#: Claims that are worth a process of their own, which imports torch and collects them all.
_SHARE = 100
_MARKS = {"holds": ".", "diverges": "d", "unspecified": "u", "absent": "a", "inapplicable": "n", "unsupported": "s"}
_REVIEWS = {"unreviewed": "x", "expected": "e"}
_SUPERVISOR = pytest.StashKey[Supervisor]()
_TALLY = pytest.StashKey[Tally]()
_KEPT = pytest.StashKey[frozenset[tuple[str, str]]]()
_EXPECTED = pytest.StashKey[Optional[Expectations]]()


class ClaimFailed(Exception):
    """A claim's verdict fails the run; ``expected`` is another one, which was expected."""

    def __init__(self, record: ItemRecord, claim: Claim, outcome: Outcome, expected: Optional[ExpectedFailure]) -> None:
        super().__init__(record.entry.verdict)
        self.text = failure_text(claim, outcome, expected, passes=record.review == "passes")


class BadSpec(Exception):
    """A spec file has mistakes; the message has one on each line."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of a run."""
    group = parser.getgroup("conformance", "claims about torch")
    declare(OF_PLUGIN, group, "addoption")


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, or prepare a process of pytest-xdist."""
    if not hasattr(config, "workerinput"):
        _refuse_results(config.getoption("--results"), record=config.getoption("--record"))
        expectations, ahead = _expectations(config), read_ahead(config)
        if expectations is not None and ahead is not None:
            for told in unknown_claims(expectations, ahead.corpus, whole=ahead.is_whole):
                print(told, file=sys.stderr)
    else:
        die_with(os.getppid())  # where the run is killed, its processes end, and so do theirs
        leave_ending_to_the_parent()
        if config.workerinput.get(_AHEAD):
            corpus, problems = load_own_corpus()  # what the command has read is kept
            if not problems:
                config.pluginmanager.register(ReadAhead(corpus, whole=True))
        config.stash[_KEPT] = frozenset(
            (identity, device) for identity, device in config.workerinput.get(_KEPT_IDS, ())
        )


def _refuse_results(folder: Optional[Path], *, record: bool) -> None:
    """Stop a run that would extend no record, or replace the committed one."""
    if record and folder is None:
        raise pytest.UsageError("--record extends the record in a folder; add --results=DIR")
    if folder is not None and not record and folder.resolve() == recorded_folder().resolve():
        raise pytest.UsageError(
            f"--results={folder} has the committed results; add --record to extend them, or give another folder"
        )


def _expectations(config: pytest.Config) -> Optional[Expectations]:
    """Return what is expected to fail; None where nobody said it, or where it is to be written down."""
    if _EXPECTED not in config.stash:
        path, accepts = config.getoption("--expected"), config.getoption("--accept")
        if path is None and accepts:
            raise pytest.UsageError("--accept writes a file; add --expected=FILE")
        try:
            if accepts:
                writable_folder(str(path.absolute().parent))
            # Also where it is to be written: a mistake in it must not show when everything is measured.
            known = None if path is None or (accepts and not path.exists()) else read_expectations(path)
        except (UnusableExpectations, argparse.ArgumentTypeError) as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[_EXPECTED] = None if accepts else known
    return config.stash[_EXPECTED]


def _supervisor(config: pytest.Config) -> Supervisor:
    if _SUPERVISOR not in config.stash:
        config.stash[_SUPERVISOR] = Supervisor(
            examples=config.getoption("--examples"),
            seed=config.getoption("--seed"),
            time_limit=config.getoption("--time-limit"),
            memory_limit=int(config.getoption("--memory-limit") * 2**30),
            devices=config.getoption("--device") or (),
            imports=config.getoption("imports") or (),
            variables=UNFILLED if config.getoption("--timings") else {},
        )
    return config.stash[_SUPERVISOR]


def _environments(config: pytest.Config) -> dict[Device, Environment]:
    """Return what is measured, by device; a torch that does not import or lacks a device is a wrong call."""
    try:
        supervisor = _supervisor(config)
        environments = supervisor.environments
    except TorchUnusable as error:
        raise pytest.UsageError(str(error)) from None
    for device, why in supervisor.absent.items():
        raise pytest.UsageError(f"--device {device}: this torch finds only {', '.join(supervisor.found)}: {why}")
    return dict(environments)


def _tally(config: pytest.Config) -> Tally:
    """Return what collects the outcomes, in the process where the reports of all others arrive."""
    if _TALLY not in config.stash:
        folder = config.getoption("--results")
        asked = read_ahead(config) or (None if folder is None else _asked(config))
        config.stash[_TALLY] = Tally(
            folder,
            timed=config.getoption("--timings"),
            settings=Settings(config.getoption("--examples"), config.getoption("--seed")),
            resume=config.getoption("--resume"),
            again=config.getoption("--again"),
            record=config.getoption("--record"),
            accepts=config.getoption("--expected") if config.getoption("--accept") else None,
            expectations=_expectations(config),
            corpus=asked.corpus if asked else None,
            whole=asked is not None and asked.is_whole,
        )
        try:
            config.stash[_TALLY].refuse_to_lose_claims()
        except (OtherClaims, ResultError) as error:
            raise pytest.UsageError(str(error)) from None
    return config.stash[_TALLY]


def _asked(config: pytest.Config) -> ReadAhead:
    """Read the claims of the paths that pytest was called with; mistakes in them are a wrong call."""
    paths = list(dict.fromkeys(Path(argument.partition("::")[0]) for argument in config.args))
    corpus, problems = load_corpus(paths)
    if problems:
        raise pytest.UsageError("\n".join(map(str, problems)))
    return ReadAhead(corpus, whole=is_whole(paths))


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Optional[int]:
    """Let a run of the command have as many processes as there is work for; with 0, this one does it."""
    ahead = read_ahead(config)
    if ahead is None:
        return None
    kept = _kept(config)
    devices = len(_environments(config)) if kept else max(1, len(config.getoption("--device") or ()))
    processes = min(processors(), (devices * len(ahead.corpus.claims) - len(kept)) // _SHARE)
    return processes if processes > 1 else 0


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a process of pytest-xdist what the command has read, and what need not be measured."""
    _environments(node.config)  # each process would say that torch can't be used, and pytest-xdist hide it
    ahead = read_ahead(node.config)
    node.workerinput[_AHEAD] = ahead is not None and ahead.is_whole
    node.workerinput[_PASSES_OVER] = ahead is not None
    node.workerinput[_KEPT_IDS] = sorted(_kept(node.config))
    _end_worker(node.config)  # each process has its own


def _kept(config: pytest.Config) -> frozenset[tuple[str, str]]:
    """Return claims and devices that earlier runs have measured; the tally has them from then on."""
    if _KEPT not in config.stash:
        ahead, tally = read_ahead(config), _tally(config)
        records: list[ItemRecord] = []
        kept: set[tuple[str, str]] = set()
        if ahead is not None and not ahead.selects and tally.earlier is not None and not tally.earlier.is_empty:
            environments = _environments(config).values()
            records = kept_records(ahead.corpus.claims, environments, tally.earlier, _supervisor(config))
        expectations = _expectations(config)
        for record in records:
            if not review(expectations, record.claim, record.environment.device, record.entry):
                tally.keep(record)
                kept.add((record.claim, record.environment.device))
        config.stash[_KEPT] = frozenset(kept)
    return config.stash[_KEPT]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the worker process."""
    _end_worker(config)


def _end_worker(config: pytest.Config) -> None:
    if _SUPERVISOR in config.stash:
        config.stash[_SUPERVISOR].close()


def pytest_collection(session: pytest.Session) -> None:
    """Start the worker before anything is collected, so that a torch that does not import is told once."""
    config = session.config
    collects_elsewhere = getattr(config.option, "dist", "no") != "no" and not hasattr(config, "workerinput")
    if not collects_elsewhere:
        _environments(config)


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> Optional[bool]:
    """Pass over the folders that the command has named, since they can't be entered."""
    workerinput = getattr(config, "workerinput", {_PASSES_OVER: read_ahead(config) is not None})
    return True if workerinput[_PASSES_OVER] and not can_enter(collection_path) else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Optional[pytest.Collector]:
    """Take the files that the command has read, else each file of claims below the paths asked for."""
    ahead = read_ahead(parent.config)
    if is_spec_file(file_path) if ahead is None else ahead.claims(file_path) is not None:
        collector: pytest.Collector = SpecFile.from_parent(parent, path=file_path)
        return collector
    return None


class SpecFile(pytest.File):
    """One spec file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each claim on each device."""
        claims = self._claims()
        kept = _kept(self.config)
        for device in self._devices():
            for claim in claims:
                if (claim.id, device) in kept or (self.config.getoption("--timings") and not claim.is_timed):
                    continue
                yield ClaimItem.from_parent(self, name=f"{claim.id}[{device}]", claim=claim, device=device)

    def _claims(self) -> list[Claim]:
        ahead = read_ahead(self.config)
        known = ahead.claims(self.path) if ahead is not None else None
        if known is not None:
            return known
        sources = _sources(self.path.parent, self.config.rootpath)
        claims, problems = load_file(self.path, sources, default_root())
        if problems:
            raise BadSpec("\n".join(map(str, problems)))
        return claims

    def _devices(self) -> list[Device]:
        return list(_environments(self.config))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the mistakes of a spec file without a traceback."""
        if isinstance(excinfo.value, BadSpec):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class ClaimItem(pytest.Item):
    """One claim on one device."""

    def __init__(self, *, name: str, parent: pytest.Collector, claim: Claim, device: Device, **arguments: Any) -> None:
        # pytest 9 takes what stands in brackets out of an id that it reads, so the id must be read here too, or --lf is
        # lost.
        # A file that is neither below the root nor in a folder that was asked for has no id of its own.
        super().__init__(name, parent, nodeid=f"{parent.nodeid or parent.path}::{name}", **arguments)
        self.claim = claim
        self.device = device

    def runtest(self) -> None:
        """Judge the claim."""
        timings = self.config.getoption("--timings")
        if self.claim.is_timed and not timings:
            pytest.skip("a timing claim")
        supervisor, expectations = _supervisor(self.config), _expectations(self.config)
        outcome = supervisor.judge(self.claim, self.device)
        record = ItemRecord(
            self.claim.id,
            replace(supervisor.environments[self.device], processor=processor() if timings else None),
            outcome.entry,
            void=supervisor.void(self.device),
            influenced=outcome.influenced,
            unsure=outcome.unsure,
            written=self.claim.entry,
            review=review(expectations, self.claim.id, self.device, outcome.entry),
        )
        self.user_properties.append((_PROPERTY, to_line(encode(record))))
        if record.fails:
            expected = expected_of(expectations, self.claim.id, self.device, outcome.entry)
            raise ClaimFailed(record, self.claim, outcome, expected)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Tell what was promised, by whom, what happened, and how to see it."""
        if isinstance(excinfo.value, ClaimFailed):
            return excinfo.value.text
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, Optional[int], str]:
        """Point at the claim's line in the spec."""
        # Not the end of the node's id: pytest would print that with :: in place of each full stop.
        return self.path, self.claim.place.line - 1, f"{self.claim.id} on {self.device}"


@cache
def _sources(folder: Path, top: Path) -> SourceList:
    """Join the corpus's list of sources with those that stand between a folder and the root of the session."""
    problems = Problems()
    sources = SourceList()
    above = [place for place in (folder, *folder.parents) if place == top or top in place.parents]
    for path in dict.fromkeys(place.resolve() / FILE_NAME for place in (default_root(), *above)):
        if path.is_file():
            sources = sources.joined(read_sources(path, problems))
    return sources


def pytest_report_teststatus(report: pytest.TestReport) -> Any:
    """Count by verdict."""
    record = _record(report)
    if report.when != "call" or record is None:
        return None
    verdict = "failed" if record.fails else record.review or record.entry.verdict
    # pytest prints the text of what it counts as failed
    shown = record.review or record.entry.verdict
    return verdict, "F" if record.fails else {**_MARKS, **_REVIEWS}.get(shown, "f"), shown.upper()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Keep the tally where the reports of all processes arrive."""
    if hasattr(session.config, "workerinput") or not session.config.getoption("numprocesses", None):
        _supervisor(session.config).prepare()  # torch is imported while the specs are read
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(_TallyKeeper(_tally(session.config), session), "conformance-tally")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """Say before a run what of a stopped one it can't continue, and of the whole corpus, what it is about to do."""
    config = session.config
    ahead = read_ahead(config)
    if ahead is None or ahead.selects or hasattr(config, "workerinput"):
        return
    environments, earlier = _environments(config), _tally(config).earlier
    for told in earlier.not_resumed(environments.values()) if earlier is not None else ():
        config.get_terminal_writer().line(f"\n{printable(told)}")
    if not ahead.is_whole:
        return
    timed = config.getoption("--timings")
    claims = sum(claim.is_timed == timed for claim in ahead.corpus.claims) * len(environments) - len(_kept(config))
    if claims > 0 and config.get_verbosity() >= 0:
        torch = next(iter(environments.values()))
        letters = ", ".join(f"{mark} {verdict}" for verdict, mark in _MARKS.items())
        where = f"torch {torch.torch} ({torch.build}) on {', '.join(environments)}"
        config.get_terminal_writer().line(f"\n{count_of(claims, 'claim')} to measure on {where}: {letters}")


class _TallyKeeper:
    """Feeds reports to the tally, shows it at the end, and brings a run that is asked to end to its end."""

    def __init__(self, tally: Tally, session: pytest.Session) -> None:
        self._tally = tally
        self._signals = EndSignals().__enter__()
        self._session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._signals.check()
        record = _record(report) if report.when == "call" else None
        if record is not None:
            self._tally.add(report.nodeid, record, report.duration)
        elif report.failed:
            self._tally.add_unjudged(report.nodeid, report.longreprtext)
        elif report.skipped:
            self._tally.leave_out_timed()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tally.add_unjudged(report.nodeid, report.longreprtext)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        self._signals.finish()
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and self._tally.counts():
            session.exitstatus = pytest.ExitCode.OK  # all was measured before
        stopped = session.shouldstop or session.shouldfail or exitstatus == pytest.ExitCode.INTERRUPTED
        written = self._tally.finish(stopped=bool(stopped))
        if not written:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        elif self._tally.unexplained and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        lines = self._tally.summary()
        if lines:
            terminalreporter.section("conformance")
            for line in lines:
                terminalreporter.write_line(line)
        if counts := self._tally.counts():
            _put_first(counts, terminalreporter)

    def pytest_unconfigure(self) -> None:
        self._signals.__exit__()
        self._session.exitstatus = self._signals.status(self._session.exitstatus)


def _put_first(counts: str, reporter: pytest.TerminalReporter) -> None:
    """Let the last line of pytest, which counts items by verdict, begin with how many claims and entries they are."""
    build = reporter.build_summary_stats_line

    def with_counts() -> tuple[list[tuple[str, dict[str, bool]]], str]:
        parts, colour = build()
        return [(counts, {"bold": True}), *parts], colour

    reporter.build_summary_stats_line = with_counts  # type: ignore[method-assign]


def _record(report: Any) -> Optional[ItemRecord]:
    for name, value in getattr(report, "user_properties", []):
        if name == _PROPERTY:
            return decode(ItemRecord, json.loads(value))
    return None
