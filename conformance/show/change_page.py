"""A change of torch as text: what it does to code, what to write, and a script that shows it."""

from __future__ import annotations

import textwrap

from conformance.language.model import Change
from conformance.run.scripts.observation import observing_script

_WIDTH = 112
_VERBS = {"breaks": "breaks code", "changes": "changes what code gives", "warns": "makes code warn"}


def change_page(change: Change) -> str:
    """Return all that is written of a change."""
    fields = (
        ("only if", change.condition),
        ("before", change.before),
        ("after", change.after),
        ("write", change.instead),
        ("about", ", ".join(dict.fromkeys(match.name for match in change.match))),
        *(("seen in", link) for link in change.links),
        ("no script", change.unmeasured),
    )
    lines = [f"torch {change.release} {_VERBS[change.harm]}: {change.title.replace('`', '')}"]
    for label, text in fields:
        if text:
            lines += textwrap.wrap(text, _WIDTH, initial_indent=f"  {label:10}", subsequent_indent=" " * 12)
    if change.examples:
        script = observing_script(change.examples[-1], {}, "judged")
        lines += [f"  script    to run before {change.release} and since", textwrap.indent(script, "    ")]
    return "\n".join(lines)
