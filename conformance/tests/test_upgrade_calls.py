"""Calls that were measured to do something else are told where code makes such a call, and nowhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

from conformance.names.lookup import Names
from conformance.profiles.model import Branch, Domain, Profile, Rule
from conformance.profiles.store import Profiles, by_key, save_profiles
from conformance.results.model import Environment
from conformance.results.recorded import recorded_folder
from conformance.tests.result_files import make_corpus
from conformance.upgrade.call_changes import compare_calls, compared_names
from conformance.upgrade.code_uses import CodeUses
from conformance.upgrade.model import ReportEntry
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.severity import SHOWN, Severity
from conformance.upgrade.twins import without_twins
from conformance.usage import Evidence, read_project
from conformance.views.calls import CallHistory

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")

OLD, NEW = "2.0.1", "2.1.2"
HEAD = "import torch\ndef used(a: torch.Tensor, b: torch.Tensor, n, f):\n"
AXES = {
    "dtype": ("float32", "int64", "complex64"),
    "layout": ("contiguous", "expanded"),
    "size": ("2-d", "empty"),
    "state": ("plain", "leaf"),
}


def profile(name: str, call: str, given: Optional[Mapping[str, str]] = None) -> Profile:
    """Return what a call does that always returns the same."""
    return Profile(name, call, {"x": "tensor()"} if given is None else given, 24, {"dtype": {"": "as x"}})


def raising(old: Profile, *where: Branch) -> Profile:
    """Return a profile that raises, everywhere or where a branch says."""
    rule = Rule("returns", branches=where) if where else Rule("RuntimeError", "no more")
    return replace(old, rules={"error": {"": rule}}, returned=12 if where else 0, always=old.always if where else {})


def warning(old: Profile) -> Profile:
    """Return a profile that warns."""
    return replace(old, rules={"warning": {"": Rule("FutureWarning", "old")}})


def other(old: Profile) -> Profile:
    """Return a profile whose result has another dtype."""
    return replace(old, always={"dtype": {"": "int64"}})


def told(folder: Path, code: str, *pairs: tuple[Profile, Profile]) -> list[ReportEntry]:
    """Return the entries of one line of code, from profiles of two releases."""
    measure(folder, {OLD: [old for old, _ in pairs], NEW: [new for _, new in pairs]})
    return compare_calls(code_uses(folder, code), CallHistory(folder), OLD, NEW)


def measure(folder: Path, releases: Mapping[str, Sequence[Profile]]) -> None:
    """Write the profiles of some releases."""
    (folder / "calls").mkdir(exist_ok=True)
    for torch, profiles in releases.items():
        domains = [Domain(one.given, dict.fromkeys(one.given, AXES), 24) for one in profiles]
        found = Profiles(
            Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64"),
            by_key({str(domain.given): domain for domain in domains}.values()),
            {f"{number:08}": one for number, one in enumerate(profiles)},
        )
        save_profiles(found, folder / "calls" / f"torch-{torch}-cpu.jsonl")


def code_uses(folder: Path, code: str) -> CodeUses:
    """Return the uses in one line of code."""
    file = folder / "code.py"
    file.write_text(f"{HEAD}    {code}\n", encoding="utf-8")
    return CodeUses(read_project([file]).groups(), NameChanges(Names(), OLD, NEW))


HISTC = profile("torch.histc", "torch.histc(x, 4)")
CLONE = profile("torch.Tensor.clone", "x.clone()")
DIVIDED = profile("torch.Tensor.__floordiv__", "x // 2")
LOADED = profile("torch.load", 'torch.load(n, map_location="cpu")', {"n": "one_of([1])"})
CAST = profile("torch.Tensor.to", "x.to(torch.float64)")


@pytest.mark.parametrize(
    ("old", "alike", "unlike"),
    [
        (HISTC, "torch.histc(a, 100)", "torch.histc(a, 4, 0, 1)"),
        (HISTC, "a.histc(n)", "a.histc()"),
        (CLONE, "a.clone()", "a.clone(memory_format=torch.preserve_format)"),
        (CLONE, "torch.clone(a)", "n.copy()"),
        (DIVIDED, "a // 3", "a / 3"),
        (DIVIDED, "a // n", "n // 2"),
        (LOADED, 'torch.load(n, map_location="cpu")', 'torch.load(n, map_location="cuda")'),
        (CAST, "a.to(torch.float64)", "a.to(torch.float16)"),
    ],
)
def test_an_entry_is_for_calls_that_are_alike(old: Profile, alike: str, unlike: str, tmp_path: Path) -> None:
    (found,) = told(tmp_path, alike, (old, warning(old)))
    assert (found.severity, found.subject) == ("warns", old.subject)
    assert [place.use.line for place in found.places] == [3]
    assert told(tmp_path, unlike, (old, warning(old))) == []


def test_an_entry_says_what_happens_since_when_and_how_it_was_measured(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "a.clone()", (CLONE, raising(CLONE)))
    assert (found.id, found.kind, found.when) == ("torch.Tensor.clone:breaks", "error", "since 2.1")
    assert found.what == "torch.Tensor.clone: raises RuntimeError: no more"
    assert (found.before, found.after) == ("returns", "raises RuntimeError: no more")
    assert found.notes == ("measured as x.clone()",)


@pytest.mark.parametrize(("dated", "when"), [(SHOWN, "1.12.1 and 2.0.1"), ((), "1.12.1 and 2.1.2")])
def test_steps_between_are_looked_up_for_what_is_shown(dated: Sequence[Severity], when: str, tmp_path: Path) -> None:
    measure(tmp_path, {"1.12.1": [CLONE], OLD: [raising(CLONE)], NEW: [raising(CLONE)]})
    uses = code_uses(tmp_path, "a.clone()")
    (found,) = compare_calls(uses, CallHistory(tmp_path), "1.12.1", NEW, dated=dated)
    assert f"between {when} (" in found.when


@pytest.mark.parametrize(
    ("where", "evidence"),
    [
        ({}, "CERTAIN"),
        ({"dtype": ("float32",)}, "LIKELY"),
        ({"state": ("leaf",)}, "LIKELY"),
        ({"dtype": ("int64",)}, "MAYBE"),
        ({"layout": ("expanded",)}, "MAYBE"),
    ],
)
def test_how_sure_it_is_depends_on_the_condition(
    where: Mapping[str, tuple[str, ...]], evidence: str, tmp_path: Path
) -> None:
    branches = [Branch("RuntimeError", {"x": where}, message="no more")] if where else []
    (found,) = told(tmp_path, "a.clone()", (CLONE, raising(CLONE, *branches)))
    assert found.evidence.name == evidence
    assert (" x is " in found.headline) == bool(where)


@pytest.mark.parametrize(("call", "evidence"), [("torch.get_num_threads()", "CERTAIN"), ("torch.arange(3)", "LIKELY")])
def test_a_call_without_arguments_is_always_the_same(call: str, evidence: str, tmp_path: Path) -> None:
    old = profile(call.partition("(")[0], call, {})
    (found,) = told(tmp_path, call, (old, warning(old)))
    assert found.evidence.name == evidence


def test_what_is_doubtful_twice_is_not_told(tmp_path: Path) -> None:
    rare = raising(CLONE, Branch("RuntimeError", {"x": {"dtype": ("int64",)}}))
    assert told(tmp_path, "n.clone()", (CLONE, rare)) == []
    (found,) = told(tmp_path, "n.clone()", (CLONE, raising(CLONE)))
    assert found.evidence.name == "MAYBE"


def test_a_call_behind_a_look_at_the_version_is_no_certain_one(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "if torch.__version__ < '2': a.clone()", (CLONE, raising(CLONE)))
    assert found.evidence.name == "MAYBE"


@pytest.mark.parametrize(
    "call",
    ["repr(torch.histc(x, 4))", "torch.histc(x, 4).sum()", "torch.histc({1: x}, 4)", "n = torch.histc(x, 4); n + 1"],
)
def test_what_is_done_with_a_result_is_not_what_the_call_does(call: str, tmp_path: Path) -> None:
    old = profile("torch.histc", call)
    assert told(tmp_path, "torch.histc(a, 4)", (old, other(old))) == []


def test_the_calls_of_a_name_are_one_entry(tmp_path: Path) -> None:
    second = profile("torch.Tensor.__floordiv__", "x // y", {"x": "tensor()", "y": "tensor_like(x)"})
    pairs = (DIVIDED, warning(DIVIDED)), (second, warning(second)), (HISTC, other(HISTC))
    found = told(tmp_path, "return a // 2, a // b, torch.histc(a, 4)", *pairs)
    assert [(entry.id, len(entry.places)) for entry in found] == [
        ("torch.Tensor.__floordiv__:warns", 2),
        ("torch.histc:changes", 1),
    ]


def test_what_a_name_or_a_claim_tells_is_told_once(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "a.clone()", (CLONE, raising(CLONE)))
    gone = replace(found, id="torch.clone:gone", kind="gone", subject="torch.clone")
    assert without_twins([gone], [found]) == [gone]
    assert without_twins([replace(gone, subject="torch.ones")], [found])[1:] == [found]
    assert without_twins([replace(gone, kind="deprecated")], [found])[1:] == [found]
    assert without_twins([replace(gone, places=())], [found])[1:] == [found]


def test_a_measured_call_takes_the_place_of_a_doubt(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "torch.ones(3).clone()", (CLONE, raising(CLONE)))
    (place,) = found.places
    assert place.evidence > Evidence.MAYBE
    other = place._replace(use=place.use._replace(line=9))
    doubt = replace(
        found, id="doubt", places=(place._replace(evidence=Evidence.MAYBE), other._replace(evidence=Evidence.MAYBE))
    )
    left, call = without_twins([doubt], [found])
    assert ([one.use for one in left.places], call) == ([other.use], found)
    assert without_twins([replace(doubt, places=doubt.places[:1])], [found]) == [found]
    unsure = replace(found, places=doubt.places[:1])
    assert without_twins([doubt], [unsure]) == [doubt]


_CLONED = """
given: {x: "tensor()"}
do: "y = x.clone()"
"""


def test_a_claim_that_it_raises_tells_the_error(tmp_path: Path) -> None:
    (found,) = told(tmp_path, "a.clone()", (CLONE, raising(CLONE)))
    bodies = ("raises: RuntimeError", "expect: [y is x]")
    for claim, others in zip(make_corpus(tmp_path / "specs", *map(_CLONED.__add__, bodies)).claims, ([], [found])):
        entry = replace(found, id=claim.id, kind="silent", claims=(claim,))
        assert without_twins([entry], [found])[1:] == others


def test_names_are_covered_whose_calls_were_measured_in_both_releases(tmp_path: Path) -> None:
    told(tmp_path, "a.clone()", (CLONE, CLONE), (HISTC, replace(HISTC, failed="the process ended")))
    uses = code_uses(tmp_path, "return a.clone(), a.histc(4), a + 1")
    assert compared_names(uses, CallHistory(tmp_path), OLD, NEW) == {"torch.Tensor.clone"}
    assert compared_names(uses, CallHistory(tmp_path), OLD, "2.2.2") == frozenset()
