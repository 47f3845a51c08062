"""``conformance report-docs``: issue texts for what is recorded as false and reported nowhere."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Optional

from conformance.language.model import Source


def add_report_docs(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report-docs",
        help="write issue texts for what is documented, false and not reported",
        description="Write the text of an issue for each cause of false claims that is a mistake of the documentation "
        "or of torch and has no link. Nothing is run and nothing is sent. If torch is installed, its documentation is "
        "quoted.",
    )
    parser.add_argument(
        "claim", nargs="?", metavar="ID", help="print the issue about this cause, or those about this claim"
    )
    parser.add_argument("--list", action="store_true", help="list the causes, the worst first, one on a line")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="write a Markdown file for each issue to this folder, and README.md, which lists them by rank",
    )
    parser.add_argument(
        "--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)"
    )
    parser.set_defaults(function=report_docs)


def report_docs(options: argparse.Namespace, rest: list[str]) -> int:
    """Run the command."""
    from conformance.base.json_files import ResultError, replace_file
    from conformance.base.recorded_folder import recorded_folder
    from conformance.base.text import printable
    from conformance.lab.reporting.issue import issue_index, issue_text, issue_title, unfiled
    from conformance.lab.views.causes import file_name
    from conformance.language.corpus_cache import load_own_corpus
    from conformance.results.recorded import load_recorded

    corpus, _ = load_own_corpus()
    try:
        recorded = load_recorded(recorded_folder(options.results))
        views = unfiled(corpus, recorded)
    except ResultError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if options.claim:
        views = [view for view in views if options.claim in (view.cause.id, *(claim.id for claim in view.claims))]
        if not views:
            advice = "'conformance report-docs --list' lists the ids"
            print(f"conformance: nothing to report about {options.claim!r}; {advice}", file=sys.stderr)
            return 2
    if options.list or not (options.claim or options.output):
        for view in views:
            name = view.cause.id if view.named else view.claims[0].id
            rank = f"{view.harm}, {view.reach}"
            print(printable(f"{view.cause.kind:11} {name}  {issue_title(view)} [{rank}]", keep=""))
        print(f"{len(views)} to report; give an ID to print one, or --output DIR to write them all", file=sys.stderr)
        return 0
    if sys.flags.optimize > 1:
        print("conformance: no documentation is quoted: this Python runs with -OO, without docstrings", file=sys.stderr)
    try:
        for view in views:
            text = printable(issue_text(view, corpus, recorded, _quote))
            if options.output:
                replace_file(options.output / f"{file_name(view)}.md", text)
            else:
                print(text)
        if options.output:
            replace_file(options.output / "README.md", printable(issue_index(views)))
    except ResultError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if options.output:
        print(f"wrote {len(views)} issues to {options.output}")
    return 0


def _quote(source: Source) -> Optional[str]:
    """Read the sentence of a docstring from the torch installed here, if there is one."""
    if source.kind != "docs" or not source.key:
        return None
    from conformance.language.sentences import find_sentences
    from conformance.run.worker.docstrings import docstring

    found = find_sentences(docstring(source.name), source.key)
    return found[0] if found else None
