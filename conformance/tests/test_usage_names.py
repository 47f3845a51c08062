"""Which names of torch a project uses, and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.usage import Doubt, Evidence, Kind, Use, read_project


def uses(source: str, folder: Path) -> list[Use]:
    path = folder / "code.py"
    path.write_text(source)
    return list(read_project([path]).uses())


def names(source: str, folder: Path, kind: Kind = Kind.CALL) -> list[str]:
    return [name for use in uses(source, folder) for name in use.names if use.kind is kind]


CALLED = [
    ("import torch\ntorch.zeros(1)", ["torch.zeros"]),
    ("import torch as t\nt.zeros(1)", ["torch.zeros"]),
    ("import torch.nn.functional as F\nF.relu(x)", ["torch.nn.functional.relu"]),
    ("import torch.nn.functional\ntorch.nn.functional.relu(x)", ["torch.nn.functional.relu"]),
    ("from torch import nn\nnn.functional.relu(x)", ["torch.nn.functional.relu"]),
    ("from torch.nn import functional as F\nF.relu(x)", ["torch.nn.functional.relu"]),
    ("from torch import zeros as z\nz(1)", ["torch.zeros"]),
    ("import torch\nnn = torch.nn\nnn.Linear(1, 2)", ["torch.nn.Linear"]),
    ("import torch\nclass A:\n    act = torch.relu\n    def f(self, x): self.act(x)", ["torch.relu"]),
    ("import torch\ngetattr(torch, 'zeros')(1)", ["torch.zeros"]),
    ("import torch\ngetattr(torch.nn, 'Linear')(1, 2)", ["torch.nn.Linear"]),
    ("import importlib\nimportlib.import_module('torch.nn').Linear(1, 2)", ["torch.nn.Linear"]),
    ("import torch\ndef f():\n    torch.zeros(1)", ["torch.zeros"]),
    ("import torch\nf = lambda: torch.zeros(1)", ["torch.zeros"]),
    ("import torch\n[torch.zeros(1) for x in y]", ["torch.zeros"]),
    ("import torch\nwith torch.no_grad(): pass", ["torch.no_grad"]),
    ("import torch\n@torch.no_grad()\ndef f(): pass", ["torch.no_grad"]),
    ("import torch\nf'{torch.zeros(1)}'", ["torch.zeros"]),
    ("from torch import *\nzeros(1)", ["torch.zeros"]),
    ("from torch.nn import *\nLinear(1, 2)", ["torch.nn.Linear"]),
    # A name is itself, whatever it ends with.
    ("import torch\ntorch.jit.load(p)", ["torch.jit.load"]),
    ("import torch\ntorch.hub.load(p)", ["torch.hub.load"]),
    ("import torch\ntorch.linalg.svd(p)", ["torch.linalg.svd"]),
    ("import torch\ntorch.fft.fft(p)", ["torch.fft.fft"]),
    # Something else of the same name.
    ("from json import load\nload(p)", []),
    ("import torch\ndef f(torch): torch.zeros(1)", []),
    ("from mytorch import zeros\nzeros(1)", []),
    ("import mytorch as torch\ntorch.zeros(1)", []),
    # Methods that are called without an object.
    ("import torch\ntorch.Tensor.view(x, 2)", ["torch.Tensor.view"]),
    ("import torch\nclass A(torch.nn.Linear):\n    def __init__(self): super().__init__(1, 2)", ["torch.nn.Linear"]),
    (
        "import torch\nclass A(torch.nn.Linear):\n    def __init__(self): torch.nn.Linear.__init__(self, 1, 2)",
        ["torch.nn.Linear"],
    ),
    (
        "import torch\nclass A(torch.nn.Linear):\n    def __init__(self): super(A, self).__init__(1, 2)",
        ["torch.nn.Linear"],
    ),
    ("import torch\nclass A(torch.nn.Linear): pass\nA(1, 2)", ["torch.nn.Linear"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), CALLED)
def test_calls_are_found_under_their_own_names(source: str, expected: list[str], tmp_path: Path) -> None:
    assert names(source, tmp_path) == expected


def test_a_place_is_where_the_name_stands(tmp_path: Path) -> None:
    source = 'import torch\nä = "é"; y = torch.zeros(3)\nz = (y\n     .view(-1))\n'
    places = {use.names[0]: (use.line, use.column) for use in uses(source, tmp_path)}
    assert places == {"torch.zeros": (2, 14), "torch.Tensor.view": (4, 7)}
    assert str(uses(source, tmp_path)[0]) == f"{tmp_path / 'code.py'}:2:14"


def test_imports_bases_attributes_and_assignments_are_uses_of_their_kind(tmp_path: Path) -> None:
    source = (
        "import torch\nfrom torch._six import inf\nclass A(torch.nn.Module): pass\n"
        "torch.backends.cudnn.benchmark = True\nx = torch.float16\ndef f(x: torch.LongTensor): ...\n"
    )
    found = {(use.names[0], use.kind) for use in uses(source, tmp_path)}
    assert found == {
        ("torch._six.inf", Kind.IMPORT),
        ("torch.nn.Module", Kind.BASE),
        ("torch.backends.cudnn.benchmark", Kind.ASSIGN),
        ("torch.float16", Kind.NAME),
        ("torch.LongTensor", Kind.NAME),
    }


def test_a_defining_module_stands_for_the_documented_one_in_what_is_inferred(tmp_path: Path) -> None:
    source = "from torch.nn.modules.conv import Conv2d\nConv2d(1, 2, 3)(x).split(1)"
    called = {name: use.evidence for use in uses(source, tmp_path) for name in use.names if use.kind is Kind.CALL}
    assert called["torch.nn.modules.conv.Conv2d"] is Evidence.CERTAIN
    assert called["torch.Tensor.split"] is Evidence.CERTAIN


def test_an_overridden_method_tells_its_parameters(tmp_path: Path) -> None:
    source = (
        "import torch\nclass A(torch.optim.Optimizer):\n"
        "    def step(self, closure=None, *, foo): ...\n    def own(self): ...\n"
    )
    (use,) = [use for use in uses(source, tmp_path) if use.kind is Kind.OVERRIDE]
    assert use.names == ("torch.optim.Optimizer.step",)
    assert [(each.name, each.kind, each.default) for each in use.parameters or ()] == [
        ("closure", "positional_or_keyword", "None"),
        ("foo", "keyword_only", None),
    ]


def test_a_conditional_import_stands_for_both_names(tmp_path: Path) -> None:
    source = "try:\n    from torch import a\nexcept ImportError:\n    from torch.old import a\na(1)\n"
    found = uses(source, tmp_path)
    assert [(use.names, use.guarded) for use in found if use.kind is Kind.IMPORT] == [
        (("torch.a",), True),
        (("torch.old.a",), True),
    ]
    (call,) = [use for use in found if use.kind is Kind.CALL]
    assert call.names == ("torch.a", "torch.old.a")
    assert call.evidence is Evidence.LIKELY


GUARDED = [
    "if hasattr(torch, 'foo'):\n    torch.foo()",
    "if torch.__version__ >= '2':\n    torch.foo()",
    "if version.parse(torch.__version__) < version.parse('2'):\n    pass\nelse:\n    torch.foo()",
    "try:\n    torch.foo()\nexcept AttributeError:\n    pass",
    "x = torch.foo() if hasattr(torch, 'foo') else 1",
    "getattr(torch, 'foo', None)",
    "if torch_version_ge(2, 4):\n    pass\nelse:\n    torch.foo()",
    "if utils.TORCH_VERSION > (2, 4):\n    torch.foo()",
]


@pytest.mark.parametrize("source", GUARDED)
def test_a_guarded_use_says_so(source: str, tmp_path: Path) -> None:
    (use,) = [use for use in uses(f"import torch\n{source}\n", tmp_path) if use.names == ("torch.foo",)]
    assert use.guarded


@pytest.mark.parametrize(
    "source", ["torch.foo()", "if x:\n    torch.foo()", "try:\n    torch.foo()\nexcept KeyError:\n    pass"]
)
def test_an_unguarded_use_does_not(source: str, tmp_path: Path) -> None:
    (use,) = [use for use in uses(f"import torch\n{source}\n", tmp_path) if use.names == ("torch.foo",)]
    assert not use.guarded


def project(files: dict[str, str], folder: Path) -> list[str]:
    for name, source in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    read = read_project([folder])
    assert not list(read.unclear())
    return [use.names[0] for use in read.uses() if use.kind is Kind.CALL and use.path.endswith("main.py")]


TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
WITHIN = [
    ({"p/__init__.py": "", "p/c.py": TORCH, "p/main.py": "from p.c import F\nF.relu(x)"}, ["torch.nn.functional.relu"]),
    ({"p/__init__.py": "", "p/c.py": TORCH, "p/main.py": "from .c import F\nF.relu(x)"}, ["torch.nn.functional.relu"]),
    ({"p/c.py": TORCH, "p/q/main.py": "from ..c import F\nF.relu(x)"}, ["torch.nn.functional.relu"]),
    ({"p/c.py": TORCH, "p/main.py": "from . import c\nc.F.relu(x)"}, ["torch.nn.functional.relu"]),
    ({"p/c.py": TORCH, "p/main.py": "import c\nc.torch.zeros(1)"}, ["torch.zeros"]),
    ({"p/__init__.py": TORCH, "main.py": "import p\np.nn.Linear(1, 2)"}, ["torch.nn.Linear"]),
    ({"p/q/c.py": TORCH, "main.py": "import p.q.c\np.q.c.nn.Linear(1, 2)"}, ["torch.nn.Linear"]),
    ({"c.py": TORCH, "main.py": "from c import *\nnn.Linear(1, 2)"}, ["torch.nn.Linear"]),
    ({"c.py": TORCH, "d.py": "from c import *", "main.py": "from d import *\nnn.Linear(1, 2)"}, ["torch.nn.Linear"]),
    ({"c.py": "def f() -> 'Tensor': ...\nfrom torch import Tensor", "main.py": "from c import f\nf().t()"}, []),
    (
        {"c.py": "from torch import Tensor\ndef f(\n    a,\n) -> Tensor:\n    '''x'''\n    return a\n",
        "main.py": "from c import f\nf(1).split(1)"},
        ["torch.Tensor.split"],
    ),
    (
        {"c.py": TORCH + "class A(nn.Module):\n    x = 1\n",
        "main.py": "import c\nclass B(c.A):\n    def f(self): self.cuda()"},
        ["torch.nn.Module.cuda"],
    ),
    (
        {"c.py": "from main import y\nimport torch as z\n",
        "main.py": "from c import z\nz.ones(1)\ny = 1"},
        ["torch.ones"],
    ),
    ({"c.py": "class A: pass\n", "main.py": "from c import A\nA().split(1)"}, []),
    ({"torch_utils.py": "def load(p): ...\n", "main.py": "from torch_utils import load\nload(1)"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), WITHIN)
def test_names_are_followed_through_the_project(files: dict[str, str], expected: list[str], tmp_path: Path) -> None:
    found = project(files, tmp_path)
    assert [name for name in found if name != "torch.Tensor.t"] == expected


DOUBTS = [
    ("from somewhere import *", [Doubt.STAR_IMPORT]),
    ("from os.path import *", []),
    ("import torch\ngetattr(torch, name)", [Doubt.DYNAMIC_NAME]),
    ("getattr(x, name)", []),
    ("eval('torch.zeros(1)')", [Doubt.DYNAMIC_CODE]),
    ("import importlib\nimportlib.import_module(name)", [Doubt.DYNAMIC_IMPORT]),
]


@pytest.mark.parametrize(("source", "expected"), DOUBTS)
def test_what_cannot_be_told_is_told(source: str, expected: list[Doubt], tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(source)
    assert [each.doubt for each in read_project([path]).unclear()] == expected
