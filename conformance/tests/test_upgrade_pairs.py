"""Known changes of torch: each hurt line is told at its line with its kind, and its safe twin is silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest

from conformance.__main__ import main
from conformance.base.recorded_folder import recorded_folder
from conformance.tests.upgrade_pairs import UNPROVEN, Outcome, Pair, pairs, recorded, run_lines

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")

PRELUDE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
def used(a: Tensor, b: Tensor, i: Tensor, model: nn.Module, f, optimizer: torch.optim.SGD, dataset):
"""
#: Lines that are told as a maybe: only code that reads grad afterwards is hurt.
_MAYBE = ("optimizer.zero_grad()", "model.zero_grad()")
_PAIRS = pairs()
RECORDED = recorded()
_Told = dict[int, set[str]]


def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, lines: list[str]) -> _Told:
    """Return what is told of each line of a file, by its number among ``lines``."""
    file = tmp_path / "code.py"
    file.write_text(PRELUDE + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    main(["upgrade", old, new, "--uses", str(file), "--json"])
    found: _Told = {}
    for entry in json.loads(capsys.readouterr().out)["entries"]:
        for use in entry["uses"]:
            if use["evidence"] != "maybe":
                found.setdefault(use["line"] - PRELUDE.count("\n") - 1, set()).add(entry["severity"])
    return found


def test_there_are_enough_pairs() -> None:
    assert len(_PAIRS) >= 60
    assert len([pair for pair in _PAIRS if pair.hurt not in UNPROVEN and ran(pair, pair.hurt)]) >= 60


@pytest.mark.parametrize(("old", "new"), list(dict.fromkeys((pair.old, pair.new) for pair in _PAIRS)))
def test_hurt_lines_are_told_with_their_kind_and_their_twins_are_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    table = [pair for pair in _PAIRS if (pair.old, pair.new) == (old, new)]
    by_hurt = told(tmp_path, capsys, old, new, [pair.hurt for pair in table])
    assert not [
        f"{pair.hurt}: {by_hurt.get(at)}"
        for at, pair in enumerate(table)
        if (pair.kind in by_hurt.get(at, ())) == (pair.hurt in _MAYBE)
    ]
    by_safe = told(tmp_path, capsys, old, new, [pair.safe for pair in table])
    assert not [f"{table[at].safe}: {found}" for at, found in by_safe.items()]


def test_an_argument_that_is_only_documented_otherwise_is_no_break(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The docstring of torch.linalg.cholesky says A since 1.9; torch still takes ``input``."""
    assert told(tmp_path, capsys, "1.8", "2.15", ["torch.linalg.cholesky(input=a)"]) == {}


def ran(pair: Pair, line: str) -> Optional[tuple[Outcome, Outcome]]:
    """Return what a line did on the two releases of its pair; None where one of them is not recorded."""
    before, after = (RECORDED.get(release, {}).get(line) for release in (pair.old, pair.new))
    return None if before is None or after is None else (before, after)


@pytest.mark.parametrize("pair", _PAIRS, ids=lambda pair: pair.hurt)
def test_both_releases_were_run_and_only_the_hurt_line_does_worse(pair: Pair) -> None:
    hurt, safe = ran(pair, pair.hurt), ran(pair, pair.safe)
    if hurt is None or safe is None:
        pytest.skip(f"not run on {pair.old} and {pair.new}: python -m conformance.tests.upgrade_pairs")
    if pair.hurt in UNPROVEN:
        pytest.skip(UNPROVEN[pair.hurt])
    assert hurt[0].harms(hurt[1])
    assert not safe[0].harms(safe[1])


@pytest.mark.parametrize(
    ("before", "after", "harms"),
    [
        (Outcome(gave="1"), Outcome(gave="1"), set()),
        (Outcome(gave="1"), Outcome(gave="2"), {"changes"}),
        (Outcome(gave="1"), Outcome("RuntimeError: gone"), {"breaks"}),
        (Outcome("RuntimeError: no CUDA"), Outcome("AttributeError: gone"), {"breaks"}),
        (Outcome("RuntimeError: no CUDA"), Outcome("AssertionError: no CUDA"), set()),
        (Outcome(gave="1"), Outcome(warned=("FutureWarning: old",), gave="1"), {"warns"}),
        (Outcome(warned=("FutureWarning: old",), gave="1"), Outcome(gave="1"), set()),
    ],
)
def test_doing_worse(before: Outcome, after: Outcome, harms: set[str]) -> None:
    assert before.harms(after) == harms


def test_lines_are_run_on_the_installed_torch() -> None:
    found = run_lines(
        ["torch.linalg.inv(a)", "torch.no_such_name", "import warnings; warnings.warn('old', FutureWarning)"]
    )
    works, raises, warns = found.values()
    assert works.gave.startswith("torch.float32 [[")
    assert raises.raised.startswith("AttributeError: ")
    assert warns.warned == ("FutureWarning: old",)
