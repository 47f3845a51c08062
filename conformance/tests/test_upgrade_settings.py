"""The table in pyproject.toml: where it is looked for, what it says, and how a mistake in it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.upgrade.settings import UpgradeSettings, read_settings


def settings(folder: Path, text: str) -> UpgradeSettings:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return read_settings(folder)


def test_without_a_file_or_a_table_nothing_is_said(tmp_path: Path) -> None:
    assert settings(tmp_path, '[project]\nname = "x"\n') == UpgradeSettings()


def test_the_first_file_above_counts_and_paths_are_relative_to_it(tmp_path: Path) -> None:
    inner = tmp_path / "docs" / "source"
    inner.mkdir(parents=True)
    settings(tmp_path, '[tool.conformance.upgrade]\nold = "2.0"\nnew = "latest"\nuses = ["src", "tests"]\n')
    found = read_settings(inner)
    assert (found.old, found.new, found.uses) == ("2.0", "latest", (tmp_path / "src", tmp_path / "tests"))


def test_lists_are_kept_in_their_order(tmp_path: Path) -> None:
    table = '[tool.conformance.upgrade]\nexclude = ["b", "a"]\nignore = ["torch.load"]\nfail-on = "warns"\n'
    found = settings(tmp_path, table)
    assert (found.exclude, found.ignore, found.fail_on) == (("b", "a"), ("torch.load",), "warns")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[tool.conformance.upgrade]\nold = "2.0"\n  newer = "2.1"\n', ":3:3: [tool.conformance.upgrade] has no key"),
        ("old = 1\n[tool.conformance.upgrade]\nold = 2.0\n", ":3:1: 'old' is a text"),
        ('[tool.conformance.upgrade]\nexclude = "tests"\n', ":2:1: 'exclude' is a list of texts"),
        ("[tool.conformance]\nupgrade = 1\n", ": tool.conformance.upgrade is no table"),
        ("[tool\n", "line 1, column"),
        ('[tool.conformance.upgrade]\nfail-on = "harm"\n', ":2:1: 'fail-on' is one of breaks, changes, warns"),
        ('[tool.conformance.upgrade]\n\nfloor = "old"\n', ":3:1: 'floor' is a release, such as 1.13, and not 'old'"),
    ],
)
def test_a_mistake_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"pyproject\.toml") as caught:
        settings(tmp_path, text)
    assert message in str(caught.value)
