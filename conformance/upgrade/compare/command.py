"""``conformance compare``: what two records of torch say otherwise."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from conformance.base.json_files import ResultError
from conformance.base.recorded_folder import recorded_folder
from conformance.base.text import count_of, printable
from conformance.language.corpus_cache import corpus_of
from conformance.results.recorded import Measured, load_recorded
from conformance.results.store import SUFFIX, load_results
from conformance.results.trials.recorded import RecordedTrials, trials_folder
from conformance.upgrade.compare.differences import (
    RecordDifference,
    claim_differences,
    other_differences,
    trial_differences,
)
from conformance.upgrade.harm import HARMS, MEANING, SHOWN, rank

_MOST = 12
_EPILOG = """\
exit status: 0 compared, 1 something breaks, changes or warns, 2 a record is not there or can't be read

examples:
  conformance compare 2.12 2.13                              two releases, as they are recorded
  conformance compare 2.13 build/torch-2.14.0a0-cpu.jsonl    an own build, after 'conformance run --results=build'
  conformance compare cpu.jsonl cuda.jsonl --json            two devices
"""


@dataclass(frozen=True)
class _Record:
    """A record as somebody named it, with the trials that lie beside it."""

    measured: Measured
    trials: RecordedTrials


def add_compare(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "compare",
        help="list what two records of torch say otherwise",
        description="Compare the claims and trials of two records, input by input. 'conformance upgrade' says what a "
        "newer torch does to your code.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("old", metavar="A", help="a recorded release (2.12, 2.12.1), or a result file")
    add("new", metavar="B", help="a release or a result file, too")
    add("--device", default="cpu", metavar="NAME", help="the device of recorded releases (default: cpu)")
    add("--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)")
    add("--specs", action="append", type=Path, metavar="PATH", help="your own spec files, in place of the corpus")
    add("--all", action="store_true", help="list everything, also new wording and what is better now")
    add("--brief", action="store_true", help="one line for each")
    add("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(function=compare)


def compare(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Print the differences and return the exit status."""
    folder = recorded_folder(options.results)
    try:
        corpus = corpus_of(options.specs).without_examples()
        old, new = (_record(text, folder, options.device) for text in (options.old, options.new))
    except (ResultError, ValueError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    claims, gaps = claim_differences(corpus.claims, old.measured, new.measured)
    ends = old.measured.torch, new.trials, new.measured.torch
    trials = trial_differences(old.trials, *ends, device=new.measured.device)
    found = sorted([*claims, *trials], key=lambda one: rank(one.harm))
    compared = len(corpus.claims) - len(gaps)
    if options.json:
        document = {
            "a": asdict(old.measured.environment),
            "b": asdict(new.measured.environment),
            "claims_compared": compared,
            "claims_not_compared": gaps,
            "differences": [asdict(one) for one in found],
        }
        print(json.dumps(document, indent=1, default=str))
    else:
        lines = _text(old, new, found, compared, gaps, options)
        print(printable("\n".join(lines)))
    return 1 if any(one.harm in SHOWN for one in found) else 0


def _record(text: str, folder: Path, device: str) -> _Record:
    path = Path(text)
    if path.suffix == SUFFIX or path.is_file():
        measured = Measured.of(load_results(path))
        return _Record(measured, RecordedTrials(trials_folder(path.parent, measured.device)))
    try:
        wanted = Version(text)
    except InvalidVersion:
        raise ValueError(f"{text!r} is neither a release nor a result file ({SUFFIX})") from None
    recorded = load_recorded(folder).on(device)
    found = [one for one in recorded if one.version == wanted or one.version.release[:2] == wanted.release]
    if not found:
        known = ", ".join(one.torch for one in recorded) or "none"
        raise ValueError(f"torch {text} is not recorded on {device} in {folder}; recorded: {known}")
    return _Record(found[-1], RecordedTrials(trials_folder(folder, device)))


def _text(
    old: _Record,
    new: _Record,
    found: Sequence[RecordDifference],
    compared: int,
    gaps: Mapping[str, str],
    options: argparse.Namespace,
) -> Iterator[str]:
    ends = list(map(_end, (old, new)))
    counts = [count_of(sum(one.harm == harm for one in found), word) for harm, word in _COUNTED.items()]
    yield f"torch {ends[0]} → {ends[1]}: {', '.join(counts)}"
    others = other_differences(old.measured.environment, new.measured.environment)
    yield from [f"what else differs: {others}"] if others else []
    for harm in HARMS if options.all else SHOWN:
        of_harm = [one for one in found if one.harm == harm]
        if of_harm:
            yield from ["", f"{harm.upper()}: {MEANING[harm]}"]
            shown = of_harm if options.all else of_harm[:_MOST]
            for one in shown:
                yield from [_brief(one)] if options.brief else _whole(one)
            yield from [f"  and {len(of_harm) - len(shown)} more (--all)"] if len(shown) < len(of_harm) else []
    yield ""
    yield f"compared: {count_of(compared, 'claim')}; {_trials(old, new)}"
    reasons = Counter(gaps.values())
    yield from (f"not compared: {count_of(count, 'claim')} ({why})" for why, count in sorted(reasons.items()))


_COUNTED = {
    "breaks": "break",
    "changes": "change",
    "warns": "warning",
    "wording": "rewording",
    "improvement": "improvement",
}


def _trials(old: _Record, new: _Record) -> str:
    lacking = [_end(one) for one in (old, new) if one.measured.torch not in one.trials.releases]
    if lacking:
        return f"no calls: trials of {' and '.join(lacking)} are not recorded"
    return "the calls of " + count_of(len({*old.trials.names} & {*new.trials.names}), "name")


def _end(one: _Record) -> str:
    return f"{one.measured.torch} on {one.measured.device}"


def _brief(one: RecordDifference) -> str:
    part = one.parts[0]
    return f"  {one.id}: {part.what}: {part.before} → {part.after}"


def _whole(one: RecordDifference) -> Iterator[str]:
    yield from ["", f"  {one.id}", f"      {'claim' if one.is_claim else 'on':9}{one.title}"]
    for part in one.parts:
        yield f"      {part.what}"
        yield from [f"        before {part.before}", f"        after  {part.after}"]
    yield from [f"        {line}".rstrip() for line in one.script.splitlines()]
