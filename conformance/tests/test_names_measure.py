"""Walking a torch: what is found in it, and that no module can spoil the rest. The torch here is a made-up one."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Optional

import pytest

from conformance.base.json_files import read_json
from conformance.lab.names.modules import list_modules
from conformance.names.model import MeasuredNames, NameRecord

PROJECT = Path(__file__).parents[2]

MODULES = {
    "__init__": """
        import math
        from math import pi
        from typing import Optional
        import torch.nn
        from torch.functional import add as plus
        class Size(tuple):
            '''A shape.'''
    """,
    "functional": '''
        import warnings
        def add(input, other, *, alpha=1, out=None): return input
        def wrapper(*args, **kwargs):
            """wrapper(input, dim=None) -> Tensor

            .. function:: wrapper(input, *, all)
            """
        def odd(where=object(), path="/home/someone/x", sizes=(1, 2)): pass
        def gone(input, upper=True):
            """Was good once."""
            hint = "torch.functional.add"
            raise RuntimeError("This function is now removed. Please use `torch.functional.add` instead.")
        def abstract(): raise NotImplementedError("implement this")
        def warned(x):
            warnings.warn("torch.functional.warned is deprecated, use torch.functional.add.", FutureWarning)
            return x
        def warned_sometimes(x, old=None):
            if old is not None:
                warnings.warn("the argument old is deprecated", FutureWarning)
        def documented(x):
            """documented(x)

            .. warning:: This function is deprecated and will be removed. Use :func:`torch.functional.add`.
            """
        def of_argument(x, size_average=None):
            """Adds.

            Args:
                size_average (bool, optional): Deprecated (see reduction).
            """
        def _make(new):
            name = new.__name__
            def made(*args, **kwargs):
                warnings.warn(f"made is now deprecated in favor of `torch.functional.{name}`.", FutureWarning)
                return new(*args, **kwargs)
            return made
        made = _make(add)
        def _deprecated(name, other):
            warnings.warn(f"torch.functional.{name} is deprecated, use {other} instead.", FutureWarning)
        def helped(x):
            _deprecated("helped", other="torch.functional.add")
            return x
        threshold = 0.5
    ''',
    "nn/__init__": "from torch.nn.linear import Linear\n",
    "nn/linear": '''
        import enum
        class Module:
            training: bool
            def forward(self, input): return input
        class Mode(enum.Enum):
            FAST = 1
        class Answers(type):
            @property
            def WORLD(cls): return 1
        class Group(metaclass=Answers):
            pass
        class Full: pass
        Full.__qualname__ = "torch.nn.linear.Full"
        class Linear(Module):
            """A layer."""
            def __init__(self, size, bias=True, mode=Mode.FAST):
                self.size = size
                self._hidden = 1
                self.register_buffer("mean", None)
            @property
            def width(self): return 1
            @staticmethod
            def make(size): return Linear(size)
            def symeig(self, upper=True):
                from ..functional import gone
                return gone(self, upper)
    ''',
    "crashing": "import os\nos.abort()\n",
    "exiting": "import os\nos._exit(3)\n",
    "hanging": "import time\ntime.sleep(1000)\n",
    "lacking": "import not_there_at_all\n",
    "failing": "raise ImportError('cannot import x (/home/someone/site/torch/x.py)')\n",
    "raising_gone": "raise ImportError('torch.raising_gone has been removed; use torch.nn')\n",
    "_inside/__init__": "",
    "_inside/deep": "LIMIT = 3\ndef helper(x, y): pass\nclass Kept:\n    def run(self, x): pass\n",
    "lazy": """
        import warnings
        __all__ = ["made_when_asked"]
        _old = {"has_speed": bool}
        def __getattr__(name):
            if name in _old:
                warnings.warn(f"'{name}' is deprecated, please use torch.lazy.is_fast()")
                return _old[name]()
            if name != "made_when_asked":
                raise AttributeError(name)
            def made_when_asked(x): return x
            return made_when_asked
    """,
    "backends/__init__": "",
    "backends/switch": """
        import sys, types
        LIMIT = 3
        def version(): return 1
        class _Setting:
            def __get__(self, obj, objtype): return True
            def __set__(self, obj, value): pass
        class Switch(types.ModuleType):
            fast = _Setting()
            def reset(self, hard=False): pass
            def __init__(self, replaced):
                super().__init__(replaced.__name__)
                self.replaced = replaced
                self._config = {"depth": 2}
            def __getattr__(self, name):
                return 2 if name == "depth" else getattr(self.replaced, name)
        class Multiplication:
            def __getattr__(self, name):
                if name == "allow": return True
                raise AttributeError(name)
            def __setattr__(self, asked, value):
                if asked in ("allow", "write_only"): return
                raise AttributeError(asked)
        matmul = Multiplication()
        sys.modules[__name__] = Switch(sys.modules[__name__])
    """,
    "zlast": "def after_all(): pass\n",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    for name, source in MODULES.items():
        path = folder / "torch" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
    name_release(folder)
    return folder


def name_release(site: Path) -> None:
    stub = site / "torch-9.8.7.dist-info"
    stub.mkdir()
    (stub / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.8.7+cpu\n", encoding="utf-8")


def measure(site: Path, output: Path) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; from functools import partial; from conformance.lab.names import __main__ as command; "
        "command.measure = partial(command.measure, seconds=4); "
        f"sys.exit(command.main(['measure', '--output', {str(output)!r}]))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{PROJECT}"}
    return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def measured(site: Path, tmp_path_factory: pytest.TempPathFactory) -> MeasuredNames:
    output = tmp_path_factory.mktemp("measured") / "names.json"
    ran = measure(site, output)
    assert ran.returncode == 0, ran.stderr
    return read_json(output, MeasuredNames, "")


def test_the_release_is_named_without_its_build(measured: MeasuredNames) -> None:
    assert measured.torch == "9.8.7"


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("torch.crashing", "signal 6"),
        ("torch.exiting", "exited with 3"),
        ("torch.hanging", "more than 4 s"),
        ("torch.lacking", "ModuleNotFoundError: No module named 'not_there_at_all'"),
        ("torch.failing", "ImportError: cannot import x"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why_and_costs_nothing_else(
    measured: MeasuredNames, module: str, reason: str
) -> None:
    assert measured.modules[module][""].error.endswith(reason)
    assert "after_all" in measured.modules["torch.zlast"]


def test_what_a_module_makes_when_asked_and_lists_is_one_of_its_names(measured: MeasuredNames) -> None:
    assert "made_when_asked" in measured.modules["torch.lazy"]


def test_a_deprecated_name_that_a_module_only_answers_to_has_its_warning(measured: MeasuredNames) -> None:
    record = measured.modules["torch.lazy"]["has_speed"]
    assert (record.kind, record.target, record.warns) == ("constant", "bool", "UserWarning")
    assert record.deprecated == "'has_speed' is deprecated, please use torch.lazy.is_fast()"


def test_settings_of_an_object_in_the_place_of_a_module_are_names(measured: MeasuredNames) -> None:
    section = measured.modules["torch.backends.switch"]
    assert {name: section[name].kind for name in ("LIMIT", "version", "fast", "depth")} == {
        "LIMIT": "constant",
        "version": "function",
        "fast": "constant",
        "depth": "constant",
    }
    assert section["reset"].signatures == ("(hard=False)",)


def test_settings_that_an_object_answers_to_are_attributes_of_its_class(measured: MeasuredNames) -> None:
    section = measured.modules["torch.backends.switch"]
    assert section["matmul"].target == "torch.backends.switch.Multiplication"
    assert {name for name in section if section[name].kind == "attribute"} >= {
        "Multiplication.allow",
        "Multiplication.write_only",
    }


def test_a_module_that_only_says_that_it_is_gone_is_removed(measured: MeasuredNames) -> None:
    assert measured.modules["torch.raising_gone"][""].removed == "torch.raising_gone has been removed; use torch.nn"


@pytest.mark.parametrize(
    ("name", "signatures", "origin"),
    [
        ("add", ("(input, other, *, alpha=1, out=None)",), "inspect"),
        ("wrapper", ("(input, dim=None)", "(input, *, all)"), "doc"),
        ("odd", ("(where=..., path=..., sizes=(1, 2))",), "inspect"),
    ],
)
def test_signatures_hold_nothing_of_the_machine(
    measured: MeasuredNames, name: str, signatures: tuple[str, ...], origin: str
) -> None:
    record = measured.modules["torch.functional"][name]
    assert (record.signatures, record.origin) == (signatures, origin)


def test_only_what_always_raises_that_it_is_gone_is_removed(measured: MeasuredNames) -> None:
    removed = {name for section in measured.modules.values() for name, record in section.items() if record.removed}
    assert removed == {"gone", "Linear.symeig", ""}
    assert measured.modules["torch.nn.linear"]["Linear.symeig"].removed.startswith("This function is now removed.")


@pytest.mark.parametrize(
    ("name", "warns", "says"),
    [
        ("warned", "FutureWarning", "use torch.functional.add"),
        ("documented", "", "Use :func:`torch.functional.add`"),
        ("made", "FutureWarning", "in favor of `torch.functional.add`"),
        ("helped", "FutureWarning", "torch.functional.helped is deprecated, use torch.functional.add instead."),
        ("warned_sometimes", "", ""),
        ("of_argument", "", ""),
        ("add", "", ""),
    ],
)
def test_deprecations_of_the_callable_itself_are_told(
    measured: MeasuredNames, name: str, warns: str, says: str
) -> None:
    record = measured.modules["torch.functional"][name]
    assert record.warns == warns
    assert says in record.deprecated
    assert bool(record.deprecated) == bool(says)


def test_a_re_export_names_where_it_is_defined(measured: MeasuredNames) -> None:
    assert measured.modules["torch"]["plus"] == NameRecord("alias", "torch.functional.add")
    assert measured.modules["torch.nn"]["Linear"] == NameRecord("alias", "torch.nn.linear.Linear")


def test_foreign_objects_are_named_and_not_walked(measured: MeasuredNames) -> None:
    torch = measured.modules["torch"]
    assert torch["math"] == NameRecord("external", "math")
    assert "Optional" not in torch
    assert not any(name.startswith("math.") for name in torch)
    assert torch["Size"].bases == ("builtins.tuple",)


def test_a_class_has_its_members_and_what_it_sets_on_instances(measured: MeasuredNames) -> None:
    section = measured.modules["torch.nn.linear"]
    kinds = {name: record.kind for name, record in section.items() if name.startswith("Linear")}
    assert kinds == {
        "Linear": "class",
        "Linear.__init__": "method",
        "Linear.make": "staticmethod",
        "Linear.mean": "attribute",
        "Linear.size": "attribute",
        "Linear.symeig": "method",
        "Linear.width": "property",
    }
    assert section["Linear"].signatures == ("(size, bias=True, mode=Mode.FAST)",)
    assert section["Mode.FAST"].kind == "constant"
    assert section["Module.training"].kind == "attribute"
    assert section["Group.WORLD"].kind == "property"
    assert section["Full"].kind == "class"


def test_compiled_modules_are_listed(tmp_path: Path) -> None:
    for name in ("__init__.py", "_C.cpython-311-x86_64-linux-gnu.so", "lib/libtorch.so"):
        (tmp_path / "torch" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "torch" / name).touch()
    assert list_modules(tmp_path / "torch") == ["torch", "torch._C"]


def test_deep_inside_private_packages_only_what_is_defined_is_named(measured: MeasuredNames) -> None:
    section = measured.modules["torch._inside.deep"]
    assert section == {
        "": NameRecord("module"),
        "LIMIT": NameRecord("constant"),
        "Kept": NameRecord("class"),
        "helper": NameRecord("function"),
    }


def test_measuring_twice_gives_the_same_bytes(site: Path, measured: MeasuredNames, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for name in ("crashing", "exiting", "hanging"):
        (site / "torch" / f"{name}.py").write_text("", encoding="utf-8")
    for output in (first, second):
        assert measure(site, output).returncode == 0
    assert first.read_bytes() == second.read_bytes()
    assert str(site) not in first.read_text(encoding="utf-8")
    assert len(read_json(first, MeasuredNames, "").modules) == len(measured.modules)


@pytest.mark.parametrize(("cuda", "told"), [(None, True), ("13.0", False)])
def test_a_build_without_cuda_is_remarked(tmp_path: Path, cuda: Optional[str], told: bool) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "torch" / "version.py").write_text(f"cuda = {cuda!r}\n", encoding="utf-8")
    name_release(tmp_path)
    command = [sys.executable, "-m", "conformance.lab.names", "measure", "--output", "names.json"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{PROJECT}"}
    ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("built without CUDA" in ran.stderr) == told


def test_without_torch_it_says_what_to_do(tmp_path: Path) -> None:
    code = "import sys; sys.path = [p for p in sys.path if 'site-packages' not in p]; "
    code += "from conformance.lab.names.__main__ import main; sys.exit(main(['measure', '--output', 'x']))"
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "torch is not installed" in ran.stderr
