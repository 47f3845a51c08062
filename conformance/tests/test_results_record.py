"""The record holds what result files hold, and a run replaces what it measured."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conformance.base.json_files import ResultError
from conformance.results.model import Entry, Facts, Signal
from conformance.results.record import (
    FILE,
    replaceable_results,
    save_record,
    store_results,
    stored_result,
    stored_results,
)
from conformance.results.recorded import load_recorded
from conformance.results.store import Results, load_results, result_lines, save_results
from conformance.tests.result_files import release

Environments = dict[str, Results]
RAISES = Entry("12345678", "holds", facts=Facts(raises=Signal("ValueError", "no")))


def results(torch: str, claims: dict[str, Entry]) -> Results:
    found = release(torch, claims).results
    assert found is not None
    return found


@pytest.fixture
def environments() -> dict[str, Results]:
    found = [
        results("1.9.0", {"torch.a/one": Entry("12345678", "holds"), "torch.b/two": Entry("12345678", "absent")}),
        results("2.0.1", {"torch.a/one": Entry("12345678", "holds"), "torch.b/two": RAISES}),
        results(
            "2.13.0",
            {
                "torch.a/one": Entry("12345678", "holds"),
                "torch.b/two": RAISES,
                "torch.c/three": Entry("12345678", "holds"),
            },
        ),
    ]
    return {one.name: one for one in found}


def test_it_gives_the_result_files_back_by_the_byte(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    stored = stored_results(tmp_path)
    assert list(stored) == list(environments)
    for name, one in environments.items():
        assert list(result_lines(stored[name])) == list(result_lines(one))
    assert [measured.torch for measured in load_recorded(tmp_path).environments] == ["1.9.0", "2.0.1", "2.13.0"]


def test_no_two_entries_are_taken_for_one(tmp_path: Path) -> None:
    found = [results(f"2.{n}.0", {"torch.a/one": Entry("12345678", "holds", examples=n)}) for n in range(20)]
    save_record({one.name: one for one in found}, tmp_path / FILE)
    stored = stored_results(tmp_path)
    assert [stored[one.name].claims["torch.a/one"].examples for one in found] == list(range(20))


def test_an_entry_stands_once(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    assert (tmp_path / FILE).read_text(encoding="utf-8").count("ValueError") == 1


def test_what_a_run_measured_replaces_one_environment(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    content = (tmp_path / FILE).read_bytes()
    fresh = results("2.0.1", {"torch.a/one": RAISES})
    assert store_results(tmp_path, fresh.name, fresh) == tmp_path / FILE
    stored = stored_results(tmp_path)
    assert dict(stored[fresh.name].claims) == {"torch.a/one": RAISES}
    assert dict(stored["torch-1.9.0-cpu"].claims) == dict(environments["torch-1.9.0-cpu"].claims)
    store_results(tmp_path, fresh.name, environments[fresh.name])
    assert (tmp_path / FILE).read_bytes() == content


def test_a_folder_without_a_record_gets_a_result_file(tmp_path: Path, environments: Environments) -> None:
    one = environments["torch-2.0.1-cpu"]
    path = store_results(tmp_path, one.name, one)
    assert path.name == "torch-2.0.1-cpu.jsonl"
    assert list(result_lines(load_results(path))) == list(result_lines(one))


def test_a_line_separator_in_a_text_ends_no_line(tmp_path: Path) -> None:
    one = results("2.13.0", {"torch.a/one": Entry("12345678", "holds", detail="a\u2028b\x85c")})
    save_record({one.name: one}, tmp_path / FILE)
    assert stored_results(tmp_path)[one.name].claims["torch.a/one"].detail == "a\u2028b\x85c"


def test_an_empty_file_is_no_record(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    with pytest.raises(ResultError, match="no first line of a record"):
        stored_results(tmp_path)


def test_two_environments_that_are_stored_at_once_are_both_kept(tmp_path: Path, environments: Environments) -> None:
    first = results("1.8.1", {"torch.a/one": RAISES})
    save_record({first.name: first}, tmp_path / FILE)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda item: store_results(tmp_path, *item), environments.items()))
    assert set(stored_results(tmp_path)) == {first.name, *environments}


def test_a_result_file_beside_the_record_counts(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    fresh = results("2.0.1", {"torch.a/one": RAISES})
    save_results(fresh, tmp_path / f"{fresh.name}.jsonl")
    found = stored_result(tmp_path, fresh.name)
    assert found is not None
    assert dict(found.claims) == {"torch.a/one": RAISES} == dict(stored_results(tmp_path)[fresh.name].claims)
    holding = results("2.0.1", {"torch.a/one": Entry("12345678", "holds")})
    store_results(tmp_path, holding.name, holding)
    assert dict(stored_results(tmp_path)[fresh.name].claims) == dict(holding.claims)


def test_only_entries_with_some_facts_are_read_for_them(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    claims = stored_results(tmp_path)["torch-2.0.1-cpu"].claims
    assert list(claims.naming("raises", "warns")) == [("torch.b/two", RAISES)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('{"record":1', '{"record":2', "no record of format 1"),
        ('{"record":1', "{", "1: no first line of a record; take the file from git again"),
        ('"environments":[', '"others":[', "1: no first line of a record"),
        ('"on":"0-2"', '"on":"0-9"', "2: no entries of a claim"),
        ('"on":"0-2"', '"on":"x"', "2: no entries of a claim"),
        ('"alike":{', '"alike":[', "2: no entries of a claim"),
    ],
)
def test_a_damaged_record_is_refused_with_its_line(
    tmp_path: Path, environments: dict[str, Results], old: str, new: str, message: str
) -> None:
    save_record(environments, tmp_path / FILE)
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / FILE).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ResultError, match=message):
        stored_results(tmp_path)
    with pytest.raises(ResultError, match=message):
        list(replaceable_results(tmp_path))


def test_a_damaged_entry_is_refused_when_it_is_asked_for(tmp_path: Path, environments: Environments) -> None:
    save_record(environments, tmp_path / FILE)
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    (tmp_path / FILE).write_text(text.replace('"verdict":"absent"', '"verdict":"held"', 1), encoding="utf-8")
    claims = stored_results(tmp_path)["torch-1.9.0-cpu"].claims
    assert claims["torch.a/one"] == Entry("12345678", "holds")
    with pytest.raises(ResultError, match=r"torch\.b/two: verdict: 'held'"):
        claims["torch.b/two"]
