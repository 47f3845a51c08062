"""What is told where something else was seen under the same verdict."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, Callable, Optional

from conformance.language.model import Divergence
from conformance.results.model import Entry
from conformance.scripts.observation import dtype_of_kernel, observing_script
from conformance.text import bounded, one_line
from conformance.upgrade.comparison import LONGEST, Comparison, Ends, Finding
from conformance.upgrade.severity import Severity, still_caught
from conformance.upgrade.standings import has_dtype, in_words
from conformance.views.aspects import LATER_DTYPES, Aspect, AspectKind
from conformance.views.facts import signal_in_words
from conformance.views.pieces import joined, plain
from conformance.views.program import expectation
from conformance.views.recorded import Cell, Measured

#: Aspects that are told elsewhere.
_ELSEWHERE: tuple[AspectKind, ...] = ("standing", "sentence")
#: An aspect that says nothing of its own where one of the others differs too.
_IMPLIED: dict[AspectKind, frozenset[AspectKind]] = {
    "message": frozenset(("error",)),
    "tier": frozenset(("error", "message", "warnings", "standing", "divergence")),
    "value": frozenset(("error", "dtype")),
    "node": frozenset(("error",)),
    "requires-grad": frozenset(("error",)),
    "history": frozenset(("error",)),
    "leaf": frozenset(("error",)),
}
_RELATIONS = {"shares": "shares memory with", "view-of": "is a view of", "same": "is the same object as"}
_PROPERTIES = {"leaf": "is a leaf", "requires-grad": "requires grad", "history": "has a grad_fn"}
_TIERS = {"error": "raises or warns", "type": "raises the expected class", "message": "gives the expected message"}
#: Dtypes, as the error about a missing kernel names them, that every torch since 1.8 has and that are tried in each.
_OLD_KERNELS = frozenset(
    (
        *("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double"),
        *("ComplexFloat", "ComplexDouble", "Bool", "BFloat16"),
    )
)
_Teller = Callable[[Comparison, Aspect, Ends], Iterator[Finding]]


def of_observations(comparison: Comparison) -> Iterator[Finding]:
    """Yield what is told of every aspect that differs, but for what another one implies."""
    seen = {aspect: ends for aspect in comparison.lines if (ends := comparison.difference(aspect)) is not None}
    kinds = {aspect.kind for aspect in seen}
    for aspect, ends in seen.items():
        if aspect.kind not in _ELSEWHERE and not kinds & _IMPLIED.get(aspect.kind, frozenset()):
            yield from _TELLERS[aspect.kind](comparison, aspect, ends)


def _error(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    before, after = ends
    severity: Severity = "changes"
    if before is None:
        what = f"raises {after} now"
    elif after is None:
        severity = "changes" if comparison.claim.expectation.raises else "improvement"
        what = f"no longer raises {before}"
    else:
        severity = "wording" if still_caught(before, after) else "changes"
        what = f"raises {after}, was {before}"
    yield comparison.finding(aspect, severity, what, *map(_raised, comparison.entries))


def _raised(entry: Entry) -> str:
    raises = entry.facts.raises if entry.facts is not None else None
    return "no error" if raises is None else signal_in_words(raises)


def _message(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    what = f"the message of the {ends.after.partition(':')[0]} is worded otherwise"
    yield comparison.finding(aspect, "wording", what, *ends)


def _node(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    if ends.after == f"{ends.before}0":
        # torch 1.10 renamed all of them at once.
        what = "names of grad_fn end in 0 now"
        yield comparison.finding(aspect, "wording", what, "…Backward", "…Backward0")
    else:
        yield comparison.finding(aspect, "wording", f"grad_fn is {ends.after}, was {ends.before}", *ends)


def _observed(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    expressions, position = comparison.claim.expectation.expect, int(aspect.name)
    text = bounded(expressions[position].text, LONGEST) if position < len(expressions) else ""
    severity: Severity = "changes" if set(ends) == {"always", "never"} else "wording"
    yield comparison.finding(aspect, severity, f"{text} is {ends.after} true, was {ends.before}", *ends)


def _tier(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    severity: Severity = "wording" if aspect.name == "message" else "changes"
    what = f"{ends.after} {_TIERS[aspect.name]}, was {ends.before}"
    if comparison.claim.unspecified and aspect.name == "error":
        before, after = (cell.happens for cell in (comparison.old, comparison.new))
        what, ends = f"{after} now (not promised)", Ends(before, after)
    yield comparison.finding(aspect, severity, what, *ends)


def _divergence(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    before, after = set(ends.before), set(ends.after)
    how = "one more way" if before < after else "fewer ways" if before > after else "another way"
    severity: Severity = "improvement" if after < before else "changes"
    what = f"false in {how}: {comparison.claim.title}"
    told = in_words(comparison.old), in_words(comparison.new)
    if told[0] == told[1]:
        # One cause has one note, which says nothing of what it does in either release.
        told = _as_recorded(comparison.old), _as_recorded(comparison.new)
    if told[0] == told[1]:
        return
    known = comparison.claim.diverges
    changed = [known[number] for number in sorted(before ^ after) if number < len(known)]
    script = _pinned(comparison, changed[0]) if changed else ""
    yield comparison.finding(aspect, severity, what, *told, script=script)


def _as_recorded(cell: Cell) -> str:
    """Return what happens in place of the claim, and for which inputs, as the divergences record it."""
    ways = []
    for divergence in cell.divergences:
        where = f"where {one_line(divergence.where.text)}: " if divergence.where is not None else ""
        ways.append(f"{where}{plain(joined(expectation(divergence.instead)))}")
    return bounded("; ".join(ways), LONGEST)


def _pinned(comparison: Comparison, divergence: Divergence) -> str:
    """Return a script with the counterexample that a divergence pins."""
    example = {name: recipe.text for name, recipe in divergence.example}
    return observing_script(comparison.claim, example, "judged", "", comparison.path[-1].device)


def _no_kernel(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    # A dtype that the old release did not have is no loss: it counts as had where some entry of its file names it.
    old, new = comparison.path[0], comparison.path[-1]
    before, after = comparison.entries
    before, after = comparison.entries
    lost = [name for name in sorted(set(ends.after) - set(ends.before)) if _had(old, name) and _may_work(before, name)]
    gained = [name for name in sorted(set(ends.before) - set(ends.after)) if _had(new, name) and _may_work(after, name)]
    if lost:
        what = f"no kernel any more for {', '.join(lost)}"
        worked = "worked" if _works(before, lost) else "no kernel was missing"
        script = comparison.script("no-kernel", lost[0])
        yield comparison.finding(aspect, "changes", what, worked, "not implemented", script=script)
    elif gained:
        names = ", ".join(gained)
        proven = _works(after, gained)
        what = f"works for {names} now" if proven else f"no kernel is missing for {names} any more"
        works = "works" if proven else "no kernel is missing"
        script = comparison.script("no-kernel", gained[0])
        yield comparison.finding(aspect, "improvement", what, "not implemented", works, script=script)


def _works(entry: Entry, kernels: list[str]) -> bool:
    """Return whether it is known that examples with some dtypes were judged."""
    return all(_was_judged(entry, kernel) for kernel in kernels)


def _may_work(entry: Entry, kernel: str) -> bool:
    return _was_judged(entry, kernel) is not False


def _was_judged(entry: Entry, kernel: str) -> Optional[bool]:
    """Return whether some example with a dtype was judged; None where the result file does not tell."""
    known = [covered.unjudged for covered in entry.covered.values() if covered.unjudged is not None]
    return any(dtype_of_kernel(kernel) not in unjudged for unjudged in known) if known else None


def _had(measured: Measured, kernel: str) -> bool:
    if kernel in _OLD_KERNELS:
        return True
    name = kernel.lower()
    if name in LATER_DTYPES and has_dtype(measured.torch, name):
        return True
    return kernel in measured.missing_kernels


def _relation(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    word, name = _RELATIONS[aspect.kind], aspect.name
    before, after = set(ends.before), set(ends.after)
    told = [f"{name} {word} {other} now" for other in sorted(after - before)]
    told += [f"{name} {word} {other} no longer" for other in sorted(before - after)]
    texts = (f"{name} {word} {', '.join(side) or 'no input'}" for side in ends)
    yield comparison.finding(aspect, "changes", "; ".join(told), *texts)


def _property(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    what = f"{aspect.name} {_PROPERTIES[aspect.kind]} {'now' if ends.after else 'no longer'}"
    yield comparison.finding(aspect, "changes", what, *("yes" if value else "no" for value in ends))


def _other(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    what = f"{aspect.name} has another {'property' if aspect.kind == 'flags' else aspect.kind}"
    yield comparison.finding(aspect, "changes", what, *map(_flat, ends))


def _flat(value: Any) -> str:
    return ", ".join(value) or "none" if isinstance(value, tuple) else str(value)


def _warnings(comparison: Comparison, aspect: Aspect, ends: Ends) -> Iterator[Finding]:
    gone, new = sorted(ends.before - ends.after), sorted(ends.after - ends.before)
    for category, message in list(new):
        earlier = _similar(category, message, gone)
        if earlier is not None:
            new.remove((category, message))
            gone.remove((category, earlier))
            yield comparison.finding(aspect, "wording", f"a {category} is worded otherwise", earlier, message)
    for category, message in new:
        yield comparison.finding(aspect, "warns", f"new {category}", "no warning", message)
    for category, message in gone:
        yield comparison.finding(aspect, "improvement", f"no {category} any more", message, "no warning")


def _similar(category: str, message: str, others: list[tuple[str, str]]) -> Optional[str]:
    candidates = [text for name, text in others if name == category]
    found = difflib.get_close_matches(message, candidates, n=1, cutoff=0.5)
    return found[0] if found else None


_TELLERS: dict[AspectKind, _Teller] = {
    "error": _error,
    "message": _message,
    "node": _node,
    "observed": _observed,
    "tier": _tier,
    "divergence": _divergence,
    "no-kernel": _no_kernel,
    "warnings": _warnings,
    "shares": _relation,
    "view-of": _relation,
    "same": _relation,
    "leaf": _property,
    "requires-grad": _property,
    "history": _property,
    "dtype": _other,
    "value": _other,
    "flags": _other,
}
