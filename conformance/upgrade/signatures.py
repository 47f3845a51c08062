"""What the signature of the new release does to a call that the old release took."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Optional

from conformance.names.model import NameRecord
from conformance.usage import Argument, Call
from conformance.usage.matching import Breakage, Signature, bind, breakage, parse_signature

_BOUND = ("method", "classmethod")
_ANY = Argument()


class Arrival(NamedTuple):
    """An argument that the old release lacks, and that had another default where it came than it has in the new one."""

    argument: str
    came: str
    before: str
    since: str
    after: str
    is_certain: bool


@lru_cache(maxsize=10_000)
def signatures(record: NameRecord) -> tuple[Signature, ...]:
    """Return the signatures of a callable, without the object of a method; none where one can't be read."""
    found = [parse_signature(text) for text in record.signatures]
    if None in found:
        return ()
    read = [signature for signature in found if signature is not None]
    if record.kind in _BOUND:
        read = [
            signature[1:] if signature and signature[0].name in ("self", "cls", "_cls") else signature
            for signature in read
        ]
    return tuple(read)


def comparable(old: NameRecord, new: NameRecord) -> bool:
    """Return whether the signatures of two releases were read in the same way, so that a difference is torch's."""
    return (old.origin == "doc") == (new.origin == "doc") and bool(signatures(old)) and bool(signatures(new))


def broken(call: Call, old: NameRecord, new: NameRecord) -> Optional[Breakage]:
    """Return what happens to a call: by the signature of the new release that suits it best.

    None where nothing happens, and where the old release would not have taken the call either.
    """
    if old.signatures == new.signatures or not comparable(old, new):
        return None
    taken = [signature for signature in signatures(old) if _takes(signature, call)]
    found = [breakage(call, one, other) for one in taken for other in signatures(new)]
    best = min(found, key=_weight, default=None)
    if not best:
        return None
    if old.origin != new.origin and not (best.gone or best.missing):
        return None
    return best


def arrivals(call: Call, old: NameRecord, later: Sequence[tuple[str, NameRecord]]) -> Iterator[Arrival]:
    """Yield the arguments that a call leaves out, that came later, and whose default changed then.

    Parameters
    ----------
    later
        The releases after the old one up to the new one.
    """
    known = [(release, signatures(one)[0]) for release, one in later if len(signatures(one)) == 1]
    if len(signatures(old)) != 1 or not known or known[-1][0] != later[-1][0] or not comparable(old, later[-1][1]):
        return
    (had,), bound = signatures(old), bind(call, known[-1][1])
    if not _takes(had, call):
        return
    for name in [one.name for one in known[-1][1] if one not in had and one.name not in bound.passed]:
        defaults = [(release, one.default) for release, taken in known for one in taken if one.name == name]
        (came, before), (since, after) = defaults[0], defaults[-1]
        if any(one.name == name for one in had) or before is None or after is None or before == after:
            continue
        for release, default in reversed(defaults):
            if default != after:
                break
            since = release
        yield Arrival(name, came, before, since, after, not bound.is_open)


def takes_keyword(record: NameRecord, name: str) -> bool:
    """Return whether a parameter is still there, by keyword only."""
    return any(parameter.name == name for signature in signatures(record) for parameter in signature)


def deprecated_passed(call: Call, record: NameRecord) -> set[str]:
    """Return the arguments that a call passes and whose default is the text 'deprecated'."""
    return {
        parameter.name
        for signature in signatures(record)
        for passed in [bind(call, signature).passed]
        for parameter in signature
        if parameter.default == "'deprecated'" and parameter.name in passed
    }


def shape_of(call: Call) -> Call:
    """Return a call without its values: which parameters it passes, which is all that a signature decides by."""
    positional = (_ANY,) * len(call.positional)
    return Call(positional, tuple((name, _ANY) for name, _ in call.keywords), *call[2:])


def _takes(signature: Signature, call: Call) -> bool:
    bound = bind(call, signature)
    return not bound.unexpected and not bound.too_many and (bound.is_open or not bound.missing)


def _weight(found: Breakage) -> tuple[int, int]:
    return len(found.gone) + len(found.missing), len(found.moved) + len(found.defaults)
