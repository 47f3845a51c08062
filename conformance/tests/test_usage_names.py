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


@pytest.mark.parametrize(
    ("handler", "guarded"),
    [("except TypeError", True), ("except (TypeError, OSError)", True), ("except OSError", False)],
)
def test_a_call_that_is_made_again_after_a_type_error_is_guarded(handler: str, guarded: bool, tmp_path: Path) -> None:
    source = f"import torch\ntry:\n    torch.foo(a=1)\n{handler}:\n    torch.foo()\n"
    assert [use.guarded for use in calls_of("torch.foo", source, tmp_path)] == [False, guarded]


@pytest.mark.parametrize("tried", ["f(a=1)", "torch.foo()"])
def test_another_call_after_a_type_error_is_not_guarded(tried: str, tmp_path: Path) -> None:
    source = f"import torch\ntry:\n    {tried}\nexcept TypeError:\n    torch.foo()\n"
    assert calls_of("torch.foo", source, tmp_path)[-1].guarded is False


def calls_of(name: str, source: str, folder: Path) -> list[Use]:
    return [use for use in uses(source, folder) if name in use.names and use.kind is Kind.CALL]


_TRIED = "try:\n    from torch.y import Y\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
_FLAGS = {
    "tried import": _TRIED,
    "tried module": "HAVE = False\ntry:\n    import torch.y\n    HAVE = True\nexcept ImportError:\n    pass\n",
    "set in else": "try:\n    import torch.y\nexcept ImportError:\n    HAVE = False\nelse:\n    HAVE = True\n",
    "tried attribute": "try:\n    torch.y\n    HAVE = True\nexcept AttributeError:\n    HAVE = False\n",
    "hasattr": "HAVE = hasattr(torch, 'y')\n",
    "not hasattr": "HAVE = not hasattr(torch, 'y')\n",
    "annotated": "HAVE: bool = hasattr(torch, 'y')\n",
    "version": "HAVE = torch.__version__ >= '2.0'\n",
    "version by parts": "HAVE = int(torch.__version__.split('.')[0])\n",
    "version, read before": "v = torch.__version__\nHAVE = v >= '2.0'\n",
    "and another": "HAVE = x.fast and hasattr(torch, 'y')\n",
    "under a test": "HAVE = False\nif hasattr(torch, 'y'):\n    HAVE = True\n",
    "name or none": "try:\n    from torch.y import Y\nexcept ImportError:\n    Y = None\nHAVE = Y is not None\n",
}


@pytest.mark.parametrize("flag", _FLAGS.values(), ids=_FLAGS)
@pytest.mark.parametrize(
    "body", ["if HAVE:\n{}", "if not HAVE:\n    pass\nelse:\n{}", "def f():\n  if HAVE and x:\n{}"]
)
def test_code_under_a_flag_of_a_guard_is_guarded(flag: str, body: str, tmp_path: Path) -> None:
    source = f"import torch\n{flag}{body.format('    torch.foo()')}\ntorch.foo()\n"
    assert sorted(use.guarded for use in calls_of("torch.foo", source, tmp_path)) == [False, True]


def test_a_flag_and_a_name_that_a_function_gives_to_its_module_are_guarded(tmp_path: Path) -> None:
    source = (
        "HAVE = False\ndef load():\n    global HAVE, foo\n    try:\n        from torch import foo\n"
        "        HAVE = True\n    except ImportError:\n        try:\n            from y import foo\n"
        "        except ImportError:\n            raise ImportError('y')\n"
        "def g():\n    if HAVE:\n        foo(torch.bar(1))\n    torch.baz()\n"
    )
    found = {use.names[0]: use.guarded for use in uses(f"import torch\n{source}", tmp_path) if use.kind is Kind.CALL}
    assert found == {"torch.foo": True, "torch.bar": True, "torch.baz": False}


def test_a_function_that_tells_what_torch_has_is_a_guard(tmp_path: Path) -> None:
    for body in (_TRIED.replace("HAVE =", "return"), "return torch.__version__ >= '2'"):
        source = (
            f"import torch\ndef has():\n    {body.replace(chr(10), chr(10) + '    ')}\nif has():\n    torch.foo()\n"
        )
        assert [use.guarded for use in calls_of("torch.foo", source, tmp_path)] == [True]


_OTHER_FLAGS = {
    "plain": "HAVE = True\n",
    "unknown": "HAVE = x.debug\n",
    "another package": "try:\n    import y\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n",
    "torch itself": (
        "try:\n    import torch\n    import torch.nn as nn\n    HAVE = True\nexcept ImportError:\n    HAVE = False\n"
    ),
    "another attribute": "try:\n    x.y\n    HAVE = True\nexcept AttributeError:\n    HAVE = False\n",
    "any error": "try:\n    torch.y(1)\n    HAVE = True\nexcept Exception:\n    HAVE = False\n",
    "hasattr of another": "HAVE = hasattr(x, 'y')\n",
    "set again": "HAVE = hasattr(torch, 'y')\nHAVE = x.debug\n",
    "result of one": "HAVE = x.f() if hasattr(torch, 'y') else x.g()\n",
    "a look inside a call": "def g(x):\n    if hasattr(torch, 'y'):\n        x += 1\n    return x\nHAVE = g(1) > 1\n",
}


@pytest.mark.parametrize("flag", _OTHER_FLAGS.values(), ids=_OTHER_FLAGS)
def test_code_under_another_flag_is_not_guarded(flag: str, tmp_path: Path) -> None:
    source = f"import torch\n{flag}if HAVE:\n    torch.foo()\n"
    assert [use.guarded for use in calls_of("torch.foo", source, tmp_path)] == [False]


_CHOSEN = {
    "conditional expression": "f = torch.foo if hasattr(torch, 'foo') else torch.bar\nf(x)",
    "conditional module": "m = torch.y if hasattr(torch, 'y') else torch\nm.foo(x)",
    "branch": "if hasattr(torch, 'foo'):\n    f = torch.foo\nelse:\n    f = torch.bar\nf(x)",
    "replaced": "f = torch.foo\nif hasattr(torch, 'bar'):\n    f = torch.bar\nf(x)",
    "tried": "try:\n    f = torch.foo\nexcept AttributeError:\n    f = torch.bar\nf(x)",
    "tried import": "try:\n    from torch import foo\nexcept ImportError:\n    from torch import bar as foo\nfoo(x)",
    "global": "def g():\n    global f\n    if hasattr(torch, 'foo'):\n        f = torch.foo\ndef h():\n    f(x)",
    "attribute": (
        "class A:\n    def __init__(self):\n        if hasattr(torch, 'foo'):\n            self.f = torch.foo\n"
        "    def g(self):\n        self.f(x)"
    ),
    "getattr": "f = getattr(torch, 'foo', None)\nf(x)",
    "returned": ("def g():\n    f = None\n    if hasattr(torch, 'foo'):\n        f = torch.foo\n    return f\ng()(x)"),
}


@pytest.mark.parametrize("source", _CHOSEN.values(), ids=_CHOSEN)
def test_a_name_that_is_chosen_by_a_guard_is_guarded_where_it_is_called(source: str, tmp_path: Path) -> None:
    (use,) = calls_of("torch.foo" if "m.foo" not in source else "torch.y.foo", f"import torch\n{source}\n", tmp_path)
    assert use.guarded


_NOT_CHOSEN = {
    "conditional expression": "f = torch.foo if DEBUG else torch.bar\nf(x)",
    "branch": "if DEBUG:\n    f = torch.foo\nelse:\n    f = torch.bar\nf(x)",
    "another name": "if hasattr(torch, 'bar'):\n    f = torch.bar\ng = torch.foo\ng(x)",
    "bound again": "f = torch.bar if hasattr(torch, 'bar') else None\nf = torch.foo\nf(x)",
    "torch itself": "try:\n    import torch\n    from torch import foo\nexcept ImportError:\n    pass\nfoo(x)",
    "no other way": "try:\n    from torch.y import foo as f\nexcept ImportError:\n    raise ValueError\nf(x)",
    "imported torch": "if hasattr(torch, 'y'):\n    import torch.y\ntorch.foo(x)",
    "argument": "f = getattr(torch, 'bar', None)\nf(torch.foo(x))",
}


@pytest.mark.parametrize("source", _NOT_CHOSEN.values(), ids=_NOT_CHOSEN)
def test_a_name_that_no_guard_chooses_is_not_guarded(source: str, tmp_path: Path) -> None:
    name = "torch.y.foo" if "torch.y import" in source else "torch.foo"
    assert [use.guarded for use in calls_of(name, f"import torch\n{source}\n", tmp_path)] == [False]


@pytest.mark.parametrize("imported", ["from c import HAVE, Y", "from c import *", "import c\nHAVE, Y = c.HAVE, c.Y"])
def test_a_guard_is_followed_through_the_project(imported: str, tmp_path: Path) -> None:
    (tmp_path / "c.py").write_text(f"import torch\n{_TRIED}")
    (tmp_path / "main.py").write_text(f"import torch\n{imported}\nif HAVE:\n    torch.foo()\nY()\ntorch.bar()\n")
    calls = {use.names[0]: use.guarded for use in read_project([tmp_path]).uses() if use.kind is Kind.CALL}
    assert calls == {"torch.foo": True, "torch.y.Y": True, "torch.bar": False}


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
    # A star import brings what `__all__` names, and of two modules the later one counts.
    ({"c.py": f"{TORCH}__all__ = ['F']", "main.py": "from c import *\nnn.Linear(1, 2)\nF.relu(x)"},
     ["torch.nn.functional.relu"]),
    ({"c.py": "from torch import nn as f", "d.py": "from torch import fft as f",
      "main.py": "from c import *\nfrom d import *\nf.fft(x)"}, ["torch.fft.fft"]),
    ({"c.py": "from torch import nn as f", "d.py": "from torch import fft as f",
      "e.py": "from c import *\nfrom d import *", "main.py": "from e import f\nf.fft(x)"}, ["torch.fft.fft"]),
    # Modules import each other in a circle, and a package its own modules.
    ({"c.py": "from torch import nn\nfrom d import D\nclass B(D): ...\nclass C(nn.Module): ...",
      "d.py": "from c import C\nclass D(C): ...",
      "main.py": "from d import D as E\nclass F(E): ...\nfrom c import D\nD().half()"},
     ["torch.nn.Module", "torch.nn.Module.half"]),
    ({"c.py": TORCH, "main.py": "class A:\n    from c import nn\nA.nn.Linear(1, 2)"}, ["torch.nn.Linear"]),
    ({"p/__init__.py": "from . import c", "p/c.py": TORCH, "main.py": "import p\np.c.nn.Linear(1, 2)"},
     ["torch.nn.Linear"]),
    ({"p/__init__.py": "if A:\n    from .c import C\nelse:\n    C = None", "p/d.py": "from p import C\nclass D(C): ...",
      "p/c.py": "from torch import nn\nfrom p.d import D\nclass B(D): ...\nclass C(nn.Module): ...",
      "main.py": "from p.c import B\nclass F(B): ...\nfrom p import C\nC().half()"},
     ["torch.nn.Module", "torch.nn.Module.half"]),
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
    # What a function of another file uses is noted there, also where that file has no plain outline.
    ({"c.py": f"{TORCH}if A:\n    def f(): torch.ones(1)", "main.py": "from c import f\nf()"}, []),
    ({"c.py": f"{TORCH}class A:\n  def f(self):##\n    torch.ones(1)", "main.py": "from c import A\nA().f()"}, []),
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


#: Code that gives `torch.load` to other code, which may call it, and what it is called with then.
PASSED = [
    ("partial(torch.load)", (0, [])),
    ("partial(torch.load, 'x', map_location='cpu')", (1, ["map_location"])),
    ("functools.partial(torch.load, weights_only=True)", (0, ["weights_only"])),
    ("map(torch.load, paths)", (0, [])),
    ("pool.submit(torch.load, path)", (0, [])),
    ("asyncio.to_thread(func=torch.load)", (0, [])),
    ("def f(path, load=torch.load): load(path)", (0, [])),
    ("def f(*, load=torch.load): pass", (0, [])),
    ("f = lambda load=torch.load: load(path)", (0, [])),
    ("@with_loader(torch.load)\ndef f(): pass", (0, [])),
    ("class A:\n    def f(self): self.load = torch.load", (0, [])),
    ("LOADERS['x'] = torch.load", (0, [])),
    ("LOADERS = {'x': torch.load}", (0, [])),
    ("def f(): return torch.load", (0, [])),
    ("def f(): yield torch.load", (0, [])),
    ("f([(torch.load, path)])", (0, [])),
    ("f(*[torch.load])", (0, [])),
    ("f(load or torch.load)", (0, [])),
    ("f(torch.load if x else y)", (0, [])),
    ("f(g := torch.load)", (0, [])),
    ("from torch import load as l\nf(l)", (0, [])),
    ("l = torch.load\nf(l)", (0, [])),
    ("f(getattr(torch, 'load'))", (0, [])),
]
NOT_PASSED = [
    "torch.load(path)",
    "f(torch.load(path))",
    "f = torch.load",
    "isinstance(x, torch.load)",
    "isinstance(x, (int, torch.load))",
    "type(x) in (torch.load, int)",
    "f is torch.load",
    "print(torch.load)",
    "def f(x: torch.load) -> torch.load: pass",
    "hasattr(torch, 'load')",
    "torch.load = f",
]


@pytest.mark.parametrize(("source", "expected"), PASSED)
def test_a_function_that_is_passed_on_is_a_use(source: str, expected: tuple[int, list[str]], tmp_path: Path) -> None:
    source = f"import asyncio, functools, torch\nfrom functools import partial\n{source}\n"
    (use,) = [use for use in uses(source, tmp_path) if use.kind is Kind.PASSED]
    assert use.names == ("torch.load",)
    assert use.evidence is Evidence.LIKELY
    assert use.call is not None
    assert use.call.more_positional
    assert (len(use.call.positional), [name for name, _ in use.call.keywords]) == expected


@pytest.mark.parametrize("source", NOT_PASSED)
def test_what_is_only_looked_at_is_not_passed_on(source: str, tmp_path: Path) -> None:
    assert not [use for use in uses(f"import torch\n{source}\n", tmp_path) if use.kind is Kind.PASSED]


def test_constants_are_not_passed_on_and_methods_are(tmp_path: Path) -> None:
    source = "import torch\nx = torch.ones(1, dtype=torch.float16)\nf(x.backward, x.shape, torch.strided, torch)\n"
    found = uses(source, tmp_path)
    assert [use.names for use in found if use.kind is Kind.PASSED] == [("torch.Tensor.backward",)]


#: Code that hides from a reader who runs nothing which name of torch it uses.
HIDDEN = {
    "globals()['torch'].load(x)": Doubt.NAMESPACE,
    "globals()['zeros'](1)": Doubt.NAMESPACE,
    "globals()[name](1)": Doubt.NAMESPACE,
    "globals().get('torch')": Doubt.NAMESPACE,
    "locals()['torch']": Doubt.NAMESPACE,
    "vars()['torch']": Doubt.NAMESPACE,
    "def g(x=torch):\n    f = torch.load\n    locals()[name]": Doubt.NAMESPACE,
    "sys.modules['torch'].load(x)": Doubt.NAMESPACE,
    "sys.modules['torch.nn'].Linear(1, 1)": Doubt.NAMESPACE,
    "modules['torch']": Doubt.NAMESPACE,
    "sys.modules[name]": Doubt.NAMESPACE,
    "sys.modules.get('torch')": Doubt.NAMESPACE,
    "vars(torch)['load'](x)": Doubt.DYNAMIC_NAME,
    "torch.__dict__['load'](x)": Doubt.DYNAMIC_NAME,
    "getattr(torch, name)": Doubt.DYNAMIC_NAME,
    "operator.methodcaller('load', x)(torch)": Doubt.METHOD_BY_NAME,
    "methodcaller(name)": Doubt.METHOD_BY_NAME,
    "operator.attrgetter(name)(x)": Doubt.METHOD_BY_NAME,
    "torch.jit.CompilationUnit('def f(x): return x')": Doubt.DYNAMIC_CODE,
    "from torch.jit import CompilationUnit as C\nC(text)": Doubt.DYNAMIC_CODE,
    "torch.utils.benchmark.Timer('torch.ones(1)')": Doubt.DYNAMIC_CODE,
    "timeit.timeit('torch.load(x)')": Doubt.DYNAMIC_CODE,
    "exec(text)": Doubt.DYNAMIC_CODE,
    "compile(text, '', 'eval')": Doubt.DYNAMIC_CODE,
}
PLAIN = [
    "globals()['f'](1)",
    "globals()['x'] = 1",
    "def g(x): locals()[name]",
    "'torch' in sys.modules",
    "sys.modules[__name__].x",
    "sys.modules[cls.__module__]",
    "sys.modules['json'].load(x)",
    "vars(x)['load']",
    "re.compile(text)",
    "timeit.timeit(lambda: torch.ones(1))",
    "operator.attrgetter('key')(x)",
]
_IMPORTS = "import operator, re, sys, timeit, torch\nfrom operator import methodcaller\nfrom sys import modules\n"


@pytest.mark.parametrize("source", HIDDEN)
def test_what_hides_its_names_is_not_fully_analysed(source: str, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(f"{_IMPORTS}from torch import zeros\ndef f(): pass\n{source}\n")
    assert [each.doubt for each in read_project([tmp_path]).unclear()] == [HIDDEN[source]]


@pytest.mark.parametrize("source", PLAIN)
def test_what_hides_nothing_is_analysed(source: str, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(f"{_IMPORTS}def f(): pass\n{source}\n")
    assert not list(read_project([tmp_path]).unclear())


def test_an_attribute_that_is_read_by_its_name_may_be_one_of_a_tensor(tmp_path: Path) -> None:
    (use,) = uses("import operator, torch\noperator.attrgetter('a.is_leaf')(x)\n", tmp_path)
    assert (use.names, use.evidence) == (("torch.Tensor.is_leaf",), Evidence.MAYBE)
