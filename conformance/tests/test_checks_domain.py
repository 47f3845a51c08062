"""The checks on every dtype, layout and autograd state: each says yes where it must and no where it must."""

from __future__ import annotations

import ctypes
import itertools
import warnings
from typing import Any, Callable, NamedTuple, Optional

import pytest
import torch

from conformance.checks import NotJudged, vocabulary

checks = vocabulary()
shares_storage = checks["shares_storage"]
sees_writes = checks["sees_writes"]
independent = checks["independent"]
same_memory = checks["same_memory"]
equal = checks["equal"]
same_values = checks["same_values"]
same_metadata = checks["same_metadata"]
same_strides = checks["same_strides"]
version = checks["version"]

DTYPE_NAMES = (
    *("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"),
    *("complex64", "complex128", "complex32", "uint16", "uint32", "uint64"),
    *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"),
)
LAYOUTS = ("contiguous", "transposed", "sliced", "offset", "expanded", "permuted", "conj", "neg", "0-d", "one")
STATES = ("plain", "leaf", "nonleaf", "parameter", "leaf_view", "detached", "inference")


class Cell(NamedTuple):
    dtype: torch.dtype
    layout: str
    state: str


def differentiable(dtype: torch.dtype) -> bool:
    return bool(dtype.is_floating_point or dtype.is_complex)


def build(cell: Cell, last: Optional[int] = None) -> torch.Tensor:
    """Make a tensor of small distinct numbers; ``last`` replaces the number in the last element."""
    numbers = [1, 0, 2, 0, 4, 1, 8, 1, 2, 0, 4, 1][: 1 if cell.layout in ("0-d", "one") else 12]
    if cell.dtype == torch.bool:
        numbers = [number % 2 for number in numbers]
    start = torch.tensor(numbers).to(torch.complex64 if cell.dtype.is_complex else torch.float32)
    if cell.dtype.is_complex:
        start = start + start.flip(0) * 1j
    if last is not None:
        start[-1] = last
    if cell.state == "inference":
        with torch.inference_mode():
            return arrange(start.to(cell.dtype), cell.layout)
    x = arrange(start.to(cell.dtype), cell.layout)
    if cell.state in ("leaf", "leaf_view", "nonleaf"):
        x.requires_grad_()
    if cell.state == "leaf_view":
        return x.view_as(x)
    if cell.state == "nonleaf":
        return x.clone() if cell.layout not in ("conj", "neg") else x.view_as(x)
    if cell.state == "parameter":
        return torch.nn.Parameter(x, requires_grad=differentiable(cell.dtype))
    return x.detach() if cell.state == "detached" else x


def arrange(x: torch.Tensor, layout: str) -> torch.Tensor:
    """Give a tensor of 12 elements another layout; the last element stays last (``transposed`` has the same corner)."""
    if layout == "0-d":
        return x.reshape(())
    if layout == "transposed":
        return x.view(3, 4).t()
    if layout == "sliced":
        return x.view(3, 4)[:, 1::2]
    if layout == "offset":
        return x[5:]
    if layout == "expanded":
        return x[-2:].expand(3, 2)
    if layout == "permuted":
        return x.view(2, 3, 2).permute(2, 0, 1)
    if layout == "conj":
        return x.conj()
    if layout == "neg":
        return torch._neg_view(x)  # type: ignore[attr-defined, unused-ignore]
    return x


def admitted(cell: Cell) -> bool:
    if cell.layout == "conj" and not (cell.dtype.is_complex and hasattr(torch.Tensor, "is_conj")):
        return False
    if cell.layout == "neg" and (cell.dtype == torch.bool or not hasattr(torch, "_neg_view")):
        return False
    if cell.state == "inference" and not hasattr(torch, "inference_mode"):
        return False
    return cell.state not in ("leaf", "nonleaf", "leaf_view") or differentiable(cell.dtype)


def has_kernels(dtype: torch.dtype) -> bool:
    """Tell whether this torch can fill a tensor of the dtype (1.9 has the name complex32 only)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.zeros(2, dtype=torch.complex64 if dtype.is_complex else torch.float32).to(dtype)
    except (RuntimeError, TypeError):
        return False
    return True


DTYPES = [getattr(torch, name) for name in DTYPE_NAMES if hasattr(torch, name) and has_kernels(getattr(torch, name))]
CELLS = [
    cell for dtype in DTYPES for layout in LAYOUTS for state in STATES if admitted(cell := Cell(dtype, layout, state))
]


CORNERS = list(dict.fromkeys((cell.dtype, cell.layout) for cell in CELLS))


@pytest.fixture(params=CORNERS, ids=lambda corner: f"{str(corner[0])[6:]}-{corner[1]}")
def cells(request: pytest.FixtureRequest) -> list[Cell]:
    return [cell for cell in CELLS if (cell.dtype, cell.layout) == request.param]


def memory(x: torch.Tensor) -> bytes:
    """Return the bytes from the first to the last element."""
    if x.numel() == 0:
        return b""
    reach = sum((size - 1) * step for size, step in zip(x.shape, x.stride()))
    return ctypes.string_at(x.data_ptr(), (reach + 1) * x.element_size())


def facts(x: torch.Tensor) -> dict[str, Any]:
    """Return what a check could change about a tensor, and torch's global state."""
    return {
        "memory": memory(x),
        "version": version(x),
        "requires_grad": x.requires_grad,
        "is_leaf": x.is_leaf,
        "grad_fn": x.grad_fn,
        "grad": x.grad if x.is_leaf else None,
        "data_ptr": x.data_ptr(),
        "stride": x.stride(),
        "grad_enabled": torch.is_grad_enabled(),
        "default_dtype": torch.get_default_dtype(),
        "threads": torch.get_num_threads(),
        "random": bytes(torch.get_rng_state().tolist()),
    }


def judge(function: Callable[..., bool], *arguments: Any) -> bool:
    """Run a check with warnings as errors, and insist that it leaves tensors and global state alone."""
    tensors = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
    before = [facts(tensor) for tensor in tensors]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = function(*arguments)
    assert [facts(tensor) for tensor in tensors] == before
    assert isinstance(answer, bool)
    return answer


def test_a_detached_tensor_shares_everything(cells: list[Cell]) -> None:
    for cell in cells:
        x = build(cell)
        y = x.detach()
        assert judge(shares_storage, y, x), cell
        assert judge(shares_storage, x, y), cell
        assert judge(sees_writes, y, x), cell
        assert judge(sees_writes, x, y), cell
        assert judge(same_memory, y, x), cell
        assert not judge(independent, y, x), cell
        assert judge(same_metadata, y, x), cell
        assert judge(same_strides, y, x), cell


def test_an_identical_tensor_built_apart_shares_nothing(cells: list[Cell]) -> None:
    for cell in cells:
        x, y = build(cell), build(cell)
        assert not judge(shares_storage, y, x), cell
        assert not judge(sees_writes, y, x), cell
        assert not judge(sees_writes, x, y), cell
        assert not judge(same_memory, y, x), cell
        assert judge(independent, y, x), cell


def test_a_write_through_one_element_shows_in_the_whole(cells: list[Cell]) -> None:
    for cell in cells:
        x = build(cell).detach()
        element = x[(-1,) * x.dim()]
        assert judge(shares_storage, element, x), cell
        assert judge(sees_writes, x, element), cell
        assert judge(sees_writes, element, x), cell
        assert judge(same_memory, element, x) == (x.dim() == 0), cell


def test_equal_tells_the_last_element(cells: list[Cell]) -> None:
    for cell in cells:
        x = build(cell)
        changed = build(cell, last=0 if cell.dtype == torch.bool else 2)
        assert judge(equal, x, build(cell)), cell
        assert judge(same_values, x, build(cell)), cell
        assert not judge(equal, x, changed), cell
        assert not judge(same_values, x, changed), cell


def test_equal_does_not_see_layout_and_state(cells: list[Cell]) -> None:
    for cell in cells:
        x = build(cell)
        if not readable(x):
            continue
        plain = by_elements(x)
        assert judge(equal, x, plain), cell
        assert judge(same_values, plain, x), cell


def readable(x: torch.Tensor) -> bool:
    """Tell whether torch itself can read the elements: some dtypes have no kernel to carry out a pending negation."""
    try:
        x.detach().clone()
    except RuntimeError:
        return False
    return True


def by_elements(x: torch.Tensor) -> torch.Tensor:
    """Copy a tensor into contiguous memory in a second way: through numbers of Python."""
    wide = torch.complex64 if x.dtype.is_complex else torch.float64
    numbers = [x.detach()[index].to(wide).item() for index in itertools.product(*map(range, x.shape))]
    return torch.tensor(numbers, dtype=wide).to(x.dtype).reshape(x.shape)


def test_equal_tells_dtypes(cells: list[Cell]) -> None:
    for cell in cells:
        x = build(cell)
        wide, wider = (torch.complex64, torch.complex128) if cell.dtype.is_complex else (torch.float32, torch.float64)
        other = build(cell._replace(dtype=wider if cell.dtype == wide else wide))
        assert not judge(equal, x, other), cell
        assert not judge(equal, other, x), cell


def test_empty_tensors_are_not_judged_on_memory() -> None:
    for dtype in DTYPES:
        empty, full = torch.zeros(0).to(dtype), torch.ones(2).to(dtype)
        for function in (shares_storage, sees_writes, independent, same_memory):
            for pair in ((empty, full), (full, empty), (empty, empty.detach())):
                with pytest.raises(NotJudged):
                    function(*pair)
        assert equal(empty, empty.clone())
        assert not equal(empty, full)
        assert not equal(empty, torch.zeros(0, 2).to(dtype))
