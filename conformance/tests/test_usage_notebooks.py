"""What is read of a notebook, and what is named as not read."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Optional

import pytest

from conformance.usage import Cause, read_project


def notebook(*cells: str) -> str:
    sources = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "torch.ones(1)"}, *sources]})


def test_a_notebook_is_read_cell_by_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(
        notebook(
            "%matplotlib inline\n!pip install torch\nimport torch\n",
            "%%html\ntorch.ones(3)",
            "%%time\n\nx = torch.zeros(3)",
            "torch.zeros?\nfiles = !ls\nx.split(1)",
        )
    )
    read = read_project([path])
    assert [(use.names[0], use.cell, use.line) for use in read.uses()] == [
        ("torch.zeros", 3, 3),
        ("torch.Tensor.split", 4, 3),
    ]
    assert str(next(read.uses())) == f"{path}:cell 3:3:5"
    assert not list(read.not_read())


#: A cell after `import torch`: lines and columns of what it uses, and lines of what is not read.
CELLS: dict[str, tuple[list[tuple[int, int]], list[Optional[int]]]] = {
    "%time torch.ones(3)": ([(1, 7)], []),
    "%timeit -n 10 -r3 torch.ones(3)": ([(1, 19)], []),
    "%timeit -qo torch.ones(3)": ([(1, 13)], []),
    "if x:\n  %timeit torch.ones(3)": ([(2, 11)], []),
    "x = %timeit -o torch.ones(3)": ([(1, 16)], []),
    "x[0].y = %time torch.ones(3)": ([(1, 16)], []),
    "%prun -l 10 -s cumulative torch.ones(3)": ([(1, 27)], []),
    "%%timeit x = torch.ones(3)\ntorch.ones(4)": ([(1, 14), (2, 1)], []),
    "\n%%timeit -n 1\ntorch.ones(4)": ([(3, 1)], []),
    "%%time\ntorch.ones(4)": ([(2, 1)], []),
    "%%capture out\ntorch.ones(4)": ([(2, 1)], []),
    "%%timeit for x in y: z\ntorch.ones(4)": ([(2, 1)], [1]),
    "%time for x in y: z\ntorch.ones(4)": ([(2, 1)], [1]),
    "%mine torch.ones(3)\ntorch.ones(4)": ([(2, 1)], [1]),
    "x = %mine torch.ones(3)\ntorch.ones(4)": ([(2, 1)], [1]),
    "%run other.py\ntorch.ones(4)": ([(2, 1)], [1]),
    "%%writefile a.py\ntorch.ones(4)": ([], [1]),
    "%%bash\npython a.py": ([], [1]),
    "!python3 -W error -c 'import torch'\ntorch.ones(4)": ([(2, 1)], [1]),
    "x = !python -c 'import torch'": ([], [1]),
    "!pip install \\\n    torch\nx = !ls\ntorch.ones(4)": ([(4, 1)], []),
    "%cd ..\n%matplotlib inline\ntorch.ones(4)": ([(3, 1)], []),
    "%cd ..\nx = (5\n  % torch.ones(4))": ([(3, 5)], []),
    "%cd ..\nx = torch.ones(4)  # why?": ([(2, 5)], []),
    "%cd ..\nx = torch.ones(4)  # why?\ntorch.ones??": ([(2, 5)], []),
    "?torch.ones\ntorch.ones(4)": ([(2, 1)], []),
    "x = '''\n%mine torch.ones(3)\n'''\n!ls": ([], []),
    "torch.ones(4)\r\n!ls\r\n": ([(1, 1)], []),
    "x = (": ([], [1]),
    "x = 1\0": ([], [None]),
    "  %timeit torch.ones(3)": ([], [1]),
}


@pytest.mark.parametrize("cell", CELLS)
def test_what_a_cell_holds_is_read_or_named(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook("import torch", cell))
    read = read_project([path])
    expected, not_read = CELLS[cell]
    assert [(use.line, use.column) for use in read.uses() if use.names == ("torch.ones",)] == expected
    assert [(why.cell, why.line) for why in read.not_read()] == [(2, line) for line in not_read]


@pytest.mark.parametrize(
    "cell",
    [
        5,
        {},
        {"cell_type": "code"},
        {"cell_type": "code", "source": None},
        {"cell_type": "code", "source": [1]},
        {"cell_type": "cod", "source": "torch.ones(1)"},
        {"cell_type": ["code"], "source": "torch.ones(1)"},
    ],
)
def test_an_odd_cell_is_named(cell: object, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": [cell, {"cell_type": "code", "source": "import torch\ntorch.zeros(3)"}]}))
    read = read_project([path])
    assert [(why.cause, why.cell) for why in read.not_read()] == [(Cause.CELL, 1)]
    assert [use.cell for use in read.uses()] == [2]


def test_a_notebook_of_format_3_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    cells = [{"cell_type": "heading", "source": "x"}, {"cell_type": "code", "input": ["import torch\n", "torch.f()"]}]
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert [(use.cell, use.line) for use in read_project([path]).uses()] == [(1, 2)]


def test_a_broken_cell_does_not_hide_the_others(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook("import torch", "x = (", "torch.zeros(3)"))
    read = read_project([path])
    assert [use.cell for use in read.uses()] == [3]
    assert [(why.cell, why.cause) for why in read.not_read()] == [(2, Cause.SYNTAX)]


@pytest.mark.parametrize(
    "cell",
    [
        "%mine\n" * 100_000,
        "!" + "python " * 300_000,
        "%timeit " + "-n " * 100_000,
        "%cd " + " " * 1_000_000,
        "x" * 1_000_000 + "?",
        "x = " * 100_000 + "%mine",
    ],
)
def test_a_hostile_cell_takes_no_long_time(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(cell))
    start = time.process_time()
    read_project([path])
    assert time.process_time() - start < 5
