"""Which names a source uses: aliases are resolved, and what can't be known is told."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Optional

import pytest

from conformance.tests.result_files import SIMPLE, make_claim, make_corpus
from conformance.upgrade.uses import Uses, find_uses


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    monkeypatch.chdir(tmp_path)
    return Reader(tmp_path)


class Reader:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, source: str, name: str = "code.py") -> Uses:
        path = self.folder / "src" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return find_uses([self.folder / "src"])


def places(uses: Uses, subject: str) -> list[tuple[int, bool]]:
    return [(use.line, use.certain) for use in uses.of_subject(subject)]


@pytest.mark.parametrize(
    "source",
    [
        "import torch\ntorch.as_tensor(1)",
        "import torch as t\nt.as_tensor(1)",
        "from torch import as_tensor\nas_tensor(1)",
        "from torch import as_tensor as make\nmake(1)",
        "import torch\nmake = torch.as_tensor\n\n\ndef f():\n    return make(1)",
        "import torch.nn\ntorch.as_tensor(1)",
        "import torch\ngetattr(torch, 'as_tensor')(1)",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.as_tensor(1)",
        "def f():\n    import torch as t\n    return lambda: [t.as_tensor(n) for n in range(3)]",
        "class A:\n    import torch\n    made = torch.as_tensor(1)",
        "import torch\n\n\n@torch.as_tensor\ndef f(): ...",
        "import torch\n\n\ndef f(a=torch.as_tensor(1)): ...",
    ],
)
def test_a_name_is_found_however_it_is_spelled(read: Reader, source: str) -> None:
    assert read(source).of_subject("torch.as_tensor")[0].certain


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as torch\ntorch.as_tensor(1)",
        "def f(torch):\n    torch.as_tensor(1)",
        "from mine import as_tensor\nas_tensor(1)",
        "from .torch import as_tensor\nas_tensor(1)",
        "import torch\n# torch.as_tensor(1)\n'torch.as_tensor(1)'",
        "import torch\nx = [torch for torch in others if torch.as_tensor]",
        "import torch\n\n\nclass A:\n    as_tensor = 1\n\n    def f(self):\n        return as_tensor(1)",
    ],
)
def test_other_things_of_that_name_are_not_it(read: Reader, source: str) -> None:
    assert read(source).of_subject("torch.as_tensor") == []


def test_the_module_of_functional_and_classes(read: Reader) -> None:
    uses = read(
        """
        from torch import nn
        from torch.nn import functional as F
        from torch.nn.parameter import Parameter

        class M(nn.Module):
            def __init__(self):
                self.w = Parameter(1)
            def forward(self, x):
                return F.relu(x)
        """
    )
    assert places(uses, "torch.nn.functional.relu") == [(10, True)]
    assert places(uses, "torch.nn.Parameter") == [(8, True)]
    assert places(uses, "torch.nn.Module") == [(6, True)]


def test_a_class_that_is_only_named_is_not_used(read: Reader) -> None:
    source = "import torch\n\n\ndef f(x: torch.Tensor):\n    return isinstance(x, torch.Tensor)"
    assert places(read(source), "torch.Tensor") == []
    assert places(read(source + "\n\n\ntorch.Tensor([1])"), "torch.Tensor") == [(8, True)]


@pytest.mark.parametrize(
    ("expression", "certain"),
    [
        ("thing.numpy()", False),
        ("torch.zeros(3).numpy()", True),
        ("(torch.zeros(3) + 1).numpy()", True),
        ("torch.zeros(3)[0].detach().numpy()", True),
        ("made.numpy()", True),
        ("given.numpy()", True),
        ("torch.load(1).numpy()", False),
        ("getattr(thing, 'numpy')()", False),
        ("np.array(1).numpy()", False),
        ("'text'.numpy()", None),
        ("[1].numpy()", None),
        ("np.numpy()", None),
        ("thing.numpies()", None),
    ],
)
def test_a_method_may_be_that_of_a_tensor(read: Reader, expression: str, certain: Optional[bool]) -> None:
    uses = read(
        f"""
        import numpy as np
        import torch

        def f(thing, given: torch.Tensor):
            made = torch.ones(1)
            return {expression}
        """
    )
    assert places(uses, "torch.Tensor.numpy") == ([] if certain is None else [(7, certain)])


def test_a_function_and_the_method_of_its_name_are_one_operation(read: Reader) -> None:
    uses = read("import torch\nx = torch.ones(1)\nx.clone()\ntorch.clone(x)\nunknown().clone()\n")
    assert places(uses, "torch.clone") == [(3, True), (4, True)]
    assert places(uses, "torch.Tensor.clone") == [(3, True), (4, True), (5, False)]


def test_names_of_a_star_import_are_a_guess(read: Reader) -> None:
    uses = read("from torch import *\nas_tensor(1)\nprint(1)\n")
    assert places(uses, "torch.as_tensor") == [(2, False)]
    assert places(uses, "torch.print") == []
    assert any("src/code.py:1: all names of torch are imported" in line for line in uses.unknown)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import torch\ngetattr(torch, name)", "code.py:2: an attribute of torch or of a tensor is looked up"),
        ("getattr(thing, name)", "code.py:1: an attribute is looked up"),
        ("exec(text)", "code.py:1: exec() runs code"),
        ("import importlib\nimportlib.import_module(name)", "code.py:2: a module is imported"),
        ("from mine import *", "code.py:1: all names of mine are imported"),
        ("def f(:", "code.py:1: no Python that this Python can parse"),
        ("a = 1\0", "code.py"),
        ("x = " + "(" * 5000 + ")" * 5000, "code.py"),
        ("x = " + "-" * 20000 + "1", "code.py"),
        ("x = a" + ".b" * 20000, "code.py"),
    ],
)
def test_what_could_not_be_told_is_told(read: Reader, source: str, told: str) -> None:
    assert any(f"src/{told}" in line for line in read(source).unknown)


def test_many_aliases_of_one_name_stay_few(read: Reader) -> None:
    uses = read("import torch\nx = torch.a\n" + "x = x.y\n" * 3000 + "x.as_tensor\n")
    assert len(uses.names) < 100


def test_every_file_of_a_folder_but_those_of_others(read: Reader) -> None:
    for name in ("src", ".hidden", "src/venv", "src/__pycache__", "src/sub"):
        (read.folder / name).mkdir(exist_ok=True)
        (read.folder / name / "a.py").write_text("import torch\ntorch.as_tensor(1)\n", encoding="utf-8")
    (read.folder / "src" / "other.ipynb").write_text("{}", encoding="utf-8")
    uses = find_uses([read.folder / "src"])
    assert [use.path for use in uses.of_subject("torch.as_tensor")] == ["src/a.py", "src/sub/a.py"]
    assert uses.unknown == ["src/other.ipynb: not read, since it is no plain Python"]


def test_a_file_that_is_too_large_is_told(read: Reader) -> None:
    assert read("#" * (2**21 + 1)).unknown == ["src/code.py: not read, since it is larger than 2 MiB"]


def test_nothing_of_a_source_is_run(read: Reader) -> None:
    read(f"open({str(read.folder / 'ran')!r}, 'w').close()\n")
    assert not (read.folder / "ran").exists()


def test_a_claim_of_a_note_concerns_code_that_does_what_its_program_does(read: Reader, tmp_path: Path) -> None:
    body = "given: {x: tensor()}\ndo: y = torch.clone(x).sqrt()\nexpect: y is not x"
    body += "\nsources: [{note: autograd-mechanics, key: leaf}]"
    [claim] = make_corpus(tmp_path / "specs", body, subject="notes/autograd-mechanics").claims
    assert read("import torch\nx = torch.ones(1)\ntorch.clone(x)\n").of_claim(claim) == ()
    uses = read("import torch\nx = torch.ones(1)\ntorch.clone(x)\nx.sqrt()\n")
    assert [(use.line, use.certain) for use in uses.of_claim(claim)] == [(3, False)]


def test_a_claim_concerns_the_places_of_its_subject(read: Reader, tmp_path: Path) -> None:
    claim = make_claim(tmp_path / "specs", SIMPLE)
    assert [str(use) for use in read("x.detach()\n\ny.detach()").of_claim(claim)] == ["src/code.py:1", "src/code.py:3"]
