"""A name at a glance: its releases and its signature; and nothing of what was not measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.names.record import record
from conformance.names.lookup import Names
from conformance.names.model import MeasuredNames, NameRecord
from conformance.show.name import changes_of_parameters, name_releases, releases_in_words

MODULE = NameRecord("module")
LINEAR = "Please use torch.linalg.eigh instead."


def function(signature: str, deprecated: str = "", warns: str = "") -> NameRecord:
    return NameRecord("function", "", (signature,), "inspect", deprecated=deprecated, warns=warns)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    linalg = {"": MODULE, "eigh": function("(A)")}
    old = {
        "": MODULE,
        "symeig": function("(input)", deprecated=LINEAR),
        "add": function("(input, other)"),
        "Tensor": NameRecord("class"),
        "Tensor.symeig": function("(self)"),
    }
    new = {
        "": MODULE,
        "add": function("(input, *, alpha=1)"),
        "fresh": function("()", deprecated=LINEAR, warns="FutureWarning"),
    }
    broken = {"": NameRecord("module", error="ModuleNotFoundError: No module named 'six'")}
    late = {"": MODULE, "f": function("()")}
    folder = tmp_path_factory.mktemp("results") / "names"
    measured = [
        MeasuredNames("1.8.1", "3.9", {"torch": old, "torch.linalg": linalg, "torch.late": broken}),
        MeasuredNames("1.9.0", "3.9", {"torch": old, "torch.linalg": linalg, "torch.late": late}),
        MeasuredNames("2.0.1", "3.11", {"torch": new, "torch.linalg": linalg, "torch.late": late}),
    ]
    record(measured, folder)
    return Names(folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("torch.symeig", "1.8 to 1.9; gone since 2.0; use torch.linalg.eigh"),
        ("torch.add", "1.8 to 2.0"),
        ("torch.fresh", "2.0; deprecated, seen since 2.0 (each call warns); use torch.linalg.eigh"),
        ("torch.nothing", "in no recorded release"),
        (
            "torch.late.f",
            "1.9 to 2.0; not known: torch.late can't be imported where it was measured: "
            "ModuleNotFoundError: No module named 'six' (1.8)",
        ),
    ],
)
def test_the_releases_of_a_name(names: Names, name: str, words: str) -> None:
    assert releases_in_words(names, name) == words


def test_without_recorded_names_nothing_is_said(tmp_path: Path) -> None:
    assert releases_in_words(Names(tmp_path), "torch.add") == "not measured"


def test_since_when_a_name_is_gone_stands_apart(names: Names) -> None:
    assert name_releases(names, "torch.symeig") == ("1.8 to 1.9", "gone since 2.0; use torch.linalg.eigh")
    assert name_releases(names, "torch.add") == ("1.8 to 2.0", "")


def test_what_changed_in_a_signature(names: Names) -> None:
    assert changes_of_parameters(names, "torch.add") == ("2.0 adds alpha, removes other",)
    assert changes_of_parameters(names, "torch.symeig") == ()
