"""Files of release notes: what they say, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.language.corpus import load_corpus, spec_files
from conformance.language.problems import Problems
from conformance.language.release_notes import (
    Argument,
    CallAspect,
    Measurable,
    ReleaseNotes,
    check_measured,
)
from conformance.names.signatures import CHANGES
from conformance.upgrade.measurable_notes import check_notes

SOURCES = "releases:\n  '2.0.0': {title: Notes, url: https://example.org/2.0}\n"
HEAD = "release: '2.0.0'\nread: full\nnotes:\n"
NOTE = "  - id: cholesky-only-raises\n    title: '`torch.cholesky` only raises'\n    section: breaking\n"


def written(folder: Path, text: str, name: str = "2.0.yaml") -> Path:
    (folder / "releases").mkdir(exist_ok=True)
    (folder / "sources.yaml").write_text(SOURCES)
    path = folder / "releases" / name
    path.write_text(text)
    return path


def read(folder: Path, text: str) -> ReleaseNotes:
    corpus, problems = load_corpus([written(folder, text)], folder)
    assert not problems, problems[0]
    return corpus.notes[0]


def told(folder: Path, text: str, name: str = "2.0.yaml") -> list[str]:
    problems = load_corpus([written(folder, text, name)], folder)[1]
    return [f"{one.place.line} {one.code} {one.message}" for one in problems]


def test_a_note_gives_names_arguments_defaults_calls_and_a_release(tmp_path: Path) -> None:
    about = (
        "    by: '2.4'\n    gone: [torch.cholesky]\n    new: [torch.linalg.cholesky]\n    deprecated: [torch.qr]\n"
        "    arguments: {torch.onnx.export: {aten: removed}}\n    defaults: {torch.load: {weights_only: 'True'}}\n"
        "    calls: [{subject: torch.cat, call: 'torch.cat([])', aspect: error}]\n"
    )
    notes = read(tmp_path, HEAD + NOTE + about)
    assert (notes.release, notes.read) == ("2.0.0", "full")
    note = notes.notes[0]
    assert (note.by, note.section, note.says, note.unread) == ("2.4", "breaking", "states", False)
    assert note.measures.gone == ("torch.cholesky",)
    assert note.measures.arguments == (
        Argument("torch.onnx.export", "aten", "removed"),
        Argument("torch.load", "weights_only", "default", "True"),
    )
    assert note.measures.calls == (CallAspect("torch.cat", "torch.cat([])", "error"),)
    assert note.measures.names == (
        *("torch.cholesky", "torch.linalg.cholesky", "torch.qr", "torch.onnx.export", "torch.load", "torch.cat"),
    )


def test_a_note_is_for_its_own_release_if_it_gives_no_other(tmp_path: Path) -> None:
    assert read(tmp_path, HEAD + NOTE + "    untested: It needs CUDA.\n").notes[0].by == "2.0"


def test_files_of_release_notes_hold_no_claims(tmp_path: Path) -> None:
    written(tmp_path, HEAD + NOTE + "    untested: It needs CUDA.\n")
    assert spec_files(tmp_path) == []


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        (HEAD.replace("2.0.0", "2.1.0") + NOTE + "    gone: [torch.qr]\n", "2.1.yaml", "1 E402 '2.1.0' is no release"),
        (HEAD + NOTE + "    gone: [torch.qr]\n", "2.1.yaml", "1 E106 the notes of 2.0.0 belong into releases/2.0.yaml"),
        (HEAD + NOTE + "    gone: [Tensor.qr]\n", "2.0.yaml", "7 E304 'Tensor.qr' is no name in torch"),
        (HEAD + NOTE + "    by: soon\n    gone: [torch.qr]\n", "2.0.yaml", "7 E402 'soon' is no minor release"),
        (HEAD + 2 * (NOTE + "    gone: [torch.qr]\n"), "2.0.yaml", "8 E302 the note 'cholesky-only-raises' stands at"),
        (HEAD + NOTE + "    arguments: {torch.f: {a: renamed}}\n", "2.0.yaml", "7 E104 what happens to 'a'"),
        (HEAD + NOTE + "    went: [torch.qr]\n", "2.0.yaml", "7 E101 a note has no key 'went'"),
    ],
)
def test_mistakes_are_told_where_they_are(tmp_path: Path, text: str, name: str, expected: str) -> None:
    assert any(line.startswith(expected) for line in told(tmp_path, text, name)), told(tmp_path, text, name)


def test_names_calls_and_aspects_must_be_known(tmp_path: Path) -> None:
    calls = "    calls: [{subject: torch.cat, call: torch.cat(1), aspect: colour}]\n"
    notes = read(tmp_path, HEAD + NOTE + "    gone: [torch.choleski]\n" + calls)
    known = Measurable(lambda name: name == "torch.cat", lambda name, call: call == "torch.cat([])", ("error", "dtype"))
    problems = Problems()
    check_measured([notes], known, problems)
    assert [one.code for one in problems.sorted()] == ["E409"]
    assert "torch.choleski" in problems.sorted()[0].message


def test_the_recorded_names_and_calls_decide(tmp_path: Path) -> None:
    known = "    calls: [{subject: torch.cat, call: 'torch.cat([])', aspect: error}]\n    gone: [torch.cholesky]\n"
    assert check_notes([read(tmp_path, HEAD + NOTE + known)]) == []
    other = known.replace("torch.cat([])", "torch.cat({})")
    problems = check_notes([read(tmp_path, HEAD + NOTE + other)])
    assert ["on no recorded release was 'torch.cat({})' of torch.cat tried" in one.message for one in problems] == [
        True
    ]


def test_what_happens_to_arguments_is_told_in_the_words_of_the_names() -> None:
    from conformance.language.forms import ARGUMENT_CHANGES

    assert set(ARGUMENT_CHANGES) <= set(CHANGES)


def test_check_tells_a_misspelt_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, HEAD + NOTE + "    gone: [torch.choleski]\n")
    assert main(["check", str(path)]) == 2
    assert (
        "2.0.yaml:4:5 E409 unknown-measure: no recorded release has the name 'torch.choleski'"
        in capsys.readouterr().out
    )
