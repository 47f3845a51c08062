"""What a claim leaves in its process is named, the claim is invalid, and the next one does not feel it."""

from __future__ import annotations

import textwrap
from typing import Callable

import pytest

from conformance.results.model import Entry

Judge = Callable[[str], Entry]

#: What a program leaves, how that is named, and an expression that is true where it is gone.
LEFT = {
    "a new name in torch": ("torch.left_here = 1", "torch.left_here", "not hasattr(torch, 'left_here')"),
    "another function": ("torch.sin = torch.cos", "torch.sin", "torch.sin is not torch.cos"),
    "a method gone": ("del torch.Tensor.backward", "torch.Tensor.backward", "hasattr(x, 'backward')"),
    "a new method": ("torch.Tensor.add = lambda self, x: x", "torch.Tensor.add", "int(torch.ones(1).add(1)) == 2"),
    "another builtin": ("__import__('builtins').divmod = max", "builtins.divmod", "divmod(7, 2) == (3, 1)"),
    "a module that is none": (
        "import sys\nsys.modules['ftplib'] = None",
        "sys.modules['ftplib']",
        "__import__('ftplib') is not None",
    ),
    "a module replaced": (
        "import sys, types\nsys.modules['json'] = types.ModuleType('json')",
        "sys.modules['json']",
        "hasattr(__import__('json'), 'dumps')",
    ),
    "a module forgotten": (
        "import sys\nsys.modules.pop('torch.nn', None)",
        "sys.modules['torch.nn']",
        "__import__('sys').modules['torch.nn'] is torch.nn",
    ),
    "the folder for temporary files": (
        "import tempfile\ntempfile.tempdir = '/no/such/folder'",
        "tempfile.tempdir",
        "__import__('tempfile').gettempdir() != '/no/such/folder'",
    ),
    "denormal numbers flushed": (
        "torch.set_flush_denormal(True)",
        "flushing of denormal numbers",
        "(torch.tensor([1e-310], dtype=torch.float64) * 1).item() > 0",
    ),
    "NumPy's print options": (
        "np.set_printoptions(precision=2)",
        "NumPy's print options",
        "np.get_printoptions()['precision'] == 8",
    ),
    "a library of operators": (
        "global kept\nkept = torch.library.Library('left_a', 'DEF')\n_ = kept.define('f(Tensor x) -> Tensor')",
        "operators of torch.library",
        "not hasattr(torch.ops.left_a, 'f')",
    ),
    "an operator": (
        "torch.library.define('left_b::f', '(Tensor x) -> Tensor')",
        "operators of torch.library",
        "not hasattr(torch.ops.left_b, 'f')",
    ),
    "another kernel": (
        "import sys\nsys.kept = torch.library.Library('aten', 'IMPL')\n"
        "sys.kept.impl('logaddexp', lambda a, b: a, 'CPU')",
        "operators of torch.library",
        "torch.logaddexp(torch.ones(1), torch.ones(1)).item() > 1",
    ),
}


def body(program: str, expect: str) -> str:
    lines = textwrap.indent(f"{program}\ny = x.detach()", "  ")
    return f'given: {{x: tensor()}}\ndo: |\n{lines}\nexpect: "y is not None and {expect}"'


@pytest.mark.parametrize("name", LEFT)
def test_what_a_claim_leaves_is_named_and_gone_for_the_next(name: str, judge: Judge) -> None:
    program, told, gone = LEFT[name]
    # A second library of one name, or operator, would raise: the program goes on then.
    once = (
        f"try:\n{textwrap.indent(program, '    ')}\nexcept RuntimeError:\n    pass" if "library" in program else program
    )
    left = judge(body(once, "y is not x"))
    assert (left.verdict, told in (left.detail or "")) == ("invalid", True), left
    assert judge(body("pass", gone)).verdict == "holds"


ORDINARY = {
    "an import": "__import__('xml.dom.minidom')",
    "an import of torch": "import torch.utils.benchmark",
    "an optimizer, which imports Dynamo": "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step()",
    "pickling": "import copy, pickle\npickle.dumps(x.detach())",
    "a transform": "torch.vmap(torch.sin)(torch.ones(3)) if hasattr(torch, 'vmap') else 0",
    "a module of torch that puts an object in its place": (
        "import sys, types\nkind = type('Settings', (types.ModuleType,), {'__module__': 'torch.backends.made_up'})\n"
        "sys.modules['torch.backends.made_up'] = kind('made_up')"
    ),
    "a patch that is undone": "old = torch.Tensor.add\ntorch.Tensor.add = max\ntorch.Tensor.add = old",
    "the folder for temporary files is asked for": "import tempfile\ntempfile.gettempdir()",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_torch_and_python_do_themselves_is_no_leak(name: str, judge: Judge) -> None:
    assert judge(body(ORDINARY[name], "y is not x")).verdict == "holds"
