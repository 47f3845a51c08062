"""What must be done beside a call for a claim to concern it, and what names and defaults alone can't tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.language.model import Claim
from conformance.names.lookup import Names
from conformance.results.recorded import recorded_folder
from conformance.tests.result_files import make_corpus
from conformance.upgrade.code_uses import CodeUses
from conformance.upgrade.coverage import coverage_of
from conformance.upgrade.matching import ClaimUses
from conformance.upgrade.name_changes import NameChanges
from conformance.usage import Evidence, read_project

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")

WRITTEN, RETAINED = (
    f"""
    given: {{x: "tensor(floating, requires_grad=True)"}}
    do: |
      y = x.clone()
      {line}
      y.register_hook(print)
    expect: [y.requires_grad]
    """
    for line in ("y.mul_(2)", "y.retain_grad()")
)
HEAD = "import torch\ndef used(a: torch.Tensor):\n"


@pytest.fixture
def claims(tmp_path: Path) -> tuple[Claim, ...]:
    return make_corpus(tmp_path / "specs", WRITTEN, RETAINED, subject="torch.Tensor.register_hook").claims


def changes() -> NameChanges:
    return NameChanges(Names(), "1.13", "2.4")


def evidence(claim: Claim, folder: Path, *codes: str) -> set[Evidence]:
    """Return how sure it is that files are concerned; each holds one line of code."""
    folder.mkdir()
    for number, code in enumerate(codes):
        (folder / f"code{number}.py").write_text(f"{HEAD}    {code}\n", encoding="utf-8")
    uses = ClaimUses(CodeUses(read_project([folder]).groups(), changes()))
    return {sure for _, sure in uses.concerned(claim)}


@pytest.mark.parametrize(
    ("number", "code"),
    [(0, "a.add_(1)"), (0, "a[0] = 1"), (0, "a += 1"), (1, "a.retain_grad()")],
)
def test_what_is_done_to_one_tensor_is_looked_for_in_its_file(
    claims: tuple[Claim, ...], number: int, code: str, tmp_path: Path
) -> None:
    claim, hook = claims[number], "a.register_hook(print)"
    assert evidence(claim, tmp_path / "same", f"{hook}; {code}") == {Evidence.MAYBE}  # It may be another tensor.
    assert evidence(claim, tmp_path / "other", hook, code) == set()
    assert evidence(claim, tmp_path / "look", f"if torch.__version__ > '2': {hook}; {code}") == set()
    assert evidence(claim, tmp_path / "none", hook, "a.requires_grad_()") == set()


def test_what_objects_or_a_metaclass_may_still_have_is_not_surely_gone(tmp_path: Path) -> None:
    sharded = "torch.distributed.fsdp.FullyShardedDataParallel"
    code = f"import torch\ndef used(m: {sharded}):\n    m.mixed_precision, torch.distributed.group.WORLD\n"
    (tmp_path / "code.py").write_text(code, encoding="utf-8")
    (entry,) = changes().entries(read_project([tmp_path]).groups())
    assert entry.id == f"{sharded}.mixed_precision:gone"
    assert {place.evidence for place in entry.places} == {Evidence.MAYBE}


OF_MASKS = """
given: {d: "one_of(torch.uint8, torch.int64)", n: "integer(1, 3)"}
do: |
  mask = torch.ones(n).to(d)
  y = torch.masked_select(torch.zeros(n), mask)
raises: {message: mask, promised: error}
"""


def test_a_claim_of_other_dtypes_does_not_concern_comparisons(tmp_path: Path) -> None:
    (claim,) = make_corpus(tmp_path / "specs", OF_MASKS, subject="torch.masked_select").claims
    for number, mask in enumerate(("a > 0", "~(a > 0).view(-1)", "torch.ones(3, dtype=torch.bool)", "1 > a")):
        assert evidence(claim, tmp_path / f"bool{number}", f"torch.masked_select(a, {mask})") == set()
    for number, mask in enumerate(("a", "(a > 0).to(torch.uint8)", "(a > 0) * 2", "torch.f(a)")):
        assert evidence(claim, tmp_path / f"other{number}", f"torch.masked_select(a, {mask})") == {Evidence.MAYBE}


def test_what_is_doubtful_twice_is_not_told(claims: tuple[Claim, ...], tmp_path: Path) -> None:
    """Whether it is the tensor that is written to can't be told, nor whether it is a tensor."""
    for name, told in (("a", {Evidence.MAYBE}), ("unknown", set())):
        code = f"{name}.register_hook(print); a.add_(1)"
        assert evidence(claims[0], tmp_path / name, code) == told


DECORATING = """
do: |
  class Sample:
      pass
  decorated = torch.no_grad()(Sample)
warns: warning
"""


def test_a_claim_of_decorated_classes_concerns_only_these(tmp_path: Path) -> None:
    (claim,) = make_corpus(tmp_path / "specs", DECORATING, subject="torch.no_grad").claims
    assert evidence(claim, tmp_path / "class", "@torch.no_grad()\n    class A: pass") == {Evidence.CERTAIN}
    for number, code in enumerate(("@torch.no_grad()\n    def f(): pass", "with torch.no_grad(): pass")):
        assert evidence(claim, tmp_path / str(number), code) == set()
    in_arguments = "import functools\n    @functools.partial(print, torch.no_grad())\n    class A: pass"
    assert evidence(claim, tmp_path / "argument", in_arguments) == set()


def test_a_claim_of_what_a_class_owns_concerns_no_mention_of_the_class(tmp_path: Path) -> None:
    head = "given: {x: tensor()}\ndo: y = "
    bodies = (f"{head}torch.nn.Embedding.from_pretrained(x)", f"{head}isinstance(x, torch.nn.Embedding)")
    owned, mentioned = make_corpus(
        tmp_path / "specs", *(f"{body}\nexpect: y is not None" for body in bodies), subject="torch.nn.Embedding"
    ).claims
    code = "print(isinstance(a, torch.nn.Embedding))"
    assert evidence(owned, tmp_path / "owned", code) == set()
    assert evidence(mentioned, tmp_path / "mentioned", code) == {Evidence.LIKELY}


def test_a_name_that_code_expects_to_be_missing_is_no_gap(tmp_path: Path) -> None:
    guarded = "try:\n    check = torch.nowhere\nexcept AttributeError:\n    check = None\n"
    for text, unknown in ((guarded, []), (f"{guarded}torch.nowhere()\n", ["torch.nowhere"])):
        (tmp_path / "code.py").write_text(f"import torch\n{text}", encoding="utf-8")
        project = read_project([tmp_path])
        assert list(coverage_of(project, project.groups(), changes(), ()).unknown) == unknown


def test_a_method_that_is_gone_from_both_is_one_of_another_object_unless_it_is_sure(tmp_path: Path) -> None:
    for line, missing in (("(b * a).solve(a)", []), ("a.solve(a)", ["torch.Tensor.solve"])):
        (tmp_path / "code.py").write_text(f"import torch\ndef f(a: torch.Tensor, b):\n    {line}\n", encoding="utf-8")
        project = read_project([tmp_path])
        assert list(coverage_of(project, project.groups(), changes(), ()).missing) == missing


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
