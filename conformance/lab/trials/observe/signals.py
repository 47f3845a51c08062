"""Errors and warnings in words that are the same for every input, release and machine."""

from __future__ import annotations

import re
from functools import lru_cache

from conformance.results.wording import first_line, without_values

_LONGEST = 200
_LIST = re.compile(r"([\[(])\s*(?:N,?\s*)+([\])])")
# The names that torch's own code has for dtypes, and their names in Python.
_DTYPE = re.compile(
    r"\b(?:torch\.)?(?:Byte|Char|Short|Int|Long|Half|Float|Double|Bool|BFloat16|Complex(?:Half|Float|Double)"
    r"|UInt(?:16|32|64)|Float8_e\w+|u?int(?:8|16|32|64)|b?float(?:16|32|64)|float8_e\w+|complex(?:32|64|128)"
    r"|c10::\w+|unsigned (?:char|short|int|long)|signed char)(?:Tensor|Type)?\b(?!\s*\()"
)
# The name of the kernel is another one in another release.
_MISSING_KERNEL = re.compile(r'^"[^"]*" not implemented for')


# Given when a tensor of this dtype is first made in a process, whatever makes it.
_ABOUT_THE_DTYPE = "ComplexHalf support is experimental"


def is_about_call(message: str) -> bool:
    """Return whether a warning is about what was called, not about the dtype alone."""
    return _ABOUT_THE_DTYPE not in message


def error_of(error: BaseException) -> tuple[tuple[str], tuple[str]]:
    """Return the class and the normalised message of an error."""
    text = _MISSING_KERNEL.sub('"KERNEL" not implemented for', str(error))
    return (type(error).__name__,), (normalise(text),)


@lru_cache(5_000)
def normalise(message: str) -> str:
    """Return the first line of a message without numbers, addresses, paths, and the names of dtypes."""
    line = _LIST.sub(r"\1…\2", _DTYPE.sub("DTYPE", without_values(first_line(message))))
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
