"""What the page "In CI" shows works: the table, the comments, the action and the hook."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import yaml

from conformance.tests.own_library import ROOT, conformance

PAGE = (ROOT / "docs" / "ci.rst").read_text(encoding="utf-8")
ACTION = ROOT / ".github" / "actions" / "upgrade" / "action.yml"
CODE = """import torch

path = "state.pt"
state = torch.load(path)
root = torch.cholesky(
    torch.eye(2),
)
"""


def blocks(language: str) -> list[str]:
    found = re.findall(rf"^\.\. code-block:: {language}\n\n((?:(?: {{3}}.*)?\n)+)", PAGE, re.M)
    return [textwrap.dedent(block).strip() + "\n" for block in found]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the table of the page, and with code that breaks in two places."""
    (tmp_path / "pyproject.toml").write_text(blocks("toml")[0], encoding="utf-8")
    (tmp_path / "src" / "vendored").mkdir(parents=True)
    (tmp_path / "src" / "own.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "src" / "vendored" / "theirs.py").write_text(CODE, encoding="utf-8")
    return tmp_path


def test_the_table_says_what_need_not_be_typed(project: Path) -> None:
    [command] = blocks("console")
    ran = conformance(project, *command.split()[2:], "--coverage")
    assert ran.returncode == 1, ran.stderr
    assert ran.stdout.startswith("torch 1.13.1 → ")
    assert "(1 file read)" in ran.stdout
    assert "vendored" in ran.stdout  # skipped, and said to be
    assert "ignores that match nothing: torch.hub.load" in ran.stdout


def test_the_comment_leaves_its_entry_out_at_its_place(project: Path) -> None:
    [line] = blocks("python")
    path = project / "src" / "own.py"
    path.write_text(CODE.replace("state = torch.load(path)\n", line), encoding="utf-8")
    ran = conformance(project, "upgrade")
    assert "torch.load:" not in ran.stdout
    assert " ignored" in ran.stdout
    assert "torch.cholesky only raises" in ran.stdout


def test_the_action_writes_annotations_a_summary_and_sarif(project: Path) -> None:
    action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
    used = [step["uses"] for job in _jobs() for step in job["steps"] if "torch-conformance" in step.get("uses", "")]
    assert [use.partition("/torch-conformance/")[2].partition("@")[0] for use in used] == [
        ACTION.parent.relative_to(ROOT).as_posix()
    ]
    install, report = action["runs"]["steps"]
    assert "$GITHUB_ACTION_PATH/../../.." in install["run"]
    assert (ACTION.parent / "../../.." / "pyproject.toml").is_file()
    commands = project / "bin"
    commands.mkdir()
    (commands / "conformance").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m conformance "$@"\n', encoding="utf-8")
    (commands / "conformance").chmod(0o755)
    values = {name: given["default"] for name, given in action["inputs"].items()}
    given = {
        name: re.sub(r"\$\{\{ inputs\.(\w+) }}", lambda match: values[match[1]], value)
        for name, value in report["env"].items()
    }
    summary = project / "summary.md"
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **given, "PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(summary)}
    # Bash as the runner starts it.
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", report["run"]]
    ran = subprocess.run(shell, cwd=project, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 1, ran.stderr
    assert "::error file=src/own.py,line=5," in ran.stdout
    assert "torch.cholesky only raises" in summary.read_text(encoding="utf-8")
    [run] = json.loads((project / "conformance.sarif").read_text(encoding="utf-8"))["runs"]
    assert "2.14/cholesky-only-raises" in {rule["id"] for rule in run["tool"]["driver"]["rules"]}


def test_the_other_job_and_the_hook_run_the_command(project: Path) -> None:
    other = next(document for document in map(yaml.safe_load, blocks("yaml")) if "upgrade" in document)
    command = other["upgrade"]["script"][-1].partition(" > ")[0]
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    used = next(document for document in map(yaml.safe_load, blocks("yaml")) if "repos" in document)
    assert [each["id"] for each in used["repos"][0]["hooks"]] == [hook["id"]]
    for each in (command, hook["entry"]):
        name, *arguments = each.split()
        assert name == "conformance"
        assert conformance(project, *arguments).returncode == 1


def _jobs() -> list[dict[str, list[dict[str, str]]]]:
    return [job for document in map(yaml.safe_load, blocks("yaml")) for job in document.get("jobs", {}).values()]
