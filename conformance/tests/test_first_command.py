"""``nox -s conformance`` in a clone: it measures, compares with what is committed, and changes nothing of that."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from conformance.tests.small_checkout import ROOT, make_checkout, printed_by, run

PAGES = "building the pages from docs/results, about"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkout whose committed results another machine measured, one of them altered by hand."""
    clone = make_checkout(tmp_path_factory.mktemp("clone"))
    shutil.copy(ROOT / "noxfile.py", clone)
    ran = run(clone, clone / "docs" / "results", "--record", variables={"XDG_STATE_HOME": str(clone / "other")})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    committed = committed_file(clone)
    content = committed.read_bytes()
    committed.write_bytes(content.replace(b'"verdict":"holds"', b'"verdict":"absent"', 1))
    builder = clone / "bin" / "sphinx-build"
    builder.parent.mkdir()
    builder.write_text("#!/bin/sh\necho the pages are built\n")
    builder.chmod(0o755)
    return clone


def committed_file(clone: Path) -> Path:
    [path] = (clone / "docs" / "results").glob("torch-*.jsonl")
    return path


def first_command(clone: Path, *more: str) -> str:
    """Run the session in the environment of the tests, where nothing need be installed."""
    path = os.pathsep.join([str(clone / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    session = ("--no-venv", "--no-install", "-s", "conformance", "--", "-n0")
    return printed_by(clone, "nox", *session, *more, PATH=path)


def test_a_clone_is_measured_and_compared(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed = committed_file(clone).read_bytes()
    printed = first_command(clone)
    steps = [
        "12 claims to measure on torch ",
        ": . holds, d diverges, u unspecified, a absent, n inapplicable",
        "[100%]",
        "  12 measured here, 0 kept\n",
        "  1 of 12 differs from what is recorded for torch ",
        ": recorded as absent, holds here\n",
        "every verdict is as expected",
        f"result file: measured/{committed_file(clone).name}\n",
        PAGES,
        "the pages are built",
    ]
    places = [printed.find(step) for step in steps]
    assert -1 not in places, printed
    assert places == sorted(places), printed
    assert committed_file(clone).read_bytes() == committed
    assert "  0 measured here, 12 kept from earlier runs on this machine; --again measures all\n" in first_command(
        clone
    )
    # A clone that is copied to another machine with all its files is another clone.
    copied = shutil.copytree(clone, clone.parent / "copied")
    monkeypatch.setenv("XDG_STATE_HOME", str(clone / "third"))
    assert "  12 measured here, 0 kept\n" in first_command(copied)


def test_pages_can_be_left_out(clone: Path) -> None:
    printed = first_command(clone, "--no-pages", "-k", "never-requires-grad")
    assert PAGES not in printed
    assert "the pages are built" not in printed


def test_the_committed_results_are_extended_on_request(clone: Path) -> None:
    altered = committed_file(clone).read_bytes()
    kept = first_command(clone, "--record", "--no-pages")
    assert "  0 measured here, 12 kept from this record, whatever machine measured them; --again measures all\n" in kept
    assert committed_file(clone).read_bytes() == altered
    first_command(clone, "--record", "--no-pages", "--again")
    assert committed_file(clone).read_bytes() == altered.replace(b'"verdict":"absent"', b'"verdict":"holds"')
