"""The recorded names: ranges of releases as text, the same bytes whatever the order of recording."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from conformance.base.json_files import ResultError
from conformance.lab.names.__main__ import main
from conformance.lab.names.record import contract, record, write_line
from conformance.names.lookup import Names
from conformance.names.model import Found, MeasuredNames, NameRecord, Section
from conformance.names.store import expand, parse_line

MINORS = ("1.8", "1.9", "1.10", "2.0", "2.1")


def function(*signatures: str, deprecated: str = "", warns: str = "", removed: str = "") -> NameRecord:
    return NameRecord("function", "", signatures, "inspect", (), removed, deprecated, warns)


def release(torch: str, **names: NameRecord) -> MeasuredNames:
    section: Section = {"": NameRecord("module"), **names}
    return MeasuredNames(torch, "3.12", {"torch": section})


def text(folder: Path) -> str:
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()))


@pytest.mark.parametrize(
    ("releases", "ranges"),
    [
        (("1.8", "1.9", "1.10", "2.0", "2.1"), "1.8-"),
        (("1.8",), "1.8"),
        (("1.8", "1.9", "2.0"), "1.8-1.9,2.0"),
        (("1.10", "2.1"), "1.10,2.1-"),
    ],
)
def test_releases_are_written_as_ranges(releases: tuple[str, ...], ranges: str) -> None:
    assert contract(releases, MINORS) == ranges
    assert expand(ranges, MINORS) == releases


@pytest.mark.parametrize(
    "item",
    [
        NameRecord("module", error="ModuleNotFoundError: No module named 'x'"),
        NameRecord("class", signatures=("(a, b='=')",), origin="inspect", bases=("torch.A", "builtins.tuple")),
        NameRecord("builtin", signatures=("(input)", "(input, dim)"), origin="stub", deprecated="use torch.b"),
        function("(x)", removed="now removed", warns="FutureWarning"),
        NameRecord("constant", "torch.dtype"),
        NameRecord("alias", "torch.other.place"),
    ],
)
def test_a_line_is_read_as_it_was_written(item: NameRecord) -> None:
    [(name, releases, read)] = parse_line(write_line(["Linear.forward"], "1.9-", item), MINORS)
    assert (name, releases, read) == ("Linear.forward", MINORS[1:], item)


def test_names_of_which_the_same_is_known_share_a_line(tmp_path: Path) -> None:
    linear = {f"Linear.{name}": NameRecord("attribute") for name in ("bias", "weight")}
    record([release("1.8.1", **linear, Linear=NameRecord("class"))], tmp_path)
    assert "Linear.{bias,weight}\t1.8-\tattribute\n" in text(tmp_path)
    for name in linear:
        assert Names(tmp_path).lookup(f"torch.{name}", "1.8") == Found(
            f"torch.{name}", f"torch.{name}", NameRecord("attribute")
        )


def test_a_new_release_changes_only_the_lines_of_what_changed(tmp_path: Path) -> None:
    old = {"same": function("(x)"), "other": function("(x)", deprecated="soon"), "gone": function("(y)")}
    record([release("1.8.1", **old)], tmp_path)
    before = set(text(tmp_path).splitlines())
    record([release("1.9.0", same=function("(x)"), other=function("(x, dim)"), new=function("(z)"))], tmp_path)
    after = set(text(tmp_path).splitlines())
    assert after - before == {
        "# releases: 1.8.1 1.9.0",
        "other\t1.8\tfunction\tinspect=(x)\tdeprecated=soon",
        "other\t1.9-\tfunction\tinspect=(x, dim)",
        "gone\t1.8\tfunction\tinspect=(y)",
        "new\t1.9-\tfunction\tinspect=(z)",
    }


def test_the_order_of_recording_changes_nothing(tmp_path: Path) -> None:
    releases = [
        release("1.8.1", a=function("(x)")),
        release("1.10.2", b=function()),
        release("2.0.1", a=function("(y)")),
    ]
    record(releases, tmp_path / "together")
    for item in reversed(releases):
        record([item], tmp_path / "alone")
    assert text(tmp_path / "together") == text(tmp_path / "alone")


def test_a_release_that_is_recorded_already_is_replaced(tmp_path: Path) -> None:
    record([release("1.8.0", a=function("(x)")), release("1.9.0", a=function("(x)"))], tmp_path)
    record([release("1.8.1", b=function())], tmp_path)
    names = Names(tmp_path)
    assert names.releases == ("1.8.1", "1.9.0")
    assert not isinstance(names.lookup("torch.a", "1.8"), Found)
    assert isinstance(names.lookup("torch.a", "1.9"), Found)


def test_text_of_a_release_cannot_break_a_line(tmp_path: Path) -> None:
    hostile = "a\tb\n== torch.evil\nx\t1.8-\tfunction"
    record([release("1.8.1", a=function("(x='\t\n')", deprecated=hostile))], tmp_path)
    answer = Names(tmp_path).lookup("torch.a", "1.8")
    assert isinstance(answer, Found)
    assert answer.record.deprecated == "a b == torch.evil x 1.8- function"


def test_private_modules_are_stored_as_far_as_public_ones_show_them(tmp_path: Path) -> None:
    shown, hidden = function("(a)"), function("(b)")
    sections: dict[str, Section] = {
        "torch": {
            "": NameRecord("module"),
            "shown": NameRecord("alias", "torch._in.deep.shown"),
            "_own": function("(c)"),
        },
        "torch._in.deep": {"": NameRecord("module"), "shown": shown, "hidden": hidden, "_hidden": hidden},
    }
    record([MeasuredNames("2.0.1", "3.12", sections)], tmp_path)
    lines = text(tmp_path).splitlines()
    assert "shown\t2.0-\tfunction\tinspect=(a)" in lines
    assert "hidden\t2.0-\tfunction" in lines
    assert "_own\t2.0-\tfunction" in lines
    assert not any("_hidden" in line for line in lines)


@pytest.mark.parametrize("line", ["broken", "a\t9.9-\tfunction", "a\t1.8"])
def test_a_damaged_file_is_named_with_its_line(tmp_path: Path, line: str) -> None:
    record([release("1.8.1", a=function("(x)"))], tmp_path)
    path = tmp_path / "torch.txt"
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    number = len(path.read_text(encoding="utf-8").splitlines())
    with pytest.raises(ResultError, match=rf"torch\.txt:{number}:1: "):
        record([release("1.9.0")], tmp_path)


@pytest.mark.parametrize("content", [None, "{", "[]", '{"torch": "2.0"}'])
def test_what_is_no_file_of_names_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: Optional[str]
) -> None:
    path = tmp_path / "names.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["record", str(path), f"--into={tmp_path / 'names'}"]) == 2
    assert f"error: {path}: " in capsys.readouterr().err
