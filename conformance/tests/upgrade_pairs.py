"""Lines of code that a release of torch hurts, each with a safe twin, and what they do on an installed torch.

Run in the environment of a release, this adds what each line does there to a small file:

    python -m conformance.tests.upgrade_pairs
"""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Optional

RECORD = Path(__file__).parent / "fixtures" / "upgrade-pairs.json"
_SECONDS, _LONGEST = 120, 120
#: Pairs whose lines show more, or less, on a processor than they do where they are used, and why.
UNPROVEN = {
    'torch.onnx.export(model, a, "m.onnx")': "the exporter that both lines name warns of its own removal since 2.9",
    "torch.onnx.verification.verify(model, (a,), rtol=1)": "the module is only there with the package onnx",
    "torch.onnx.dynamo_export(model, a)": "it needs the package onnxscript",
    "torch.onnx.OnnxRegistry()": "it needs the package onnxscript",
    "torch.quantization.get_default_qconfig()": "what changed is inside of the objects that it returns",
    "torch.quantization.get_default_qat_qconfig()": "what changed is inside of the objects that it returns",
    "torch.utils.checkpoint.checkpoint(f, a)": "torch 1.13 does not import torch.utils.checkpoint by itself",
    "torch.autograd.function.traceable(f)": "it takes a class",
    "torch.jit.quantized.quantize_linear_modules(model)": "torch 2.1 does not import torch.jit.quantized by itself",
    "torch.distributed.all_reduce_multigpu([a])": "it needs a process group",
    "torch.cuda.MemPoolContext(f)": "it needs a GPU",
}
#: Errors of a call that a release does not take at all.
_NOT_TAKEN = frozenset(("AttributeError", "TypeError", "ImportError", "ModuleNotFoundError"))

#: Old and new release, what happens, the line that is hurt, and the line that is not.
PAIRS = """
1.8 1.11 | breaks | torch.is_deterministic() | torch.are_deterministic_algorithms_enabled()
1.8 1.11 | breaks | torch.set_deterministic(True) | torch.use_deterministic_algorithms(True)
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
1.11 1.13 | breaks | nn.ParameterList(parameters=[]) | nn.ParameterList([])
1.8 1.13 | warns | torch.testing.assert_allclose(a, a) | torch.testing.assert_close(a, a)
1.13 2.15 | warns | nn.utils.weight_norm(model) | nn.utils.parametrizations.weight_norm(model)
1.13 2.15 | warns | torch.cuda.amp.GradScaler(enabled=False) | torch.amp.GradScaler("cpu", enabled=False)
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
2.6 2.9 | changes | torch.onnx.export(model, a, "m.onnx") | torch.onnx.export(model, dynamo=False, optimize=True, opset_version=17)
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
"""  # noqa: E501


class Pair(NamedTuple):
    """A line that is hurt between two releases, how, and a line that is not."""

    old: str
    new: str
    kind: str
    hurt: str
    safe: str


def pairs() -> list[Pair]:
    """Return the pairs of the table."""
    rows = [[part.strip() for part in line.split(" | ")] for line in PAIRS.strip().splitlines()]
    return [Pair(*releases.split(), *rest) for releases, *rest in rows]


@dataclass(frozen=True)
class Outcome:
    """What a line did: the error that it raised, the warnings that it gave, and what its result was."""

    raised: str = ""
    warned: tuple[str, ...] = ()
    gave: str = ""

    def harms(self, after: Outcome) -> set[str]:
        """Return how much worse another release does."""
        before_error, error = self.raised.partition(":")[0], after.raised.partition(":")[0]
        found = {"warns"} if set(after.warned) - set(self.warned) else set()
        if error and (not before_error or (error in _NOT_TAKEN and before_error not in _NOT_TAKEN)):
            found.add("breaks")
        elif not error and not before_error and self.gave != after.gave:
            found.add("changes")
        return found


def recorded() -> dict[str, dict[str, Outcome]]:
    """Return what each line did, by the minor version of torch."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    return {
        release: {
            line: Outcome(found.get("raised", ""), tuple(found.get("warned", ())), found.get("gave", ""))
            for line, found in lines.items()
        }
        for release, lines in known.items()
    }


def record(release: str, outcomes: Mapping[str, Outcome]) -> None:
    """Add what lines did on a release to the file."""
    known = {**recorded(), release: outcomes}
    written = {
        each: {line: {key: value for key, value in asdict(found).items() if value} for line, found in lines.items()}
        for each, lines in sorted(known.items(), key=lambda item: [*map(int, item[0].split("."))])
    }
    RECORD.write_text(json.dumps(written, indent=0, sort_keys=False) + "\n", encoding="utf-8")


def run_lines(lines: Iterable[str]) -> dict[str, Outcome]:
    """Run each line in a process of its own, in an empty folder."""
    import torch  # noqa: F401 - once, before the processes begin

    return {line: _in_fork(line) for line in lines}


def _in_fork(line: str) -> Outcome:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reading)
            signal.alarm(_SECONDS)
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                with open(os.devnull, "w") as nowhere:
                    os.dup2(nowhere.fileno(), 1)
                    os.dup2(nowhere.fileno(), 2)
                os.write(writing, json.dumps(asdict(_run(line))).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        content = pipe.read()
    os.waitpid(child, 0)
    if not content:
        return Outcome(raised="the process ended")
    found = json.loads(content)
    return Outcome(found["raised"], tuple(found["warned"]), found["gave"])


def _run(line: str) -> Outcome:
    first, second = _run_once(line), _run_once(line)
    # What modules warn of as they are imported is not what the line does.
    return Outcome(first.raised, second.warned, first.gave)


def _run_once(line: str) -> Outcome:
    names = _names()
    code: Any
    try:
        code = compile(line, "line", "eval")
    except SyntaxError:
        code = compile(line, "line", "exec")
    raised, gave = "", ""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = eval(code, names)
            left = [_described(parameter.grad) for parameter in names["model"].parameters()]
            gave = _bounded(f"{_described(result)}; gradients {', '.join(left)}")
        except Exception as error:
            raised = _bounded(f"{type(error).__name__}: {error}")
    told = sorted({_bounded(f"{one.category.__name__}: {one.message}") for one in seen})
    return Outcome(raised, tuple(told), gave)


def _names() -> dict[str, Any]:
    """Return what the lines name."""
    import torch
    from torch import nn

    if hasattr(torch, "set_warn_always"):
        torch.set_warn_always(True)
    torch.manual_seed(0)
    model = nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.5)
    a = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
    model(a).sum().backward()
    torch.save(model, "m.pt")
    return {
        "torch": torch,
        "nn": nn,
        "F": nn.functional,
        "a": a,
        "b": torch.tensor([[1.0, 2.0], [3.0, 5.0]]),
        "i": torch.tensor([1, 2], dtype=torch.int32),
        "model": model,
        "f": torch.sin,
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
        "dataset": [1, 2, 3],
    }


def _described(value: object) -> str:
    """Return a result in words that do not depend on how a release prints it."""
    if hasattr(value, "tolist") and hasattr(value, "dtype"):
        return f"{value.dtype} {_rounded(value.detach().tolist())}"  # type: ignore[attr-defined]
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_described, value))})"
    plain = isinstance(value, (bool, int, float, str, type(None), functools.partial))
    return repr(value) if plain else f"a {type(value).__name__}"


def _rounded(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_rounded, value))}]"
    return f"{value:.4g}" if isinstance(value, (float, complex)) else repr(value)


def _bounded(text: str) -> str:
    """Return the first line of a text, without what differs from run to run."""
    text = re.sub(r"0x[0-9a-f]+|line \d+", "…", text.strip().partition("\n")[0])
    return text[:_LONGEST]


def main(arguments: Optional[list[str]] = None) -> int:
    """Record what the lines of the installed release do; a release that no pair names needs none."""
    import torch

    release = ".".join(torch.__version__.split(".")[:2])
    lines = [line for pair in pairs() if release in (pair.old, pair.new) for line in (pair.hurt, pair.safe)]
    outcomes = run_lines(dict.fromkeys(arguments or lines))
    if arguments:
        print(json.dumps({line: asdict(found) for line, found in outcomes.items()}, indent=1))
    elif outcomes:
        record(release, outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
