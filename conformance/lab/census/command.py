"""``conformance census``: the sentences of torch's docstrings that make a promise, and the state of each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.base.text import bounded, count_of
from conformance.lab.census.families import FAMILIES
from conformance.lab.census.record import STATES, CensusRecord, save_record
from conformance.language.decisions import TODO, Decisions, module_of

if TYPE_CHECKING:
    from conformance.lab.census.coverage import Census, ClaimedSentence, ReadSentences
    from conformance.lab.census.families import Labels
    from conformance.lab.census.objects import PublicObject
    from conformance.language.corpus import Corpus

#: Characters of a difference that are printed.
_LONGEST = 300


class Unusable(Exception):
    """The arguments or a file can't be used; the message says what to do."""


def add_census(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "census",
        help="show which promises of the documentation the corpus covers",
        description="Read the docstrings of the installed torch, find the sentences that make a promise, and show "
        "which of them are encoded by claims, which are decided, and which are to do.",
    )
    parser.add_argument("--module", action="append", metavar="NAME", help="only this module (may be repeated)")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only this family (may be repeated)")
    parser.add_argument(
        "--left", type=int, default=20, metavar="N", help="show N sentences to do (default %(default)s)"
    )
    parser.add_argument("--all", action="store_true", help="list every sentence, not only those to do")
    parser.add_argument("--strict", action="store_true", help="exit with status 1 if a sentence is to do")
    parser.add_argument("--write", action="store_true", help="record the sentences read now as known")
    parser.add_argument(
        "--page",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="also read a page of the documentation, such as notes/tensor-views=tensor_view.rst (may be repeated)",
    )
    parser.add_argument(
        "--changes", action="store_true", help="list what differs between two releases and no entry explains, instead"
    )
    parser.add_argument("--results", type=Path, metavar="DIR", help="write the numbers to DIR/census")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="use this corpus instead of the project's own")
    parser.set_defaults(function=census)


def census(options: argparse.Namespace, rest: list[str]) -> int:
    """Run the command."""
    try:
        if sys.flags.optimize > 1:
            raise Unusable("this Python runs with -OO, which leaves out the docstrings to read; run it without")
        return _changes(options) if options.changes else _census(options)
    except Unusable as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _census(options: argparse.Namespace) -> int:
    from conformance.base.files import print_passed_over
    from conformance.lab.census.coverage import ReadSentences, take_census
    from conformance.lab.census.files import (
        load_decisions,
        load_labels,
        load_read_sentences,
        write_decisions,
        write_read_sentences,
    )
    from conformance.lab.census.objects import installed
    from conformance.language.corpus import default_root, load_corpus
    from conformance.language.corpus_cache import load_own_corpus

    try:
        version, objects = installed()
    except ImportError:
        raise Unusable("torch is not installed here, and the census reads its docstrings; install torch") from None
    root = options.corpus or default_root()
    corpus, problems = load_own_corpus() if root == default_root() else load_corpus([root], root)
    print_passed_over(corpus.not_entered)
    decisions, wrong = load_decisions(root)
    if wrong:
        raise Unusable(
            f"{count_of(len(wrong), 'mistake')} in the decision files; the first is {wrong[0]}; run 'conformance check'"
        )
    if problems:
        print(
            f"{count_of(len(problems), 'mistake')} in the corpus; claims with a mistake are left out", file=sys.stderr
        )

    def take(before: ReadSentences) -> Census:
        taken = take_census(objects, corpus.claims, decisions, before, labels)
        taken.entries += _pages(options.page, corpus, decisions, before)
        return taken

    try:
        before, labels = load_read_sentences(root), load_labels(root)
    except ValueError as error:
        raise Unusable(str(error)) from None
    taken = take(before)
    _refuse_unknown(options.module or (), taken, objects)
    if options.write:
        for path in [*write_decisions(root, taken.entries), *write_read_sentences(root, taken.entries)]:
            print(f"wrote {path}")
        taken = take(ReadSentences.from_entries(taken.entries))
    if options.results:
        _record(options.results, root, taken, version, corpus, objects, labels)
    _show(options, taken, version)
    if options.strict and (undone := taken.left()):
        print(f"{count_of(len(undone), 'sentence')} to do", file=sys.stderr)
        return 1
    return 0


def _changes(options: argparse.Namespace) -> int:
    """List what differs between neighbouring releases and no entry explains; nothing of it needs torch."""
    from conformance.base.json_files import ResultError
    from conformance.base.recorded_folder import recorded_folder
    from conformance.lab.census.changes import COMMON, take_change_census
    from conformance.language.corpus_cache import corpus_of

    try:
        corpus = corpus_of([options.corpus] if options.corpus else None)
        taken = take_change_census(corpus, recorded_folder(options.results))
    except (ResultError, ValueError, OSError) as error:
        raise Unusable(str(error)) from None
    for one in taken.left[: None if options.all else options.left]:
        print(f"{one.rank or '':>5} {one.release:5} {one.kind:8} {one.name}: {bounded(one.what, _LONGEST)}")
    for decision in taken.unused:
        print(f"{decision.place}: this decision explains nothing; remove it", file=sys.stderr)
    common = taken.common()
    print(
        f"{count_of(taken.differences, 'difference')} between neighbouring releases, {len(taken.left):,} without an "
        f"entry, {common:,} of these about the {COMMON} names that most programs use"
    )
    return 1 if options.strict and (common or taken.unused) else 0


def _refuse_unknown(asked: Sequence[str], taken: Census, objects: Sequence[PublicObject]) -> None:
    known = {entry.module for entry in taken.entries} | {module_of(item.name) for item in objects}
    for name in asked:
        if name not in known:
            near = get_close_matches(name, known, 3)
            meant = f"; did you mean {' or '.join(near)}?" if near else ""
            raise Unusable(f"--module {name}: nothing documented was read under this name{meant}")


def _pages(asked: Sequence[str], corpus: Corpus, known: Decisions, before: ReadSentences) -> list[ClaimedSentence]:
    """Read the given pages; the entries of other pages come from the last reading."""
    from conformance.lab.census.coverage import page_census, stored_page
    from conformance.lab.census.pages import page_sentences

    files = {}
    for page in asked:
        name, equals, file = page.partition("=")
        if not equals or not name.startswith("notes/"):
            raise Unusable(f"--page {page}: write notes/NAME=FILE, where FILE is the page's source")
        files[name] = Path(file)
    entries: list[ClaimedSentence] = []
    for name, path in files.items():
        try:
            text = page_sentences(path)
        except (OSError, UnicodeDecodeError) as error:
            raise Unusable(f"{path}: can't be read: {error}") from None
        entries += page_census(name, text, corpus.claims, known, before)
    for name in before.pages:
        if name not in files:
            entries += stored_page(name, corpus.claims, known, before)
    return entries


def _record(
    folder: Path,
    root: Path,
    taken: Census,
    version: str,
    corpus: Corpus,
    objects: Sequence[PublicObject],
    labels: Labels,
) -> None:
    from conformance.lab.census.judged import load_samples, scores

    samples = load_samples(root)[-1:]
    rules, judged = scores(samples, objects)
    labelled, _ = scores(samples, objects, labels)
    stating = [entry for entry in taken.entries if entry.families]
    record = CensusRecord(
        torch=version,
        corpus=corpus.revision(),
        objects=taken.objects,
        sentences=taken.read,
        stating=len({entry.name for entry in stating}),
        claims=len(stating),
        beyond=taken.beyond,
        states=_states(taken.entries),
        modules=taken.table(taken.entries),
        judged=judged,
        rules={kind: score.rounded() for kind, score in rules.items()},
        labelled={kind: score.rounded() for kind, score in labelled.items()},
    )
    print(f"wrote {save_record(record, folder)}")


def _states(entries: Sequence[ClaimedSentence]) -> dict[str, int]:
    return {state: sum(entry.state == state for entry in entries) for state in STATES}


def _show(options: argparse.Namespace, taken: Census, version: str) -> None:
    chosen = [entry for entry in taken.entries if _is_chosen(entry, options)]
    left = [entry for entry in taken.left() if _is_chosen(entry, options)]
    listed = chosen if options.all else left
    print(f"torch {version}: {taken.objects:,} documented objects, {taken.read:,} sentences\n")
    print("\n".join(_family_table(chosen)))
    print()
    print("\n".join(_module_table(taken, chosen)))
    states = _states(taken.entries)
    total = sum(states.values())
    print(f"\n{total:,} sentences, {total - states[TODO]:,} settled, {states[TODO]:,} to do")
    changed = [entry for entry in chosen if entry.change]
    if changed:
        reworded = sum(entry.change == "reworded" for entry in changed)
        print(f"{len(changed):,} of these sentences are new since the last reading, {reworded:,} of them reworded")
    if listed:
        shown = listed if options.all else listed[: max(options.left, 0)]
        print(f"\n{'all' if options.all else 'to do'}, most important first ({len(shown):,} of {len(listed):,}):\n")
        print("\n".join(_listing(entry) for entry in shown))


def _is_chosen(entry: ClaimedSentence, options: argparse.Namespace) -> bool:
    module = not options.module or entry.module in options.module
    return module and (not options.family or bool({*entry.families} & {*options.family}))


def _family_table(entries: Sequence[ClaimedSentence]) -> list[str]:
    lines = [f"{'':16}{''.join(f'{state:>12}' for state in STATES)}{'settled':>10}"]
    for family in (*FAMILIES, "pages"):
        counted = _states([e for e in entries if family in e.families or (family == "pages" and not e.families)])
        if sum(counted.values()):
            lines.append(f"{family:16}{''.join(f'{counted[state]:>12,}' for state in STATES)}{_settled(counted):>10}")
    return lines


def _module_table(taken: Census, entries: Sequence[ClaimedSentence]) -> list[str]:
    """Return the settled and all sentences of each module and family, as a table."""
    table = taken.table(entries)
    width = max((len(module) for module in table), default=0) + 2
    lines = [f"{'settled of all':{width}}{''.join(f'{family:>15}' for family in FAMILIES)}"]
    for module, rows in table.items():
        cells = []
        for family in FAMILIES:
            row = rows.get(family) or (rows.get("all") if family == FAMILIES[0] else None)
            total = sum(row.values()) if row else 0
            cells.append(f"{total - row[TODO]:,}/{total:,}" if row else "")
        lines.append(f"{module:{width}}{''.join(f'{cell:>15}' for cell in cells)}")
    return [line.rstrip() for line in lines]


def _settled(counted: dict[str, int]) -> str:
    total = sum(counted.values())
    return f"{(total - counted[TODO]) / total:.1%}"


def _listing(entry: ClaimedSentence) -> str:
    state = f"{entry.state} ({entry.change})" if entry.change else entry.state
    head = f"{entry.name} {entry.hash} [{', '.join(entry.families) or 'page'}] {state}"
    about = "".join(f"\n    {claim}" for claim in entry.claims) + (f"\n    {entry.reason}" if entry.reason else "")
    return f"{head}{about}\n    {entry.text}"
