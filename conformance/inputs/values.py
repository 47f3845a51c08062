"""The numbers inside inputs, as Python source."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from zlib import crc32

from conformance.language.input_domains import BOOLEAN, COMPLEX, FLOATING

NAN = 'float("nan")'
INF = 'float("inf")'
NEGATIVE_INF = 'float("-inf")'

_MIXTURES = tuple(f"mixture {number}" for number in range(1, 9))
_FLOATING = ("counting", "signed", "nan", "infinite", "negative zero", "special", "zeros", "ones", "fractions", "large")
_FINITE = ("counting", "signed", "fractions", "zeros", "ones")
_SPECIAL = frozenset(("nan", "infinite", "negative zero", "special", "large"))
_INTEGRAL = ("counting", "signed", "extreme", "zeros", "ones")

SWEEP = {False: 6, True: 3}
"""How many of the first patterns a sweep goes through, by whether they must be finite."""

_INTEGER_RANGES = {
    "int64": (-(2**63), 2**63 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    # torch.tensor cannot take Python integers beyond those of int64.
    "uint64": (0, 2**63 - 1),
}

# Small numbers that the dtype holds exactly, so that a recipe shows what its tensor contains.
_POWERS = (1, 2, 4, 8, 16, 32)
_EXACT: dict[str, Sequence[int]] = {
    "float8_e4m3fn": (*range(1, 17), *range(18, 33, 2), *range(36, 65, 4)),
    "float8_e4m3fnuz": (*range(1, 17), *range(18, 33, 2), *range(36, 65, 4)),
    "float8_e5m2": (*range(1, 9), *range(10, 17, 2), *range(20, 33, 4), *range(40, 65, 8)),
    "float8_e5m2fnuz": (*range(1, 9), *range(10, 17, 2), *range(20, 33, 4), *range(40, 65, 8)),
    "float8_e8m0fnu": _POWERS,
}
# The power of ten that makes a denormal number of one digit.
_DENORMAL_POWER = {"float64": 310, "float32": 40, "bfloat16": 39, "float16": 6}
_WITH_INF = frozenset(("float8_e5m2",))
_WITH_NEGATIVE_ZERO = frozenset(("float8_e4m3fn", "float8_e5m2"))


def patterns(dtype: str, finite: bool, denormal: bool = False) -> tuple[str, ...]:
    """Return the names of the ways to fill an input, simplest first.

    Parameters
    ----------
    dtype
        The name of a dtype.
    finite
        Whether nan, infinities and -0.0 are left out.
    denormal
        Whether denormal numbers are among them, after the simplest way.
    """
    if dtype in FLOATING or dtype in COMPLEX:
        first, *rest = _FINITE if finite else _FLOATING
        return (first, *(("denormal",) if denormal and dtype in _DENORMAL_POWER else ()), *rest, *_MIXTURES)
    return (*_INTEGRAL, *_MIXTURES)


@cache
def literal(dtype: str, shape: tuple[int, ...], pattern: str, finite: bool) -> str:
    """Return a nested list of numbers as Python source.

    Parameters
    ----------
    dtype
        The name of the dtype that the numbers are for.
    shape
        The shape of the nested list; a plain number for ``()``.
    pattern
        How to fill it; one of `patterns`.
    finite
        Whether nan, infinities and -0.0 are left out.
    """
    return nested(shape, numbers(dtype, prod(shape), pattern, finite))


@cache
def imaginary_literal(dtype: str, shape: tuple[int, ...], pattern: str, finite: bool) -> str:
    """Return a nested list of complex numbers whose conjugates have the numbers of `literal` as imaginary parts.

    Parameters
    ----------
    dtype, shape, pattern, finite
        As for `literal`; ``dtype`` is that of the imaginary parts.
    """
    return nested(shape, [_minus_imaginary(number) for number in numbers(dtype, prod(shape), pattern, finite)])


def nested(shape: tuple[int, ...], numbers: Sequence[str]) -> str:
    """Return the source of a nested list.

    Parameters
    ----------
    shape
        The shape; an empty one takes the only number as it is.
    numbers
        The source of each number, in row-major order.
    """
    if not shape:
        return numbers[0]
    step = prod(shape[1:])
    return "[" + ", ".join(nested(shape[1:], numbers[k * step : (k + 1) * step]) for k in range(shape[0])) + "]"


def numbers(dtype: str, count: int, pattern: str, finite: bool) -> list[str]:
    """Return numbers as Python source.

    Parameters
    ----------
    dtype
        The name of the dtype that the numbers are for.
    count
        How many.
    pattern
        Which; one of `patterns`.
    finite
        Whether nan, infinities and -0.0 are left out.
    """
    if dtype in BOOLEAN:
        number = _boolean(pattern)
    elif dtype in COMPLEX:
        number = _complex(pattern, count, finite)
    elif dtype in FLOATING:
        number = _floating(dtype, pattern, count, finite)
    else:
        number = _integral(dtype, pattern, count)
    return [number(position) for position in range(count)]


Numbering = Callable[[int], str]


def _boolean(pattern: str) -> Numbering:
    if pattern in ("zeros", "ones"):
        return lambda position: str(pattern == "ones")
    if pattern in _MIXTURES:
        return lambda position: str(_random(pattern, position) % 2 == 1)
    return lambda position: str((position % 2 == 0) == (pattern == "counting"))


def _integral(dtype: str, pattern: str, count: int) -> Numbering:
    low, high = _INTEGER_RANGES[dtype]
    if pattern == "counting":
        return lambda position: str(position % high + 1)
    if pattern == "signed":
        return lambda position: str(-(position % high) if low and position % 2 else position % high)
    if pattern == "extreme":
        return lambda position: str({0: high, count - 1: low if count > 1 else high}.get(position, position))
    if pattern in ("zeros", "ones"):
        return lambda position: "01"[pattern == "ones"]
    few = [0, 1, 2, 3, 5, 100, high, low, *([-1, -2, -7] if low else [])]
    return lambda position: str(few[_random(pattern, position) % len(few)])


def _floating(dtype: str, pattern: str, count: int, finite: bool) -> Numbering:
    exact = _EXACT.get(dtype)
    powers_only = exact is _POWERS

    def number(rank: int) -> str:
        if not rank and not powers_only:
            return "0."
        return f"{exact[(rank - 1) % len(exact)] if exact else rank}."

    def signed(rank: int) -> str:
        return f"-{number(rank)}" if rank % 2 and not powers_only else number(rank)

    def at_both_ends(first: str, last: str) -> Numbering:
        return lambda position: first if not position else last if position == count - 1 else number(position + 1)

    has_inf = exact is None or dtype in _WITH_INF
    has_negative_zero = exact is None or dtype in _WITH_NEGATIVE_ZERO
    infinite = (INF, NEGATIVE_INF) if has_inf else (NAN, NAN)
    negative_zero = "-0." if has_negative_zero else NAN
    if pattern == "signed":
        return signed
    if pattern == "denormal":
        return lambda position: f"{'-' if position % 2 else ''}{position % 9 + 1}e-{_DENORMAL_POWER[dtype]}"
    if pattern == "nan":
        return at_both_ends(NAN, NAN)
    if pattern == "infinite":
        return at_both_ends(*infinite)
    if pattern == "negative zero":
        return at_both_ends(negative_zero, negative_zero)
    if pattern == "zeros":
        return lambda position: number(0)
    if pattern == "ones":
        return lambda position: "1."
    if pattern == "fractions" or (pattern == "large" and exact):
        return lambda position: f"{'-' if position % 2 and not powers_only else ''}0.{5 if position % 3 else 25}"
    if pattern == "large":
        power = 4 if dtype == "float16" else 30
        return lambda position: f"{'-' if position % 2 else ''}{position % 6 + 1}e{power}"
    few = ["1.", "2.", "0.5", number(4)]
    few += [] if powers_only else ["0.", "-1.", "-2.", "-0.5"]
    special = [NAN, *infinite, negative_zero]
    if pattern == "special":
        return lambda position: special[position // 2 % 4] if position % 2 == 0 else signed(position)
    if pattern in _MIXTURES:
        few += [] if finite else special
        return lambda position: few[_random(pattern, position) % len(few)]
    return lambda position: number(position + 1)


def _complex(pattern: str, count: int, finite: bool) -> Numbering:
    def of(real: str, imaginary: str) -> Numbering:
        reals = numbers("float32", count, real, finite)
        imaginaries = numbers("float32", count, imaginary, finite)
        return lambda position: complex_number(reals[position], imaginaries[position])

    if pattern == "counting":
        return lambda position: f"{position + 1}{'-+'[position % 2]}{position + 2}j"
    if pattern in _SPECIAL:
        return of(pattern, "counting" if count % 2 else pattern)
    if pattern in _MIXTURES:
        return of(pattern, _MIXTURES[_MIXTURES.index(pattern) - 1])
    return of(pattern, "zeros" if pattern == "ones" else pattern)


def complex_number(real: str, imaginary: str) -> str:
    """Return the source of a complex number with exactly these parts.

    Parameters
    ----------
    real, imaginary
        The source of each part, as `numbers` writes it.
    """
    # A sum of a real and an imaginary literal loses the sign of a zero real part, and nan and inf have no literal.
    if "float" in real + imaginary or real == "-0." or imaginary.startswith("-"):
        if "float" in real + imaginary or real == "-0." or imaginary == "-0.":
            return f"complex({real}, {imaginary})"
        return f"{real.rstrip('.')}{imaginary.rstrip('.')}j"
    return f"{real.rstrip('.')}+{imaginary.rstrip('.')}j"


def _minus_imaginary(number: str) -> str:
    if number == NAN:
        return f"complex(0, {NAN})"
    if "float" in number:
        return f"complex(0, {INF if number == NEGATIVE_INF else NEGATIVE_INF})"
    shown = number.rstrip(".")
    return f"{shown[1:]}j" if shown.startswith("-") else f"-{shown}j"


def _random(pattern: str, position: int) -> int:
    return crc32(f"{pattern} {position}".encode())
