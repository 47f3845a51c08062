"""What names, defaults and guards can't tell for certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.names.lookup import Names
from conformance.upgrade.coverage import coverage_of
from conformance.upgrade.name_changes import NameChanges
from conformance.usage import Evidence, read_project

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")

HEAD = "import torch\ndef used(a: torch.Tensor):\n"


def changes() -> NameChanges:
    return NameChanges(Names(), "1.13", "2.4")


def test_what_objects_or_a_metaclass_may_still_have_is_not_surely_gone(tmp_path: Path) -> None:
    sharded = "torch.distributed.fsdp.FullyShardedDataParallel"
    code = f"import torch\ndef used(m: {sharded}):\n    m.mixed_precision, torch.distributed.group.WORLD\n"
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    (entry,) = changes().entries(read_project([tmp_path]).groups())
    assert entry.id == f"{sharded}.mixed_precision:gone"
    assert {place.evidence for place in entry.places} == {Evidence.MAYBE}


def test_a_name_that_code_expects_to_be_missing_is_no_gap(tmp_path: Path) -> None:
    guarded = "try:\n    check = torch.nowhere\nexcept AttributeError:\n    check = None\n"
    for text, unknown in ((guarded, []), (f"{guarded}torch.nowhere()\n", ["torch.nowhere"])):
        (tmp_path / "code.py").write_text(f"import torch\n{text}", encoding="utf-8")
        project = read_project([tmp_path])
        assert list(coverage_of(project, project.groups(), changes()).unknown) == unknown


def test_a_method_that_is_gone_from_both_is_one_of_another_object_unless_it_is_sure(tmp_path: Path) -> None:
    for line, missing in (("(b * a).solve(a)", []), ("a.solve(a)", ["torch.Tensor.solve"])):
        (tmp_path / "code.py").write_text(f"import torch\ndef f(a: torch.Tensor, b):\n    {line}\n", encoding="utf-8")
        project = read_project([tmp_path])
        assert list(coverage_of(project, project.groups(), changes()).missing) == missing


def test_a_default_that_only_says_required_is_no_default(tmp_path: Path) -> None:
    text = "import torch\ndef f(parameters, options):\n    torch.optim.SGD(parameters, **options)\n"
    (tmp_path / "code.py").write_text(text, encoding="utf-8")
    assert [entry.id for entry in changes().entries(read_project([tmp_path]).groups())] == []


def test_a_function_that_is_only_read_is_not_surely_called(tmp_path: Path) -> None:
    norm, decorated = "torch.nn.utils.weight_norm", "    def g(): pass"
    for line, sure in (
        (f"{norm}(a)", Evidence.CERTAIN),
        (f"@{norm}\n{decorated}", Evidence.CERTAIN),
        (f"from torch.nn.utils import weight_norm\n    @weight_norm\n{decorated}", Evidence.CERTAIN),
        (f"print({norm})", Evidence.LIKELY),
    ):
        (tmp_path / "code.py").write_text(f"{HEAD}    {line}\n", encoding="utf-8")
        (entry,) = changes().entries(read_project([tmp_path]).groups())
        assert (entry.kind, entry.evidence) == ("deprecated", sure)
