"""The random generators of torch, NumPy and Python, and the seeds from which examples start."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterable, Mapping
from typing import Any, Callable, NamedTuple
from zlib import crc32

import numpy
import torch

from conformance.inputs.devices import accelerator

# How much memory of a Mersenne Twister changes when it is drawn from: its state and the position in it, in bytes.
_TWISTER = 625 * 4
_TORCH_SIZE = torch.default_generator.get_state().numel()


class Generator(NamedTuple):
    """A generator: the statement that seeds it in a script, how it is seeded, and a read that shows every draw."""

    statement: str
    seed: Callable[[int], Any]
    read: Callable[[], bytes]


class Generators:
    """The generators, seeded and put back to that state before each example.

    Whether one was drawn from is compared with its memory: reading a state through Python takes as long as an example.

    Parameters
    ----------
    seed
        The first seed, of 32 bits.
    device
        The device under test, whose generators are among them.
    """

    def __init__(self, seed: int = 0, device: str = "cpu") -> None:
        self._generators = (*_GENERATORS, *_of(device))
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Seed all of them."""
        self._seed = seed
        for generator in self._generators:
            generator.seed(seed)
        self._before = [generator.read() for generator in self._generators]

    def reset(self) -> None:
        """Put back those that were drawn from."""
        for generator in self.drawn():
            generator.seed(self._seed)

    def drawn(self) -> list[Generator]:
        """Return those that were drawn from since they were seeded or put back."""
        return [one for one, before in zip(self._generators, self._before) if one.read() != before]


def example_seed(search: int, recipes: Mapping[str, str], repetition: int) -> int:
    """Return the seed of an example, of 32 bits.

    Parameters
    ----------
    search
        The seed of the claim's search.
    recipes
        The example.
    repetition
        How often the example was tried before.
    """
    return crc32("\n".join((*recipes.values(), str(repetition))).encode(), search & 0xFFFF_FFFF)


def seeding(seed: int, drawn: Iterable[Generator]) -> tuple[str, ...]:
    """Return the statements that seed what was drawn from; where a program hides that, those that seed everything."""
    return tuple(dict.fromkeys(generator.statement.format(seed) for generator in tuple(drawn) or _GENERATORS))


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


def _of(device: str) -> Iterable[Generator]:
    """Yield what stands for the generators of all devices of a type; torch itself seeds them with that of the CPU."""
    of_torch = accelerator(device)
    if of_torch is not None:
        yield Generator("torch.manual_seed({})", of_torch.seed, of_torch.generator_states)


# A look at NumPy's and Python's draws once, so it is taken before anything is remembered.
_GENERATORS = (
    # torch.manual_seed looks at every kind of device, which takes longer.
    Generator("torch.manual_seed({})", torch.default_generator.manual_seed, _torch_bytes),
    Generator("np.random.seed({})", numpy.random.seed, _numpy_reader()),
    Generator("import random; random.seed({})", random.seed, _python_reader()),
)
