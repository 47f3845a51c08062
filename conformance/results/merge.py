"""``conformance merge``: result files from several machines become the files of one folder."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from conformance.base.files import NotEntered, files_below, print_passed_over
from conformance.base.json_files import ResultError
from conformance.base.recorded_folder import TIMINGS
from conformance.language.corpus_cache import load_own_corpus
from conformance.results.model import Entry, Environment
from conformance.results.record import FILE, load_record, store_results
from conformance.results.store import SUFFIX, Results, load_results

#: What tells environments with the same release and device apart, in the order in which it enters a file's name.
_TELLING = ("python", "numpy", "build", "system", "machine", "accelerator", "hypothesis")
#: Folders beside result files that hold files of another kind.
_OTHER_FILES = (TIMINGS, "impostors", "census")


@dataclass(frozen=True)
class Part:
    """What a result file, or a record, has of one environment, and where it is."""

    path: Path
    results: Results


class UnfitParts(Exception):
    """Result files that must not stand side by side; the message names them and says what to do."""


def add_merge(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "merge",
        help="join result files from several machines",
        description="Join parts of one environment, also of different specs, and put different environments side by "
        "side. Mixed revisions of the same specs, contradicting duplicates, void files and other formats are refused, "
        "and nothing is written then.",
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="result files, records, or folders of them")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="folder to write to")
    parser.set_defaults(function=merge)


def merge(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Read, join and write the files; return the exit status."""
    try:
        if options.output.exists() and not options.output.is_dir():
            raise UnfitParts(f"--output {options.output}: this is a file; give a folder")
        parts = [Part(path, results) for path in _files(options.files) for results in _results(path)]
        merged = merge_parts(parts)
    except (ResultError, UnfitParts) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    for name, results in sorted(merged.items()):
        path = store_results(options.output, name, results)
        print(f"{path}: {len(results.claims)} claims{_missing(results)}")
    return 0


def merge_parts(parts: Sequence[Part]) -> dict[str, Results]:
    """Join parts.

    Returns
    -------
    dict
        File name without its ending → results.

    Raises
    ------
    UnfitParts
        If a part is void, if the parts measured different revisions of the corpus, or if two parts of one environment
        contradict each other.
    """
    _refuse_void(parts)
    _refuse_mixed(parts)
    groups: dict[tuple[Environment, int, int], list[Part]] = {}
    for part in parts:
        results = part.results
        groups.setdefault((results.environment, results.examples, results.seed), []).append(part)
    joined = [_joined(group) for group in groups.values()]
    return dict(zip(_names(joined), joined))


def _files(paths: Sequence[Path]) -> list[Path]:
    found: dict[str, Path] = {}
    for path in paths:
        inside = [path]
        if os.path.isdir(path):  # noqa: PTH112 - a `Path` raises where it may not look
            not_entered: list[NotEntered] = []
            below = sorted(map(Path, files_below(path, not_entered)))
            print_passed_over(not_entered)
            inside = [file for file in below if file.name == FILE or fnmatch(file.name, f"torch-*{SUFFIX}")]
            inside = [file for file in inside if file.parent.name not in _OTHER_FILES]
        if not inside:
            raise UnfitParts(f"{path}: no results in this folder; their files are called torch-*{SUFFIX} or {FILE}")
        for file in inside:
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def _results(path: Path) -> Collection[Results]:
    return load_record(path).values() if path.name == FILE else [load_results(path)]


def _refuse_void(parts: Sequence[Part]) -> None:
    for part in parts:
        if part.results.void:
            raise UnfitParts(f"{part.path}: void ({part.results.void}); measure it again, or leave it out")


def _refuse_mixed(parts: Sequence[Part]) -> None:
    """Refuse two revisions of the same claims; claims that have no id in common are different specs.

    Another device than the CPU may have been measured at an older revision: what changed since shows as not measured.
    """
    first: dict[tuple[str, str], Part] = {}
    for part in parts:
        among = "cpu" if part.results.environment.device == "cpu" else part.results.name
        for identity in part.results.claims:
            other = first.setdefault((among, identity), part)
            if part.results.corpus != other.results.corpus:
                raise UnfitParts(
                    f"{part.path}: measured corpus {part.results.corpus}, but {other.path} measured "
                    f"{other.results.corpus}; measure the older one again"
                )


def _missing(results: Results) -> str:
    corpus, _ = load_own_corpus()
    if results.corpus != corpus.revision():
        return ""
    missing = sum(not claim.is_timed and claim.id not in results.claims for claim in corpus.claims)
    return f"; {missing} of the corpus are not measured yet" if missing else ""


def _joined(parts: Sequence[Part]) -> Results:
    first = parts[0].results
    origin: dict[str, Part] = {}
    claims: dict[str, Entry] = {}
    for part in parts:
        for identity, entry in part.results.claims.items():
            earlier = claims.get(identity)
            if earlier is not None and earlier != entry:
                raise UnfitParts(
                    f"{part.path}: {identity} is {entry.verdict} there, but {origin[identity].path} of the same "
                    f"environment has another entry ({earlier.verdict}); one of them is wrong, so measure again"
                )
            claims[identity] = entry
            origin.setdefault(identity, part)
    oldest = min(part.results.harness for part in parts)
    revision = _revision_of({part.results.corpus for part in parts})
    return Results(first.environment, revision, first.examples, first.seed, claims, harness=oldest)


def _revision_of(revisions: Collection[str]) -> str:
    """Return the revision of specs that were measured apart."""
    if len(revisions) == 1:
        return next(iter(revisions))
    return hashlib.sha256(" ".join(sorted(revisions)).encode()).hexdigest()[:12]


def _names(joined: Sequence[Results]) -> list[str]:
    """Name the files; where several have one release and device, what differs between these enters the name."""
    return [_name(results, [other for other in joined if other.name == results.name]) for results in joined]


def _name(results: Results, others: Sequence[Results]) -> str:
    parts = [_safe(results.name)]
    for name in _TELLING:
        if len({getattr(other.environment, name) for other in others}) > 1:
            parts.append(f"{name}{_safe(getattr(results.environment, name) or 'none')}")
    parts += [f"examples{results.examples}"] if len({other.examples for other in others}) > 1 else []
    parts += [f"seed{results.seed}"] if len({other.seed for other in others}) > 1 else []
    return "-".join(parts)


def _safe(text: str) -> str:
    # A version comes from a file of someone else, and becomes part of a path.
    return "".join(character if character.isalnum() or character in "._+-" else "_" for character in text)[:100]
