"""Known changes of torch: each hurt line is told at its line with its kind, and its safe twin is silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli import main
from conformance.results.recorded import recorded_folder

pytestmark = pytest.mark.skipif(not (recorded_folder() / "names").is_dir(), reason="the names are not recorded yet")

PRELUDE = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
def used(a: Tensor, b: Tensor, i: Tensor, model: nn.Module, f, optimizer: torch.optim.SGD, dataset):
"""
#: Old and new release, what happens, the line that is hurt, and the line that is not.
PAIRS = """
1.8 1.11 | breaks | torch.is_deterministic() | torch.are_deterministic_algorithms_enabled()
1.8 1.11 | breaks | torch.set_deterministic(True) | torch.use_deterministic_algorithms(True)
1.8 1.11 | breaks | torch.linalg.cholesky(input=a) | torch.linalg.cholesky(a)
1.8 1.11 | breaks | torch.linalg.cond(input=a) | torch.linalg.cond(a)
1.8 1.11 | breaks | torch.linalg.det(input=a) | torch.linalg.det(a)
1.8 1.11 | breaks | torch.linalg.eigh(input=a) | torch.linalg.eigh(a)
1.8 1.11 | breaks | torch.linalg.inv(input=a) | torch.linalg.inv(a)
1.8 1.11 | breaks | torch.linalg.qr(input=a) | torch.linalg.qr(a)
1.8 1.11 | breaks | torch.linalg.slogdet(input=a) | torch.linalg.slogdet(a)
1.8 1.11 | breaks | torch.linalg.solve(input=a, other=b) | torch.linalg.solve(a, b)
1.8 1.11 | breaks | torch.linalg.svd(a, compute_uv=False) | torch.linalg.svdvals(a)
1.8 1.11 | breaks | torch.functional.lu_unpack(a, i) | torch.lu_unpack(a, i)
1.8 1.11 | breaks | from torch._six import container_abcs | import collections.abc
1.11 1.13 | breaks | torch.eig(a) | torch.linalg.eig(a)
1.11 1.13 | breaks | a.eig() | torch.linalg.eigvals(a)
1.11 1.13 | breaks | torch.lstsq(a, b) | torch.linalg.lstsq(a, b)
1.11 1.13 | breaks | a.lstsq(b) | torch.linalg.lstsq(a, b).solution
1.11 1.13 | breaks | torch.solve(a, b) | torch.linalg.solve(a, b)
1.11 1.13 | breaks | a.solve(b) | torch.linalg.solve(b, a)
1.11 1.13 | breaks | torch.matrix_rank(a) | torch.linalg.matrix_rank(a)
1.11 1.13 | breaks | torch.linalg.vector_norm(A=a) | torch.linalg.vector_norm(a)
1.11 1.13 | breaks | nn.ParameterList(parameters=[]) | nn.ParameterList([])
1.13 2.1 | breaks | torch.symeig(a) | torch.linalg.eigh(a)
1.13 2.1 | breaks | a.symeig(eigenvectors=True) | torch.linalg.eigvalsh(a)
1.13 2.1 | breaks | from torch._six import string_classes | string_classes = (str, bytes)
1.13 2.1 | breaks | torch.testing.get_all_dtypes() | torch.testing.assert_close(a, b)
1.13 2.1 | breaks | torch.testing.floating_types() | (torch.float32, torch.float64)
1.13 2.1 | breaks | torch.testing.make_non_contiguous(a) | a.t()
1.13 2.1 | breaks | torch.utils.data.DataLoader2(dataset) | torch.utils.data.DataLoader(dataset)
1.13 2.1 | breaks | torch.quantization.get_observer_dict(model, {}) | torch.quantization.QuantStub()
1.13 2.1 | breaks | torch.onnx.verification.verify(model, (a,), rtol=1) | torch.onnx.is_in_onnx_export()
1.13 2.1 | changes | optimizer.zero_grad() | optimizer.zero_grad(set_to_none=False)
1.13 2.1 | changes | optimizer.zero_grad() | optimizer.zero_grad(set_to_none=True)
1.13 2.1 | changes | model.zero_grad() | model.zero_grad(set_to_none=False)
1.13 2.1 | changes | torch.quantization.get_default_qconfig() | torch.quantization.get_default_qconfig("fbgemm")
1.13 2.1 | changes | torch.quantization.get_default_qat_qconfig() | torch.quantization.get_default_qat_qconfig("x86")
1.13 2.1 | warns | torch.utils.checkpoint.checkpoint(f, a) | torch.utils.checkpoint.checkpoint(f, a, use_reentrant=True)
2.1 2.4 | warns | torch.optim.lr_scheduler.StepLR(optimizer, 1, verbose=True) | optimizer.step()
2.1 2.4 | breaks | torch.autograd.function.traceable(f) | torch.autograd.function.once_differentiable(f)
2.1 2.4 | breaks | torch.autograd.gradcheck(f, a, check_sparse_nnz=True) | torch.autograd.gradcheck(f, a, masked=True)
2.1 2.4 | breaks | torch.jit.quantized.quantize_linear_modules(model) | torch.ao.quantization.quantize_dynamic(model)
2.1 2.4 | warns | torch.cuda.amp.autocast() | torch.amp.autocast("cuda")
2.1 2.4 | warns | torch.cuda.amp.GradScaler() | torch.autocast("cuda")
2.1 2.4 | warns | torch.cuda.amp.custom_fwd(f) | torch.autograd.function.once_differentiable(f)
2.1 2.4 | warns | torch.cuda.amp.custom_bwd(f) | torch.autograd.Function.apply(a)
2.1 2.4 | warns | torch.backends.cuda.sdp_kernel() | torch.nn.attention.SDPBackend.MATH
2.1 2.4 | breaks | torch.distributed.all_reduce_multigpu([a]) | torch.distributed.all_reduce(a)
2.4 2.6 | breaks | torch.onnx.export_to_pretty_string(model, a) | torch.onnx.is_in_onnx_export()
2.4 2.6 | breaks | torch.onnx.enable_log() | torch.onnx.is_in_onnx_export()
2.4 2.6 | breaks | torch.onnx.disable_log() | torch.is_tensor(a)
2.4 2.6 | breaks | torch.nn.attention.enable_math_sdp(True) | torch.backends.cuda.enable_math_sdp(True)
2.4 2.6 | breaks | torch.typename(o=a) | torch.typename(a)
2.4 2.6 | breaks | torch.load("m.pt") | torch.load("m.pt", weights_only=True)
2.4 2.6 | breaks | torch.load("m.pt", map_location="cpu") | torch.load("m.pt", weights_only=False)
2.6 2.9 | breaks | torch.onnx.dynamo_export(model, a) | torch.onnx.ops
2.6 2.9 | breaks | torch.onnx.OnnxRegistry() | torch.onnx.ops
2.6 2.9 | breaks | torch.onnx.enable_fake_mode() | torch.no_grad()
2.6 2.9 | changes | torch.onnx.export(model, a, "m.onnx") | torch.onnx.export(model, dynamo=False, optimize=True)
2.6 2.9 | breaks | torch.cuda.MemPoolContext(f) | torch.cuda.MemPool()
2.9 2.12 | breaks | torch.cuda.profiler.init("f") | torch.cuda.profiler.start()
2.9 2.12 | warns | torch.jit.script(model) | torch.compile(model)
2.9 2.12 | warns | torch.jit.trace(model, a) | torch.export.export(model, (a,))
2.9 2.12 | warns | torch.jit.load("m.pt") | torch.export.load("m.pt2")
2.9 2.12 | warns | torch.jit.save(model, "m.pt") | torch.save(model.state_dict(), "m.pt")
2.9 2.12 | warns | torch.jit.freeze(model) | model.eval()
2.9 2.12 | breaks | torch.utils.data.Sampler(data_source=dataset) | torch.utils.data.SequentialSampler(dataset)
2.12 2.15 | breaks | torch.cholesky(a) | torch.linalg.cholesky(a)
2.12 2.15 | breaks | a.cholesky() | torch.linalg.cholesky(a, upper=True)
2.12 2.15 | breaks | torch.qr(a) | torch.linalg.qr(a)
2.12 2.15 | breaks | a.qr() | torch.linalg.qr(a, mode="complete")
2.12 2.15 | breaks | a.refine_names("N") | a.reshape(-1)
2.12 2.15 | breaks | a.align_to("N") | a.permute(0)
2.12 2.15 | breaks | torch.align_tensors(a, b) | torch.broadcast_tensors(a, b)
2.12 2.15 | breaks | torch.zeros(2, names=("N",)) | torch.zeros(2)
2.12 2.15 | breaks | torch.ones(2, names=("N",)) | torch.ones(2, dtype=torch.float32)
2.12 2.15 | breaks | torch.flatten(a, dims=["N"], out_dim="M") | torch.flatten(a, 0, 1)
2.12 2.15 | breaks | torch.autograd.profiler.profile(use_cuda=True) | torch.autograd.profiler.profile(use_device="cuda")
"""
_Pair = tuple[str, str, str]


def pairs() -> dict[tuple[str, str], list[_Pair]]:
    found: dict[tuple[str, str], list[_Pair]] = {}
    for line in PAIRS.strip().splitlines():
        releases, kind, hurt, safe = (part.strip() for part in line.split(" | "))
        old, new = releases.split()
        found.setdefault((old, new), []).append((kind, hurt, safe))
    return found


def told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, lines: list[str]
) -> dict[int, set[str]]:
    """Return what is told of each line of a file, by its number among ``lines``."""
    file = tmp_path / "code.py"
    file.write_text(PRELUDE + "".join(f"    {line}\n" for line in lines), encoding="utf-8")
    main(["upgrade", old, new, "--uses", str(file), "--json"])
    found: dict[int, set[str]] = {}
    for entry in json.loads(capsys.readouterr().out)["entries"]:
        for use in entry["uses"]:
            if use["evidence"] != "maybe":
                found.setdefault(use["line"] - PRELUDE.count("\n") - 1, set()).add(entry["severity"])
    return found


def test_there_are_enough_pairs() -> None:
    assert sum(map(len, pairs().values())) >= 60


@pytest.mark.parametrize(("old", "new"), list(pairs()))
def test_hurt_lines_are_told_with_their_kind_and_their_twins_are_silent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    table = pairs()[old, new]
    by_hurt = told(tmp_path, capsys, old, new, [hurt for _, hurt, _ in table])
    assert not [
        f"{hurt}: {by_hurt.get(at)}" for at, (kind, hurt, _) in enumerate(table) if kind not in by_hurt.get(at, ())
    ]
    by_safe = told(tmp_path, capsys, old, new, [safe for _, _, safe in table])
    assert not [f"{table[at][2]}: {found}" for at, found in by_safe.items()]
