"""The commands as a user types them: what they print, write and return."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from conformance.__main__ import main
from conformance.tests.conftest import HEADER, claim_text

ROOT = Path(__file__).resolve().parents[2]
GOOD = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: not y.requires_grad"
BAD = "given: {x: tensor(min_size=1)}\ndo: y = x.clone()\nexpect: shares_storage(x, y)"


ANSWER = "answer: [{says: It negates., claims: [torch.Tensor.detach/good-one]}]\n"


def conformance(*arguments: object, folder: Path, path: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{path}", "COLUMNS": "120"}
    command = [sys.executable, "-m", "conformance", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """A folder with one good and one bad claim."""
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "good.yaml").write_text(HEADER + claim_text(GOOD, identity="good-one"), encoding="utf-8")
    (folder / "bad.yaml").write_text(
        HEADER + claim_text(BAD, identity="bad-one", title="A clone shares"), encoding="utf-8"
    )
    return folder


def test_run_fails_with_what_a_person_needs(specs: Path, tmp_path: Path) -> None:
    ran = conformance("run", specs, folder=tmp_path)
    assert ran.returncode == 1
    for part in (
        "A clone shares",
        "docstring of torch.Tensor.detach",
        "specs/bad.yaml:3:5",
        "assert shares_storage(x, y)",
        "1 holds, 1 refuted",
        "specs/bad.yaml::torch.Tensor.detach/bad-one[cpu]",
    ):
        assert part in ran.stdout
    assert "Traceback" not in ran.stdout + ran.stderr
    assert "not part of the corpus; running it runs its Python" in ran.stderr


def test_run_selects_as_pytest_does(specs: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    ran = conformance("run", specs, "-k", "good", f"--junitxml={report}", folder=tmp_path)
    assert ran.returncode == 0
    names = [case.attrib["name"] for case in ElementTree.parse(report).iter("testcase")]
    assert names == ["torch.Tensor.detach/good-one[cpu]"]


def test_processes_change_nothing(specs: Path, tmp_path: Path) -> None:
    alone = conformance("run", specs, folder=tmp_path)
    shared = conformance("run", specs, "-n", "2", folder=tmp_path)
    assert shared.returncode == 1
    counts = [line for line in alone.stdout.splitlines() if "1 holds, 1 refuted" in line]
    assert counts[0] in shared.stdout


def test_other_plugins_of_pytest_are_loaded_where_they_are_named(specs: Path, tmp_path: Path) -> None:
    installed = tmp_path / "noisy-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text("[pytest11]\nnoise = noisy\n", encoding="utf-8")
    noise = "import sys\ndef pytest_configure(config):\n    print('noise', file=sys.stderr)\n"
    (tmp_path / "noisy.py").write_text(noise, encoding="utf-8")
    for processes in ("0", "2"):
        ran = conformance("run", specs / "good.yaml", "-n", processes, folder=tmp_path, path=tmp_path)
        assert (ran.returncode, "noise" in ran.stderr) == (0, False)
        named = conformance("run", specs / "good.yaml", "-n", processes, "-p", "noisy", folder=tmp_path, path=tmp_path)
        assert (named.returncode, "noise" in named.stderr) == (0, True)


def test_last_failed_runs_only_that(specs: Path, tmp_path: Path) -> None:
    conformance("run", specs, folder=tmp_path)
    again = conformance("run", specs, "--lf", folder=tmp_path)
    assert "bad-one" in again.stdout
    assert "1 claim, 1 failed in " in again.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "no/such/place"], "no such file or folder"),
        (["check", "no/such/place"], "no such file or folder"),
        (["run", "{specs}", "--device", "tpu"], "--device tpu: this torch finds only cpu"),
        (["run", "{specs}", "--import", "no_such.package"], "--import no_such.package: no module no_such is installed"),
        (["run", "{specs}/answer.yaml"], "answer.yaml: no claims in this file; for the claims about a name"),
        (["run", "{specs}", "--results={specs}/damaged"], "damaged/record.jsonl:1: no first line of a record; take"),
        (["run", "{specs}", "--no-such-option"], "unrecognized arguments"),
        (["run", "{specs}", "-k", "nothing-like-this"], "no claim matches"),
        (["show", "zxqv"], "nothing is known of 'zxqv'"),
        (["shou"], "invalid choice"),
        ([], "required"),
    ],
)
def test_a_wrong_call_is_status_2_with_a_message(
    specs: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (specs / "answer.yaml").write_text("subject: torch.Tensor.neg\n" + ANSWER, encoding="utf-8")
    (specs / "damaged").mkdir()
    (specs / "damaged" / "record.jsonl").write_text('{"record":1', encoding="utf-8")
    ran = conformance(*(argument.format(specs=specs) for argument in arguments), folder=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_wrong_specs_are_told_by_place_and_nothing_runs(specs: Path, tmp_path: Path) -> None:
    (specs / "wrong.yaml").write_text(
        HEADER + claim_text("given: {x: tensr()}\ndo: y = x\nexpect: y is x"), encoding="utf-8"
    )
    for command in ("check", "run"):
        ran = conformance(command, specs, folder=tmp_path)
        assert ran.returncode == 2
        assert "specs/wrong.yaml:7:" in ran.stdout + ran.stderr
        assert "tensor" in ran.stdout + ran.stderr
        assert "collected" not in ran.stdout


def test_check_of_the_corpus_needs_no_torch(tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from conformance.__main__ import main; sys.exit(main(['check']))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "no mistakes" in ran.stdout


@pytest.mark.parametrize("chosen", [["-k", "detach"], ["-n", "2"]])
def test_a_missing_or_broken_torch_is_told_once(tmp_path: Path, chosen: list[str]) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "torch.py").write_text("raise ImportError('this wheel is broken')", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'broken'}"}
    command = [
        sys.executable,
        "-c",
        "import sys; sys.path.insert(0, sys.argv[1]); from conformance.__main__ import main; ",
    ]
    broken = subprocess.run(
        [sys.executable, "-m", "conformance", "run", *chosen],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert broken.returncode == 2
    assert (broken.stdout + broken.stderr).count("ImportError: this wheel is broken") == 1
    assert "INTERNALERROR" not in broken.stdout + broken.stderr
    command[-1] += "import importlib.util; importlib.util.find_spec = lambda name: None; sys.exit(main(['run']))"
    missing = subprocess.run([*command, str(ROOT)], cwd=tmp_path, capture_output=True, text=True)
    assert missing.returncode == 2
    assert "torch is not installed" in missing.stderr


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_device_that_is_not_there_is_told(specs: Path, tmp_path: Path, processes: str) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    ran = conformance("run", specs, "--device", "cuda", "-n", processes, folder=tmp_path)
    assert ran.returncode == 2
    assert "this torch finds only cpu" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr


def test_names_and_trials_have_their_own_help(tmp_path: Path) -> None:
    assert "gone since 2.0" in conformance("names", "show", "torch.symeig", folder=tmp_path).stdout
    assert "measure" in conformance("trials", "--help", folder=tmp_path).stdout
    assert conformance("trials", "show", "torch.no_such_name", folder=tmp_path).returncode == 2
    listed = conformance("--help", folder=tmp_path).stdout
    assert "    names  " in listed
    assert "    trials    " in listed


def test_an_item_of_pytest_is_no_path(tmp_path: Path) -> None:
    ran = conformance("run", "specs/clone.yaml::torch.clone/shares-storage[cpu]", folder=tmp_path)
    assert ran.returncode == 2
    assert "for one claim write: conformance run specs/clone.yaml -k torch.clone/shares-storage" in ran.stderr


def test_show_tells_what_is_documented_apart_from_what_is_true(tmp_path: Path) -> None:
    always = conformance("show", "torch.Tensor.detach/never-requires-grad", folder=tmp_path)
    assert "documented and true: 1.8.1 to 2.15.0 cpu" in always.stdout
    false = conformance("show", "torch.from_numpy/shares-memory", folder=tmp_path)
    assert "documented and false: 1.8.1 to 2.15.0 cpu" in false.stdout


def test_help_teaches(tmp_path: Path) -> None:
    for arguments in (["--help"], ["run", "--help"], ["check", "--help"], ["show", "--help"]):
        ran = conformance(*arguments, folder=tmp_path)
        assert ran.returncode == 0
        assert "usage" in ran.stdout
    assert "exit status" in conformance("--help", folder=tmp_path).stdout


def test_the_plugin_collects_nothing_unless_asked(specs: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", str(specs)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert plain.returncode == 5
    asked = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conformance.plugin", str(specs / "good.yaml")],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert asked.returncode == 0
    assert "1 holds" in asked.stdout


def test_a_part_of_the_corpus_replaces_no_result_file(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    ran = conformance("run", "-k", "shares-storage", f"--results={folder}", folder=tmp_path)
    assert "no result file written" in ran.stdout
    assert not list(folder.glob("*.json"))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_terminal_without_a_character_gets_an_escape(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "a→b").mkdir()
    (tmp_path / "a→b" / "bad.yaml").write_text("subject: torch.clone\nclaims: []\n", encoding="utf-8")
    command = [sys.executable, "-m", "conformance", "check", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": f"{encoding}:strict"}
    ran = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert ran.returncode == 2
    assert b"Traceback" not in ran.stderr
    assert b"\\u2192" in ran.stdout


def _examples() -> Iterator[tuple[str, str]]:
    """Each YAML example of a whole spec file in the README and the pages, with its place."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yield from (
        (f"README.md-{n}", found) for n, found in enumerate(re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL))
    )
    for page in sorted((ROOT / "docs").glob("*.rst")):
        blocks = re.findall(
            r"^\.\. code-block:: yaml\n((?:(?: +.*)?\n)+)", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        yield from ((f"{page.name}-{number}", textwrap.dedent(block)) for number, block in enumerate(blocks))


@pytest.mark.parametrize(
    "text", [pytest.param(text, id=place) for place, text in _examples() if text.lstrip().startswith("subject:")]
)
def test_an_example_can_be_pasted(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pasted.yaml").write_text(text.lstrip("\n"), encoding="utf-8")
    assert main(["check", str(tmp_path)]) == 0, capsys.readouterr().out
