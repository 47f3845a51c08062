"""The report in its four formats: what a person needs first, and harmless whatever a spec, result or source says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.results.model import Facts, Signal
from conformance.tests.result_files import SIMPLE, entry, make_corpus, release
from conformance.upgrade.claims import compare_claims
from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.model import AffectedPlace, Report, ReportCoverage, ReportEntry
from conformance.upgrade.report import markdown_report, text_report
from conformance.usage import Cause, Evidence, Kind, NotRead, Use

HOSTILE = "no\x1b[2J <script>alert(1)</script> `code` [link](http://x) ::error::%0A| ```"
COVERED = ReportCoverage(files=1, names=2, claimed=1, calls=3, known_calls=2)


def place(line: int = 2, evidence: Evidence = Evidence.CERTAIN, path: str = "code.py") -> AffectedPlace:
    return AffectedPlace(Use(("torch.Tensor.detach",), path, line, 5, Kind.CALL, evidence), evidence)


def report(folder: Path, message: str = "no", places: tuple[AffectedPlace, ...] = (), **fields: Any) -> Report:
    corpus = make_corpus(folder / "specs", SIMPLE)
    [claim] = corpus.claims
    before, after = entry(claim, facts=Facts(), **fields), entry(claim, facts=Facts(Signal("E", message)), **fields)
    path = [
        release("1.13.1", {claim.id: before}, python="3.9"),
        release("2.0.1", {claim.id: before}),
        release("2.2.2", {claim.id: after}),
    ]
    found = compare_claims(corpus, path)
    entries = tuple(replace(one, places=places) for one in found.entries)
    return replace(found, entries=entries, coverage=COVERED if places else None)


def named(id: str, severity: Any = "breaks", *places: AffectedPlace) -> ReportEntry:
    what = f"{id} is gone"
    return ReportEntry(
        id, severity, "gone", what, "there", "gone", "since 2.0", instead="new", subject=id, places=places
    )


def test_an_entry_has_all_that_a_person_needs(tmp_path: Path) -> None:
    told = text_report(report(tmp_path, places=(place(3, path="b.py"), place(), place(7))))
    for part in (
        "torch 1.13.1 → 2.2.2 on cpu",
        "1 file read; 2 of 2 torch names known (1 with measured claims), 2 of 3 calls by signature",
        "1 claim compared",
        "1 break.",
        "torch.Tensor.detach: raises E now",
        "at       b.py:3; code.py:2, 7",
        "before   no error",
        "after    E: no",
        "changed  between 2.0.1 and 2.2.2 (2.1 not measured)",
        "claim    torch.Tensor.detach/claim-0 (Claim number 0)",
        "more     conformance show torch.Tensor.detach/claim-0",
        "x = torch.tensor([1., 2.])",
    ):
        assert part in told


def test_what_is_covered_comes_first(tmp_path: Path) -> None:
    use = place(9).use
    coverage = replace(
        COVERED,
        unknown={"torch.odd": (use, "deep inside torch")},
        missing={"torch.eig": (use, "gone since 1.13")},
        not_read=(NotRead("old.py", Cause.PYTHON_2, 3),),
    )
    told = text_report(replace(report(tmp_path, places=(place(),)), coverage=coverage))
    assert told.index("nothing is known of: torch.odd (code.py:9)") < told.index("BREAKS")
    assert "gone from both releases: torch.eig (code.py:9)" in told
    assert "not read (Python 2): old.py:3" in told
    silent = Report("2.0.1", "2.1.2", coverage=coverage)
    assert "this is no all-clear" in text_report(silent)
    assert "Nothing that was measured differs." in text_report(replace(silent, coverage=COVERED))


def test_what_hurts_less_is_only_counted_until_all_is_asked_for() -> None:
    entries = (named("torch.a"), named("torch.b", "corner"), named("torch.c", "documentation"))
    whole = Report("2.0.1", "2.1.2", entries=entries, coverage=COVERED)
    told = text_report(whole)
    assert "1 break; only counted (--all): 1 corner, 1 documentation." in told
    assert "torch.b" not in told
    assert "torch.b is gone" in text_report(whole, everything=True)


def test_what_is_only_maybe_is_a_line() -> None:
    maybe = named("torch.a", "breaks", place(2, Evidence.MAYBE), place(3, Evidence.MAYBE))
    told = text_report(Report("2.0.1", "2.1.2", entries=(maybe,), coverage=COVERED))
    assert "MAYBE" in told
    assert "  torch.a is gone (since 2.0)  [code.py:2:5 and 1 more]\n" in told
    assert "BREAKS" not in told


def test_places_that_are_only_maybe_are_counted_apart() -> None:
    mixed = named("torch.a", "breaks", place(2, Evidence.LIKELY), place(3, Evidence.MAYBE), place(4, Evidence.MAYBE))
    told = text_report(Report("2.0.1", "2.1.2", entries=(mixed,), coverage=COVERED))
    assert "at       code.py:2\n" in told
    assert "maybe    at 2 more places; --json lists them\n" in told
    many = replace(mixed, places=(place(2), *(place(line, Evidence.MAYBE) for line in range(3, 60))))
    told = text_report(Report("2.0.1", "2.1.2", entries=(many,), coverage=COVERED))
    assert "maybe    at 57 more places; --json lists the first 50 places\n" in told


def test_it_says_what_can_not_be_told_for_certain() -> None:
    values = place(2)._replace(evidence=Evidence.LIKELY)
    for one, reason in ((place(2, Evidence.LIKELY), "which object this is"), (values, "the values meet the condition")):
        told = text_report(Report("2.0.1", "2.1.2", entries=(named("torch.a", "breaks", one),), coverage=COVERED))
        assert re.search(rf"^ +likely .*{reason}", told, re.MULTILINE)


def test_three_entries_or_more_are_listed_before_their_details() -> None:
    entries = tuple(named(f"torch.f{number}", "breaks", place()) for number in range(25))
    two, all_told = (
        text_report(Report("2.0.1", "2.1.2", entries=entries[:count], coverage=COVERED)) for count in (2, 25)
    )
    line = "  break    torch.f19 is gone (since 2.0)  [code.py:2:5]\n  and 5 more\n"
    assert line in all_told[: all_told.index("BREAKS")]
    assert "  break    torch" not in two


def test_without_code_names_are_listed_by_module() -> None:
    entries = tuple(named(f"torch.onnx.f{number}") for number in range(30))
    told = text_report(Report("2.0.1", "2.1.2", entries=entries))
    assert "torch.onnx, gone: f0, f1, f2, f3 and 26 more" in told
    assert "f20" not in told
    assert "torch.onnx.f20 is gone" in text_report(Report("2.0.1", "2.1.2", entries=entries), everything=True)


def test_brief_is_a_line_for_each_entry(tmp_path: Path) -> None:
    told = text_report(report(tmp_path, places=(place(),)), brief=True)
    assert "  torch.Tensor.detach: raises E now (between 2.0.1 and 2.2.2 (2.1 not measured))  [code.py:2:5]\n" in told
    assert "import torch" not in told


def test_claims_that_can_not_be_compared_are_counted_with_why(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path, SIMPLE, SIMPLE)
    first, second = corpus.claims
    path = [
        release("2.0.1", {first.id: entry(first)}),
        release("2.1.2", {claim.id: entry(claim) for claim in corpus.claims}),
    ]
    told = text_report(compare_claims(corpus, path))
    assert "1 claim compared; 1 could not be: 2.0.1: not measured (1)" in told
    assert second.id not in told


def test_a_message_can_not_drive_the_terminal(tmp_path: Path) -> None:
    told = text_report(report(tmp_path, HOSTILE, (place(path="a\x1b[2J.py"),)))
    assert "\x1b" not in told
    assert "\\x1b[2J" in told


def test_markdown_has_no_markup_of_others(tmp_path: Path) -> None:
    told = markdown_report(report(tmp_path, HOSTILE))
    outside = re.sub(r"^(`{3,})python\n.*?\n\1$", "", told, flags=re.MULTILINE | re.DOTALL)
    assert "\x1b" not in told
    for markup in ("<script>", "[link](", " `code`"):
        assert markup not in outside
    assert "\\<script\\>" in outside


def test_a_script_can_not_end_its_fence(tmp_path: Path) -> None:
    told = markdown_report(report(tmp_path, example={"x": "'''```\\n# heading'''"}))
    assert told.count("````") == 2


def test_json_has_what_is_shown(tmp_path: Path) -> None:
    document = json.loads(json_report(report(tmp_path, places=(place(),))))
    [found] = document["entries"]
    assert document["counts"]["breaks"] == 1
    assert document["coverage"]["names"] == 2
    assert found["claims"] == [{"id": "torch.Tensor.detach/claim-0", "title": "Claim number 0"}]
    assert found["uses"] == [
        {"evidence": "certain", "name": "torch.Tensor.detach", "file": "code.py", "line": 2, "column": 5}
    ]
    assert found["script"].startswith("import torch")
    assert (found["severity"], found["kind"], found["before"]) == ("breaks", "error", "no error")


def test_json_and_annotations_are_bounded() -> None:
    places = tuple(place(line) for line in range(1, 2000))
    entries = tuple(named(f"torch.f{number}", "breaks", *places) for number in range(30))
    whole = Report("2.0.1", "2.1.2", entries=entries, coverage=COVERED)
    assert [len(found["uses"]) for found in json.loads(json_report(whole))["entries"]] == [50] * 30
    lines = github_report(whole).splitlines()
    assert len(lines) == 51
    assert lines[-1].endswith("and 100 more")


def test_annotations_are_for_what_breaks_changes_or_warns() -> None:
    entries = (
        named("torch.a", "breaks", place(2)),
        named("torch.b", "changes", place(3, Evidence.LIKELY)),
        named("torch.c", "warns", place(4)),
        named("torch.d", "corner", place(5)),
        named("torch.e", "breaks", place(6, Evidence.MAYBE)),
    )
    lines = github_report(Report("2.0.1", "2.1.2", entries=entries, coverage=COVERED)).splitlines()
    assert [line.partition(",title")[0] for line in lines] == [
        "::error file=code.py,line=2",
        "::warning file=code.py,line=3",
        "::notice file=code.py,line=4",
    ]


@pytest.mark.parametrize("places", [(), (place(path="a,b::error::.py"),)])
def test_an_annotation_is_one_command(tmp_path: Path, places: tuple[AffectedPlace, ...]) -> None:
    lines = github_report(report(tmp_path, HOSTILE + "\n::error::more", places)).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error ")
    assert "%250A" in lines[0]
    assert not places or lines[0].startswith("::error file=a%2Cb%3A%3Aerror%3A%3A.py,line=2,title=")


def test_thousands_have_separators(tmp_path: Path) -> None:
    many = replace(COVERED, names=2_000, claimed=1_500, calls=4_000, known_calls=3_000)
    told = text_report(replace(report(tmp_path, places=(place(),)), coverage=many, compared=3_753))
    assert "2,000 of 2,000 torch names known (1,500 with measured claims), 3,000 of 4,000" in told
    assert "3,753 claims compared" in told
