"""Which uses in a project count for which public name."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.popularity import count_names, main
from conformance.names.lookup import Names


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


def counted(source: str, folder: Path, names: Names) -> dict[str, int]:
    (folder / "code.py").write_text("import torch\nimport torch.nn as nn\n" + source)
    return {item.name: item.uses for item in count_names([folder], names)}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("torch.zeros(1)\ntorch.zeros(2)", {"torch.zeros": 2}),
        ("torch.zeros(1).sum()", {"torch.zeros": 1, "torch.Tensor.sum": 1}),
        ("x = torch.ones(1)\nx += 1", {"torch.ones": 1, "torch.Tensor.__iadd__": 1}),
        # Objects of which nothing is known.
        ("def f(x): x.detach()", {"torch.Tensor.detach": 1}),
        ("def f(x): x.sum()", {}),  # An array?
        ("def f(x): x.split()", {}),  # A string?
        ("def f(x): x.state_dict()", {}),  # A module, or an optimizer?
        ("def f(x, y): x == y", {}),
        # One name for one thing.
        ("with torch.no_grad(): pass\nwith torch.autograd.no_grad(): pass", {"torch.no_grad": 2}),
        ("from torch.nn.modules.conv import Conv2d\nConv2d(1, 1, 1)", {"torch.nn.Conv2d": 1}),
        ("nn.Linear(1, 1).parameters()", {"torch.nn.Linear": 1, "torch.nn.Module.parameters": 1}),
        ("torch.optim.Adam([]).step()", {"torch.optim.Adam": 1, "torch.optim.Optimizer.step": 1}),
        ("layer = nn.Linear(1, 1)\nlayer(torch.ones(1))", {"torch.nn.Linear": 2, "torch.ones": 1}),
        (
            "class Net(nn.Module):\n    def forward(self, x): return x",
            {"torch.nn.Module": 1, "torch.nn.Module.forward": 1},
        ),
        (
            "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ctx.save_for_backward(x)",
            {
                "torch.autograd.Function": 1,
                "torch.autograd.Function.forward": 1,
                "torch.autograd.function.FunctionCtx.save_for_backward": 1,
            },
        ),
        # No names that people could look up.
        ("from torch import cat", {}),
        ("torch._C._get_tracing_state()", {}),
        ("torch.symeig(1)", {}),  # The newest release lacks it.
    ],
)
def test_uses_count_for_public_names(source: str, expected: dict[str, int], tmp_path: Path, names: Names) -> None:
    assert counted(source, tmp_path, names) == expected


def test_names_of_more_projects_come_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "somebody+one@12ab", tmp_path / "else+other@34cd"
    for folder, source in ((one, "torch.ones(1)\n" * 3 + "torch.zeros(1)\n"), (other, "torch.zeros(1)\n")):
        folder.mkdir()
        (folder / "code.py").write_text("import torch\n" + source)
    output = tmp_path / "counts.csv"
    assert main([str(one), str(other), "--output", str(output)]) == 0
    assert output.read_text().splitlines()[1:] == [
        "# else/other@34cd",
        "# somebody/one@12ab",
        "name,projects,uses",
        "torch.zeros,2,2",
        "torch.ones,1,3",
    ]
    assert "2 names in 2 projects" in capsys.readouterr().out
