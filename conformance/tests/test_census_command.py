"""``conformance census`` and ``check`` on a small corpus, with made-up docstrings in the place of torch's."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.__main__ import main
from conformance.base.json_files import ResultError
from conformance.lab.census.objects import PublicObject
from conformance.lab.census.record import Score, load_record, newest_record
from conformance.language.sentences import sentence_hash

VIEW = "The result is a view of its input."
COPY = "It makes a copy of the data where there is rust."
RAISES = "Frobbing a rusty tensor raises."
SPEC = """\
subject: torch.frob
claims:
  - id: is-a-view
    title: The result is a view
    family: sharing
    sources: [{docs: torch.frob, key: is a view of, says: states}]
    given: {x: tensor()}
    do: y = x.detach()
    expect: shares_storage(y, x)
"""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    objects = [PublicObject("torch.frob", (), f"{VIEW} {COPY}"), PublicObject("torch.Tensor.frob", (), RAISES)]
    monkeypatch.setattr("conformance.lab.census.objects.public_objects", lambda: objects)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "spec"
    (root / "torch").mkdir(parents=True)
    (root / "census").mkdir()
    (root / "sources.yaml").write_text(
        "docs: {base: 'https://x.org/{object}'}\nnotes: {frobs: {title: F, url: 'https://x.org'}}\n"
    )
    (root / "torch" / "frob.yaml").write_text(SPEC)
    judged: dict[str, Any] = {"tuning": False, "strata": {"flagged": 4}, "sentences": []}
    judged["sentences"] = [
        ["torch.frob", sentence_hash(VIEW), "flagged", ["sharing"]],
        ["torch.frob", sentence_hash(COPY), "flagged", []],
    ]
    (root / "census" / "judged.json").write_text(json.dumps({"torch": "0", "samples": [judged]}))
    return root


def run(corpus: Path, *arguments: str) -> int:
    return main(["census", "--corpus", str(corpus), *arguments])


def test_it_tells_coverage_and_what_is_left(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(corpus) == 0
    told = capsys.readouterr().out
    assert "2 documented objects, 3 sentences" in told
    assert f"torch.frob {sentence_hash(COPY)} [sharing] todo (new)\n    {COPY}" in told
    assert VIEW not in told
    assert "3 sentences, 1 settled, 2 to do" in told


def test_a_selection_and_every_sentence(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(corpus, "--all", "--module", "torch", "--family", "sharing") == 0
    told = capsys.readouterr().out
    assert f"torch.frob {sentence_hash(VIEW)} [sharing] encoded (new)\n    torch.frob/is-a-view\n    {VIEW}" in told
    assert RAISES not in told


def test_an_unknown_module_is_told(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(corpus, "--module", "torch", "--module", "torhc") == 2
    assert "--module torhc: nothing documented was read under this name; did you mean torch?" in capsys.readouterr().err


def test_strict_fails_while_a_sentence_is_to_do(corpus: Path) -> None:
    assert run(corpus, "--strict") == 1
    for name, sentence in (("torch", COPY), ("torch.Tensor", RAISES)):
        text = f"{name}.frob:\n  '{sentence_hash(sentence)}': {{untestable: Nothing rusts.}}\n"
        (corpus / "census" / f"{name}.yaml").write_text(text)
    assert run(corpus, "--strict") == 0


def test_labels_of_another_form_are_refused(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = corpus / "census" / "labels.json"
    file.write_text(json.dumps({"labels": {sentence_hash(COPY): ["sharing"], sentence_hash(VIEW): ["sharnig"]}}))
    assert run(corpus) == 2
    assert f"{file}: " in (message := capsys.readouterr().err)
    assert "sharnig" in message


def test_writing_makes_new_sentences_known(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(corpus, "--write") == 0
    told = capsys.readouterr().out
    assert "(new)" not in told.partition("to do, most important")[2]
    assert sentence_hash(VIEW) in (corpus / "census" / "read.json").read_text()
    assert "torch.frob/is-a-view" not in (corpus / "census" / "read.json").read_text()


def test_check_reads_the_decisions(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = corpus / "census" / "torch.yaml"
    file.write_text(f"torch.frob:\n  '{sentence_hash(COPY)}': no-claim\n")
    assert run(corpus, "--write") == 0
    assert main(["check", str(corpus)]) == 0
    file.write_text(file.read_text().replace("no-claim", "todo"))
    assert main(["check", str(corpus)]) == 2
    assert "EC01 unknown-decision: 'todo' is no decision" in capsys.readouterr().out


def test_a_page_is_read_once_and_known_afterwards(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "frobs.rst"
    page.write_text("Frobs\n=====\n\nA frob is blue. No frob is green.\n")
    assert run(corpus, "--page", f"notes/frobs={page}", "--write") == 0
    capsys.readouterr()
    assert run(corpus, "--family", "leaf") == 0
    assert run(corpus, "--module", "notes/frobs") == 0
    assert "notes/frobs" in capsys.readouterr().out
    assert run(corpus, "--page", "notes/frobs") == 2
    assert run(corpus, "--page", "notes/frobs=no-such-file.rst") == 2


def test_the_numbers_are_recorded_without_a_sentence(corpus: Path, tmp_path: Path) -> None:
    assert run(corpus, "--results", str(tmp_path / "results")) == 0
    (path,) = (tmp_path / "results" / "census").glob("torch-*.json")
    assert VIEW not in path.read_text()
    record = load_record(path)
    assert (record.objects, record.sentences, record.stating, record.claims) == (2, 3, 2, 3)
    assert record.modules["torch"]["sharing"] == {"encoded": 1, "no-claim": 0, "untestable": 0, "todo": 1}
    assert record.rules["sharing"] == Score(0.5, 1.0)
    assert newest_record(tmp_path / "results") == record
    path.write_text('{"schema": 1}')
    with pytest.raises(ResultError, match="'torch' is missing"):
        load_record(path)


def test_without_torch_it_says_so(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run(corpus) == 2
    assert "torch is not installed here" in capsys.readouterr().err
