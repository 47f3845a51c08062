"""Publishing the pages: what main shows stands at the root of the branch, and a released version keeps its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from conformance.tests.small_checkout import ROOT


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A repository with an origin, as a workflow has it."""
    git(tmp_path, "init", "--quiet", "--bare", "origin")
    git(tmp_path, "init", "--quiet", "checkout")
    folder = tmp_path / "checkout"
    (folder / "README").write_text("The source.")
    for setting in (["user.name", "n"], ["user.email", "n@example.org"]):
        git(folder, "config", *setting)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    git(folder, "remote", "add", "origin", str(tmp_path / "origin"))
    return folder


def publish(checkout: Path, text: str, version: str = "") -> None:
    pages = checkout.parent / f"pages-{text}"
    (pages / "_static").mkdir(parents=True)
    (pages / ".doctrees").mkdir()
    (pages / ".doctrees" / "x").write_text("x")
    (pages / "_static" / "x.css").write_text(text)
    (pages / f"{text}.html").write_text(text)
    script = str(ROOT / ".ci" / "publish")
    done = subprocess.run([script, str(pages), version], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def published(checkout: Path) -> set[str]:
    return set(git(checkout.parent / "origin", "ls-tree", "-r", "--name-only", "gh-pages").split())


def test_pages_of_main_are_replaced_and_those_of_a_release_stay(checkout: Path) -> None:
    publish(checkout, "old")
    assert published(checkout) == {".nojekyll", "_static/x.css", "old.html"}
    publish(checkout, "first", "v0.1.0")
    publish(checkout, "new")
    assert published(checkout) == {
        *(".nojekyll", "_static/x.css", "new.html"),
        *("0.1.0/_static/x.css", "0.1.0/first.html"),
    }
    assert len(git(checkout.parent / "origin", "rev-list", "gh-pages").split()) == 1
    assert git(checkout, "status", "--porcelain") == ""
    assert git(checkout, "worktree", "list").count("\n") == 1


def test_a_tag_that_is_no_version_is_refused(checkout: Path) -> None:
    script = str(ROOT / ".ci" / "publish")
    done = subprocess.run([script, str(checkout), "v../x"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "is no version" in done.stderr
