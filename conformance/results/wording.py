"""Messages of errors and warnings as text: what they have in common whatever the numbers, shapes and dtypes in them."""

from __future__ import annotations

import re
from functools import lru_cache

# Also the symbol of a ragged dimension, which counts the nested tensors that the process has made.
_NUMBER = re.compile(r"(?<![\w.])(?:j\d+|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
PATH = re.compile(r"(?:/[\w.+-]+){2,}(?::\d+)?|[A-Za-z]:\\\S+")
#: What stands in a recorded message for a part that varies, and in one of ours.
_PLACEHOLDERS = re.compile(r"\b(?:N|DTYPE|PATH|ADDRESS)\b")
DTYPE = re.compile(
    r"\b(?:(?:torch|c10)[.:]+(?:cuda\.)?)?(?:Byte|Char|Short|Int|Long|Half|Float|Double|Bool|BFloat16|Complex(?:Half|Float|Double)"
    r"|UInt(?:16|32|64)|u?int(?:8|16|32|64)|b?float(?:16|32|64)|[Ff]loat8_e\w+|complex(?:32|64|128)|long|double)"
    r"(?:Tensor|Type)?\b(?!\()"
)
_WORD = re.compile(r"[a-z_]{2,}")
_CLASS = re.compile(r"(?:^|\s)(?:[\w.]+\.)?(\w*(?:Error|Warning|Exception|Exit|Interrupt|Iteration))\s*:\s+(.*)$")
#: Recorded messages are cut at so many characters, in the middle of a word.
_CUT = 200
#: What torch says where the machine lacks a device, a driver or a library; it says nothing of torch.
_MACHINE = re.compile(
    r"not compiled with (CUDA|\w+) enabled|NVIDIA driver|no (CUDA|HIP) GPUs|Cannot access accelerator|no accelerator"
    r"|not (built|linked) with|requires? (a )?(CUDA|MPS|XPU)|(MPS|XPU|Vulkan|HPU|MTIA) (backend|device)|No module named"
    r"|PyTorch is not linked|no backend type associated|has not been initialized, please make sure to call init_process"
)
#: What stands in a text of ours for what varies.
GAP = "…"


def split_class(text: str) -> tuple[str, str]:
    """Return the class and the first line of a message that a person pastes, such as the end of a traceback.

    The class is empty where none stands before the message.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    found = [match for line in lines if (match := _CLASS.search(line))]
    return (found[-1][1], found[-1][2].strip()) if found else ("", lines[0].strip() if lines else "")


def first_line(message: str) -> str:
    """Return the first line of a message, without the place inside torch that gave it."""
    return (message.strip().splitlines() or [""])[0].split(" (Triggered internally at")[0]


def without_values(line: str) -> str:
    """Return a line with ``N``, ``PATH`` and ``ADDRESS`` for its numbers, paths and addresses."""
    return _NUMBER.sub("N", PATH.sub("PATH", _ADDRESS.sub("ADDRESS", line)))


@lru_cache(20_000)
def key_of(text: str) -> str:
    """Return the words of a message that never vary, with a space before each: no numbers, dtypes and placeholders."""
    line = first_line(text)
    if _is_cut(line):
        line = line.rpartition(" ")[0]
    plain = _PLACEHOLDERS.sub(" ", DTYPE.sub(" ", line)).lower()
    return "".join(f" {word}" for word in _WORD.findall(plain))


def is_like(text: str, recorded: str) -> bool:
    """Return whether a text with ``…`` for what varies is a recorded message, of which the end may be cut off."""
    rest = f"{key_of(recorded)} "
    for piece in filter(None, map(key_of, text.split(GAP))):
        _, found, after = rest.partition(f"{piece} ")
        if not found:
            return _is_cut(recorded) and piece.startswith(rest.rstrip())
        rest = f" {after}"
    return True


def _is_cut(recorded: str) -> bool:
    return len(recorded) == _CUT


def is_about_machine(message: str) -> bool:
    """Return whether an error only says that this machine or build lacks something, such as a driver."""
    return _MACHINE.search(message) is not None
