"""The public objects of the installed torch: each once, under its shortest name, with what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
from conformance.lab.census.objects import PublicObject, public_objects
from conformance.language.decisions import module_of
from conformance.run.worker.docstrings import docstring


@pytest.fixture(scope="module")
def objects() -> dict[str, PublicObject]:
    return {found.name: found for found in public_objects()}


@pytest.mark.parametrize(
    "name",
    [
        "torch.add",
        "torch.Tensor.detach",
        "torch.Tensor.to",
        "torch.Tensor.grad",
        "torch.Tensor.is_leaf",
        "torch.autograd.grad",
        "torch.autograd.gradcheck",
        "torch.autograd.function.FunctionCtx.save_for_backward",
        "torch.nn.Module.register_full_backward_hook",
        "torch.nn.functional.embedding",
        "torch.optim.Optimizer.zero_grad",
        "torch.linalg.svd",
        "torch.fft.hfftn",
        "torch.utils.checkpoint.checkpoint",
        "torch.save",
        "torch.multiprocessing",
    ],
)
def test_what_the_documentation_shows_is_found(name: str, objects: dict[str, PublicObject]) -> None:
    assert name in objects


def test_an_alias_is_counted_with_the_shortest_name(objects: dict[str, PublicObject]) -> None:
    assert "torch.nn.parameter.Parameter" in objects["torch.nn.Parameter"].aliases
    assert "torch.autograd.no_grad" in objects["torch.no_grad"].aliases
    assert "torch.nn.parameter.Parameter" not in objects


def test_no_object_stands_twice(objects: dict[str, PublicObject]) -> None:
    names = [name for found in objects.values() for name in (found.name, *found.aliases)]
    assert len(names) == len(set(names))
    assert len({found.docstring for found in objects.values()}) == len(objects)


@pytest.mark.parametrize(
    "prefix", ["torch.jit", "torch.fx", "torch.cuda", "torch.distributions", "torch.Graph", "torch._"]
)
def test_other_parts_bindings_and_private_names_are_left_out(prefix: str, objects: dict[str, PublicObject]) -> None:
    assert [name for name in objects if name == prefix or name.startswith(f"{prefix}.")] == []


def test_every_object_is_found_again_by_its_name(objects: dict[str, PublicObject]) -> None:
    assert [found.name for found in objects.values() if (docstring(found.name) or "").strip() != found.docstring] == []


def test_a_function_hides_the_module_of_its_name() -> None:
    assert "finite differences" in str(docstring("torch.autograd.gradcheck"))
    assert docstring("torch.autograd.gradcheck.GradcheckError") is not None


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("torch.add", "torch"),
        ("torch.Tensor.add", "torch.Tensor"),
        ("torch.UntypedStorage.cpu", "torch"),
        ("torch.nn.ReLU", "torch.nn"),
        ("torch.nn.functional.relu", "torch.nn.functional"),
        ("torch.utils.data.DataLoader", "torch.utils.data"),
        ("torch.utils.weak.WeakTensorRef", "torch.utils"),
        ("notes/tensor-views", "notes/tensor-views"),
    ],
)
def test_each_name_belongs_to_a_module(name: str, module: str) -> None:
    assert module_of(name) == module


READ = """\
import sys
from conformance.lab.census.objects import installed
release, objects = installed()
print(release, [found.docstring for found in objects], "torch" in sys.modules)
"""


def test_objects_are_read_again_only_where_a_file_of_torch_changed(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    information = packages / "torch-9.0.dist-info"
    for folder in (packages / "torch", information):
        folder.mkdir(parents=True)
    source = packages / "torch" / "__init__.py"
    source.write_text('__version__ = "9.0+cpu"\ndef frob():\n    """Frobs."""\n')
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.0\n")
    (information / "RECORD").write_text("torch/__init__.py,,\ntorch/lib/readme.txt,,\n")
    paths = os.pathsep.join([str(packages), str(Path(conformance.__file__).parent.parent)])
    variables = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def read() -> str:
        return subprocess.run(
            [sys.executable, "-c", READ], env=variables, check=True, capture_output=True, text=True
        ).stdout

    assert read() == "9.0 ['Frobs.'] True\n"
    assert read() == "9.0 ['Frobs.'] False\n"
    source.write_text(source.read_text().replace("Frobs", "Frobs well"))
    assert read() == "9.0 ['Frobs well.'] True\n"
    (information / "RECORD").write_text("torch/__init__.py,,\ntorch/gone.py,,\n")
    assert [read(), read()] == ["9.0 ['Frobs well.'] True\n"] * 2  # what can't be looked at is not kept
