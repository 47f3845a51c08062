"""What ``show`` says of the changes of releases."""

from __future__ import annotations

import pytest

from conformance.__main__ import main


def test_a_name_has_the_changes_that_people_wrote_first(capsys: pytest.CaptureFixture[str]) -> None:
    main(["show", "torch.load"])
    lines = capsys.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("  changed "))
    assert "[2.11/load-warns-of-pickle-options]" in lines[first]
    assert lines[first + 1].strip() == "2.6 torch.load refuses arbitrary classes by default [2.6/load-weights-only]"


def test_an_id_that_two_releases_have_is_shown_with_its_release(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "2.14/qr-only-raises"]) == 0
    assert capsys.readouterr().out.startswith("torch 2.14 breaks code: torch.qr only raises\n")
