"""Where the elements of a tensor or array lie in memory, and their bytes.

Everything here works on addresses. Nothing goes through autograd, dispatch or the version counter, so that it reads and
writes leaves, inference tensors, and dtypes for which torch has no kernels.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Union

import numpy as np
import torch

from conformance.checks import originals
from conformance.checks.registry import NotJudged

Value = Union[torch.Tensor, "np.ndarray[Any, Any]"]


class Extent(NamedTuple):
    """A range of addresses on one device; ``end`` is the first address behind it."""

    device: str
    start: int
    end: int

    def overlaps(self, other: Extent) -> bool:
        """Tell whether the two ranges have a byte in common."""
        return self.device == other.device and self.start < other.end and other.start < self.end


class Elements:
    """The elements of a tensor or array, as places in memory.

    Attributes
    ----------
    device : str
        ``"cpu"`` or ``"cuda:0"`` and so on: addresses of different devices have nothing to do with each other.
    address : int
        The address of the element whose indices are all 0.
    """

    __slots__ = ("_itemsize", "_places", "address", "device", "owner")

    def __init__(self, owner: Value, device: str, address: int, itemsize: int) -> None:
        self.owner = owner
        self.device = device
        self.address = address
        self._itemsize = itemsize
        self._places: Any = None

    @property
    def places(self) -> Any:
        """An array with one byte for each byte of each element: the shape of the value, then the bytes of an element.

        Its address and strides are those of the value. On the CPU it is a window on the memory itself; for another
        device it is good for arithmetic on addresses only and must not be read.
        """
        if self._places is None:
            owner, itemsize = self.owner, self._itemsize
            if isinstance(owner, np.ndarray):
                shape, strides = owner.shape, owner.strides
            else:
                shape, strides = originals.shape(owner), tuple(step * itemsize for step in originals.stride(owner))
            self._places = _window(self.address, (*shape, itemsize), (*strides, 1))
        return self._places

    @property
    def first(self) -> Any:
        """The place of the element whose indices are all 0."""
        return _window(self.address, (self._itemsize,), (1,))


class _ArrayInterface:
    """A piece of memory, in NumPy's array interface."""

    __slots__ = ("__array_interface__",)

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


_WITHOUT_MEMORY = ("meta", "mkldnn")
_as_array = np.asarray
_from_bytes = np.frombuffer
_string_at = ctypes.string_at


def _window(address: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    interface = {"version": 3, "typestr": "|u1", "data": (address, False), "shape": shape, "strides": strides}
    return _as_array(_ArrayInterface(interface))


def address_of(array: Any) -> int:
    """Return the address of the first byte of an array."""
    address: int = array.__array_interface__["data"][0]
    return address


def is_tensor(value: object) -> bool:
    """Tell whether a value is a tensor (a parameter is one)."""
    return isinstance(value, originals.Tensor)


def is_array(value: object) -> bool:
    """Tell whether a value is a NumPy array (a NumPy scalar is not)."""
    return isinstance(value, np.ndarray)


def device_of(value: Value) -> str:
    """Return the device whose memory holds the elements of ``value``."""
    return str(originals.device(value)) if is_tensor(value) else "cpu"


def elements(value: Value) -> Elements:
    """Locate the elements of a tensor or array.

    Raises
    ------
    NotJudged
        When there are none, or when they have no address: a meta tensor, a tensor of zeros without storage.
    TypeError
        When ``value`` is not a strided tensor or an array.
    """
    if isinstance(value, np.ndarray):
        if value.size == 0:
            raise NotJudged("an empty array has no memory")
        return Elements(value, "cpu", address_of(value), value.dtype.itemsize)
    if not isinstance(value, originals.Tensor):
        raise TypeError(f"expected a tensor or a NumPy array, not {type(value).__name__}")
    if originals.layout(value) is not originals.strided:
        raise TypeError(f"expected a strided tensor, not one of layout {originals.layout(value)}")
    if originals.number_of_elements(value) == 0:
        raise NotJudged("an empty tensor has no memory")
    device = originals.device(value)
    if device.type in _WITHOUT_MEMORY or (device.type != "cpu" and not originals.has_untyped_storage):
        raise NotJudged(f"memory of the device {device} can't be looked at")
    address = originals.address(value)
    if address == 0:
        raise NotJudged("the tensor has no memory")
    return Elements(value, "cpu" if device.type == "cpu" else str(device), address, originals.element_size(value))


def storage_extent(value: Value) -> Extent:
    """Return the memory of which the elements of ``value`` are a part.

    For a tensor that is its storage. For an array it is the memory of the array (or tensor) at the end of its chain of
    bases. The value must have elements.
    """
    if isinstance(value, np.ndarray):
        while isinstance(value.base, np.ndarray):
            value = value.base
        if not isinstance(value.base, originals.Tensor):
            return _own_extent(elements(value))
        value = value.base
    if originals.number_of_elements(value) == 0:
        # An array of no elements can be the base of no others, so a tensor that stands behind elements has some.
        raise NotJudged("an empty tensor has no memory")
    storage = originals.storage(value)
    size = storage.nbytes() if hasattr(storage, "nbytes") else storage.size() * storage.element_size()
    start = storage.data_ptr()
    return Extent(device_of(value), start, start + size)


def _own_extent(place: Elements) -> Extent:
    """Return the range from the lowest to the highest byte of the elements."""
    start = end = place.address
    for size, step in zip(place.places.shape, place.places.strides):
        if step < 0:
            start += (size - 1) * step
        else:
            end += (size - 1) * step
    return Extent(place.device, start, end + 1)


def common_element(inside: Elements, of: Elements) -> Any:
    """Return the place of one element of ``of`` that has a byte in the elements of ``inside``, or None.

    The answer is exact, also for interleaved views such as ``x[::2]`` and ``x[1::2]``.
    """
    if inside.device != of.device:
        return None
    if inside.address == of.address:
        return of.first  # which the search below would find
    if not originals.shares_memory(inside.places, of.places):
        return None
    candidate = of.places
    for axis in range(candidate.ndim - 1):
        while candidate.shape[axis] > 1:
            middle = candidate.shape[axis] // 2
            lower = candidate[(slice(None),) * axis + (slice(None, middle),)]
            upper = candidate[(slice(None),) * axis + (slice(middle, None),)]
            candidate = lower if originals.shares_memory(inside.places, lower) else upper
    return candidate.reshape(-1)


def first_and_last(of: Elements) -> list[Any]:
    """Return the places of the first and of the last element (of the one element, once)."""
    places = of.places
    leading = places.ndim - 1
    first = places[(0,) * leading]
    last = places[(-1,) * leading]
    return [first, last] if leading and address_of(first) != address_of(last) else [first]


def logical_bytes(value: Value) -> Any:
    """Copy the bytes of all elements in logical order: shape of the value, then the bytes of an element.

    These are bytes in memory: pending negation or conjugation is not applied.
    """
    if isinstance(value, np.ndarray) and value.size == 0:
        return np.empty((*value.shape, value.dtype.itemsize), np.uint8)
    if isinstance(value, originals.Tensor) and originals.number_of_elements(value) == 0:
        return np.empty((*originals.shape(value), originals.element_size(value)), np.uint8)
    place = elements(value)
    return read(place.places, place)


def read(places: Any, of: Elements) -> Any:
    """Copy bytes out of the memory of a value: those at some of its places."""
    if of.device == "cpu":
        return places.copy()
    return originals.to_numpy(originals.to_cpu(_on_device(places, of)))


def write(places: Any, of: Elements, content: bytes) -> None:
    """Write the bytes of one element of a value."""
    if of.device == "cpu":
        memoryview(places)[:] = content
    else:
        originals.copy_(_on_device(places, of), originals.as_tensor(_from_bytes(content, np.uint8).copy()))


def _on_device(places: Any, of: Elements) -> torch.Tensor:
    """Make a byte tensor on the storage of a tensor; it has no autograd state in common with any other tensor.

    The device finds the bytes by their distance from the start of the storage: an address may be a mere handle.
    """
    storage = originals.storage(of.owner)
    window = originals.empty(0, dtype=torch.uint8, device=of.device)
    distance = address_of(places) - storage.data_ptr()
    return originals.set_(window, storage, distance, places.shape, places.strides)


def observed_bytes(value: Value) -> bytes:
    """Read all elements in the value's own way, as a program would: through torch, or through NumPy.

    A write that went to memory is seen only if the value really reads its elements from there.
    """
    if isinstance(value, np.ndarray):
        return value.tobytes()
    try:
        plain = originals.detach(value) if originals.requires_grad(value) else value
        copy = originals.clone(plain, memory_format=originals.contiguous_format)
    except RuntimeError:
        # Some dtypes have no kernel for a copy, for example a conjugated complex32.
        return bytes(logical_bytes(value).tobytes())
    if originals.device(copy).type == "cpu":
        return _string_at(originals.address(copy), originals.number_of_elements(copy) * originals.element_size(copy))
    return bytes(logical_bytes(copy).tobytes())


def writable(value: Value) -> bool:
    """Tell whether the memory of ``value`` can be written at all.

    An array that is only marked as read-only can be written by address if the memory belongs to NumPy; the memory of a
    ``bytes`` object or of a file mapped for reading can not.
    """
    if not isinstance(value, np.ndarray):
        return True
    if value.dtype.hasobject:
        return False
    current: object | None = value
    while isinstance(current, np.ndarray):
        if current.flags.writeable or current.flags.owndata:
            return True
        current = current.base
    return isinstance(current, originals.Tensor)
