"""The page "On a GPU", command by command, with the stand-in device in place of ``cuda``: from nox to a page.

Nothing else about it is left out: the commands are those of the pages, on a small part of the corpus.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from conformance.tests.small_checkout import ROOT, make_checkout, printed_by, run
from conformance.tests.standin import BACKEND, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

ON_A_GPU = (ROOT / "docs" / "on-a-gpu.rst").read_text(encoding="utf-8")
PORTING = (ROOT / "docs" / "porting.rst").read_text(encoding="utf-8")


def commands(page: str) -> list[list[str]]:
    """Return the commands of a page, without what follows ``#``, on the stand-in device."""
    lines = re.findall(r"^   \$ (.*?)(?: +#.*)?$", page, re.M)
    words = [line.replace("cuda", "standin").split() for line in lines]
    return [[*line, "--import", BACKEND] if "--device" in line else line for line in words]


def checkout_with_device(folder: Path) -> Path:
    """Return a small checkout that has the stand-in device."""
    made = make_checkout(folder)
    shutil.copytree(ROOT / "conformance" / "tests" / "standin", made / "conformance" / "tests" / "standin")
    shutil.copy(ROOT / "conformance" / "tests" / "__init__.py", made / "conformance" / "tests")
    return made


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small checkout with the results of the CPU, in which nothing is installed."""
    made = checkout_with_device(tmp_path_factory.mktemp("gpu"))
    shutil.copy(ROOT / "noxfile.py", made)
    ran = run(made, made / "docs" / "results", "--record", "--device", "cpu")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    pip = made / "bin" / "pip"
    pip.mkdir(parents=True)
    (pip / "__init__.py").touch()
    (pip / "__main__.py").write_text("import sys\nprint('pip', *sys.argv[1:])\n")
    return made


def on_device(checkout: Path, *command: str) -> str:
    """Run a command of a page in a checkout; one that fails is a failure."""
    program, *arguments = command
    alone = [] if program == "sphinx-build" or arguments[0] not in ("run", "-s") else ["-n", "0"]
    if program == "nox":
        arguments = ["--no-venv", *arguments]
    paths = os.pathsep.join(map(str, (checkout, checkout / "bin")))
    module = {"sphinx-build": "sphinx"}.get(program, program)
    return printed_by(checkout, module, *arguments, *alone, PYTHONPATH=paths)


def test_the_page_leads_from_nox_to_what_differs(checkout: Path) -> None:
    by_nox, anywhere, compare, merge, show = commands(ON_A_GPU)
    torch = next((checkout / "docs" / "results").glob("torch-*-cpu.jsonl")).name.split("-")[1]
    compare = [re.sub(r"2\.13(\.0)?", torch, word) for word in compare]
    printed = on_device(checkout, *by_nox)
    assert "pip install -q -e .\n" in printed
    assert " claims to measure on torch " in printed
    assert " on standin, Python" in printed
    assert f"result file: measured/torch-{torch}-standin.jsonl" in printed
    assert "  0 measured here, " in on_device(checkout, *anywhere)
    assert "on standin: 0 breaks, 0 changes, 0 warnings, " in on_device(checkout, *compare)
    on_device(checkout, *merge)
    shown = on_device(checkout, *show)
    assert f"torch.Tensor.detach/shares-storage\n              yes {torch} cpu; yes {torch} standin\n" in shown


def test_a_page_lists_backends_from_the_files_in_a_folder(checkout: Path) -> None:
    pages = checkout / "pages"
    pages.mkdir()
    for name, text in re.findall(r"this in ``([\w.]+)``:\n\n.. code-block:: \w+\n\n((?: {3}.*\n|\n)+)", PORTING):
        (pages / name).write_text(re.sub("^ {3}", "", text, flags=re.M), encoding="utf-8")
    assert sorted(path.name for path in pages.iterdir()) == ["conf.py", "index.rst"]
    run(checkout, pages / "results", "--device", "cpu", "--device", "standin", "--import", BACKEND)
    on_device(checkout, "sphinx-build", "-q", "pages", "pages/out")
    index = (pages / "out" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<th>[^<]*, cpu</th>\s*<th>[^<]*, standin</th>", index)
    assert "standin (a stand-in)" in index


LACKING = """\
subject: torch.kthvalue
claims:
  - id: two-results
    title: Values and indices are returned
    family: values
    sources: [{key: Returns a namedtuple, says: states}]
    given: {x: 'tensor(dtype=torch.float32, shape=(3,))'}
    do: y = torch.kthvalue(x, 1)
    expect: len(y) == 2
"""
BOTH = """\
standin:
  aten::kthvalue.values: {verdict: unsupported, reason: planned}
  aten::a: {verdict: unsupported, reason: planned}
"""


def test_a_missing_kernel_is_reported_in_each_run_until_it_is_written_down(tmp_path: Path) -> None:
    """Also where results of an earlier run are kept; and a kernel that nothing lacks is to be removed."""
    checkout = checkout_with_device(tmp_path)
    (checkout / "spec" / "torch").mkdir()
    (checkout / "spec" / "torch" / "kthvalue.yaml").write_text(LACKING, encoding="utf-8")
    device = ("--device", "standin", "--import", BACKEND)
    first = run(checkout, tmp_path / "results", *device)
    assert first.returncode == 0, first.stdout
    expected = tmp_path / "expected.yaml"
    for listed, told in (
        ("standin: {}\n", "1 needs attention:\n  unsupported spec/torch/kthvalue.yaml"),
        (BOTH, "expected.yaml:3:3: remove that: no claim is unsupported for want of aten::a\n"),
    ):
        expected.write_text(listed, encoding="utf-8")
        again = run(checkout, tmp_path / "results", *device, "--expected", str(expected))
        assert again.returncode == 1
        assert told in again.stdout
        assert "  1 measured here, " in again.stdout
