"""Entries that are left out, and what of the ignores matches nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.__main__ import main

RELEASES = ("1.12", "2.15")


def report(capsys: pytest.CaptureFixture[str], code: str, tmp_path: Path, *options: str) -> dict[str, object]:
    file = tmp_path / "code.py"
    file.write_text(code, encoding="utf-8")
    main(["upgrade", *RELEASES, "--uses", str(file), "--json", *options])
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def lines(document: dict[str, object], name: str) -> list[int]:
    entries = document["entries"]
    assert isinstance(entries, list)
    about = [entry for entry in entries if entry["severity"] == "breaks" and name in entry["what"]]
    return [use["line"] for entry in about for use in entry["uses"]]


@pytest.mark.parametrize(
    "call",
    [
        "y = torch.symeig(x)  # conformance: ignore[torch.symeig]",
        "y = torch.symeig(x)  # why not  # conformance:ignore[torch.qr, torch.symeig]",
        "y = torch.symeig(\n    x,\n)  # conformance: ignore[torch.symeig]",
        "y = (  # conformance: ignore[torch.symeig]\n    torch.symeig(x)\n)",
    ],
)
def test_a_comment_in_the_statement_leaves_its_place_out(
    call: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = report(capsys, f"import torch\nx = torch.eye(2)\n{call}\n", tmp_path)
    assert (lines(document, "torch.symeig"), document["ignored"]) == ([], 1)


@pytest.mark.parametrize(
    "call",
    [
        "y = torch.symeig(x)  # conformance: ignore[torch.qr]",
        "y = torch.symeig(x)  # conformance: ignore",
        "# conformance: ignore[torch.symeig]\ny = torch.symeig(x)",
        'y = torch.symeig(x), "# conformance: ignore[torch.symeig]"',
    ],
)
def test_another_comment_leaves_nothing_out(call: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = report(capsys, f"import torch\nx = torch.eye(2)\n{call}\n", tmp_path)
    assert len(lines(document, "torch.symeig")) == 1
    assert bool(document["unused_ignores"]) == ("# conf" in call and '"#' not in call)


def test_the_other_places_of_an_entry_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import torch\ntorch.symeig(1)  # conformance: ignore[torch.symeig]\ntorch.symeig(2)\n"
    document = report(capsys, code, tmp_path)
    assert (lines(document, "torch.symeig"), document["ignored"], document["unused_ignores"]) == ([3], 0, [])


def test_an_option_that_matches_nothing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import torch\ntorch.symeig(1)\n"
    document = report(capsys, code, tmp_path, "--ignore", "torch.symeig", "--ignore", "torch.qr")
    assert (lines(document, "torch.symeig"), document["unused_ignores"]) == ([], ["torch.qr"])


def test_a_comment_in_a_notebook_counts_in_its_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = ["import torch\n", "x = 1\ntorch.symeig(x)  # conformance: ignore[torch.symeig]\n", "\ntorch.symeig(x)\n"]
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": cell}
            for cell in cells
        ],
    }
    (tmp_path / "code.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    main(["upgrade", *RELEASES, "--uses", str(tmp_path), "--json"])
    [entry] = [each for each in json.loads(capsys.readouterr().out)["entries"] if each["id"] == "2.0/symeig-is-gone"]
    assert [(use["cell"], use["line"]) for use in entry["uses"]] == [(3, 2)]


def test_sarif_has_a_result_at_each_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a b.py"
    file.write_text("import torch\nx = 'é', torch.symeig(1)\ntorch.symeig(2)\n", encoding="utf-8")
    assert main(["upgrade", *RELEASES, "--uses", str(file), "--format", "sarif"]) == 0
    document = json.loads(capsys.readouterr().out)
    [run] = document["runs"]
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [(place["region"]["startLine"], place["region"]["startColumn"]) for place in places] == [(2, 10), (3, 1)]
    assert {place["artifactLocation"]["uri"] for place in places} == {str(file).replace(" ", "%20")}
    assert {(result["ruleId"], result["level"]) for result in run["results"]} == {("2.0/symeig-is-gone", "error")}
    assert [run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
