"""What has one cause is one entry for a person, at all its places."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.results.recorded import recorded_folder
from conformance.upgrade.folding import folded
from conformance.upgrade.model import AffectedPlace, ReportEntry
from conformance.usage import Evidence, Kind, Use


def place(line: int, evidence: Evidence = Evidence.CERTAIN) -> AffectedPlace:
    return AffectedPlace(Use(("torch.f",), "a.py", line, 1, Kind.CALL, evidence), evidence)


def deprecated(name: str, line: int, instead: str = "torch.g") -> ReportEntry:
    what = f"{name} is deprecated (each use warns)"
    entry = ReportEntry(f"{name}:deprecated", "warns", "deprecated", what, "no warning", f"{name} is old", "since 2.10")
    return replace(entry, instead=instead, subject=name, places=(place(line),))


def test_names_of_a_module_that_are_deprecated_together_are_one_entry() -> None:
    entries = [deprecated("torch.jit.trace", 5), deprecated("torch.f", 1), deprecated("torch.jit.load", 2, "torch.h")]
    found, other = folded(entries)
    assert other == entries[1]
    assert found.headline == "2 names of torch.jit are deprecated (each use warns): trace and load"
    assert [one.use.line for one in found.places] == [2, 5]
    assert found.instead == "torch.g or torch.h"


@pytest.mark.parametrize(
    "change",
    [
        {"when": "since 2.9"},
        {"severity": "breaks"},
        {"kind": "gone", "id": "torch.jit.load:gone"},
        {"places": (place(2, Evidence.MAYBE),)},
    ],
)
def test_what_differs_in_more_than_the_name_is_not_folded(change: dict[str, object]) -> None:
    entries = [deprecated("torch.jit.trace", 5), replace(deprecated("torch.jit.load", 2), **change)]  # type: ignore[arg-type]
    assert folded(entries) == tuple(entries)


@pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")
def test_names_that_somebody_wrote_of_together_are_one_entry_at_all_their_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.py"
    file.write_text("import torch\n" + 'torch.jit.load("a")\ntorch.jit.script(f)\n' * 10, encoding="utf-8")
    main(["upgrade", "2.9", "2.12", "--uses", str(file)])
    told = capsys.readouterr().out
    assert "torch.jit.script, trace, load and save are deprecated\n" in told
    assert f"at       20 places in 1 file: {file}:2, 3, 4, 5, 6, 7, 8, 9 and 12 more\n" in told
    main(["upgrade", "2.9", "2.12", "--uses", str(file), "--json"])
    printed = capsys.readouterr().out
    assert printed.count('"2.10/torchscript-is-deprecated"') == 1
