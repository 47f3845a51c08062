"""What differs of a name can be tried: each entry has a script that prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.names.lookup import Names
from conformance.upgrade.model import ReportEntry
from conformance.upgrade.name_changes import NameChanges
from conformance.usage import read_project

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")


def told(folder: Path, code: str) -> ReportEntry:
    (folder / "code.py").write_text(f"import torch\n{code}\n", encoding="utf-8")
    (found,) = NameChanges(Names(), "1.13", "2.15").entries(read_project([folder]).groups())
    return found


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("torch.qr(x)", "    print(torch.qr(torch.eye(2)))"),
        ("torch.ones(2, 2).cholesky()", "    print(torch.Tensor.cholesky(torch.eye(2)))"),
        ("torch._six.inf", '    print(import_module("torch._six").inf)'),
        ("torch.nn.utils.weight_norm(m)", 'print(import_module("torch.nn.utils").weight_norm.__doc__)'),
    ],
)
def test_a_script_shows_what_differs(code: str, line: str, tmp_path: Path) -> None:
    assert line in told(tmp_path, code).script.splitlines()


def test_a_script_prints_the_parameters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    exec(told(tmp_path, "torch.optim.SGD(p, 0.1).zero_grad()").script, {})
    assert "set_to_none" in capsys.readouterr().out
