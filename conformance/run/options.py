"""The options of a run, declared once: for the command, for the pytest plugin, and for passing them on."""

from __future__ import annotations

import argparse
import math
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, Union

from conformance.results.model import DEVICE
from conformance.run.supervisor import MEMORY_LIMIT, TIME_LIMIT

#: How many examples Hypothesis tries for each claim unless told otherwise.
EXAMPLES = 20
_GIBIBYTE = 2**30


def at_least_one(text: str) -> int:
    """Read a whole number of at least one; raises ArgumentTypeError."""
    number = _whole_number(text)
    if not 1 <= number <= 10**9:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 to 1,000,000,000")
    return number


def positive(text: str) -> float:
    """Read a finite number above zero; raises ArgumentTypeError."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and below 1,000,000,000")
    return number


def device_name(text: str) -> str:
    """Read the name of a device, which may have an index; raises ArgumentTypeError."""
    if re.match(DEVICE, text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a device, such as cpu, cuda or cuda:1")
    return text


def module_name(text: str) -> str:
    """Read the name of a module as it is imported; raises ArgumentTypeError."""
    if not all(map(str.isidentifier, text.split("."))):
        raise argparse.ArgumentTypeError(f"{text!r} is not the name of a package, as it is imported")
    return text


def process_count(text: str) -> str:
    """Read a number of processes, or ``auto``; raises ArgumentTypeError."""
    if text not in ("auto", "logical") and _whole_number(text) < 0:
        raise argparse.ArgumentTypeError(f"{text} is not a number of processes; write 0 or more, or auto")
    return text


def writable_folder(text: str) -> Path:
    """Read the path of a folder that is writable or can be created; raises ArgumentTypeError."""
    folder = Path(text)
    nearest = next((path for path in (folder, *folder.absolute().parents) if path.exists()), folder)
    if not nearest.is_dir():
        raise argparse.ArgumentTypeError(f"{nearest} is not a folder")
    try:
        # A file system may refuse what the permissions allow, as /proc does.
        if os.access(nearest, os.W_OK | os.X_OK):
            with tempfile.TemporaryFile(dir=nearest):
                return folder
    except OSError:
        pass
    raise argparse.ArgumentTypeError(f"{nearest} is not writable")


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


class Option:
    """One option: its flags, its help, and other arguments for argparse."""

    def __init__(self, *flags: str, help: str, **settings: Any) -> None:
        self.flags = flags
        self.help = help
        self.settings = settings

    def declare(self, add: Callable[..., Any]) -> None:
        """Declare it with the method of a parser, or of a group of pytest's options."""
        add(*self.flags, help=self.help, **self.settings)

    @property
    def destination(self) -> str:
        """The name under which argparse keeps its value."""
        return str(self.settings.get("dest") or self.flags[-1].lstrip("-").replace("-", "_"))

    def as_arguments(self, value: Any) -> list[str]:
        """Return the arguments that give it this value."""
        action = self.settings.get("action")
        if action == "append":
            return [f"{self.flags[-1]}={one}" for one in value or []]
        if action in ("store_true", "count"):
            return [self.flags[-1]] * int(value)
        if value is None:
            return []
        return [f"{self.flags[-1]}={value}"] if self.flags[-1].startswith("--") else [self.flags[-1], str(value)]


#: Options of the plugin. The command has them too and passes them on.
OF_PLUGIN = (
    Option(
        "--device",
        action="append",
        type=device_name,
        metavar="NAME",
        help="only this device, such as cuda, cuda:1, mps, or one that an extension adds (may be repeated)",
    ),
    Option(
        "--import",
        dest="imports",
        action="append",
        type=module_name,
        metavar="PACKAGE",
        help="import this first, for a device that it adds to torch (may be repeated)",
    ),
    Option(
        "--examples",
        type=at_least_one,
        default=EXAMPLES,
        metavar="N",
        help="examples that Hypothesis draws for each claim after the sweep (default %(default)s)",
    ),
    Option("--seed", type=_whole_number, default=0, metavar="N", help="seed of the search (default %(default)s)"),
    Option(
        "--time-limit",
        type=positive,
        default=TIME_LIMIT,
        metavar="SECONDS",
        help="time limit for one claim (default %(default)g)",
    ),
    Option(
        "--memory-limit",
        type=positive,
        default=MEMORY_LIMIT / _GIBIBYTE,
        metavar="GIB",
        help="memory limit for one claim, beyond what torch itself needs (default %(default)g)",
    ),
    Option(
        "--results",
        type=writable_folder,
        metavar="DIR",
        help="write a result file to this folder; of the corpus, entries there that this machine measured are kept, if "
        "claim and environment are unchanged",
    ),
    Option(
        "--record",
        action="store_true",
        help="extend the record in --results DIR: keep unchanged entries, whatever machine measured them",
    ),
    Option(
        "--expected",
        type=Path,
        metavar="FILE",
        help="what is otherwise on a device than on the CPU, with the reasons; the run fails if anything else is, or "
        "if one of these no longer is",
    ),
    Option("--accept", action="store_true", help="write what is otherwise than on the CPU to --expected FILE"),
    Option("--again", action="store_true", help="measure everything, also what is in --results DIR already"),
    Option("--resume", action="store_true", help="continue a stopped run with the same --results"),
    Option("--timings", action="store_true", help="measure the timing claims alone; their file goes to DIR/timings"),
)
#: Options of pytest that the command names in its help.
OF_PYTEST = (
    Option("-k", dest="select", metavar="EXPRESSION", help="only claims whose id matches, as pytest's -k"),
    Option(
        "-n",
        dest="processes",
        type=process_count,
        metavar="N",
        help="number of processes (default: one, or one per processor for the whole corpus)",
    ),
    Option("-x", dest="stop_early", action="store_true", help="stop at the first claim that fails the run"),
    Option("--lf", dest="last_failed", action="store_true", help="only claims that failed last time"),
    Option("-v", "--verbose", action="count", default=0, help="print a line for each claim"),
    Option("--durations", type=_whole_number, metavar="N", help="show the N slowest claims, slowest first"),
    Option("--junitxml", metavar="FILE", help="write a JUnit XML report"),
)
#: Options of the command alone.
OF_COMMAND = (Option("--debug", action="store_true", help="log each step and how long each claim took"),)


def declare(options: Sequence[Option], to: Union[argparse.ArgumentParser, Any], method: str = "add_argument") -> None:
    """Declare options to a parser, or to a group of pytest's options with its method ``addoption``."""
    for option in options:
        option.declare(getattr(to, method))


def passed_on(chosen: argparse.Namespace) -> list[str]:
    """Return the pytest arguments for the options chosen on the command line."""
    return [
        argument
        for option in (*OF_PLUGIN, *OF_PYTEST)
        for argument in option.as_arguments(getattr(chosen, option.destination))
    ]
