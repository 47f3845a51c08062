"""``conformance show``: declared, and run."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from conformance.show.model import Finding

_DESCRIPTION = """\
Show what is known of a name in any spelling, of code, of two names, an argument, a concept, an error message, or what
answers a question in plain words."""
_EPILOG = """\
examples:
  conformance show reshape
  conformance show "x.detach().clone()"
  conformance show view vs reshape
  conformance show weights_only
  conformance show "Can't call numpy() on Tensor that requires grad"
  conformance show does contiguous copy"""


#: The subject of a claim of one's own, or its id.
_OWN = re.compile(r"\w{2,}(?:\.\w+)+(?:/[\w-]+)?")


def add_show(commands: Any) -> None:
    """Declare the command."""
    show = commands.add_parser(
        "show",
        help="show what a name does, what an error means, what answers a question",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument(
        "text", nargs="+", help="a name, code, two names, an argument, a message, a question, a claim's id"
    )
    show.add_argument("--all", action="store_true", help="list all calls, changes and claims")
    show.add_argument("--json", action="store_true", help="print it as JSON")
    show.add_argument("--results", type=Path, metavar="DIR", help="folder of result files (default: the recorded ones)")
    show.add_argument(
        "--specs",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="your own spec files or folders, beside the corpus; --results has their results",
    )
    show.set_defaults(function=show_text)


def show_text(options: argparse.Namespace, rest: Sequence[str] = ()) -> int:
    """Print what is known of a text; the exit status is 2 where that is nothing."""
    from conformance.base.json_files import ResultError
    from conformance.show.model import NoFinding
    from conformance.show.printing import as_text

    try:
        if not "".join(options.text).strip():
            raise NoFinding("the text is empty; give a name of torch, code, a message or a question")
        findings = _found(" ".join(options.text), options.specs, options.results)
    except (NoFinding, ResultError) as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([{"kind": type(one).__name__, **asdict(one)} for one in findings], indent=2))
    else:
        print(as_text(findings, everything=options.all))
    return 0


def _found(text: str, specs: Sequence[Path], results: Optional[Path]) -> tuple[Finding, ...]:
    from conformance.base.recorded_folder import default_root, recorded_folder
    from conformance.show.asking import Asking
    from conformance.show.index import open_index
    from conformance.show.model import NoFinding
    from conformance.show.spelling import MODULES

    own: tuple[Finding, ...] = ()
    folder = recorded_folder(results)
    if specs:
        from conformance.show.own_claims import own_findings  # reads YAML, which a look-up does not need

        own, folder = own_findings(text, specs, results), recorded_folder()
    is_foreign = _OWN.fullmatch(text) is not None and text.partition(".")[0] not in ("torch", *MODULES)
    if own and is_foreign:
        return own  # and no name of torch that is spelt nearly so
    hint = "; --specs PATH shows claims of your own" if is_foreign and not specs else ""
    try:
        found = Asking(open_index(folder, default_root()), folder).ask(text)
    except NoFinding as error:
        if own:
            return own
        raise NoFinding(f"{error}{hint}") from None
    return (*own, *(_with_hint(one, hint) for one in found))


def _with_hint(finding: Finding, hint: str) -> Finding:
    """Return a name that was guessed with what else it could have been."""
    from conformance.show.model import NameFinding

    if isinstance(finding, NameFinding) and finding.note:
        return replace(finding, note=f"{finding.note}{hint}")
    return finding
