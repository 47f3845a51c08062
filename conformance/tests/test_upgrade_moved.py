"""Names that moved, arguments that came with another default, and what to write instead of what is gone."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.names.lookup import Names
from conformance.names.model import Found, Gone
from conformance.names.replacements import WRITTEN, written_instead
from conformance.upgrade.model import ReportEntry
from conformance.upgrade.name_changes import NameChanges
from conformance.usage import Evidence, read_project

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")


def told(folder: Path, code: str, old: str = "1.13", new: str = "2.15") -> list[ReportEntry]:
    (folder / "code.py").write_text(f"import torch\n{code}\n", encoding="utf-8")
    return NameChanges(Names(), old, new).entries(read_project([folder]).groups())


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("torch.distributed._tensor.experimental", "implicit_replication"),
        ("torch.distributed._tensor.device_mesh", "DeviceMesh"),
        ("torch.distributed._tensor._utils", "compute_local_shape_and_global_offset"),
        ("torch.distributed._shard.checkpoint.planner", "LoadPlan"),
    ],
)
def test_what_is_below_an_old_path_is_not_gone(module: str, name: str, tmp_path: Path) -> None:
    assert isinstance(Names().lookup(f"{module}.{name}", "2.13"), Found)
    assert told(tmp_path, f"from {module} import {name}\n{name}()", "2.4") == []


def test_what_the_new_path_lacks_is_gone() -> None:
    answer = Names().lookup("torch.distributed._tensor.experimental.attention", "2.13")
    assert isinstance(answer, Gone)
    assert answer.since == "2.5"


def test_before_the_move_the_old_path_is_what_is_recorded_of_it() -> None:
    answer = Names().lookup("torch.distributed._tensor.experimental.implicit_replication", "2.4")
    assert isinstance(answer, Found)
    assert answer.canonical == "torch.distributed._tensor.experimental.implicit_replication"


def test_the_script_for_a_name_that_is_gone_imports_its_module(tmp_path: Path) -> None:
    [found] = told(tmp_path, "from torch.distributed.pipeline.sync import Pipe\nPipe(m)")
    assert '    print(import_module("torch.distributed.pipeline.sync").Pipe)' in found.script.splitlines()


def test_the_script_finds_what_is_below_an_old_path() -> None:
    torch = pytest.importorskip("torch")
    if not torch.__version__.startswith("2.13") or not torch.distributed.is_available():
        pytest.skip("the installed torch has no such module")
    from conformance.upgrade.name_scripts import presence_script

    name = "torch.distributed._tensor.experimental.implicit_replication"
    found, printed = Names().lookup(name, "2.4"), io.StringIO()
    assert isinstance(found, Found)
    with contextlib.redirect_stdout(printed):
        exec(presence_script(found, name.rpartition(".")[0]), {})
    assert printed.getvalue().startswith("<function implicit_replication")


@pytest.mark.parametrize("old", ["1.13", "2.4"])
def test_an_argument_that_came_with_another_default_is_a_changed_default(old: str, tmp_path: Path) -> None:
    [found] = [entry for entry in told(tmp_path, 'torch.onnx.export(m, x, "f")', old) if "dynamo" in entry.id]
    assert (found.severity, found.kind, found.when, found.instead) == (
        "changes",
        "default",
        "since 2.9",
        "dynamo=False",
    )
    assert found.evidence is Evidence.CERTAIN
    before = "no such argument; dynamo=False where it came in 2.4" if old == "1.13" else "False"
    assert (found.before, found.after) == (before, "True")


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ('torch.onnx.export(m, x, "f", dynamo=False)', "2.15"),
        ('torch.onnx.export(m, x, "f")', "2.8"),
        ('torch.onnx.export(m, x, "f")', "2.7"),
    ],
)
def test_an_argument_that_is_passed_or_is_as_it_came_is_silent(code: str, new: str, tmp_path: Path) -> None:
    assert not [entry for entry in told(tmp_path, code, new=new) if entry.id.endswith(":dynamo")]


def test_a_call_that_may_pass_the_argument_is_a_doubt(tmp_path: Path) -> None:
    found = {entry.id: entry for entry in told(tmp_path, 'torch.onnx.export(m, x, "f", **more)')}
    assert found["torch.onnx.export:dynamo"].evidence is Evidence.MAYBE


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("torch.distributed.rpc.shutdown()", "1.8", "2.15"),
    ],
)
def test_a_default_that_decides_nothing_is_silent(code: str, old: str, new: str, tmp_path: Path) -> None:
    assert not [entry for entry in told(tmp_path, code, old, new) if "where it came" in entry.before]


@pytest.mark.parametrize(
    ("code", "old", "instead"),
    [
        ("from torch._six import string_classes", "1.13", "(str, bytes)"),
        ("from torch._six import inf", "1.13", "math.inf"),
        ("from torch._six import PY37", "1.8", "sys.version_info >= (3, 7)"),
        ("from torch._six import container_abcs", "1.8", "collections.abc"),
        ("torch.distributed.all_reduce_multigpu([x])", "1.13", "torch.distributed.all_reduce of each tensor"),
        ("torch.quantization.quantize_dynamic(m)", "1.13", "torchao.quantization.quantize_"),
        ("from torch._utils import _accumulate", "2.2", "itertools.accumulate"),
        (
            "torch.testing.all_types()",
            "1.13",
            "no message of torch names a replacement; its code in torch.testing of 1.13 shows what it did",
        ),
        ("torch.utils.data.Sampler(d)", "1.13", "call super().__init__() without arguments"),
        (
            "torch.optim.lr_scheduler.ReduceLROnPlateau(o, verbose=True)",
            "1.13",
            "leave verbose out; print scheduler.get_last_lr()",
        ),
        (
            "from torch.distributed.nn.functional import all_gather\nall_gather(x)",
            "2.4",
            "torch.distributed._functional_collectives.all_gather_single",
        ),
    ],
)
def test_what_to_write_instead(code: str, old: str, instead: str, tmp_path: Path) -> None:
    assert [entry.instead for entry in told(tmp_path, code, old) if entry.instead] == [instead]


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("torch.get_autocast_gpu_dtype", "torch.get_autocast_dtype('cuda')"),
        ("torch.set_autocast_cpu_dtype", "torch.set_autocast_dtype('cpu', dtype)"),
        ("torch.is_autocast_xla_enabled", "torch.is_autocast_enabled('xla')"),
        ("torch.is_autocast_enabled", ""),
    ],
)
def test_what_to_write_instead_of_names_for_one_device(name: str, instead: str) -> None:
    assert written_instead(name) == instead
    assert not instead or Names().replacements("", name, "2.15") == (instead,)


@pytest.mark.parametrize(("old", "new"), [("1.8", "1.13"), ("1.13", "2.15")])
def test_every_name_that_is_gone_or_deprecated_says_what_to_do(old: str, new: str) -> None:
    entries = NameChanges(Names(), old, new).of_torch()
    assert len(entries) > 200
    assert [entry.id for entry in entries if not entry.instead] == []


def test_every_name_with_something_to_write_instead_is_recorded() -> None:
    names = Names()
    assert [name for name in WRITTEN if not any(isinstance(one.answer, Found) for one in names.history(name))] == []


def test_a_message_has_no_gaps(tmp_path: Path) -> None:
    [found] = told(tmp_path, "from torch.distributed.nn.functional import all_gather\nall_gather(x)", "2.4")
    assert found.after == "torch.distributed.nn.functional.all_gather is deprecated."


def test_a_documented_deprecation_does_not_say_that_no_call_warns(tmp_path: Path) -> None:
    [found] = told(tmp_path, "torch.nn.utils.weight_norm(m)")
    assert found.what == "torch.nn.utils.weight_norm is deprecated (its documentation says so)"
