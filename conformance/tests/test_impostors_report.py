"""What a run over a corpus reports and records, whatever becomes of its processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.base.json_files import ResultError
from conformance.lab.impostors.outcome import Attempt, Greeting, MutationOutcome, Options, Request
from conformance.lab.impostors.pool import WorkerPool
from conformance.lab.impostors.record import load_record, save_record
from conformance.lab.impostors.report import Report
from conformance.language.corpus import Corpus
from conformance.tests.small_campaigns import THREE_CLAIMS, corpus_of, greeting_for, record_of, run, survivors


def report_of(corpus: Corpus) -> Report:
    outcomes = {claim.id: run(claim) for claim in corpus.claims}
    return Report(corpus, outcomes, greeting_for(outcomes).operators, whole=True)


def test_the_report_tells_survivors_excuses_and_stale_excuses(tmp_path: Path) -> None:
    report = report_of(corpus_of(tmp_path, THREE_CLAIMS))
    text = "\n".join(report.lines())
    assert report.failed
    assert [claim.slug for claim, _ in report.survivors] == ["vacuous"]
    assert "claims.yaml:10:29 torch.clone/vacuous: no impostor kills expect[1]: y is not None" in text
    assert "torch.clone/excused: an object is always itself" in text
    assert "torch.clone/stale: remove 'unkillable'" in text
    assert "1 of 3 claims killed, 2 of 4 assertions" in text
    assert "1 survive for a reason that the spec gives" in text


def test_the_report_tells_inputs_without_influence(tmp_path: Path) -> None:
    claim = """
    - id: {id}
      title: The result has the shape of its input
      family: values
      sources: [{{docs: torch.clone, key: Returns a copy, says: states}}]
      given: {{x: tensor(), flag: boolean()}}
      {regardless}
      do: y = torch.clone(x) if flag else torch.clone(x)
      expect: y.shape == x.shape
    """
    said = {"idle": "", "said": "regardless: flag", "wrong": "regardless: [x, flag]"}
    report = report_of(corpus_of(tmp_path, "".join(claim.format(id=id, regardless=text) for id, text in said.items())))
    told = [line.partition("torch.clone/")[2] for line in report.lines() if "torch.clone/" in line]
    assert report.failed
    assert told == [
        "idle: input flag changes nothing that is looked at; look at more, draw no flag, or add 'regardless: flag' if"
        " the claim says that it makes no difference",
        "wrong: remove x from 'regardless': it changes what is looked at",
    ]


def test_a_run_without_survivors_succeeds(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    assert not report_of(corpus).failed


def test_the_report_of_a_whole_run_tells_which_operators_it_would_not_miss(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0])
    (identity,) = (claim.id for claim in corpus.claims)
    killed_by = {"expect[0]": ("first", "second"), "expect[1]": ("third",)}
    outcome = MutationOutcome("judged", (), killed_by, detected_by_error=("fourth", "third"))
    names = ["first", "second", "third", "fourth", "fifth"]
    lines = Report(corpus, {identity: outcome}, names, whole=True).lines()
    assert "\nimpostors that kill nothing: fifth" in lines
    assert "\nimpostors that only make programs raise: fourth" in lines
    assert "\nimpostors that are no part's only killer: first, second" in lines
    assert not any("impostors that" in line for line in Report(corpus, {identity: outcome}, names, whole=False).lines())


def test_a_record_survives_being_written_and_read(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    outcomes = {claim.id: run(claim) for claim in corpus.claims}
    record = record_of(corpus, outcomes, greeting_for(outcomes))
    path = save_record(record, tmp_path / "impostors")
    assert load_record(path) == record
    assert list(load_record(path).impostors) == list(record.impostors)
    assert record.claims["torch.clone/vacuous"].standing == ("expect[1]",)
    again = save_record(record, tmp_path / "again")
    assert again.read_bytes() == path.read_bytes()


def test_the_recorded_run_can_be_read(tmp_path: Path) -> None:
    recorded = Path(__file__).parents[2] / "docs" / "results" / "impostors" / "torch-2.13.0-cpu.json"
    record = load_record(recorded)
    assert record.claims
    assert load_record(save_record(record, tmp_path)) == record


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 1}', '{"schema": 2, "claims": {}}', "{" * 100_000])
def test_a_file_that_is_no_record_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "torch-2.13.0-cpu.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"torch-2\.13"):
        load_record(path)


def test_the_command_tells_by_its_status_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus_of(tmp_path, THREE_CLAIMS)
    command = ["impostors", str(tmp_path / "claims.yaml"), "-n", "1"]
    assert main([*command, "-v"]) == 1
    assert "torch.clone/stale: " in capsys.readouterr().out
    assert main([*command, "-k", "excused"]) == 0
    assert "1 survive for a reason that the spec gives" in capsys.readouterr().out
    assert main([*command, "--only", "made-up"]) == 2
    assert "made-up" in capsys.readouterr().err
    assert main(["impostors", str(tmp_path / "missing.yaml")]) == 2
    capsys.readouterr()
    assert main([*command, "-k", "nothing like this"]) == 2
    assert "no claim has an id that contains 'nothing like this'" in capsys.readouterr().err


CRASHING = '''
import ctypes, signal, time
from conformance.lab.impostors.engine.registry import operator

@operator("values")
def crashes(call):
    """The process dies."""
    ctypes.string_at(0)

@operator("values")
def hangs(call):
    """The process can't be interrupted."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(60)

@operator("values")
def waits(call):
    """The program waits too long."""
    while True:
        time.sleep(0.01)
'''


def pooled(
    corpus: Corpus, processes: int = 1, *, added: tuple[Path, ...] = (), only: tuple[str, ...] = (), **options: Any
) -> tuple[Greeting, dict[str, MutationOutcome]]:
    pool = WorkerPool(processes, Options("cpu", tuple(map(str, added)), only), **options)
    try:
        outcomes = {claim.id: outcome for claim, outcome in pool.run(map(Request, corpus.claims))}
        return pool.greeting(), outcomes
    finally:
        pool.close()


def test_a_crash_or_a_hang_does_not_end_the_run(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(CRASHING, encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0])
    only = ("crashes", "hangs", "waits", "elements-are-zero")
    greeting, outcomes = pooled(corpus, added=(added,), only=only, attempt_limit=4)
    assert sorted(greeting.operators) == sorted(only)
    vacuous = outcomes["torch.clone/vacuous"]
    assert vacuous.killers == ["crashes", "elements-are-zero"]
    assert vacuous.died == (Attempt("crashes", "clone", "every"), Attempt("hangs", "clone", "every"))
    assert "waits" in vacuous.detected_by_error
    assert survivors(vacuous) == ["expect[1]"]


LATER = '''
import os, pathlib
from conformance.lab.impostors.engine.registry import operator

FIRST = pathlib.Path({path!r})

@operator("values")
def wrong_in_the_second_process(call):
    """The first process that asks gets the right result."""
    if not FIRST.exists():
        FIRST.write_text(str(os.getpid()))
    result = call.run()
    return result if FIRST.read_text() == str(os.getpid()) else result + 1
'''


def test_survivors_are_retried_once_in_another_process(tmp_path: Path) -> None:
    added = tmp_path / "added.py"
    added.write_text(LATER.format(path=str(tmp_path / "first")), encoding="utf-8")
    corpus = corpus_of(tmp_path, THREE_CLAIMS.partition("- id: excused")[0].replace(", y is not None", ""))
    _, outcomes = pooled(corpus, added=(added,), only=("wrong-in-the-second-process",))
    assert survivors(outcomes["torch.clone/vacuous"]) == []


def test_two_runs_give_the_same_record(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, THREE_CLAIMS)
    records: list[bytes] = []
    for processes in (1, 2):
        greeting, outcomes = pooled(corpus, processes)
        records.append(save_record(record_of(corpus, outcomes, greeting), tmp_path / str(processes)).read_bytes())
    assert records[0] == records[1]
