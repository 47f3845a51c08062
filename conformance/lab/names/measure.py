"""Measure the names of the installed torch, in processes that may die."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from conformance.base.codec import decode
from conformance.base.processes.environment import unoptimised
from conformance.base.processes.scratch import ScratchFolder
from conformance.lab.names.modules import list_modules, torch_folder
from conformance.names.model import MeasuredNames, NameRecord, Section

#: How long one module may take, in seconds; a crowded machine is slow.
_SECONDS_A_MODULE = 240
_POLL_SECONDS = 0.2


class MeasuringFailed(Exception):
    """No module of torch can be walked; the message says how the process ended."""


def measure(seconds: float = _SECONDS_A_MODULE) -> MeasuredNames:
    """Walk every module of the installed torch; one that ends its process costs its own names only.

    Parameters
    ----------
    seconds
        How long the import of one module may take.

    Raises
    ------
    NoTorch
        If torch is not installed.
    MeasuringFailed
        If not even one module can be walked.
    """
    left = list_modules(torch_folder())
    sections: dict[str, Section] = {}
    while left:
        with ScratchFolder() as folder:
            ended = _walk(left, folder, seconds)
            found, unfinished = _read(folder / "output")
        for name, section in found.items():
            _merge(sections.setdefault(name, {}), section)
        done = left.index(unfinished) if unfinished else len(left)
        if unfinished:
            sections[unfinished] = {"": NameRecord("module", error=ended)}
        elif not found:
            raise MeasuringFailed(f"no module of torch can be walked: {ended}")
        left = left[done + 1 :]
    python = "{}.{}".format(*sys.version_info[:2])
    return MeasuredNames(version("torch").split("+")[0], python, dict(sorted(sections.items())))


def _merge(into: Section, found: Section) -> None:
    """Add what was found; a record that only tells the kind replaces nothing."""
    for name, record in found.items():
        if name not in into or record != NameRecord(record.kind):
            into[name] = record


def _walk(modules: list[str], folder: Path, seconds: float) -> str:
    """Walk modules in a process of its own, until it ends or hangs; return how it ended."""
    modules_file, output = folder / "modules", folder / "output"
    modules_file.write_text("\n".join(modules), encoding="utf-8")
    output.touch()
    command = [sys.executable, "-m", "conformance.lab.names.walk", str(modules_file), str(output), str(os.getpid())]
    environment = {**unoptimised(), "PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "HOME": str(folder)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
        try:
            ended = _wait(process, output, seconds)
        finally:
            process.terminate()  # with those that it started: some modules of torch start workers on import
            process.wait()
    if ended and not output.stat().st_size:
        ended += ": " + (folder / "log").read_text(encoding="utf-8", errors="replace")[-500:]
    return ended


def _wait(process: subprocess.Popen[bytes], output: Path, seconds: float) -> str:
    seen, since = -1, time.monotonic()
    while process.poll() is None:
        size = output.stat().st_size
        if size != seen:
            seen, since = size, time.monotonic()
        elif time.monotonic() - since > seconds:
            return f"the import took more than {seconds:g} s"
        time.sleep(_POLL_SECONDS)
    status = process.returncode
    return f"the import ended the process with signal {-status}" if status < 0 else f"the import exited with {status}"


def _read(output: Path) -> tuple[dict[str, Section], str]:
    """Return what a process found, and the module that it had begun when it ended."""
    found: dict[str, Section] = {}
    begun = ""
    for line in output.read_text(encoding="utf-8").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:  # the process ended while it wrote
            break
        if "begins" in entry:
            begun = entry["begins"]
            continue
        begun = ""
        for name, section in entry["found"].items():
            _merge(found.setdefault(name, {}), {key: decode(NameRecord, record) for key, record in section.items()})
    return found, begun
