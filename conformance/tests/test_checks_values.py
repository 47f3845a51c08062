"""Checks on values: nan, the sign of zero, dtype, shape, containers, and how each dtype is read."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
import torch

from conformance.checks import NotJudged, vocabulary

equal = vocabulary()["equal"]
same_values = vocabulary()["same_values"]

NAN = float("nan")
FLOATS = [
    getattr(torch, name)
    for name in ("float32", "float64", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn")
    if hasattr(torch, name)
]
COMPLEX = [torch.complex64, torch.complex128]
FLOAT8 = [name for name in dir(torch) if name.startswith("float8_")]


def judge(a: Any, b: Any) -> tuple[bool, bool]:
    """Return what the two checks say; they must not depend on the order, nor warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = equal(a, b), same_values(a, b)
        assert answers == (equal(b, a), same_values(b, a))
    return answers


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_and_zero_in_floats(dtype: torch.dtype) -> None:
    def make(*numbers: float) -> torch.Tensor:
        return torch.tensor(numbers).to(dtype)

    assert judge(make(1, NAN), make(1, NAN)) == (True, True)
    assert judge(make(1, NAN), make(1, -NAN)) == (True, True)
    assert judge(make(1, NAN), make(NAN, 1)) == (False, False)
    assert judge(make(1, NAN), make(1, 0)) == (False, False)
    assert judge(make(1, 0.0), make(1, -0.0)) == (False, False)
    assert judge(make(1, -0.0), make(1, -0.0)) == (True, True)
    assert judge(make(1, 2), make(1, -2)) == (False, False)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_nan_and_zero_in_each_part_of_complex_numbers(dtype: torch.dtype) -> None:
    def make(real: float, imaginary: float) -> torch.Tensor:
        return torch.view_as_complex(torch.tensor([[1.0, 1.0], [real, imaginary]], dtype=torch.float64)).to(dtype)

    for part in (NAN, 0.0, -0.0, 2.0):
        assert judge(make(part, 3), make(part, 3)) == (True, True)
        assert judge(make(3, part), make(3, part)) == (True, True)
    assert judge(make(3, 0.0), make(3, -0.0)) == (False, False)
    assert judge(make(0.0, 3), make(-0.0, 3)) == (False, False)
    assert judge(make(NAN, 3), make(NAN, 4)) == (False, False)
    assert judge(make(3, NAN), make(NAN, 3)) == (False, False)


def test_payload_of_nan_does_not_count() -> None:
    quiet, other = (torch.tensor([bits], dtype=torch.int32).view(torch.float32) for bits in (0x7FC00000, 0x7FC00001))
    assert judge(quiet, other) == (True, True)
    assert judge(quiet.numpy(), other.numpy()) == (True, True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.bool, torch.complex64])
def test_shape_counts_and_layout_does_not(dtype: torch.dtype) -> None:
    x = torch.tensor([[1, 0, 1], [0, 0, 1]]).to(dtype)
    assert judge(x, x.t().contiguous().t()) == (True, True)
    assert judge(x, x.t()) == (False, False)
    assert judge(x, x.view(6)) == (False, False)
    assert judge(x, x[None]) == (False, False)
    assert judge(x[0, 0], x[0, :1]) == (False, False)
    assert judge(x[:, :0], x[:, :0]) == (True, True)
    assert judge(x[:, :0], x[:0]) == (False, False)
    assert judge(x[:1, :1].expand(2, 3), torch.ones(2, 3).to(dtype)) == (True, True)


def test_dtype_counts_for_equal_alone() -> None:
    x = torch.tensor([1.0, 0.0, 3.0])
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.complex64):
        assert judge(x, x.to(dtype)) == (False, True)
    assert judge(torch.tensor([True]), torch.tensor([1])) == (False, True)
    assert judge(x.numpy(), x.numpy().astype(">f4")) == (False, True)
    assert judge(torch.tensor([-0.0]), torch.tensor([0])) == (False, False)


def test_rounding_counts() -> None:
    assert judge(torch.tensor([0.1]), torch.tensor([0.1], dtype=torch.float64)) == (False, False)
    assert judge(torch.tensor([2**53 + 1]), torch.tensor([2.0**53], dtype=torch.float64)) == (False, False)
    assert judge(torch.tensor([2**53 + 2]), torch.tensor([2.0**53 + 2], dtype=torch.float64)) == (False, True)
    assert judge(np.array([2**63], dtype=np.uint64), np.array([-(2**63)])) == (False, False)
    assert judge(torch.tensor([1 + 0j]), torch.tensor([1 + 1e-7j])) == (False, False)


def test_containers() -> None:
    x = torch.tensor([[1.0, NAN], [-0.0, 4.0]])
    assert judge(x, x.numpy()) == (False, True)
    assert judge(x, x.tolist()) == (False, True)
    assert judge(x.tolist(), x.tolist()) == (True, True)
    assert judge(x.tolist(), x.abs().tolist()) == (False, False)
    assert judge(x[1, 1], 4.0) == (False, True)
    assert judge(x[1, 1], 4) == (False, True)
    assert judge(x[1, 1], [4.0]) == (False, False)
    assert judge(torch.nn.Parameter(x), x) == (True, True)
    assert equal((x, [x]), (x.clone(), [x.clone()]))
    assert not equal((x, x), [x, x])
    assert not equal((x,), (x, x))
    assert equal({"a": x}, {"a": x.clone()})
    assert not equal({"a": x}, {"b": x})
    assert equal(x.shape, torch.Size([2, 2]))
    assert not equal(x.shape, (2, 2))
    assert equal(x.dtype, torch.float32)
    assert equal("a", "a")
    assert equal(None, None)
    assert not equal(None, 0)


def test_numbers() -> None:
    assert judge(1.0, 1.0) == (True, True)
    assert judge(1.0, 1) == (False, True)
    assert judge(True, 1) == (False, True)
    assert judge(0.0, -0.0) == (False, False)
    assert judge(NAN, NAN) == (True, True)
    assert judge(NAN, 1.0) == (False, False)
    assert judge(complex(NAN, 1), complex(NAN, 1)) == (True, True)
    assert judge(complex(0, 1), complex(-0.0, 1)) == (False, False)
    assert judge(1 + 0j, 1.0) == (False, True)
    assert judge(10**400, 10**400) == (True, True)
    assert judge(10**400, 1.0) == (False, False)
    assert judge(np.float32(1), np.float32(1)) == (True, True)
    assert judge(np.float32(NAN), np.float32(NAN)) == (True, True)
    assert judge(np.float32(1), np.float64(1)) == (False, True)
    assert judge(np.float32(0.1), 0.1) == (False, False), "numbers compare exactly, whatever NumPy makes of them"
    assert judge(np.float32(1), np.array(1, np.float32)) == (False, True)


@pytest.mark.parametrize("dtype", ["f2", "<f4", ">f4", ">f8", "g", "c8", ">c16", "i1", ">i4", "u8", "?"])
def test_arrays(dtype: str) -> None:
    array = np.array([[1, 0, 1], [1, 1, 0]]).astype(dtype)
    changed = array.copy()
    changed[1, 2] = 1
    assert judge(array, np.asfortranarray(array)) == (True, True)
    assert judge(array[::-1], array[::-1].copy()) == (True, True)
    assert judge(array, changed) == (False, False)
    assert judge(array, array[:, ::-1]) == (False, False)
    assert judge(array[:0], array[:0].copy()) == (True, True)
    if array.dtype.kind in "fc":
        negative = array.copy()
        negative[0, 1] = -0.0
        assert judge(array, negative) == (False, False)
        negative[0, 1] = NAN
        assert judge(negative, negative.copy()) == (True, True)


def test_arrays_of_other_kinds() -> None:
    assert equal(np.array(["a", "b"]), np.array(["a", "b"]))
    assert not equal(np.array(["a"]), np.array(["b"]))
    assert equal(np.array([None, 10**400]), np.array([None, 10**400]))
    assert not equal(np.array([None, 1]), np.array([None, 2]))
    record: Any = np.zeros(2, dtype=[("a", "i2"), ("b", "f8")])
    assert equal(record, record.copy())


def test_every_bit_pattern_of_half_precision() -> None:
    bits = torch.arange(-(2**15), 2**15).to(torch.int16)
    for dtype in (torch.float16, torch.bfloat16):
        x = bits.view(dtype)
        assert same_values(x, x.to(torch.float32))
        assert equal(x, x.flip(0).flip(0))
        assert not equal(x, x.flip(0))


@pytest.mark.parametrize("name", FLOAT8)
def test_every_bit_pattern_of_8_bits(name: str) -> None:
    x = torch.arange(256).to(torch.uint8).view(getattr(torch, name))
    assert same_values(x, x.to(torch.float32))
    finite = x.to(torch.float32)
    for k in range(255):
        same = finite[k].item() == finite[k + 1].item() or (math.isnan(finite[k]) and math.isnan(finite[k + 1]))
        assert equal(x[k], x[k + 1]) == same


@pytest.mark.skipif(not hasattr(torch.Tensor, "is_conj"), reason="no pending conjugation before torch 1.10")
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128, torch.complex32])
def test_pending_conjugation_and_negation(dtype: torch.dtype) -> None:
    x = torch.tensor([1 + 2j, complex(0.0, -0.0), complex(NAN, 3)]).to(dtype)
    conjugate = torch.tensor([1 - 2j, complex(0.0, 0.0), complex(NAN, -3)]).to(dtype)
    assert x.conj().is_conj()
    assert judge(x.conj(), conjugate) == (True, True)
    assert judge(x.conj(), x) == (False, False)
    assert judge(x.conj(), x.conj()) == (True, True)
    imaginary = x.conj().imag
    assert imaginary.is_neg()
    assert judge(imaginary, conjugate.imag) == (True, True)
    assert judge(imaginary, x.imag) == (False, False)


def test_a_bool_of_an_odd_byte_is_true() -> None:
    odd = torch.tensor([2, 0], dtype=torch.uint8).view(torch.bool)
    assert judge(odd, torch.tensor([True, False])) == (True, True)
    assert judge(odd, torch.tensor([True, True])) == (False, False)


def test_dtypes_that_are_no_numbers_are_compared_by_bytes() -> None:
    for name in ("bits8", "float4_e2m1fn_x2"):
        if hasattr(torch, name):
            x, y = (torch.tensor(numbers, dtype=torch.uint8).view(getattr(torch, name)) for numbers in ([1, 2], [1, 3]))
            assert equal(x, x[:])
            assert not equal(x, y)
            with pytest.raises(TypeError, match=name):
                same_values(x, y)


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
def test_what_cannot_be_compared() -> None:
    x = torch.ones(2)
    meta = torch.ones(2, device="meta")
    assert not equal(meta, x)
    with pytest.raises(NotJudged):
        equal(meta, meta.clone())
    with pytest.raises(NotJudged):
        same_values(meta, x)
    with pytest.raises(TypeError, match="strided"):
        equal(x.to_sparse(), x.to_sparse())
    quantized = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
    with pytest.raises(TypeError, match="qint8"):
        equal(quantized, quantized.clone())
    with pytest.raises(TypeError, match="unequal lengths"):
        same_values([[1], [1, 2]], x)
