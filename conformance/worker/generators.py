"""The random generators of torch, NumPy and Python: in the same state before every example."""

from __future__ import annotations

import ctypes
import random
from typing import Any, Callable

import numpy
import torch

# How much memory of a Mersenne Twister changes when it is drawn from: its state and the position in it, in bytes.
_TWISTER = 625 * 4
_TORCH_SIZE = torch.default_generator.get_state().numel()


class Generators:
    """What the generators are now, to be put back before each example.

    That is compared with the memory itself: reading a state through Python takes as long as an example.
    """

    def __init__(self) -> None:
        self._torch = torch.get_rng_state()
        self._numpy: Any = numpy.random.get_state()
        self._python = random.getstate()
        self._before = [read() for read in _READERS]

    def reset(self) -> None:
        """Put back the generators that were drawn from."""
        of_torch, of_numpy, of_python = self._before
        read_torch, read_numpy, read_python = _READERS
        if read_torch() != of_torch:
            torch.set_rng_state(self._torch)
        if read_numpy() != of_numpy:
            numpy.random.set_state(self._numpy)
        if read_python() != of_python:
            random.setstate(self._python)


def seed_generators() -> None:
    """Put the generators into one known state, whatever ran before."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)


def _torch_bytes() -> bytes:
    # Of the ways to compare the state of torch's generator, this is the fastest.
    state = torch.default_generator.get_state()
    return _bytes_at(state.data_ptr(), _TORCH_SIZE).raw


def _bytes_at(address: int, size: int) -> ctypes.Array[ctypes.c_char]:
    return (ctypes.c_char * size).from_address(address)


def _numpy_reader() -> Callable[[], bytes]:
    generator: Any = numpy.random.mtrand._rand._bit_generator
    return _memory_reader(generator.ctypes.state_address, numpy.random.get_state, numpy.random.random)


def _python_reader() -> Callable[[], bytes]:
    generator: Any = random._inst
    return _memory_reader(id(generator) + object.__basicsize__, random.getstate, random.random)


def _memory_reader(address: int, state: Callable[[], Any], draw: Callable[[], Any]) -> Callable[[], bytes]:
    """Return what reads a generator's memory; where a draw does not show in it, what reads its state."""
    memory = _bytes_at(address, _TWISTER)
    before = memory.raw
    draw()
    return (lambda: memory.raw) if memory.raw != before else (lambda: repr(state()).encode())


# A look at them draws once, so it is taken before anything is remembered.
_READERS = (_torch_bytes, _numpy_reader(), _python_reader())
