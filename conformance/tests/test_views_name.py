"""A name at a glance: what is said of its releases, and of what its calls do; and nothing of what was not measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.names.lookup import Names
from conformance.names.model import MeasuredNames, NameRecord
from conformance.names.store import record
from conformance.profiles.model import Branch, Domain, Profile, Row, Rule
from conformance.profiles.store import Profiles, by_key, save_profiles
from conformance.results.model import Environment
from conformance.views.calls import CallHistory
from conformance.views.name import name_view, recorded_names, releases_in_words

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


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("symeig", ("torch.symeig", "torch.Tensor.symeig")),
        ("torch.symeig", ("torch.symeig",)),
        ("linalg.eigh", ("torch.linalg.eigh",)),
        ("nothing", ()),
        ("torch.Tensor.detach/id", ()),
        ("../../names", ()),
    ],
)
def test_a_short_name_is_found_where_it_is_or_was(names: Names, name: str, found: tuple[str, ...]) -> None:
    assert recorded_names(names, name) == found


DOMAINS = (
    Domain({"x": "tensor()"}, {"x": {"size": ("0-d", "1-d")}}, 30),
    Domain({"x": "tensor()", "y": "tensor()"}, {"x": {"size": ("0-d", "1-d")}}, 40),
)
PLAIN = Profile(
    "torch.add",
    "torch.add(x)",
    {"x": "tensor()"},
    returned=30,
    always={"dtype": {"": "as x"}, "gradient": {"x": "reaches"}},
    rules={"memory": {"x": Rule("independent", branches=(Branch("itself", {"x": {"size": ("0-d",)}}),))}},
)
WRITES = Profile(
    "torch.add",
    "torch.add(x, y, out=x)",
    {"x": "tensor()", "y": "tensor()"},
    returned=40,
    always={
        "dtype": {"": "as x"},
        "memory": {"x": "independent", "y": "independent"},
        "gradient": {"x": "reaches", "y": "reaches"},
    },
    tables={"writes": {"x": (Row("elements", 39), Row("unchanged", 1))}},
)
REFUSED = Profile("torch.add", "torch.add()", returned=0, always={"error": {"": "TypeError"}})


def shown(folder: Path, names: Names, *found: Profile, torch: str = "2.0.1") -> dict[str, str]:
    (folder / "calls").mkdir(exist_ok=True)
    environment = Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
    calls = {f"{number:08x}": profile for number, profile in enumerate(found)}
    save_profiles(Profiles(environment, by_key(DOMAINS), calls), folder / "calls" / f"torch-{torch}-cpu.jsonl")
    view = name_view("torch.add", names, CallHistory(folder))
    assert view.call is not None
    return {"call": f"{view.call.call} {view.call.measured}", **dict(view.call.topics)}


def test_the_plainest_call_is_told_with_its_conditions(names: Names, tmp_path: Path) -> None:
    assert shown(tmp_path, names, PLAIN) == {
        "call": "torch.add(x) with x: tensor(), 30 examples on torch 2.0.1 cpu",
        "memory": "independent of x; where x is 0-d: x itself",
        "autograd": "the gradient reaches x",
        "result": "dtype as x",
        "errors": "none seen",
    }


def test_calls_that_differ_are_named_where_they_do(names: Names, tmp_path: Path) -> None:
    told = shown(tmp_path, names, PLAIN, WRITES, REFUSED)
    assert told["memory"].endswith("x itself (torch.add(x, y, out=x) differs)")
    assert told["errors"] == "none seen (torch.add() differs)"
    assert told["autograd"] == "the gradient reaches x"
    assert told["result"] == "dtype as x"


def test_a_call_that_never_returns_says_nothing_of_results(names: Names, tmp_path: Path) -> None:
    told = shown(tmp_path, names, REFUSED)
    assert told == {"call": "torch.add() 0 examples that return on torch 2.0.1 cpu", "errors": "raises TypeError"}


def test_the_newest_release_that_measured_a_name_counts(names: Names, tmp_path: Path) -> None:
    shown(tmp_path, names, PLAIN, torch="1.9.0")
    shown(tmp_path, names, PLAIN, torch="1.13.1")
    environment = Environment("2.0.1", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
    other = Profile("torch.adder", "torch.adder()", returned=1)
    save_profiles(Profiles(environment, {}, {"00000000": other}), tmp_path / "calls" / "torch-2.0.1-cpu.jsonl")
    view = name_view("torch.add", names, CallHistory(tmp_path))
    assert view.call is not None
    assert view.call.measured.endswith("on torch 1.13.1 cpu")


def test_what_changed_in_a_signature(names: Names, tmp_path: Path) -> None:
    view = name_view("torch.add", names, CallHistory(tmp_path))
    assert view.parameters == "2.0 adds alpha, removes other"
    assert view.call is None
