"""Calls through the releases: what changed and since when; of what was not measured nothing is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Optional

import pytest

from conformance.profiles.model import Branch, Domain, Profile, Rule
from conformance.profiles.store import Profiles, by_key, load_profiles, load_profiles_of, save_profiles
from conformance.results.files import ResultError
from conformance.results.model import Environment
from conformance.views.call_changes import changed_calls, changed_in_words
from conformance.views.calls import CallHistory

NAME = "torch.f"
AXES = {"dtype": ("float32", "int64", "complex64"), "layout": ("contiguous", "expanded"), "size": ("2-d", "empty")}
DOMAIN = Domain({"x": "tensor()"}, {"x": AXES}, 12, ({"x": "torch.tensor([1.])"},))
PLAIN = Profile(NAME, "torch.f(x)", {"x": "tensor()"}, 12, {"dtype": {"": "as x"}}, values=("[1]",))
RAISING = replace(PLAIN, always={}, rules={"error": {"": Rule("RuntimeError", "f is removed")}}, returned=0, values=())
ABSENT = replace(RAISING, rules={"error": {"": Rule("AttributeError", "module 'torch' has no attribute 'f'")}})
WARNING = replace(PLAIN, rules={"warning": {"": Rule("FutureWarning", "f is deprecated")}})
CORNER = replace(
    PLAIN, always={}, rules={"dtype": {"": Rule("as x", branches=(Branch("int8", {"x": {"size": ("empty",)}}),))}}
)
MEMORY = replace(PLAIN, always={**PLAIN.always, "memory": {"x": "itself"}})
COPIES = replace(PLAIN, always={**PLAIN.always, "memory": {"x": "independent"}})
FAILED = replace(PLAIN, failed="killed by SIGSEGV")
BETWEEN = "some release between 2.0.0 and 2.2.0 (2.1.0 killed by SIGSEGV)"


def history(folder: Path, **found: Mapping[str, Profile]) -> CallHistory:
    """Return the history of releases, such as ``v2_1_0``, with calls by fingerprint."""
    (folder / "calls").mkdir(exist_ok=True)
    for version, calls in found.items():
        torch = version[1:].replace("_", ".")
        environment = Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
        save_profiles(Profiles(environment, by_key([DOMAIN]), calls), folder / "calls" / f"torch-{torch}-cpu.jsonl")
    return CallHistory(folder)


def followed(folder: Path, *profiles: Optional[Profile]) -> CallHistory:
    """Return the history of one call from release 2.0.0 on."""
    releases = {f"v2_{minor}_0": {"00000000": one} if one else {} for minor, one in enumerate(profiles)}
    return history(folder, **releases)


def test_a_change_has_its_release_and_harm(tmp_path: Path) -> None:
    found = followed(tmp_path, PLAIN, PLAIN, WARNING, RAISING).history(NAME)
    assert [(one.severity, one.change.aspect, one.when[0].when()) for one in found] == [
        ("warns", "warning", "in 2.2 (2.1.0 → 2.2.0)"),
        ("breaks", "error", "in 2.3 (2.2.0 → 2.3.0)"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "severities"),
    [
        (PLAIN, RAISING, ["breaks"]),
        (RAISING, PLAIN, ["improvement"]),
        (COPIES, MEMORY, ["changes"]),
        (PLAIN, WARNING, ["warns"]),
        (WARNING, PLAIN, ["improvement"]),
        (PLAIN, CORNER, ["corner"]),
        (RAISING, replace(RAISING, rules={"error": {"": Rule("RuntimeError", "gone")}}), ["wording"]),
        (RAISING, replace(RAISING, rules={"error": {"": Rule("TypeError", "gone")}}), ["corner"]),
        (PLAIN, replace(PLAIN, values=("[2]",)), ["changes"]),
        (PLAIN, PLAIN, []),
        # What was seen in one of the two only is no change.
        (PLAIN, MEMORY, []),
    ],
)
def test_harm(tmp_path: Path, old: Profile, new: Profile, severities: list[str]) -> None:
    found = followed(tmp_path, old, new)
    assert [one.severity for one in found.changes(NAME, "2.0.0", "2.1.0")] == severities


@pytest.mark.parametrize(
    ("between", "why"), [(None, "not measured"), (ABSENT, "lacks the name"), (FAILED, "killed by SIGSEGV")]
)
def test_a_release_that_can_not_tell_is_named(tmp_path: Path, between: Optional[Profile], why: str) -> None:
    found = followed(tmp_path, COPIES, between, MEMORY)
    ((step,),) = [one.when for one in found.history(NAME)]
    assert step.when() == f"between 2.0.0 and 2.2.0 (2.1.0 {why})"
    assert found.gaps(NAME, "2.0.0", "2.1.0") == {"torch.f(x)": f"2.1.0: {why}"}
    assert found.compared(NAME, "2.0.0", "2.1.0") == ()
    assert found.changes(NAME, "2.0.0", "2.1.0") == ()


def test_two_ends_are_compared_and_the_steps_between_named(tmp_path: Path) -> None:
    found = followed(tmp_path, COPIES, MEMORY, COPIES, MEMORY)
    (changed,) = found.changes(NAME, "2.0.0", "2.3.0")
    assert [step.since() for step in changed.when] == ["2.1", "2.2", "2.3"]
    assert found.changes(NAME, "2.0.0", "2.2.0") == ()
    assert found.changes(NAME, "2.0.0", "9.9") == ()
    assert found.gaps(NAME, "2.0.0", "9.9") == {"torch.f(x)": "9.9: not measured"}


@pytest.mark.parametrize(
    ("profiles", "words"),
    [
        ((PLAIN, WARNING, RAISING), "2.2 raises RuntimeError: f is removed; 2.1 warns FutureWarning: f is deprecated"),
        ((RAISING, PLAIN), "2.1 no longer raises RuntimeError: f is removed"),
        ((COPIES, MEMORY), "2.1 independent of x → x itself"),
        ((PLAIN, PLAIN, PLAIN), "no change seen, 2.0.0 to 2.2.0"),
        ((PLAIN, CORNER), "1 change to corner inputs or wording (conformance profiles changes torch.f)"),
        ((PLAIN, FAILED, PLAIN), "2.1.0 killed by SIGSEGV: torch.f(x)"),
        (
            (PLAIN, FAILED, WARNING),
            f"2.1.0 killed by SIGSEGV: torch.f(x); {BETWEEN} warns FutureWarning: f is deprecated",
        ),
        ((PLAIN,), ""),
        ((None, PLAIN), ""),
        ((ABSENT, PLAIN), ""),
        ((), ""),
    ],
)
def test_the_line_of_a_name(tmp_path: Path, profiles: tuple[Optional[Profile], ...], words: str) -> None:
    assert changed_in_words(followed(tmp_path, *profiles), NAME) == words


def test_nothing_is_said_of_a_name_without_calls(tmp_path: Path) -> None:
    found = followed(tmp_path, PLAIN, PLAIN)
    assert changed_in_words(found, "torch.other") == ""
    assert found.told("torch.other") == ()


def test_the_line_of_a_name_is_bounded_and_names_the_call(tmp_path: Path) -> None:
    old = {f"{number:08x}": replace(COPIES, call=f"torch.f(x, {number})") for number in range(3)}
    new = {**old, "00000001": replace(MEMORY, call="torch.f(x, 1)")}
    assert changed_in_words(history(tmp_path, v2_0_0=old, v2_1_0=new), NAME) == (
        "2.1 independent of x → x itself (torch.f(x, 1))"
    )
    messages = {f"{number:08x}": f"message {number} " + "abcdefghij"[number] * 90 for number in range(9)}
    many = {key: replace(RAISING, rules={"error": {"": Rule("TypeError", text)}}) for key, text in messages.items()}
    line = changed_in_words(history(tmp_path, v2_0_0=dict.fromkeys(many, PLAIN), v2_1_0=many), NAME)
    assert len(line) < 600
    assert line.endswith("more changes (conformance profiles changes torch.f)")


def test_the_changes_of_a_release_are_counted_and_those_that_many_share_are_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    names = {f"{number:08x}": f"torch.f{number}" for number in range(4)}
    old = {key: replace(COPIES, subject=name) for key, name in names.items()}
    new = {key: replace(MEMORY, subject=name) for key, name in names.items()}
    new["00000003"] = replace(RAISING, subject="torch.f3")
    old["00000004"] = replace(PLAIN, subject="torch.f4")
    new["00000004"] = replace(FAILED, subject="torch.f4")
    late = {"0000000a": replace(PLAIN, subject="torch.new")}
    found = changed_calls(history(tmp_path, v2_0_0=old, v2_1_0={**new, **late})).by_release["2.1.0"]
    assert (found.compared, found.not_compared) == (4, 2)
    assert found.counts == {"changes": 3, "breaks": 2}
    assert [(one.severity, one.names) for one in found.told] == [
        ("breaks", ("torch.f4",)),
        ("breaks", ("torch.f3",)),
        ("changes", ("torch.f0", "torch.f1", "torch.f2")),
    ]


def test_the_lines_of_one_name_say_what_the_whole_file_says(tmp_path: Path) -> None:
    other = replace(COPIES, subject="torch.other", call="torch.other(x)")
    history(tmp_path, v2_0_0={"00000000": COPIES, "00000001": other, "00000002": replace(RAISING, subject="torch.ff")})
    path = tmp_path / "calls" / "torch-2.0.0-cpu.jsonl"
    whole, one = load_profiles(path), load_profiles_of(path, NAME)
    assert one.of(NAME) == whole.of(NAME) == [COPIES]
    assert one.domain(COPIES) == whole.domain(COPIES) == DOMAIN
    assert [*one.subjects] == [NAME]
    assert load_profiles_of(path, "torch").of("torch") == []


def test_a_damaged_line_is_named_with_its_place(tmp_path: Path) -> None:
    found = followed(tmp_path, COPIES)
    path = tmp_path / "calls" / "torch-2.0.0-cpu.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1].replace('"call"', '"cull"')]), encoding="utf-8")
    with pytest.raises(ResultError, match=f"{path.name}:{len(lines)}: "):
        found.history(NAME)
    path.write_text("\n".join([lines[0], lines[-1]]), encoding="utf-8")
    with pytest.raises(ResultError, match="which is not there"):
        CallHistory(tmp_path).history(NAME)
