"""A mutation run leaves out the claims that a record has as they are."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from conformance.__main__ import main
from conformance.lab.impostors.outcome import Greeting, MutationOutcome, Options, Part, Request
from conformance.lab.impostors.record import load_record
from conformance.language.model import Claim
from conformance.results.model import Environment

CORPUS = """
subject: torch.clone
claims:
- id: equal
  title: The result is equal to its source
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  given: {x: tensor()}
  do: y = torch.clone(x)
  expect: equal(y, x)
- id: independent
  title: The result is independent of its source
  family: sharing
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  given: {x: tensor()}
  do: y = torch.clone(x)
  expect: independent(y, x)
"""


# It survives, and is retried at the end.
SURVIVOR = """
- id: has-dimensions
  title: The result has dimensions
  family: values
  sources: [{docs: torch.clone, key: Returns a copy, says: states}]
  given: {x: 'tensor(ndim=1, dtype=[torch.float32], layout="contiguous", state="plain")'}
  do: y = torch.clone(x)
  expect: y.ndim * 0 == 0
"""


class _FewOperators:
    """A pool that runs nothing: one operator kills all it is given."""

    given: ClassVar[list[str]] = []

    def __init__(self, processes: int, options: Options) -> None:
        del self.given[:]

    def greeting(self) -> Greeting:
        here = Environment("2.13.0", "cpu", "3.11", "2.4.6", "cpu", "linux", "x86_64")
        return Greeting(here, {"view-becomes-copy": "A view is a copy"})

    def run(self, requests: Iterable[Request], tell: object) -> Iterator[tuple[Claim, MutationOutcome]]:
        part = Part("expect[0]", "True", "claims.yaml:1:1")
        killed = MutationOutcome("judged", (part,), {part.name: ("view-becomes-copy",)})
        for request in requests:
            self.given.append(request.claim.id)
            yield request.claim, killed

    def close(self) -> None:
        """Nothing to close."""


def test_claims_of_the_record_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spec").mkdir()
    file = tmp_path / "spec" / "claims.yaml"
    file.write_text(CORPUS, encoding="utf-8")
    monkeypatch.setattr("conformance.lab.impostors.command.WorkerPool", _FewOperators)
    monkeypatch.setattr("conformance.lab.impostors.command.default_root", lambda: tmp_path / "spec")
    everything = ["torch.clone/equal", "torch.clone/independent"]
    run = ["impostors", "--results", str(tmp_path)]
    main(run)
    assert _FewOperators.given == everything
    [path] = (tmp_path / "impostors").iterdir()
    whole = path.read_bytes()
    main(run)
    assert _FewOperators.given == []
    assert f"{len(everything)} claims are as they were" in capsys.readouterr().out
    assert path.read_bytes() == whole
    main([*run, "--again"])
    assert _FewOperators.given == everything
    file.write_text(CORPUS.replace("torch.clone(x)", "torch.clone(x).clone()", 1), encoding="utf-8")
    main(run)
    assert _FewOperators.given == everything[:1]
    file.write_text(CORPUS, encoding="utf-8")
    path.write_bytes(whole.replace(b"view-becomes-copy", b"an-operator-that-went"))
    main(run)
    assert _FewOperators.given == everything


def test_only_new_operators_run_on_claims_of_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "claims.yaml").write_text(CORPUS, encoding="utf-8")
    monkeypatch.setattr("conformance.lab.impostors.command.default_root", lambda: tmp_path / "spec")
    run = ["impostors", "--results", str(tmp_path), "-n", "1"]
    main(run)
    [path] = (tmp_path / "impostors").iterdir()
    whole = json.loads(path.read_text(encoding="utf-8"))
    del whole["impostors"]["elements-change-places"]
    for entry in whole["claims"].values():
        entry["killers"] = ["view-becomes-copy"]
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert main(run) == 0
    assert "only the new impostors ran on them" in capsys.readouterr().out
    found = load_record(path)
    assert "elements-change-places" in found.impostors
    assert found.claims["torch.clone/equal"].killers == ("view-becomes-copy", "elements-change-places")


def test_a_stopped_run_keeps_what_it_found_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec" / "claims.yaml").write_text(CORPUS + SURVIVOR, encoding="utf-8")
    monkeypatch.setattr("conformance.lab.impostors.command.default_root", lambda: tmp_path / "spec")

    def run(folder: str, stop_at: str) -> int:
        def tell(text: str) -> None:
            if text.strip() == stop_at:
                os.kill(os.getpid(), signal.SIGTERM)

        monkeypatch.setattr("conformance.lab.impostors.command._tell", tell)
        return main(["impostors", "--results", str(tmp_path / folder), "-n", "1"])

    assert run("stopped", "2 of 3 claims") == 143
    assert "the record has what was found for 1 of 3 claims" in capsys.readouterr().err
    [path] = (tmp_path / "stopped" / "impostors").iterdir()
    assert list(load_record(path).claims) == ["torch.clone/equal"]
    assert run("stopped", "never") == 1
    assert "1 claims are as they were" in capsys.readouterr().out
    assert run("whole", "never") == 1
    assert path.read_bytes() == (tmp_path / "whole" / "impostors" / path.name).read_bytes()
