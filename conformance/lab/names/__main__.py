"""``conformance names``: measure the names of the installed torch, record them, and look one up."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Optional

from conformance.base.codec import encode
from conformance.base.json_files import ResultError, read_json
from conformance.base.recorded_folder import recorded_folder
from conformance.lab.names.measure import MeasuringFailed, measure
from conformance.lab.names.modules import NoTorch
from conformance.lab.names.record import record
from conformance.lab.names.results import installed_results, write_results
from conformance.lab.names.summary import summary_lines
from conformance.names.answers import describe
from conformance.names.lookup import Names, UnknownRelease
from conformance.names.model import MeasuredNames
from conformance.usage.torch_data import RESULTS

_REMEDY = "conformance names measure --output FILE"


def main(arguments: Optional[list[str]] = None) -> int:
    """Run one of the commands; return the exit status."""
    described = "Measure the names of the installed torch, record them, and look one up."
    parser = argparse.ArgumentParser(prog="conformance names", description=described)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="walk the installed torch and write every name to a JSON file")
    measuring.add_argument("--output", type=Path, required=True, metavar="FILE")
    recording = commands.add_parser("record", help="add measured releases to the recorded names, or replace them there")
    recording.add_argument("measured", type=Path, nargs="+", metavar="FILE")
    recording.add_argument("--into", type=Path, default=recorded_folder() / "names", metavar="DIR")
    returning = commands.add_parser("results", help="write what the functions of the installed torch return")
    returning.add_argument("--into", type=Path, default=RESULTS, metavar="FILE")
    looking = commands.add_parser("show", help="tell what a name is in each recorded release")
    looking.add_argument("name", metavar="NAME")
    looking.add_argument("--release", metavar="VERSION", help="in this release only")
    given = parser.parse_args(arguments)
    try:
        return _run(given)
    except (NoTorch, MeasuringFailed, ResultError, UnknownRelease) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _run(given: argparse.Namespace) -> int:
    if given.command == "measure":
        measured = measure()
        text = json.dumps(encode(measured), indent=0, sort_keys=True, ensure_ascii=False)
        given.output.write_text(text + "\n", encoding="utf-8")
        count = sum(map(len, measured.modules.values()))
        print(f"torch {measured.torch}: {count} names in {len(measured.modules)} modules, in {given.output}")
        if measured.without_cuda:
            note = "note: this torch was built without CUDA: names that only CUDA builds have will look gone"
            print(note, file=sys.stderr)
        return 0
    if given.command == "record":
        files = record([read_json(path, MeasuredNames, _REMEDY) for path in given.measured], given.into)
        print(f"{len(files)} files in {given.into}")
        return 0
    if given.command == "results":
        words = installed_results()
        write_results(words, version("torch").partition("+")[0], given.into)
        print(f"{sum(map(len, words.values()))} names in {given.into}")
        return 0
    return _show(Names(), given.name, given.release)


def _show(names: Names, name: str, release: Optional[str]) -> int:
    if release is not None:
        print(f"{name} in torch {release}: {describe(names.lookup(name, release))}")
        return 0
    lines = summary_lines(names, name)
    if not lines:
        print(f"{name}: in no recorded release", file=sys.stderr)
        for near in names.suggest(name):
            print(f"  did you mean {near}?", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
