"""``conformance census``: which sentences of the installed torch carry a claim, and what the corpus says of each."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.census.families import FAMILIES, MAIN
from conformance.language.decisions import ENCODED, NO_CLAIM, TODO, UNTESTABLE, Decisions

if TYPE_CHECKING:
    from conformance.census.coverage import Census, Entry
    from conformance.census.objects import PublicObject
    from conformance.language.corpus import Corpus

_STATES = (ENCODED, NO_CLAIM, UNTESTABLE, TODO)


class Unusable(Exception):
    """The call or a file is wrong; the message says what to do."""


def add_census(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "census",
        help="which sentences of the documentation carry a claim, and what the corpus says of each",
        description="Read the docstrings of the torch installed here, find the sentences that carry a claim, and tell "
        "which of them claims encode, which are decided on, and what is left.",
    )
    parser.add_argument("--module", action="append", metavar="NAME", help="this module only (may be repeated)")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="this family only (may be repeated)")
    parser.add_argument(
        "--left", type=int, default=20, metavar="N", help="show N sentences to do (default %(default)s)"
    )
    parser.add_argument("--all", action="store_true", help="list every sentence, not only what is to do")
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 1 where one on sharing or leaves is to do"
    )
    parser.add_argument("--write", action="store_true", help="bring the decision files of the corpus up to date")
    parser.add_argument("--adopt", nargs="+", type=Path, metavar="FILE", help="take decisions in from these files")
    parser.add_argument(
        "--page",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="read a page of the documentation too, such as notes/tensor-views=tensor_view.rst (may be repeated)",
    )
    parser.add_argument("--rules", action="store_true", help="measure the rules on the sentences judged by hand")
    parser.add_argument("--results", type=Path, metavar="DIR", help="write the numbers to DIR/census")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="another corpus than the project's own")
    parser.set_defaults(function=census)


def census(options: argparse.Namespace, rest: list[str]) -> int:
    """Run the command."""
    try:
        return _census(options)
    except Unusable as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _census(options: argparse.Namespace) -> int:
    from conformance.census.coverage import take_census
    from conformance.census.files import load_decisions
    from conformance.language.corpus import default_root, load_corpus

    torch_version, objects = _installed()
    root = options.corpus or default_root()
    if options.rules:
        return _measure_rules(root, objects)
    corpus, problems = load_corpus([root], root)
    known, wrong = load_decisions(root)
    if wrong:
        raise Unusable(f"{len(wrong)} mistakes in the decision files, the first: {wrong[0]}; see 'conformance check'")
    if problems:
        print(f"{len(problems)} mistakes in the corpus; claims with one are left out", file=sys.stderr)
    taken = take_census(objects, corpus.claims, known)
    taken.entries += _pages(options.page, corpus, known)
    if options.adopt or options.write:
        status = _write(options, root, taken, known, objects)
        if status:
            return status
        known, _ = load_decisions(root)
        taken = take_census(objects, corpus.claims, known)
        taken.entries += _pages(options.page, corpus, known)
    if options.results:
        _record(options.results, root, taken, torch_version, corpus, objects)
    _show(options, taken, torch_version)
    undone = [entry for entry in taken.left() if {"sharing", "leaf"} & {*entry.families}]
    if options.strict and undone:
        print(f"{len(undone)} sentences on sharing or leaves are to do", file=sys.stderr)
        return 1
    return 0


def _installed() -> tuple[str, list[PublicObject]]:
    try:
        import torch
    except ImportError:
        raise Unusable("the census reads the docstrings of torch, and torch is not installed here") from None
    from conformance.census.objects import public_objects

    return str(torch.__version__).split("+")[0], public_objects()


def _pages(asked: Sequence[str], corpus: Corpus, known: Decisions) -> list[Entry]:
    """Read the pages at hand; of the others the decisions tell."""
    from conformance.census.coverage import page_census, stored_page
    from conformance.census.pages import page_sentences

    files = {}
    for page in asked:
        name, equals, file = page.partition("=")
        if not equals or not name.startswith("notes/"):
            raise Unusable(f"--page {page}: write notes/NAME=FILE, where FILE is the page's source")
        files[name] = Path(file)
    entries: list[Entry] = []
    for name, path in files.items():
        try:
            text = page_sentences(path)
        except (OSError, UnicodeDecodeError) as error:
            raise Unusable(f"{path}: can't be read: {error}") from None
        entries += page_census(name, text, corpus.claims, known)
    for name, decisions in known.items():
        if name.startswith("notes/") and name not in files:
            entries += stored_page(name, decisions)
    return entries


def _write(
    options: argparse.Namespace, root: Path, taken: Census, known: Decisions, objects: Sequence[PublicObject]
) -> int:
    """Take decisions in where that is asked for, and bring the files up to date."""
    from conformance.census.coverage import decided
    from conformance.census.files import adopt, read_foreign, write_decisions

    conflicts = []
    if options.adopt:
        foreign, problems = read_foreign(options.adopt)
        if problems:
            raise Unusable("nothing was taken in:\n" + "\n".join(map(str, problems)))
        adopted = adopt(foreign, known, taken.entries, objects)
        conflicts = adopted.conflicts
        print(
            f"{adopted.taken} decisions taken in; {adopted.needless} are needless, since claims encode the sentence; "
            f"{adopted.unknown} are about sentences that no rule finds here"
        )
        print("".join(f"{line}\n" for line in conflicts), end="", file=sys.stderr)
    entries = [decided(entry, known.get(entry.name, {}).get(entry.hash)) for entry in taken.entries]
    for path in write_decisions(root, entries):
        print(f"wrote {path}")
    return 1 if conflicts else 0


def _measure_rules(root: Path, objects: Sequence[PublicObject]) -> int:
    from conformance.census.judged import load_samples, scores

    for what, tuning in (("tuned on", True), ("drawn after tuning", False)):
        samples = [sample for sample in load_samples(root) if sample.tuning is tuning]
        found, present = scores(samples, objects)
        print(f"{present} of {sum(len(sample.sentences) for sample in samples)} judged sentences, {what}")
        print(f"  {'':12}{'precision':>10}{'recall':>10}")
        for kind, score in found.items():
            print(f"  {kind:12}{score.precision:>10.1%}{score.recall:>10.1%}")
    return 0


def _record(
    folder: Path, root: Path, taken: Census, version: str, corpus: Corpus, objects: Sequence[PublicObject]
) -> None:
    from conformance.census.judged import load_samples, scores
    from conformance.census.record import Record, save_record

    found, judged = scores([sample for sample in load_samples(root) if not sample.tuning], objects)
    stating = [entry for entry in taken.entries if {*entry.families} & {*MAIN}]
    record = Record(
        torch=version,
        corpus=corpus.revision(),
        objects=taken.objects,
        sentences=taken.read,
        stating=len({entry.name for entry in stating}),
        claims=len(stating),
        beyond=taken.beyond,
        wanted=_states(taken.wanted()),
        modules=taken.table(taken.entries),
        judged=judged,
        rules={
            kind: {"precision": round(score.precision, 3), "recall": round(score.recall, 3)}
            for kind, score in found.items()
        },
    )
    print(f"wrote {save_record(record, folder)}")


def _states(entries: Sequence[Entry]) -> dict[str, int]:
    return {state: sum(entry.state == state for entry in entries) for state in _STATES}


def _show(options: argparse.Namespace, taken: Census, version: str) -> None:
    chosen = [entry for entry in taken.entries if _is_chosen(entry, options)]
    left = [entry for entry in taken.left() if _is_chosen(entry, options)]
    listed = chosen if options.all else left
    if options.json:
        document = {
            "torch": version,
            "objects": taken.objects,
            "sentences": taken.read,
            "wanted": _states(taken.wanted()),
            "modules": taken.table(chosen),
            "listed": [_plain(entry) for entry in listed],
        }
        print(json.dumps(document, indent=1))
        return
    print(f"torch {version}: {taken.objects:,} documented objects, {taken.read:,} sentences\n")
    print("\n".join(_family_table(chosen)))
    print()
    print("\n".join(_module_table(taken, chosen)))
    wanted = _states(taken.wanted())
    total = sum(wanted.values())
    print(f"\nwanted: {total:,} sentences, {total - wanted[TODO]:,} settled, {wanted[TODO]:,} to do")
    changed = [entry for entry in chosen if entry.change]
    if changed:
        reworded = sum(entry.change == "reworded" for entry in changed)
        print(f"the decision files do not know {len(changed):,} of these sentences, {reworded:,} of them reworded")
    if listed:
        shown = listed if options.all else listed[: max(options.left, 0)]
        print(f"\n{'all' if options.all else 'to do'}, most important first ({len(shown):,} of {len(listed):,}):\n")
        print("\n".join(_listing(entry) for entry in shown))


def _is_chosen(entry: Entry, options: argparse.Namespace) -> bool:
    module = not options.module or entry.module in options.module
    return module and (not options.family or bool({*entry.families} & {*options.family}))


def _family_table(entries: Sequence[Entry]) -> list[str]:
    lines = [f"{'':16}{''.join(f'{state:>12}' for state in _STATES)}{'settled':>10}"]
    for family in (*FAMILIES, "pages"):
        counted = _states([e for e in entries if family in e.families or (family == "pages" and not e.families)])
        if sum(counted.values()):
            lines.append(f"{family:16}{''.join(f'{counted[state]:>12,}' for state in _STATES)}{_settled(counted):>10}")
    return lines


def _module_table(taken: Census, entries: Sequence[Entry]) -> list[str]:
    """Show settled and all sentences of each module and family."""
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


def _listing(entry: Entry) -> str:
    state = f"{entry.state} ({entry.change})" if entry.change else entry.state
    told = f"{entry.name} {entry.hash} [{', '.join(entry.families) or 'page'}] {state}"
    about = "".join(f"\n    {claim}" for claim in entry.claims) + (f"\n    {entry.reason}" if entry.reason else "")
    return f"{told}{about}\n    {entry.text}"


def _plain(entry: Entry) -> dict[str, Any]:
    return {
        "object": entry.name,
        "module": entry.module,
        "hash": entry.hash,
        "families": list(entry.families),
        "state": entry.state,
        "change": entry.change,
        "claims": list(entry.claims),
        "reason": entry.reason,
        "sentence": entry.text,
    }
