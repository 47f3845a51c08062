"""The random generators of torch, NumPy and Python: in the same state before every example."""

from __future__ import annotations

import ctypes
import random
from typing import Any, Callable

import numpy
import torch

# How much memory of a Mersenne Twister changes when it is drawn from: its state and the position in it, in bytes.
_TWISTER = 625 * 4


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
        of_torch, of_numpy, of_python = (read() != before for read, before in zip(_READERS, self._before))
        if of_torch:
            torch.set_rng_state(self._torch)
        if of_numpy:
            numpy.random.set_state(self._numpy)
        if of_python:
            random.setstate(self._python)


def seed_generators() -> None:
    """Put the generators into one known state, whatever ran before."""
    torch.manual_seed(0)
    numpy.random.seed(0)
    random.seed(0)


def _torch_bytes() -> bytes:
    # torch.equal takes several times as long.
    state = torch.get_rng_state()
    return ctypes.string_at(state.data_ptr(), state.numel())


def _numpy_reader() -> Callable[[], bytes]:
    generator: Any = numpy.random.mtrand._rand._bit_generator
    return _memory_reader(generator.ctypes.state_address, numpy.random.get_state, numpy.random.random)


def _python_reader() -> Callable[[], bytes]:
    generator: Any = random._inst
    return _memory_reader(id(generator) + object.__basicsize__, random.getstate, random.random)


def _memory_reader(address: int, state: Callable[[], Any], draw: Callable[[], Any]) -> Callable[[], bytes]:
    """Return what reads a generator's memory; where a draw does not show in it, what reads its state."""

    def read() -> bytes:
        return ctypes.string_at(address, _TWISTER)

    before = read()
    draw()
    return read if read() != before else lambda: repr(state()).encode()


# A look at them draws once, so it is taken before anything is remembered.
_READERS = (_torch_bytes, _numpy_reader(), _python_reader())
