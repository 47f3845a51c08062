"""Merging result files: parts are joined, and what must not stand side by side is refused."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.language.corpus import default_root, load_corpus
from conformance.results.merge import add_merge
from conformance.results.model import Entry, Environment
from conformance.results.record import save_record
from conformance.results.store import Results, load_results, save_results

HOLDS = Entry("0123abcd", "holds", 3)
REFUTED = Entry("0123abcd", "refuted")
ENVIRONMENT = Environment("2.13.0", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64", "6.1")


def part(claims: dict[str, Entry], **changes: Any) -> Results:
    fields = {name: changes.pop(name) for name in ("corpus", "seed", "void") if name in changes}
    return replace(Results(replace(ENVIRONMENT, **changes), "0123456789ab", 20, 0, claims), **fields)


@pytest.fixture
def merge(tmp_path: Path) -> Any:
    """Save parts, merge them, and return the status and what was written."""

    def run(*parts: Results) -> tuple[int, dict[str, Results]]:
        paths = []
        for number, results in enumerate(parts):
            path = tmp_path / f"part-{number}" / "torch-part.jsonl"
            save_results(results, path)
            paths.append(str(path))
        return command(paths, tmp_path / "merged")

    return run


def command(paths: list[str], output: Path) -> tuple[int, dict[str, Results]]:
    parser = argparse.ArgumentParser()
    add_merge(parser.add_subparsers())
    options = parser.parse_args(["merge", *paths, "--output", str(output)])
    status = int(options.function(options))
    return status, {path.stem: load_results(path) for path in sorted(output.glob("*.jsonl"))}


def test_parts_of_one_environment_are_joined(merge: Any) -> None:
    status, merged = merge(part({"torch.a/one": HOLDS}), part({"torch.b/two": HOLDS}))
    assert status == 0
    assert sorted(merged["torch-2.13.0-cpu"].claims) == ["torch.a/one", "torch.b/two"]


def test_different_specs_are_joined_under_a_revision_of_their_own(merge: Any) -> None:
    parts = part({"torch.a/one": HOLDS}), part({"mylib.b/two": HOLDS}, corpus="ba9876543210")
    status, merged = merge(*parts)
    assert status == 0
    [joined] = merged.values()
    assert sorted(joined.claims) == ["mylib.b/two", "torch.a/one"]
    assert joined.corpus not in ("0123456789ab", "ba9876543210")


def test_the_same_entry_twice_is_one(merge: Any) -> None:
    status, merged = merge(part({"torch.a/one": HOLDS}), part({"torch.a/one": HOLDS}))
    assert status == 0
    assert dict(merged["torch-2.13.0-cpu"].claims) == {"torch.a/one": HOLDS}


def test_releases_and_devices_get_their_plain_names(merge: Any) -> None:
    _, merged = merge(part({}), part({}, torch="2.12.1"), part({}, device="cuda", accelerator="A"))
    assert sorted(merged) == ["torch-2.12.1-cpu", "torch-2.13.0-cpu", "torch-2.13.0-cuda"]


def test_environments_of_one_release_are_put_side_by_side(merge: Any) -> None:
    _, merged = merge(part({"torch.a/one": HOLDS}), part({"torch.a/one": REFUTED}, python="3.12"))
    assert {name: item.claims["torch.a/one"].verdict for name, item in merged.items()} == {
        "torch-2.13.0-cpu-python3.11": "holds",
        "torch-2.13.0-cpu-python3.12": "refuted",
    }


def test_seeds_are_put_side_by_side(merge: Any) -> None:
    _, merged = merge(part({"torch.a/one": HOLDS}), part({"torch.a/one": REFUTED}, seed=1))
    assert sorted(merged) == ["torch-2.13.0-cpu-seed0", "torch-2.13.0-cpu-seed1"]


def test_another_device_may_be_of_an_older_revision(merge: Any) -> None:
    on_cuda = part({"torch.a/one": HOLDS}, device="cuda", corpus="ba9876543210")
    status, merged = merge(part({"torch.a/one": HOLDS}), on_cuda)
    assert (status, sorted(merged)) == (0, ["torch-2.13.0-cpu", "torch-2.13.0-cuda"])
    status, _ = merge(on_cuda, replace(on_cuda, corpus="0123456789ab"))
    assert status == 2


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (part({"torch.a/one": REFUTED}), "torch.a/one is refuted there"),
        (part({"torch.a/one": HOLDS}, corpus="ba9876543210"), "measured corpus ba9876543210"),
        (part({}, void="a smoke claim failed"), "void (a smoke claim failed)"),
    ],
)
def test_unfit_parts_are_refused_and_nothing_is_written(
    merge: Any, capsys: pytest.CaptureFixture[str], other: Results, message: str
) -> None:
    status, merged = merge(part({"torch.a/one": HOLDS}), other)
    assert (status, merged) == (2, {})
    told = capsys.readouterr().err
    assert message in told
    assert "part-1" in told


def test_a_file_is_no_folder_to_write_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "torch-2.13.0-cpu.jsonl"
    save_results(part({}), path)
    assert command([str(path)], path)[0] == 2
    assert capsys.readouterr().err == f"conformance: --output {path}: this is a file; give a folder\n"


def test_a_foreign_format_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "torch-2.13.0-cpu.jsonl"
    save_results(part({}), path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"schema":2', '"schema":99', 1), encoding="utf-8")
    assert command([str(path)], tmp_path / "merged") == (2, {})
    assert "format 99" in capsys.readouterr().err


def test_a_folder_is_searched_and_an_empty_one_refused(tmp_path: Path) -> None:
    save_results(part({"torch.a/one": HOLDS}), tmp_path / "in" / "job-1" / "torch-2.13.0-cpu.jsonl")
    save_results(part({}, torch="2.12.1"), tmp_path / "in" / "job-2" / "torch-2.12.1-cpu.jsonl")
    (tmp_path / "in" / "timings").mkdir()
    (tmp_path / "in" / "timings" / "torch-2.12.1-cpu.jsonl").write_text("{}", encoding="utf-8")
    status, merged = command([str(tmp_path / "in")], tmp_path / "merged")
    assert (status, sorted(merged)) == (0, ["torch-2.12.1-cpu", "torch-2.13.0-cpu"])
    (tmp_path / "empty").mkdir()
    assert command([str(tmp_path / "empty")], tmp_path / "none")[0] == 2


def test_a_record_is_as_many_files_as_it_has_environments(tmp_path: Path) -> None:
    new, old = part({"torch.a/one": HOLDS}), part({"torch.a/one": REFUTED}, torch="2.12.1")
    save_record({results.name: results for results in (new, old)}, tmp_path / "in" / "record.jsonl")
    more = part({"torch.b/two": HOLDS})
    save_results(more, tmp_path / "in" / "job-1" / "torch-2.13.0-cpu.jsonl")
    status, merged = command([str(tmp_path / "in")], tmp_path / "merged")
    assert status == 0
    assert {name: dict(results.claims) for name, results in merged.items()} == {
        new.name: {"torch.a/one": HOLDS, "torch.b/two": HOLDS},
        old.name: {"torch.a/one": REFUTED},
    }


def test_what_is_still_to_measure_is_told(merge: Any, capsys: pytest.CaptureFixture[str]) -> None:
    corpus, _ = load_corpus([default_root()])
    measured = [claim for claim in corpus.claims if not claim.is_timed]
    merge(part({claim.id: HOLDS for claim in measured[2:]}, corpus=corpus.revision()))
    assert "; 2 of the corpus are not measured yet" in capsys.readouterr().out


def test_a_version_can_not_lead_out_of_the_folder(merge: Any, tmp_path: Path) -> None:
    merge(part({}, torch="../../../outside"))
    assert [path.name for path in (tmp_path / "merged").iterdir()] == ["torch-.._.._.._outside-cpu.jsonl"]
