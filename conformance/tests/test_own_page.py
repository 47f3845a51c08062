"""The page that leads to claims of one's own does what it says, step by step; the README begins as it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from conformance.tests.own_library import EXAMPLE, ROOT, conformance, make_library

PAGE = (ROOT / "docs" / "own-claims.rst").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
LEFT_OUT = "[…]"


def steps() -> Iterator[tuple[str, str]]:
    """Yield the commands of the page, each with what it prints, and what changes in the library, in their order."""
    for block in re.finditer(
        r"^\.\. code-block:: (console|python)\n\n((?:(?: {3}.*)?\n)+)|examples/own/(claims.yml)", PAGE, re.M
    ):
        if block[3]:
            jobs = yaml.safe_load((EXAMPLE / block[3]).read_text(encoding="utf-8"))["jobs"]
            commands = [step["run"] for step in jobs["claims"]["steps"] if "run" in step]
            yield from ((command, "") for command in commands if command.startswith("conformance"))
        elif block[1] == "console":
            text = re.sub("^ {3}", "", block[2], flags=re.M)
            yield from re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)
        elif block[2].startswith("       return"):
            yield "", block[2].strip()


def assert_shown(shown: str, printed: str) -> None:
    """Assert that some lines are printed in this order; what is left out may be anything."""
    rest = printed
    for part in re.split(rf"^{re.escape(LEFT_OUT)}\n", shown.rstrip() + "\n", flags=re.M):
        assert part in rest, f"{part!r} is not in {rest!r}"
        rest = rest[rest.index(part) + len(part) :]


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    library = make_library(tmp_path)
    done = []
    for command, shown in steps():
        if not command:
            text = (library / "mylib.py").read_text(encoding="utf-8")
            (library / "mylib.py").write_text(text.replace("return x.reshape(-1)", shown), encoding="utf-8")
            continue
        name, *arguments = command.split()
        assert name == "conformance"
        ran = conformance(library, *arguments)
        assert ran.returncode == int("1 refuted" in shown), ran.stdout + ran.stderr
        assert_shown(shown, ran.stdout)
        done.append(arguments[0])
    assert done == ["check", "run", "run", "run", "check", "run", "show"]


def test_the_readme_begins_as_the_page_does() -> None:
    section = README.partition("## Check your own claims")[2].partition("\n## ")[0]
    code = dict(re.findall(r"```(python|yaml|text)\n(.*?)```", section, re.S))
    assert code["python"] in (EXAMPLE / "mylib.py").read_text(encoding="utf-8")
    spec, shown = (
        yaml.safe_load(text) for text in ((EXAMPLE / "claims" / "flat.yaml").read_text("utf-8"), code["yaml"])
    )
    assert shown["subject"] == spec["subject"]
    assert all(claim in spec["claims"] for claim in shown["claims"])
    run = next(printed for command, printed in steps() if command == "conformance run claims")
    assert_shown(code["text"], run)
    assert "(docs/own-claims.rst)" in section
