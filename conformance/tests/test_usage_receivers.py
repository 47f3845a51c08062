"""What an object is, by the evidence of the code around it."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.usage import Evidence, Kind, read_project

IMPORTS = (
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\n"
    "from torch import Tensor\nfrom typing import Optional, Union, List, Dict, Tuple\n"
)


def found(source: str, folder: Path) -> dict[str, str]:
    """Return the evidence of each method that a source calls or whose operator it uses."""
    path = folder / "code.py"
    path.write_text(IMPORTS + source)
    shown: dict[str, str] = {}
    for use in read_project([path]).uses():
        if use.kind in (Kind.CALL, Kind.OPERATOR, Kind.NAME, Kind.ASSIGN) and use.line > IMPORTS.count("\n"):
            shown[use.names[0]] = use.evidence.name.lower()
    return shown


NEXT = "torch.utils.data.dataloader._BaseDataLoaderIter.next"
#: A source, what it must tell, and how sure.
TOLD = [
    ("torch.zeros(3).numpy()", "torch.Tensor.numpy", "certain"),
    ("x = torch.zeros(3)\nx.split(1)", "torch.Tensor.split", "certain"),
    ("def f(y):\n    x = F.relu(y)\n    x.split(1)", "torch.Tensor.split", "certain"),
    ("x = nn.functional.softmax(y, dim=1).values()", "torch.Tensor.values", "certain"),
    ("x = torch.zeros_like(y)\nx // 2", "torch.Tensor.__floordiv__", "certain"),
    ("x = torch.zeros(3)\n2 // x", "torch.Tensor.__rfloordiv__", "certain"),
    ("x = torch.zeros(3)\nx //= 2", "torch.Tensor.__ifloordiv__", "certain"),
    ("x = torch.zeros(3)\nx[0] = 1", "torch.Tensor.__setitem__", "certain"),
    ("x = torch.zeros(3)\nx[0].item()", "torch.Tensor.item", "certain"),
    ("x = torch.zeros(3)\nfloat(x)", "torch.Tensor.__float__", "certain"),
    ("x = torch.zeros(3)\nif x: pass", "torch.Tensor.__bool__", "certain"),
    ("x = torch.zeros(3)\nif not x: pass", "torch.Tensor.__bool__", "certain"),
    ("x = torch.zeros(3)\nnp.asarray(x)", "torch.Tensor.__array__", "certain"),
    ("x = torch.zeros(3)\nfor part in x: part.item()", "torch.Tensor.__iter__", "certain"),
    ("x = torch.zeros(3)\nx.T", "torch.Tensor.T", "certain"),
    ("x = torch.zeros(3)\nx.grad = None", "torch.Tensor.grad", "certain"),
    ("x = torch.zeros(3) * 2 + 1\nx.item()", "torch.Tensor.item", "certain"),
    ("x = -torch.zeros(3)\nx.item()", "torch.Tensor.item", "certain"),
    ("x = (torch.zeros(3) > 1)\nx.item()", "torch.Tensor.item", "certain"),
    # Annotations
    ("def f(x: torch.Tensor): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: 'Tensor'): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: Optional[Tensor] = None): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: 'Optional[torch.Tensor]'): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: Tensor | None): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: Union[Tensor, np.ndarray]): x.split(1)", "torch.Tensor.split", "likely"),
    ("def f(xs: List[Tensor]):\n    for x in xs: x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(xs: Dict[str, Tensor]):\n    for k, x in xs.items(): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(xs: Tuple[int, Tensor]): xs[1].split(1)", "torch.Tensor.split", "certain"),
    ("def f(x):\n    # type: (Tensor) -> Tensor\n    return x.split(1)", "torch.Tensor.split", "certain"),
    ("x = get()  # type: Tensor\nx.split(1)", "torch.Tensor.split", "certain"),
    ("x: Tensor = get()\nx.split(1)", "torch.Tensor.split", "certain"),
    ("def get() -> Tensor: ...\nget().split(1)", "torch.Tensor.split", "certain"),
    ("def f(x: nn.Module): x.share_memory()", "torch.nn.Module.share_memory", "certain"),
    # Functions and classes of the project
    ("def f(y): return torch.cat(y)\ndef g(y): f(y).split(1)", "torch.Tensor.split", "certain"),
    ("def f(y):\n    yield torch.zeros(3)\ndef g(y):\n    for x in f(y): x.split(1)", "torch.Tensor.split", "certain"),
    (
        "class A:\n    def __init__(self): self.x = torch.zeros(3)\n    def f(self): self.x.split(1)",
        "torch.Tensor.split",
        "certain",
    ),
    (
        "class A:\n    def f(self): self.x.split(1)\n    def __init__(self): self.x = torch.zeros(3)",
        "torch.Tensor.split",
        "certain",
    ),
    ("class A:\n    x: Tensor\n    def f(self): self.x.split(1)", "torch.Tensor.split", "certain"),
    (
        "class A:\n    @property\n    def x(self): return torch.zeros(3)\n    def f(self): self.x.split(1)",
        "torch.Tensor.split",
        "certain",
    ),
    ("class A(nn.Module):\n    def forward(self, x): x.split(1)", "torch.Tensor.split", "likely"),
    ("class A(nn.Module):\n    def forward(self, x): (x * 2).split(1)", "torch.Tensor.split", "likely"),
    (
        "class A(nn.Module):\n"
        "    def __init__(self): self.conv = nn.Conv2d(3, 3, 1)\n    def forward(self, x): self.conv(x).split(1)",
        "torch.Tensor.split",
        "certain",
    ),
    (
        "class A(nn.Module):\n    def __init__(self): self.rnn = nn.LSTM(3, 3)\n"
        "    def forward(self, x):\n        y, state = self.rnn(x)\n        y.split(1)",
        "torch.Tensor.split",
        "certain",
    ),
    (
        "class A(nn.Module):\n    def forward(self, x): return F.relu(x)\nA()(1).split(1)",
        "torch.Tensor.split",
        "certain",
    ),
    ("class A(nn.Module):\n    def f(self): self.share_memory()", "torch.nn.Module.share_memory", "certain"),
    ("class A(nn.Module): pass\nA().cuda().share_memory()", "torch.nn.Module.share_memory", "certain"),
    ("class A(nn.Module): pass\nfor p in A().parameters(): p.split(1)", "torch.Tensor.split", "certain"),
    (
        "class A(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): x.split(1)",
        "torch.Tensor.split",
        "likely",
    ),
    (
        "class A(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ctx.save_for_backward(x)",
        "torch.autograd.function.FunctionCtx.save_for_backward",
        "certain",
    ),
    ("class A(torch.Tensor): pass\nA().split(1)", "torch.Tensor.split", "certain"),
    # Optimizers, schedulers, loaders
    ("o = torch.optim.SGD([], lr=1)\no.step()", "torch.optim.SGD.step", "certain"),
    ("o = torch.optim.lr_scheduler.StepLR(x, 1)\no.step()", "torch.optim.lr_scheduler.StepLR.step", "certain"),
    ("for x, y in torch.utils.data.DataLoader(data): x.split(1)", "torch.Tensor.split", "likely"),
    ("for i, (x, y) in enumerate(torch.utils.data.DataLoader(data)): x.split(1)", "torch.Tensor.split", "likely"),
    ("it = iter(torch.utils.data.DataLoader(d))\nx, y = it.next()\nx.split(1)", "torch.Tensor.split", "likely"),
    ("iter(torch.utils.data.DataLoader(d)).next()", NEXT, "certain"),
    ("iter(loader).next()", NEXT, "likely"),
    ("def f(x): x.next()", NEXT, "maybe"),
    ("x, y = torch.svd(z)[:2]\nx.split(1)", "torch.Tensor.split", "certain"),
    ("v, i = torch.max(z, dim=1)\nv.split(1)", "torch.Tensor.split", "certain"),
    ("torch.max(z).split(1)", "torch.Tensor.split", "certain"),
    ("torch.max(z, 1)[0].split(1)", "torch.Tensor.split", "certain"),
    ("xs = []\nxs.append(torch.zeros(3))\nfor x in xs: x.split(1)", "torch.Tensor.split", "certain"),
    ("xs = [torch.zeros(3) for _ in range(3)]\nxs[0].split(1)", "torch.Tensor.split", "certain"),
    ("torch.distributions.Normal(0, 1).sample().split(1)", "torch.Tensor.split", "certain"),
    # Branches
    ("if c: x = torch.zeros(3)\nelse: x = torch.ones(3)\nx.split(1)", "torch.Tensor.split", "certain"),
    ("if c: x = torch.zeros(3)\nelse: x = get()\nx.split(1)", "torch.Tensor.split", "likely"),
    ("def f(x=None):\n    if x is None: x = torch.zeros(3)\n    x.split(1)", "torch.Tensor.split", "likely"),
    ("def f(x):\n    if isinstance(x, Tensor): x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x):\n    if not isinstance(x, Tensor): return\n    x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x):\n    if not torch.is_tensor(x): x = torch.tensor(x)\n    x.split(1)", "torch.Tensor.split", "certain"),
    ("def f(x):\n    assert isinstance(x, torch.Tensor)\n    x.split(1)", "torch.Tensor.split", "certain"),
    ("x = None\nfor y in z: x = torch.zeros(3)\nx.split(1)", "torch.Tensor.split", "certain"),
    # The receiver is unknown
    ("def f(x): x.split(1)", "torch.Tensor.split", "maybe"),
    ("def f(x): x.to(1)", "torch.Tensor.to", "maybe"),
    ("def f(x): x.grad", "torch.Tensor.grad", "maybe"),
    ("def f(x): x.unsqueeze(0).split(1)", "torch.Tensor.split", "likely"),
]


@pytest.mark.parametrize(("source", "name", "evidence"), TOLD)
def test_receivers_are_told_by_evidence(source: str, name: str, evidence: str, tmp_path: Path) -> None:
    assert found(source, tmp_path).get(name) == evidence


#: Sources whose methods are none of torch.
SILENT = [
    "{}.values()",
    "d = {}\nd.values()",
    "d = dict(a=1)\nd.values()",
    "'a,b'.split(',')",
    "def f(s: str): s.split(',')",
    "def f(s: 'str'): s.split(',')",
    "def f(s: Optional[str]): s.split(',')",
    "def f(s='a,b'): s.split(',')",
    "def f(d: Dict[str, int]): d.values()",
    "def f(x: np.ndarray): x.split(1); x.T",
    "np.zeros(3).sum()",
    "x = np.zeros(3)\nx.T\nx // 2",
    "def f(x):\n    if isinstance(x, str): x.split(1)",
    "import os\nos.path.split('a')",
    "class A:\n    def split(self, n): ...\n    def f(self): self.split(1)",
    "class A:\n    def step(self): ...\nA().step()",
    "class A:\n    def __init__(self): self.x = {}\n    def f(self): self.x.values()",
    "class A(nn.Module):\n    def __init__(self): self.d = {}\n    def forward(self, x): self.d.values()",
    "class A(nn.Module):\n    def forward(self, x, mode='a,b'): mode.split(',')",
    "x = torch.zeros(3)\nx = 'a,b'\nx.split(',')",
    "def values(): ...\nvalues()",
    "x = torch.zeros(3).tolist()\nx.index(1)",
    "b, c = torch.zeros(3, 3).shape\nb // 2",
    "[1].index(1)",
    "f'{1}'.split(',')",
    "open('a').read().split(',')",
    "def f(x): x.grad_fn.register_hook(print)",
]


@pytest.mark.parametrize("source", SILENT)
def test_what_is_known_to_be_something_else_is_silent(source: str, tmp_path: Path) -> None:
    told = ("zeros", "shape", "tolist", "grad_fn")
    methods = [name for name in found(source, tmp_path) if name.rpartition(".")[2] not in told]
    assert methods == []


def test_an_unknown_object_may_be_of_several_classes(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("def f(x): x.state_dict()\n")
    (use,) = read_project([path]).uses()
    assert use.evidence is Evidence.MAYBE
    assert {"torch.nn.Module.state_dict", "torch.optim.Optimizer.state_dict"} <= set(use.names)


def test_to_of_an_unknown_object_is_no_packed_sequence(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("def f(x): x.to('cpu')\n")
    (use,) = read_project([path]).uses()
    assert use.names == ("torch.Tensor.to", "torch.nn.Module.to")


def test_an_attribute_that_code_puts_on_a_tensor_is_not_certain(tmp_path: Path) -> None:
    assert found("x = torch.zeros(3)\nx.mine = 1\nx.mine", tmp_path) == {
        "torch.zeros": "certain",
        "torch.Tensor.mine": "maybe",
    }


def test_a_method_of_the_users_own_module_is_none_of_torch(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        "from torch import nn\nclass Base(nn.Module):\n    def __init__(self, x):\n        super().__init__()\n\n"
        "    @classmethod\n    def identity(cls):\n        return cls(1)\n"
    )
    (tmp_path / "main.py").write_text(
        "from base import Base\nfrom torch import nn\nBase(1).identity()\nx = nn.DataParallel(Base(1))\nx.mine()\n"
    )
    uses = [use for use in read_project([tmp_path / "main.py", tmp_path / "base.py"]).uses() if use.kind is Kind.CALL]
    assert [use.names[0] for use in uses if use.path.endswith("main.py")] == ["torch.nn.DataParallel"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(x): x.split(1)", []),
        ("def f(x): x.split(1); x.detach()", ["torch.Tensor.split", "torch.Tensor.detach"]),
        ("import torch\ndef f(x): x.split(1)", ["torch.Tensor.split"]),
    ],
)
def test_a_file_without_a_sign_of_torch_is_silent(source: str, expected: list[str], tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(source)
    assert [use.names[0] for use in read_project([path]).uses()] == expected


#: An expression, the kind of its dtype, and whether it requires grad.
KINDS = [
    ("float(w.data)", "float", False),
    ("float(w.detach())", "float", False),
    ("float(w > 0)", "bool", False),
    ("float(~(w > 0))", "bool", False),
    ("float(torch.logical_and(w, w))", "bool", False),
    ("float(w.bool())", "bool", False),
    ("float(w.argmax())", "integer", False),
    ("float(w.to(torch.int64))", "integer", False),
    ("float(w * 2)", "float", True),
    ("float(w)", "float", True),
    ("float(w.grad)", "float", None),
    ("with torch.no_grad(): float(w * 2)", "float", False),
    ("with torch.no_grad(): float(w.relu())", None, False),
    ("with torch.no_grad(): float(w)", "float", True),
    ("with torch.no_grad(): float(w.contiguous())", "float", None),
    ("with torch.no_grad():\n    with torch.enable_grad(): float(w * 2)", "float", True),
    ("with torch.inference_mode(): pass\nfloat(w * 2)", "float", True),
    ("@torch.no_grad()\ndef f():\n    v = torch.ones(2, requires_grad=True)\n    float(v * 2)", "float", False),
    ("float(z.abs())", "float", None),
    ("float(abs(z))", "float", None),
    ("float(z.real)", "float", None),
    ("float(torch.view_as_real(z))", "float", None),
    ("float(torch.fft.irfft(z))", "float", None),
    ("float(torch.stft(w.data, 4, return_complex=True))", "complex", None),
]


@pytest.mark.parametrize(("source", "dtype", "requires_grad"), KINDS)
def test_dtype_and_requires_grad(source: str, dtype: str, requires_grad: bool, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"{IMPORTS}w = torch.ones(2, requires_grad=True)\nz = torch.fft.fft(w.data)\n{source}\n")
    (use,) = (use for use in read_project([path]).uses() if use.names == ("torch.Tensor.__float__",))
    assert use.call is not None
    assert use.call.receiver is not None
    assert (use.call.receiver.dtype, use.call.receiver.requires_grad) == (dtype, requires_grad)


@pytest.mark.parametrize(
    ("source", "name", "guarded"),
    [
        ('def f(e): return hasattr(e, "grad_fn")', "torch.Tensor.grad_fn", True),
        ('def f(e): return hasattr(e, "untyped_storage")', "torch.Tensor.untyped_storage", True),
        ('def f(e): return getattr(e, "is_leaf")', "torch.Tensor.is_leaf", False),
        ("def f(e): return e.retains_grad", "torch.Tensor.retains_grad", False),
        ("def f(e): return map(e.index_select, [0])", "torch.Tensor.index_select", False),
        ("def f(e): return e.param_groups", "torch.optim.Optimizer.param_groups", False),
    ],
)
def test_name_that_only_torch_has(source: str, name: str, guarded: bool, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"# for torch\n{source}")
    (use,) = read_project([path]).uses()
    assert (use.names, use.evidence, use.guarded) == ((name,), Evidence.MAYBE, guarded)


@pytest.mark.parametrize("source", ["hasattr(e, 'name')", "e.split", "e.append"])
def test_name_that_others_have_too(source: str, tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"import torch.nn\ndef f(e): return {source}")
    assert [use.names for use in read_project([path]).uses()] == [("torch.nn",)]


def test_either_import(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("try:\n    import torch.fx as st\nexcept ImportError:\n    import torch.jit as st\nst.trace(f)\n")
    called = {use.names for use in read_project([path]).uses() if use.kind is Kind.CALL}
    assert called == {("torch.fx.trace",), ("torch.jit.trace",)}
