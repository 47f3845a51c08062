"""Checks on shared memory: partial overlap, arrays, read-only memory, two mappings of one file."""

from __future__ import annotations

import mmap
import sys
import weakref
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import torch

from conformance.checks import NotJudged, vocabulary
from conformance.checks.elements import elements, storage_extent

checks = vocabulary()
shares_storage = checks["shares_storage"]
sees_writes = checks["sees_writes"]
independent = checks["independent"]
same_memory = checks["same_memory"]


def answers(a: Any, b: Any) -> tuple[bool, bool, bool, bool, bool]:
    """Return what the checks say: storage shared, a sees b, b sees a, independent, same memory."""
    return (
        shares_storage(a, b),
        sees_writes(a, b),
        sees_writes(b, a),
        independent(a, b),
        same_memory(a, b),
    )


ONE_MEMORY = (True, True, True, False, True)
OVERLAP = (True, True, True, False, False)
ONE_STORAGE = (True, False, False, False, False)
APART = (False, False, False, True, False)


def square() -> torch.Tensor:
    return torch.arange(16.0).view(4, 4)


TENSOR_PAIRS: list[tuple[str, Callable[[torch.Tensor], tuple[Any, Any]], tuple[bool, ...]]] = [
    ("itself", lambda x: (x, x), ONE_MEMORY),
    ("alias", lambda x: (x, x.view_as(x)), ONE_MEMORY),
    ("data", lambda x: (x, x.data), ONE_MEMORY),
    ("other dtype of equal size", lambda x: (x, x.view(torch.int32)), ONE_MEMORY),
    ("dimension of size one, other stride", lambda x: (x[:1], x[:1].as_strided((1, 4), (99, 1))), ONE_MEMORY),
    ("transposed", lambda x: (x, x.t()), OVERLAP),
    ("reshaped", lambda x: (x, x.view(16)), OVERLAP),
    ("some rows in common", lambda x: (x[:3], x[1:]), OVERLAP),
    ("shifted by one element", lambda x: (x.view(16)[:8], x.view(16)[1:9]), OVERLAP),
    ("row and column", lambda x: (x[2], x[:, 3]), OVERLAP),
    ("corner", lambda x: (x, x[3, 3]), OVERLAP),
    ("expanded", lambda x: (x[:, :1], x[:, :1].expand(4, 4)), OVERLAP),
    ("changed stride", lambda x: (x[0], x[:, 0]), OVERLAP),
    ("neighbours", lambda x: (x[0], x[1]), ONE_STORAGE),
    ("even and odd columns", lambda x: (x[:, ::2], x[:, 1::2]), ONE_STORAGE),
    ("row and another column's rest", lambda x: (x[0, :3], x[1:, 3]), ONE_STORAGE),
    ("clone", lambda x: (x, x.clone()), APART),
    ("equal and new", lambda x: (x, square()), APART),
    ("copy of the second row", lambda x: (x, x[1].clone()), APART),
    ("other size of element", lambda x: (x, x.double()), APART),
]


@pytest.mark.parametrize(("pair", "expected"), [pytest.param(p, e, id=name) for name, p, e in TENSOR_PAIRS])
def test_two_tensors(pair: Callable[[torch.Tensor], tuple[Any, Any]], expected: tuple[bool, ...]) -> None:
    a, b = pair(square())
    assert answers(a, b) == expected
    a, b = pair(square())
    assert answers(b, a) == expected


@pytest.mark.parametrize("mode", ["no_grad", "inference_mode", "enable_grad"])
@pytest.mark.parametrize(("pair", "expected"), [pytest.param(p, e, id=name) for name, p, e in TENSOR_PAIRS])
def test_two_tensors_in_a_mode(
    mode: str, pair: Callable[[torch.Tensor], tuple[Any, Any]], expected: tuple[bool, ...]
) -> None:
    outside = square()
    with getattr(torch, mode)():
        assert answers(*pair(outside)) == expected
        assert answers(*pair(square())) == expected


@pytest.mark.parametrize("imaginary", [0.0, 1.0])
@pytest.mark.parametrize("real", [0.0, 1.0])
def test_a_complex_number_and_its_parts(real: float, imaginary: float) -> None:
    x = torch.tensor([complex(real, imaginary)])
    for part in (x.real, x.imag, torch.view_as_real(x)):
        assert answers(x, part) == OVERLAP
    assert answers(x.real, x.imag) == ONE_STORAGE
    if hasattr(torch.Tensor, "is_conj"):
        assert answers(x, x.conj()) == ONE_MEMORY
        assert answers(x, x.conj().imag) == OVERLAP
        assert answers(x, x.conj().resolve_conj()) == APART


def test_bytes_of_a_wider_element() -> None:
    x = torch.tensor([0.0, 1.0], dtype=torch.float64)
    array = x.numpy().view(np.uint8)
    for k in range(16):
        assert answers(x, array[k : k + 1]) == OVERLAP
    assert answers(x[1:], array[:8]) == ONE_STORAGE


def test_a_bool_stays_a_bool() -> None:
    x = torch.tensor([True, False])
    seen = []

    class Watching(torch.Tensor):  # type: ignore[misc]
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is torch.Tensor.clone:
                seen.append(bytes(x.numpy().tobytes()))
            return super().__torch_function__(function, types, args, kwargs)

    watched = x.as_subclass(Watching)
    assert sees_writes(watched, x[:1])
    assert sees_writes(watched, x[1:])
    assert set(seen) == {b"\x01\x00", b"\x00\x00", b"\x01\x01"}


def test_tensor_and_array_of_one_memory() -> None:
    x = square()
    array = x.numpy()
    assert answers(x, array) == ONE_MEMORY
    assert answers(array, x) == ONE_MEMORY
    assert answers(torch.from_numpy(array), x) == ONE_MEMORY
    assert answers(array[1:], x[:2]) == OVERLAP
    assert answers(array[::-1], x) == OVERLAP
    assert answers(array.T, x) == OVERLAP
    assert answers(array[0], x[1]) == ONE_STORAGE
    assert answers(array[0], array[1]) == ONE_STORAGE
    assert answers(torch.from_numpy(array[1:3]), torch.from_numpy(array[2:])) == OVERLAP
    assert answers(array.copy(), x) == APART
    assert answers(np.array(array), x) == APART
    assert answers(torch.tensor(array), array) == APART


def test_arrays() -> None:
    array: Any = np.arange(12, dtype=">i2").reshape(3, 4)
    assert answers(array, array[...]) == ONE_MEMORY
    assert answers(array, array.view("u1")) == OVERLAP
    assert answers(array, array[::-1, ::-2]) == OVERLAP
    assert answers(array, np.asfortranarray(array)) == APART
    assert answers(array[:, ::2], array[:, 1::2]) == ONE_STORAGE
    assert answers(array[0], array[1]) == ONE_STORAGE
    assert answers(array[0, 0, ...], array) == OVERLAP
    record: Any = np.zeros(3, dtype=[("a", "i2"), ("b", "f8")])
    assert answers(record, record["b"]) == OVERLAP
    assert answers(record["a"], record["b"]) == ONE_STORAGE


def test_read_only_arrays() -> None:
    owner = np.arange(4.0)
    owner.setflags(write=False)
    assert answers(owner, owner[1:]) == OVERLAP
    assert answers(owner, owner.copy()) == APART
    x = torch.arange(4.0)
    view = x.numpy()
    view.setflags(write=False)
    assert answers(view, x) == ONE_MEMORY
    assert not view.flags.writeable


def test_memory_that_cannot_be_written(tmp_path: Path) -> None:
    frozen = np.frombuffer(b"\x01\x02\x03\x04", dtype=np.uint8)
    assert answers(frozen, frozen.copy()) == APART
    with pytest.raises(NotJudged):
        sees_writes(frozen, frozen[1:])
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(64)))
    with path.open("rb") as file:
        mapped = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.float32)
    assert answers(mapped, torch.tensor(mapped)) == APART
    with pytest.raises(NotJudged):
        shares_storage(mapped, mapped[1:])


def test_an_array_on_frozen_memory_is_written_through_the_other_side() -> None:
    memory = bytearray(16)
    writable = np.frombuffer(memory, dtype=np.float32)
    frozen = np.frombuffer(memoryview(memory).toreadonly(), dtype=np.float32)
    assert answers(frozen, writable) == ONE_MEMORY
    assert answers(torch.from_numpy(writable), frozen) == ONE_MEMORY


def test_arrays_on_one_buffer_share_it_where_they_overlap() -> None:
    memory = bytearray(16)
    numbers = np.frombuffer(memory, dtype=np.float32)
    backwards = np.ndarray((2, 2), np.float32, memory, 12, (-4, -8))
    assert answers(numbers, np.frombuffer(memory, dtype=np.float32, offset=4)) == OVERLAP
    assert answers(numbers[:1], backwards) == OVERLAP
    assert answers(np.frombuffer(memory, np.float32, 1), backwards) == OVERLAP
    assert answers(np.frombuffer(memory, np.float32, 2), np.frombuffer(memory, np.float32, 2, 8)) == APART


def test_arrays_of_objects_are_not_written() -> None:
    array = np.array([object(), None])
    with pytest.raises(NotJudged):
        sees_writes(array, array[1:])
    assert independent(array, array.copy())


@pytest.mark.skipif(sys.platform != "linux", reason="needs two mappings of one file")
def test_one_file_mapped_twice_shares_without_a_common_address(tmp_path: Path) -> None:
    path = str(tmp_path / "shared")
    a, b = (torch.from_file(path, shared=True, size=4, dtype=torch.float32) for _ in range(2))
    assert answers(a, b) == (False, True, True, False, False)


def test_a_tensor_that_reads_elsewhere_does_not_share() -> None:
    x, elsewhere = torch.arange(3.0), torch.arange(3.0)

    class Elsewhere(torch.Tensor):  # type: ignore[misc]
        @classmethod
        def __torch_function__(cls, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function is torch.Tensor.clone:
                return elsewhere.clone()
            return super().__torch_function__(function, types, args, kwargs)

    false_view = x.as_subclass(Elsewhere)
    assert false_view.data_ptr() == x.data_ptr()
    assert not shares_storage(false_view, x)
    assert not same_memory(false_view, x)
    assert not sees_writes(false_view, x)
    assert sees_writes(x, false_view)
    assert not independent(false_view, elsewhere), "a write to the second shows in the first"
    assert not independent(elsewhere, false_view), "a write to the first shows in the second"


@pytest.mark.parametrize("function", [shares_storage, sees_writes, independent, same_memory])
def test_what_is_not_judged(function: Callable[..., bool]) -> None:
    x = torch.ones(2)
    reasons: list[tuple[Any, str]] = [
        *((tensor, "an empty tensor has no memory") for tensor in (torch.ones(0), torch.ones(2, 0, 3), x[2:])),
        *((array, "an empty array has no memory") for array in (np.ones(0), np.ones((3, 0)))),
        (torch.ones(2, device="meta"), "memory of the device meta can't be looked at"),
    ]
    if hasattr(torch, "_efficientzerotensor"):
        reasons.append((torch._efficientzerotensor((2,)), "the tensor has no memory"))
    for other, reason in reasons:
        with pytest.raises(NotJudged, match=reason):
            function(x, other)
        with pytest.raises(NotJudged, match=reason):
            function(other, x)


def test_what_has_no_elements_lies_in_no_storage() -> None:
    with pytest.raises(NotJudged, match="an empty tensor has no memory"):
        storage_extent(torch.ones(2)[2:])


def test_elements_keep_what_they_are_of() -> None:
    x = torch.ones(2)
    alive = weakref.ref(x)
    places = elements(x)
    del x
    assert alive() is not None, "the window on memory holds no reference of its own"
    del places
    assert alive() is None


@pytest.mark.parametrize("function", [shares_storage, sees_writes, independent, same_memory])
def test_what_has_no_elements_in_memory_is_refused(function: Callable[..., bool]) -> None:
    x = torch.ones(2)
    for other in (1.0, [x], np.float32(1), None, x.to_sparse()):
        with pytest.raises(TypeError, match="expected"):
            function(x, other)


def test_nothing_is_left_behind() -> None:
    w = torch.tensor([float("nan"), -0.0, 1.0], requires_grad=True)
    x = w * 1
    saved = x.exp()
    bits = x.detach().view(torch.int32).clone()
    versions = (w._version, x._version, saved._version)
    calls: list[int] = []
    x.register_hook(lambda gradient: calls.append(1))
    for a, b in ((x, x.detach()), (x, x.data), (w, x), (saved, x)):
        answers(a, b)
    assert (w._version, x._version, saved._version) == versions
    assert torch.equal(x.detach().view(torch.int32), bits)
    assert calls == []
    saved.sum().backward()
    assert w.grad is not None


def test_the_checks_do_not_call_what_a_claim_may_replace(monkeypatch: pytest.MonkeyPatch) -> None:
    x = square().requires_grad_()
    pairs = [(x, x.detach(), ONE_MEMORY), (x, x.detach().numpy(), ONE_MEMORY), (x, x.detach().clone(), APART)]

    def wrong(*arguments: Any, **options: Any) -> Any:
        raise AssertionError("a check called a replaced function")

    names = "clone detach numpy data_ptr storage untyped_storage contiguous cpu to view equal stride numel item tolist"
    for name in names.split():
        monkeypatch.setattr(torch.Tensor, name, wrong, raising=False)
    for name in ("data", "shape", "dtype", "device", "requires_grad", "is_leaf", "grad_fn", "_base"):
        monkeypatch.setattr(torch.Tensor, name, property(wrong), raising=False)
    for name in ("equal", "clone", "as_tensor", "from_numpy", "allclose", "ones_like"):
        monkeypatch.setattr(torch, name, wrong)
    found = [answers(a, b) for a, b, _ in pairs]
    alike = [checks["equal"](x, pairs[0][1]), checks["same_values"](x, pairs[1][1]), checks["equal"](x, pairs[2][1])]
    name = checks["grad_fn"](x)
    monkeypatch.undo()
    assert found == [expected for _, _, expected in pairs]
    assert alike == [True, True, True]
    assert name is None
