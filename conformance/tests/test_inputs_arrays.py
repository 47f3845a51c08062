"""The domain of NumPy arrays is what its names say."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import torch

from conformance.inputs.choices import CanonicalChoices, NoSuchInput, SweepChoices
from conformance.inputs.covering import admissible_pairs, admissible_rows
from conformance.inputs.given import Given, InvalidGiven
from conformance.inputs.kinds.arrays import array_recipe
from conformance.inputs.recipes import BASE_NAMESPACE, build
from conformance.language.model import Fragment, Place
from conformance.tests.drawn_tensors import covered_pairs


def given(expression: Any) -> Any:
    return Given((("a", Fragment(expression, Place("spec/example.yaml", 1, 1))),), "cpu")


def sweep(expression: Any) -> Any:
    first = SweepChoices(0)
    given(expression).draw(first)
    return [given(expression).draw(SweepChoices(position)) for position in range(first.length)]


def arrays(expression: Any) -> Any:
    return [example.values["a"] for example in sweep(expression)]


def assert_is_what_it_says(a: Any, combination: Any) -> None:
    dtype, layout, size, memory = combination
    assert type(a) is np.ndarray
    assert a.flags.writeable == ("read-only" not in memory)
    assert a.dtype.isnative == ("swapped" not in memory)
    if layout in ("contiguous", "offset"):
        assert a.flags.c_contiguous
    if layout == "fortran":
        assert a.flags.f_contiguous
        assert not a.flags.c_contiguous
    if layout == "reversed":
        assert min(a.strides) < 0
    if layout == "sliced":
        assert a.strides[-1] == 2 * a.itemsize
    if layout == "broadcast":
        assert 0 in a.strides
    if layout == "offset":
        owner = a
        while owner.base is not None:
            owner = owner.base
        assert a.__array_interface__["data"][0] > owner.__array_interface__["data"][0]
    if size == "empty":
        assert a.size == 0
    elif size == "one":
        assert a.size == 1
        assert a.ndim > 0
    else:
        assert f"{a.ndim}-d" == size
    if dtype not in ("str", "bytes", "object", "datetime64", "timedelta64", "record"):
        assert a.dtype.newbyteorder("=") == np.dtype(dtype)


@pytest.mark.parametrize("expression", ["array()", "array(unsupported)"])
def test_every_admitted_combination_is_what_it_says(expression: Any) -> None:
    inputs = given(expression)
    example = inputs.draw(CanonicalChoices())
    factors, admits = example.domains["a"]
    shapes = {"empty": (0,), "one": (1,), "0-d": (), "1-d": (3,), "2-d": (2, 3), "3-d": (2, 2, 3), "4-d": (1, 2, 2, 2)}
    built = 0
    for row in admissible_rows(factors, admits):
        dtype, layout, size, memory = row
        shape = (2, 2, 2, 2) if layout == "broadcast" and size == "4-d" else shapes[size]
        assert_is_what_it_says(build(array_recipe(dtype, layout, shape, memory), BASE_NAMESPACE), row)
        built += 1
    assert built > 100


@pytest.mark.parametrize("expression", ["array()", "array(unsupported)", "array(floating, min_size=1)"])
def test_sweep_covers_every_pair(expression: Any) -> None:
    examples = sweep(expression)
    assert covered_pairs([e.made["a"] for e in examples]) == admissible_pairs(*examples[0].domains["a"])
    for example in examples:
        assert_is_what_it_says(example.values["a"], example.made["a"])


def test_canonical_array() -> None:
    assert given("array()").draw(CanonicalChoices()).recipes == {"a": "np.array([1., 2., 3.])"}
    swapped = given("array(dtype=np.float32, byte_order='swapped')").draw(CanonicalChoices()).recipes["a"]
    assert swapped == f'np.array([1., 2., 3.], dtype="{">" if sys.byteorder == "little" else "<"}f4")'
    read_only = given("array(writable=False, ndim=2, order='F')").draw(CanonicalChoices()).recipes["a"]
    assert read_only == "np.broadcast_to(np.asfortranarray(np.array([[1., 2., 3.], [4., 5., 6.]])), (2, 3))"


@pytest.mark.parametrize(
    ("expression", "condition"),
    [
        ("array(writable=True)", lambda a: a.flags.writeable),
        ("array(writable=False)", lambda a: not a.flags.writeable),
        ("array(byte_order='native')", lambda a: a.dtype.isnative),
        ("array(order='C')", lambda a: a.flags.c_contiguous),
        ("array(order='F')", lambda a: a.flags.f_contiguous),
        ("array(floating)", lambda a: a.dtype.kind == "f"),
        ("array(complex)", lambda a: a.dtype.kind == "c"),
        ("array(integral)", lambda a: a.dtype.kind in "iu"),
        ("array(boolean)", lambda a: a.dtype == bool),
        ("array(ndim=2)", lambda a: a.ndim == 2),
        ("array(min_size=2, max_size=4)", lambda a: 2 <= a.size <= 4),
        ("array(floating, finite=True)", lambda a: np.isfinite(a).all()),
        ("array(dtype=['int16', np.uint8])", lambda a: a.dtype.newbyteorder("=") in (np.int16, np.uint8)),
        ("array(shape=(2, 3))", lambda a: a.shape == (2, 3)),
    ],
)
def test_arguments_narrow(expression: Any, condition: Any) -> None:
    found = arrays(expression)
    assert found
    assert all(condition(a) for a in found)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writ")
def test_torch_takes_what_is_supported_and_nothing_else() -> None:
    for a in arrays("array(byte_order='native', layout='contiguous', writable=True)"):
        assert torch.from_numpy(a).shape == a.shape
    for a in arrays("array(unsupported)"):
        with pytest.raises((TypeError, ValueError)):
            torch.from_numpy(a)


def test_mistakes_say_what_to_do() -> None:
    for expression, message in {
        "array(layout='Fortran')": "did you mean 'fortran'",
        "array(order='K')": "an order is 'C' or 'F'",
        "array(byte_order='big')": "a byte order is 'native' or 'swapped'",
        "array(dtype='strng')": "did you mean 'str'",
    }.items():
        with pytest.raises(InvalidGiven, match=message):
            given(expression).draw(CanonicalChoices())
    with pytest.raises(NoSuchInput):
        given("array(boolean, byte_order='swapped')").draw(CanonicalChoices())
