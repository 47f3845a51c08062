"""The report in its four formats: what a person needs first, and harmless whatever a spec, result or source says."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from conformance.upgrade.formats import github_report, json_report
from conformance.upgrade.model import AffectedPlace, Report, ReportCoverage, ReportEntry
from conformance.upgrade.report import markdown_report, text_report
from conformance.usage import Cause, Evidence, Kind, NotRead, Use

HOSTILE = "no\x1b[2J <script>alert(1)</script> `code` [link](http://x) ::error::%0A| ```"
COVERED = ReportCoverage(files=1, names=2, calls=3, known_calls=2)


def place(line: int = 2, evidence: Evidence = Evidence.CERTAIN, path: str = "code.py") -> AffectedPlace:
    return AffectedPlace(Use(("torch.Tensor.detach",), path, line, 5, Kind.CALL, evidence), evidence)


def report(message: str = "no", places: tuple[AffectedPlace, ...] = (), script: str = "import torch\n") -> Report:
    """Return a report with one change."""
    one = ReportEntry(
        *("2.2/detach-raises", "breaks", "change", "detach() raises", "A tensor.", f"E: {message}", "since 2.2"),
        script=script,
        instead="x.data",
        condition="x is odd",
        page="reference/releases/2.2.2.html#detach-raises",
        subject="torch.Tensor.detach",
        places=places,
    )
    return Report("1.13.1", "2.2.2", entries=(one,), coverage=COVERED if places else None)


def named(id: str, severity: Any = "breaks", *places: AffectedPlace) -> ReportEntry:
    what = f"{id} is gone"
    return ReportEntry(
        id, severity, "gone", what, "there", "gone", "since 2.0", instead="new", subject=id, places=places
    )


def test_an_entry_has_all_that_a_person_needs() -> None:
    told = text_report(report(places=(place(3, path="b.py"), place(), place(7))))
    assert told.startswith("torch 1.13.1 → 2.2.2: 1 break (1 file read)\n")
    for part in (
        "BREAKS  b.py:3; code.py:2, 7\n",
        "  detach() raises  (since 2.2)\n",
        "  only if  x is odd\n",
        "  before   A tensor.\n",
        "  after    E: no\n",
        "  write    x.data\n",
        "  more     conformance show 2.2/detach-raises\n",
        "covered: 2 torch names, all known; 2 of 3 calls by signature\n",
    ):
        assert part in told
    assert "import torch" in text_report(report(places=(place(),)), everything=True)


def test_what_is_not_covered_is_named_on_request_or_where_nothing_else_is() -> None:
    use = place(9).use
    coverage = replace(
        COVERED,
        unknown={"torch.odd": (use, "deep inside torch")},
        missing={"torch.eig": (use, "gone since 1.13")},
        not_read=(NotRead("old.py", Cause.PYTHON_2, 3),),
    )
    whole = replace(report(places=(place(),)), coverage=coverage)
    assert "covered: 2 torch names, 2 unknown; 2 of 3 calls by signature; 1 place not read (--coverage)" in text_report(
        whole
    )
    silent = Report("2.0.1", "2.1.2", coverage=coverage)
    for told in (text_report(whole, coverage=True), text_report(silent)):
        assert "unknown (deep inside torch): torch.odd (code.py:9)" in told
        assert "gone from both releases: torch.eig (code.py:9)" in told
        assert "not read (Python 2): old.py:3" in told
    assert "parts of the code could not be analysed" in text_report(silent)
    assert "no differences found" in text_report(replace(silent, coverage=COVERED))


def test_what_was_so_already_stands_apart() -> None:
    told = text_report(replace(report(places=(place(),)), pending=(named("torch.a", "warns", place(5)),)))
    assert "PENDING: already so in 1.13.1\n  torch.a is gone (since 2.0)  [code.py:5:5]\n" in told
    assert told.startswith("torch 1.13.1 → 2.2.2: 1 break (1 file read)\n")


def test_what_is_only_maybe_is_a_line() -> None:
    maybe = named("torch.a", "breaks", place(2, Evidence.MAYBE), place(3, Evidence.MAYBE))
    told = text_report(Report("2.0.1", "2.1.2", entries=(maybe,), coverage=COVERED))
    assert "MAYBE" in told
    assert "  torch.a is gone (since 2.0)  [code.py:2:5 and 1 more]\n" in told
    assert "BREAKS" not in told


def test_places_that_are_only_maybe_are_counted_apart() -> None:
    mixed = named("torch.a", "breaks", place(2, Evidence.LIKELY), place(3, Evidence.MAYBE), place(4, Evidence.MAYBE))
    told = text_report(Report("2.0.1", "2.1.2", entries=(mixed,), coverage=COVERED))
    assert "BREAKS  code.py:2\n" in told
    assert "maybe    at 2 more places; --json lists them\n" in told


def test_five_places_are_named_and_the_others_counted() -> None:
    many = named("torch.a", "breaks", *(place(line) for line in range(2, 60)))
    whole = Report("2.0.1", "2.1.2", entries=(many,), coverage=COVERED)
    assert "BREAKS  code.py:2, 3, 4, 5, 6 and 53 more\n" in text_report(whole)
    assert "57, 58, 59\n" in text_report(whole, everything=True)


def test_it_says_what_can_not_be_told_for_certain() -> None:
    one = named("torch.a", "breaks", place(2, Evidence.LIKELY))
    told = text_report(Report("2.0.1", "2.1.2", entries=(one,), coverage=COVERED))
    assert re.search(r"^ +likely .*which object this is", told, re.MULTILINE)


def test_four_entries_or_more_are_listed_before_their_details() -> None:
    entries = tuple(named(f"torch.f{number:02}", "breaks", place()) for number in range(25))
    two, all_told = (
        text_report(Report("2.0.1", "2.1.2", entries=entries[:count], coverage=COVERED)) for count in (2, 25)
    )
    line = "  breaks   torch.f19 is gone (since 2.0)  [code.py:2:5]\n  and 5 more\n"
    assert line in all_told[: all_told.index("BREAKS")]
    assert "  breaks   torch" not in two


def test_without_code_names_are_listed_by_module() -> None:
    entries = tuple(named(f"torch.onnx.f{number}") for number in range(30))
    told = text_report(Report("2.0.1", "2.1.2", entries=entries))
    assert "torch.onnx, gone: f0, f1, f2, f3 and 26 more" in told
    assert "f20" not in told
    assert "torch.onnx.f20 is gone" in text_report(Report("2.0.1", "2.1.2", entries=entries), everything=True)


def test_brief_is_a_line_for_each_entry() -> None:
    told = text_report(report(places=(place(),)), brief=True)
    assert "breaks   detach() raises (since 2.2)  [code.py:2:5]\n" in told
    assert "before" not in told


def test_a_message_can_not_drive_the_terminal() -> None:
    told = text_report(report(HOSTILE, (place(path="a\x1b[2J.py"),)))
    assert "\x1b" not in told
    assert "\\x1b[2J" in told


def test_markdown_has_no_markup_of_others() -> None:
    told = markdown_report(report(HOSTILE, (place(),)))
    outside = re.sub(r"^(`{3,})python\n.*?\n\1$", "", told, flags=re.MULTILINE | re.DOTALL)
    assert "\x1b" not in told
    for markup in ("<script>", "[link](", " `code`"):
        assert markup not in outside
    assert "\\<script\\>" in outside


def test_a_script_can_not_end_its_fence() -> None:
    told = markdown_report(report(places=(place(),), script="x = '```'\n"), everything=True)
    assert told.count("````") == 2


def test_json_has_what_is_shown() -> None:
    document = json.loads(json_report(report(places=(place(),))))
    [found] = document["entries"]
    assert document["counts"]["breaks"] == 1
    assert document["coverage"]["names"] == 2
    assert (found["id"], found["only_if"]) == ("2.2/detach-raises", "x is odd")
    assert found["uses"] == [
        {"evidence": "certain", "name": "torch.Tensor.detach", "file": "code.py", "line": 2, "column": 5}
    ]
    assert found["script"].startswith("import torch")
    assert (found["severity"], found["kind"], found["before"]) == ("breaks", "change", "A tensor.")


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
        named("torch.e", "breaks", place(6, Evidence.MAYBE)),
    )
    lines = github_report(Report("2.0.1", "2.1.2", entries=entries, coverage=COVERED)).splitlines()
    assert [line.partition(",title")[0] for line in lines] == [
        "::error file=code.py,line=2",
        "::warning file=code.py,line=3",
        "::notice file=code.py,line=4",
    ]


@pytest.mark.parametrize("places", [(), (place(path="a,b::error::.py"),)])
def test_an_annotation_is_one_command(places: tuple[AffectedPlace, ...]) -> None:
    lines = github_report(report(HOSTILE + "\n::error::more", places)).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error ")
    assert "%250A" in lines[0]
    assert not places or lines[0].startswith("::error file=a%2Cb%3A%3Aerror%3A%3A.py,line=2,title=")


def test_thousands_have_separators() -> None:
    many = replace(COVERED, names=2_000, calls=4_000, known_calls=3_000)
    told = text_report(replace(report(places=(place(),)), coverage=many))
    assert "2,000 torch names, all known; 3,000 of 4,000 calls" in told
