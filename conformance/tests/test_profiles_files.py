"""Calls are read and checked without torch; profile files are hostile text."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.profiles import measuring
from conformance.profiles.__main__ import main
from conformance.profiles.calls import Call, load_calls
from conformance.profiles.model import Branch, Domain, Profile, Row, Rule
from conformance.profiles.store import Profiles, by_key, load_profiles, save_profiles
from conformance.results.files import ResultError
from conformance.results.model import Environment

ENVIRONMENT = Environment("2.13.0", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
PROFILE = Profile(
    "torch.f",
    'torch.f(x, "a")',
    {"x": "tensor()"},
    returned=3,
    always={"type": {"": "Tensor"}},
    rules={"memory": {"x": Rule("independent", branches=(Branch("itself", {"x": {"size": ("0-d",)}}),))}},
    tables={"shape": {"": (Row("(1,)", 2), Row("(2,)", 1))}},
    values=("1", None),
)
DOMAIN = Domain({"x": "tensor()"}, {"x": {"size": ("0-d", "1-d")}}, 3, ({"x": "torch.tensor(1.)"}, {"x": "2"}))


def read(tmp_path: Path, text: str) -> tuple[list[Call], list[str]]:
    path = tmp_path / "made_up.yaml"
    path.write_text(text, encoding="utf-8")
    calls, problems = load_calls([path])
    return list(calls), [f"{problem.place.line}:{problem.place.column} {problem.code}" for problem in problems]


def test_a_bare_call_has_the_usual_inputs_that_it_names(tmp_path: Path) -> None:
    calls, problems = read(
        tmp_path, "calls:\n  torch.f:\n  - x.reshape(-1)\n  - torch.zeros(2)\n  - y + 1\n  - x += 1\n"
    )
    assert not problems
    assert {call.text: [name for name, _ in call.given] for call in calls} == {
        "x.reshape(-1)": ["x"],
        "torch.zeros(2)": [],
        "y + 1": ["x", "y"],
        "x += 1": ["x"],
    }


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ("x +* 2", "3:8 E201"),
        ("x.f(z)", "3:9 E202"),
        ("{call: x.f(), given: {x: tensr()}}", "3:30 E204"),
        ('{call: x.f(), given: {x: "tensor(dtyp=1)"}}', "3:38 E205"),
        ('{call: x.f(), given: {x: "tensor(dtype=later)", later: dtype()}}', "3:44 E202"),
        ("{call: x.f(), given: {x: tensor(), y: tensor()}}", "3:12 E209"),
        ("{cal: x.f()}", "3:5 E102"),
        ("{call: x.f(), value: false}", "3:19 E101"),
        ("{call: x.f(), values: maybe}", "3:27 E103"),
        ("[x.f()]", "3:5 E103"),
        ("x.f(1)\n  - x.f(1)", "4:5 E302"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, item: str, problem: str) -> None:
    _, problems = read(tmp_path, f"calls:\n  torch.f:\n  - {item}\n")
    assert problem in problems


def test_every_release_measures_the_first_call_of_a_name_and_all_of_the_most_used(tmp_path: Path) -> None:
    calls, problems = read(
        tmp_path,
        "most_used: [torch.f]\ncalls:\n  torch.f: [x.f(2), x.f(1)]\n  torch.g: [x.g(2), x.g(1)]\n",
    )
    assert not problems
    assert {call.text for call in calls if call.every_release} == {"x.f(2)", "x.f(1)", "x.g(2)"}


@pytest.mark.parametrize(
    ("listed", "problem"), [("[torch.f, torch.h]", "1:22 E304"), ("torch.f", "1:12 E103"), ("[[torch.f]]", "1:12 E103")]
)
def test_a_mistake_in_the_names_most_used_is_told(tmp_path: Path, listed: str, problem: str) -> None:
    assert read(tmp_path, f"most_used: {listed}\ncalls:\n  torch.f: [x.f()]\n")[1] == [problem]


def test_a_subject_is_a_name_in_torch(tmp_path: Path) -> None:
    assert read(tmp_path, "calls:\n  numpy.f:\n  - x.f()\n")[1] == ["2:3 E304"]


def test_the_calls_of_the_corpus_have_no_mistake() -> None:
    calls, problems = load_calls()
    assert not problems
    assert calls


def test_reading_comparing_and_storing_need_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import conformance.profiles.__main__, conformance.profiles.calls; conformance.profiles.calls.load_calls()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "profiles.jsonl"
    save_profiles(Profiles(ENVIRONMENT, by_key([DOMAIN]), {"0123abcd": PROFILE}), path)
    first = path.read_bytes()

    profiles = load_profiles(path)
    assert profiles.environment == ENVIRONMENT
    assert profiles.of("torch.f") == [PROFILE]
    assert profiles.domain(PROFILE) == DOMAIN

    save_profiles(profiles, path)
    assert path.read_bytes() == first


def test_what_two_calls_do_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "profiles.jsonl"
    calls = {f"{number:08x}": replace(PROFILE, call=f"torch.f(x, {number})") for number in range(3)}
    calls["00000009"] = Profile("torch.g", "torch.g(x)", PROFILE.given, failed="it hangs")
    save_profiles(Profiles(ENVIRONMENT, by_key([DOMAIN]), calls), path)

    assert path.read_text("utf-8").count("independent") == 1
    assert dict(load_profiles(path).calls) == calls


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"schema":2', '"schema":99', "format 99"),
        ('"id":"0123abcd"', '"id":"../../etc"', ":7: no profile"),
        ('"returned":3', '"returned":-3', "returned"),
        ('"returned":3', '"returned":3,"more":1', "more"),
        ('"otherwise":"independent"', '"otherwise":{}', "otherwise"),
        ('"seen":["', '"seen":["AAAA","', "'AAAA', which is not there"),
    ],
)
def test_what_is_no_profile_is_refused_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "profiles.jsonl"
    other = replace(PROFILE, call="torch.f(x)")
    save_profiles(Profiles(ENVIRONMENT, by_key([DOMAIN]), {"0123abcd": PROFILE, "00000000": other}), path)
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ResultError) as caught:
        load_profiles(path).of("torch.f")
    assert message in str(caught.value)


def test_a_call_that_ends_the_process_is_an_outcome(tmp_path: Path) -> None:
    calls, problems = read(
        tmp_path,
        "calls:\n  torch.f:\n"
        "  - {call: os.abort() if x.ndim == 2 else x, given: {x: 'tensor(boolean, layout=\"contiguous\")'}}\n"
        "  - x.clone()\n",
    )
    assert not problems

    measured = {profile.call: profile for profile in measuring.measure_calls(calls).calls.values()}

    error = measured["os.abort() if x.ndim == 2 else x"].rule("error")
    assert error is not None
    assert error.outcome({("x", "size"): "2-d"}) == "crash"
    assert error.outcome({("x", "size"): "1-d"}) == "returns"
    assert measured["x.clone()"].failed is None


def test_a_call_that_can_not_be_measured_is_not_lost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls, _ = read(tmp_path, "calls:\n  torch.f:\n  - os._exit(3)\n")
    monkeypatch.setattr(measuring, "_MOST_DEATHS", 0)
    (profile,) = measuring.measure_calls(calls).calls.values()
    assert profile.failed
    assert profile.returned == 0


def test_calls_that_are_measured_again_replace_those_in_the_file(tmp_path: Path) -> None:
    spec = tmp_path / "made_up.yaml"
    spec.write_text("calls:\n  torch.Tensor.add: [x.add(1)]\n  torch.Tensor.detach: [x.detach()]\n", encoding="utf-8")
    arguments = ["measure", str(spec), "--results", str(tmp_path)]
    (tmp_path / "calls").mkdir()
    assert main(arguments) == 0
    (path,) = (tmp_path / "calls").iterdir()
    before = path.read_bytes()
    assert main([*arguments, "-k", "add"]) == 0
    assert path.read_bytes() == before
    path.write_bytes(before.replace(b'"numpy":"', b'"numpy":"0.', 1))
    assert main([*arguments, "-k", "add"]) == 2


def test_calls_that_are_gone_leave_the_file_of_a_release(tmp_path: Path) -> None:
    arguments = ["measure", "-k", "torch.Tensor.detach", "--results", str(tmp_path)]
    (tmp_path / "calls").mkdir()
    assert main(arguments) == 0
    (path,) = (tmp_path / "calls").iterdir()
    before = path.read_bytes()
    assert b'"call":"x.detach()"' in before
    line = next(line for line in before.splitlines() if b'"call":"x.detach()"' in line)
    path.write_bytes(before + re.sub(rb'"id":"\w+"', b'"id":"ffffffff"', line) + b"\n")
    assert main(arguments) == 0
    assert path.read_bytes() == before


def test_the_order_of_a_set_in_a_message_is_the_same_in_every_process(tmp_path: Path) -> None:
    spec = tmp_path / "made_up.yaml"
    call = """torch.nn.Conv2d(1, 1, 3, padding_mode="mirror")"""
    spec.write_text(f"calls:\n  torch.nn.Conv2d: ['{call}']\n", encoding="utf-8")
    files = [tmp_path / f"{number}.jsonl" for number in range(3)]
    for path in files:
        assert main(["measure", str(spec), "--output", str(path)]) == 0
    assert b"padding_mode must be one of {" in files[0].read_bytes()
    assert len({path.read_bytes() for path in files}) == 1


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "calls.yaml"
    spec.write_text("calls:\n  torch.Tensor.detach:\n  - x.detach()\n  - x.data\n", "utf-8")
    output = tmp_path / "out.jsonl"

    assert main(["check", str(spec)]) == 0
    assert main(["measure", str(spec), "-k", "detach()", "--output", str(output)]) == 0
    assert main(["compare", str(output), str(output)]) == 0
    assert main(["measure", str(spec), "-k", "no such call"]) == 2
    assert main(["compare", str(spec), str(output)]) == 2
    shown = capsys.readouterr()
    assert "2 calls of 1 names, 1 measured on every release, no mistakes" in shown.out
    assert "1 calls" in shown.out
    assert "no call has 'no such call'" in shown.err


def test_figures_of_a_folder_without_profiles_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["figures", "--results", str(tmp_path)]) == 2
    assert "no profiles are there" in capsys.readouterr().err
