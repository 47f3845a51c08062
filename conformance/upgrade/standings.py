"""What is told where a claim stands otherwise in the new release."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from conformance.results.model import Entry
from conformance.scripts.observation import name_script
from conformance.text import bounded, one_line
from conformance.upgrade.comparison import LONGEST, Comparison, Finding
from conformance.upgrade.severity import Severity
from conformance.views.aspects import LATER_DTYPES, Aspect, dtypes_named
from conformance.views.reach import reach_of
from conformance.views.recorded import Cell
from conformance.views.releases import as_version
from conformance.views.verdicts import standing

STANDING = Aspect("standing")
#: Kinds of findings that say all there is to say of a claim.
FINAL = ("vanished", "appeared", "promise")
#: Kinds of findings of a verdict that changed.
CAUSED = ("crash", "silent", "loud", "silent on some", "loud on some", "fixed")
#: Families of which a broken promise stops no program.
_SILENT = ("sharing", "gradients", "leaf", "values", "dtype")


def of_standing(comparison: Comparison) -> Iterator[Finding]:
    """Yield what is told where a claim stands otherwise."""
    before, after = comparison.ends(STANDING) or ("", "")
    subject, title = comparison.claim.subject, comparison.claim.title
    told = in_words(comparison.old), in_words(comparison.new)
    if before == after:
        return
    if after == "absent":
        yield _of_name(comparison, "breaks", "vanished", f"{subject} is gone", ("there", "no such name"))
    elif before == "absent":
        notes = (f"{title}: {told[1]}",) if after in ("false", "crash") else ()
        yield _of_name(comparison, "improvement", "appeared", f"{subject} is new", ("no such name", "there"), notes)
    elif "excluded" in (before, after):
        yield from _promised(comparison, after, told)
    elif after == "crash":
        yield _of_verdict(comparison, "breaks", "crash", f"crashes: {title}", told, caused=False)
    elif before == "crash" and after == "false":
        yield _of_verdict(comparison, "improvement", "fixed", f"no longer crashes, but is false: {title}", told)
    elif after == "false":
        yield _broken(comparison, told)
    elif after == "true":
        severity = _mended(comparison)
        kind = "fixed" if severity == "improvement" else "silent"
        yield _of_verdict(comparison, severity, kind, f"now: {title}", (told[0], _now(comparison, told[1])))


def in_words(cell: Cell) -> str:
    """Return what happens, by a verdict, in a release."""
    entry = cell.entry
    stands = None if entry is None else standing(entry.verdict)
    if entry is None or stands == "true":
        return "true"
    if stands == "open":
        return "left open"
    if stands == "crash":
        return "no end within the time limit" if entry.verdict == "timed-out" else "the interpreter crashes"
    # Several divergences may have one cause, and so one note.
    notes = " ".join(dict.fromkeys(one_line(divergence.note) for divergence in cell.divergences))
    return bounded(notes or f"false: {entry.failed or 'as recorded'}", LONGEST)


def _now(comparison: Comparison, told: str) -> str:
    """Return what is seen of a promise that came true."""
    facts = comparison.entries[1].facts
    return told if facts is None or facts.raises is None else f"raises {facts.raises.type}"


def _broken(comparison: Comparison, told: tuple[str, str]) -> Finding:
    entry, applied = comparison.entries[1], comparison.new.divergences
    severity, reasons = _how_bad(comparison, entry)
    raised = entry.facts is not None and entry.facts.raises is not None
    kind = "silent" if comparison.claim.family in _SILENT and not raised else "loud"
    what = "no longer true"
    if applied and all(divergence.where is not None for divergence in applied):
        kind, what = f"{kind} on some", f"{what} for some inputs"
    return _of_verdict(comparison, severity, kind, f"{what}: {comparison.claim.title}", told, reasons)


def _how_bad(comparison: Comparison, entry: Entry) -> tuple[Severity, tuple[str, ...]]:
    """Return how bad it is that a claim became false, and why it is not worse."""
    wheres = [divergence.where.text for divergence in comparison.new.divergences if divergence.where]
    old = comparison.old.release
    named = dtypes_named(" ".join([entry.counterexample or "", *wheres]))
    unknown = sorted(name for name in named if not has_dtype(old, name))
    if unknown:
        return "wording", (f"false only for {', '.join(unknown)}, which torch {old} does not have",)
    if all(source.kind == "article" for source in comparison.claim.sources):
        return "changes", ("said by an article, and not by PyTorch's documentation",)
    return "breaks", ()


def _mended(comparison: Comparison) -> Severity:
    """Return how much it can hurt that a claim became true: code may rely on what happened before."""
    facts, ways = comparison.entries[0].facts, comparison.old.divergences
    kinds = {divergence.kind for divergence in ways}
    # What is recorded of one example says nothing of other inputs, on which alone the claim was false.
    raised = (facts is not None and facts.raises is not None) or all(way.instead.raises for way in ways)
    relied_on = kinds == {"changed"} and not (raised and comparison.claim.expectation.raises is None)
    if not relied_on:
        return "improvement"
    return "corner" if all(reach_of(comparison.claim, way).is_corner for way in ways) else "changes"


def _promised(comparison: Comparison, after: str, told: tuple[str, str]) -> Iterator[Finding]:
    specifier = comparison.claim.applies.torch
    if specifier is None or _admits(specifier, comparison.old.release) == _admits(specifier, comparison.new.release):
        return  # NumPy, Python or the device excludes it, and not torch
    applies = f"the claim is about torch {specifier}"
    severity: Severity = "wording" if after == "excluded" else "improvement" if after == "true" else "documentation"
    what = f"promised {'no longer' if after == 'excluded' else 'now'}: {comparison.claim.title}"
    before, since = (told[0], applies) if after == "excluded" else (applies, told[1])
    yield _told(comparison, severity, "promise", what, (before, since), _observing(comparison))


def _of_name(
    comparison: Comparison,
    severity: Severity,
    kind: str,
    what: str,
    told: tuple[str, str],
    notes: tuple[str, ...] = (),
) -> Finding:
    return _told(comparison, severity, kind, what, told, name_script(comparison.claim.subject), notes)


def _of_verdict(
    comparison: Comparison,
    severity: Severity,
    kind: str,
    what: str,
    told: tuple[str, str],
    reasons: tuple[str, ...] = (),
    *,
    caused: bool = True,
) -> Finding:
    notes = (*reasons, *(comparison.causes(STANDING) if caused else ()))
    return _told(comparison, severity, kind, what, told, _showing(comparison), notes)


def _told(
    comparison: Comparison,
    severity: Severity,
    kind: str,
    what: str,
    told: tuple[str, str],
    script: str,
    notes: tuple[str, ...] = (),
) -> Finding:
    claim = comparison.claim
    return Finding(claim, severity, kind, what, *told, comparison.when(STANDING), script, claim.subject, notes)


def _showing(comparison: Comparison) -> str:
    """Return the recorded counterexample of the release where the claim is false; it passes on the other one."""
    for entry in reversed(comparison.entries):
        if standing(entry.verdict) in ("false", "crash") and entry.counterexample is not None:
            return entry.counterexample
    return _observing(comparison)


def _observing(comparison: Comparison) -> str:
    return comparison.script("error" if comparison.claim.expectation.raises else "")


def _admits(specifier: str, release: str) -> bool:
    return SpecifierSet(specifier).contains(as_version(release).base_version, prereleases=True)


def has_dtype(release: str, name: str) -> bool:
    """Return whether a release has one of the later dtypes."""
    return as_version(release) >= as_version(LATER_DTYPES[name])
