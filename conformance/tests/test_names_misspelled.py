"""Names in somebody's specs that torch never had."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.base.recorded_folder import recorded_folder

SPEC = """subject: torch.Tensor.{subject}
claims:
  - id: shares-storage
    title: The result shares storage with its input
    family: sharing
    sources: [{{docs: torch.Tensor.{source}, key: shares the same storage}}]
    given: {{x: tensor()}}
    do: y = x.detach()
    expect: shares_storage(y, x)
"""
pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")


@pytest.mark.parametrize(
    ("subject", "source", "told"),
    [
        ("detatch", "detach", ["no recorded release has torch.Tensor.detatch; did you mean torch.Tensor.detach"]),
        ("detach", "detatch", ["no recorded release has torch.Tensor.detatch; did you mean torch.Tensor.detach"]),
        ("symeig", "detach", []),  # gone by now
        ("detach", "detach", []),
    ],
)
def test_a_name_that_torch_never_had_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], subject: str, source: str, told: list[str]
) -> None:
    path = tmp_path / "made_up.yaml"
    path.write_text(SPEC.format(subject=subject, source=source), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(told)
    assert all(one in line and f"{path}:3:5" in line for one, line in zip(told, lines))


def test_it_is_told_each_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "made_up.yaml").write_text(SPEC.format(subject="detatch", source="detach"), encoding="utf-8")
    for _ in range(2):
        assert main(["check", str(tmp_path)]) == 0
        assert "no recorded release has torch.Tensor.detatch" in capsys.readouterr().err
