"""What release notes say of an entry is told with it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.language.model import Place
from conformance.language.release_notes import Measures, ReleaseNote, ReleaseNotes
from conformance.upgrade.formats import json_report
from conformance.upgrade.model import Report, ReportEntry
from conformance.upgrade.release_notes import with_notes
from conformance.upgrade.report import markdown_report, text_report


def notes(release: str, title: str, measures: Measures) -> ReleaseNotes:
    note = ReleaseNote("a-note", title, "breaking", "states", release, "2.0", False, Place("a.yaml", 1, 1), measures)
    return ReleaseNotes(release, "full", (note,))


def gone(name: str) -> ReportEntry:
    return ReportEntry(f"{name}:gone", "breaks", "gone", f"{name} is gone", "there", "gone", "since 2.0", subject=name)


OF_A = Measures(gone=("torch.a",))
REPORT = Report("1.13.1", "2.1.2", entries=(gone("torch.a"), gone("torch.b")))


def test_every_format_tells_the_notes_of_a_name() -> None:
    found = with_notes(REPORT, [notes("2.0.0", "`torch.a` <only> raises", OF_A)])
    assert text_report(found, everything=True).count("notes    of 2.0, breaking: `torch.a` <only> raises") == 1
    assert "of 2.0, breaking: \\`torch.a\\` \\<only\\> raises" in markdown_report(found, everything=True)
    first, second = json.loads(json_report(found))["entries"]
    title = "`torch.a` <only> raises"
    assert first["release_notes"] == [{"release": "2.0.0", "section": "breaking", "id": "a-note", "title": title}]
    assert second["release_notes"] == []


@pytest.mark.parametrize(("release", "told"), [("1.13.0", False), ("1.8.0", False), ("2.1.0", True), ("2.2.0", False)])
def test_only_releases_after_the_old_one_up_to_the_new_one_count(release: str, told: bool) -> None:
    assert bool(with_notes(REPORT, [notes(release, "A title", OF_A)]).entries[0].announced) is told


def test_the_notes_stand_in_the_order_of_the_releases() -> None:
    older, newer = notes("2.9.0", "One", OF_A), notes("2.10.0", "Another", OF_A)
    found = with_notes(replace(REPORT, new="2.11.0"), [newer, older])
    assert [one.release for one in found.entries[0].announced] == ["2.9.0", "2.10.0"]


def test_a_plan_is_told_as_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "code.py").write_text("import torch\ntorch.ao.quantization.quantize_dynamic(m)\n")
    main(["upgrade", "2.7", "2.15", "--uses", str(tmp_path)])
    printed = capsys.readouterr().out
    assert "deprecation: was announced for 2.10: Functions of torch.ao.quantization are gone in 2.10\n" in printed
    assert "deprecation: Functions of torch.ao.quantization are deprecated\n" in printed


def test_the_command_tells_the_recorded_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "code.py").write_text("import torch\ntorch.cholesky(torch.eye(2))\n")
    main(["upgrade", "2.13", "2.14", "--uses", str(tmp_path)])
    assert "notes    of 2.14, breaking: `torch.cholesky` only raises" in capsys.readouterr().out
