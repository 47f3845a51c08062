"""Which code a change concerns."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.language.model import Change, CodeMatch
from conformance.names.lookup import Names
from conformance.names.model import Found
from conformance.names.store import minor, release_key
from conformance.upgrade.signatures import signatures
from conformance.usage import Evidence, Kind, Use, read_project
from conformance.usage.matching import Signature, bind
from conformance.usage.rules import canonical

_KINDS = {"read": Kind.NAME, "base": Kind.BASE}


def concerns(change: Change, code: str, names: Names) -> bool:
    """Return whether a change concerns a piece of Python, in which torch is imported; nothing of it is run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "code.py")
        path.write_text(f"import torch\n{code}\n", encoding="utf-8")
        uses = [group.use for group in read_project([path]).groups()]
    return any(is_concerned(change, use, names) for use in uses)


def is_concerned(change: Change, use: Use, names: Names) -> bool:
    """Return whether a change concerns a use, as far as the code shows: not where it expects the change."""
    if use.evidence is Evidence.MAYBE or use.guarded or use.kind is Kind.OVERRIDE:
        return False
    return any(_matches(match, use, change.release, names) for match in change.match)


def _matches(match: CodeMatch, use: Use, release: str, names: Names) -> bool:
    called = {name for name in use.names for name in (name, canonical(name))}
    if match.how == "use":
        return any(f"{name}.".startswith(f"{match.name}.") for name in called)
    if match.name not in called:
        return False
    if match.how in _KINDS:
        return use.kind is _KINDS[match.how]
    if match.how == "class decorator":
        return use.decorates_class
    if use.call is None:
        return False
    if len(use.call.positional) < match.positional:
        return False
    passed = {name for name, _ in use.call.keywords}
    for signature in _signatures(match.name, release, names):
        passed.update(bind(use.call, signature).passed)
    if match.leaves_out and (use.call.more_keywords or use.call.more_positional):
        return False
    return (not match.passes or bool(passed & set(match.passes))) and not passed & set(match.leaves_out)


def _signatures(name: str, release: str, names: Names) -> Iterator[Signature]:
    """Yield the signatures of a name in the last release before a change, or else in that of the change."""
    known = [minor(one) for one in names.releases]
    earlier = [one for one in known if release_key(one) < release_key(release)]
    for near in (*earlier[-1:], *known[len(earlier) : len(earlier) + 1]):
        found = names.lookup(name, near)
        if isinstance(found, Found) and signatures(found.record):
            yield from signatures(found.record)
            return
