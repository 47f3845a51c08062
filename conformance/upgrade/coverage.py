"""What the report of somebody's code covers: which names of torch are known, and what was not read."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.names.model import Found, Gone, NotMeasured, NotYet
from conformance.upgrade.model import ReportCoverage
from conformance.upgrade.name_changes import NameChanges
from conformance.upgrade.signatures import signatures
from conformance.usage import Evidence, Kind, Project, Use, UseGroup

#: A member that no release has: the object is of a class of the code's own.
_OWN = "of the code's own"
_NOWHERE = "in no recorded release"


def coverage_of(
    project: Project,
    groups: Iterable[UseGroup],
    changes: NameChanges,
) -> ReportCoverage:
    """Return what is known of the names and calls in a project.

    Parameters
    ----------
    groups
        The uses in the project.
    """
    first: dict[str, Use] = {}
    calls: dict[str, int] = {}
    for use, places in groups:
        if use.evidence is Evidence.MAYBE or use.kind is Kind.OVERRIDE:
            continue
        for name in changes.meant(use) or use.names[:1]:
            told = first.setdefault(name, use)
            if (told.guarded, -told.evidence) > (use.guarded, -use.evidence):
                first[name] = use  # The surest tells most.
            calls[name] = calls.get(name, 0) + len(places) * (use.kind is Kind.CALL)
    unknown: dict[str, tuple[Use, str]] = {}
    missing: dict[str, tuple[Use, str]] = {}
    for name, use in list(first.items()):
        why = _unknown(name, changes)
        if why == _OWN or (use.guarded and why == _NOWHERE):
            del first[name]
        elif why.startswith("gone") and use.evidence is not Evidence.CERTAIN:
            del first[name]  # Code that works in the old release has another object there.
        elif why:
            (missing if why.startswith("gone") else unknown)[name] = use, why
    known = [name for name in first if name not in unknown and name not in missing]
    return ReportCoverage(
        files=project.read,
        names=len(first),
        calls=sum(calls.values()),
        known_calls=sum(calls[name] for name in known if _has_signature(name, changes)),
        unknown=unknown,
        missing={name: found for name, found in missing.items() if not found[0].guarded},
        not_read=tuple(project.not_read()),
        unclear=tuple(project.unclear()),
        skipped=project.skipped,
    )


def _unknown(name: str, changes: NameChanges) -> str:
    """Return why nothing is known of a name, or since when it is gone from both releases; empty where it is known."""
    answers = [changes.answer(name, release) for release in (changes.old, changes.new)]
    if any(isinstance(answer, Found) for answer in answers):
        return ""
    old = answers[0]
    if isinstance(old, Gone):
        return f"gone since {old.since}"
    reasons = [answer.reason for answer in answers if isinstance(answer, NotMeasured)]
    if reasons or isinstance(old, NotYet):
        return reasons[0] if reasons else f"comes with {old.since}" if isinstance(old, NotYet) else ""
    owner = changes.answer(name.rpartition(".")[0], changes.new)
    return _OWN if isinstance(owner, Found) and owner.record.kind == "class" else _NOWHERE


def _has_signature(name: str, changes: NameChanges) -> bool:
    answer = changes.answer(name, changes.old)
    return isinstance(answer, Found) and bool(signatures(answer.record))
