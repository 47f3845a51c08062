"""What differs for one claim between two releases: findings, each with a severity."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

from packaging.specifiers import SpecifierSet

from conformance.language.model import Claim, Divergence
from conformance.results.aspects import LATER_DTYPES, Aspect, dtypes_named, same, sentence_sources, standing
from conformance.results.cells import as_version, cell, release_order
from conformance.results.documentation import documentation_states
from conformance.results.history import Change, Timeline, comparable, timelines
from conformance.results.store import Results
from conformance.upgrade.script import documentation_script, name_script, observing_script
from conformance.upgrade.severity import still_caught

_SILENT = ("sharing", "gradients", "leaf", "values", "dtype")
_LONGEST = 400
#: Kinds that one change of torch shows in many claims alike.
_SHARED = ("node", "message", "warning", "unsupported")
#: Dtypes, as the error about a missing kernel names them, that every torch since 1.8 has and that are tried in each.
_OLD_KERNELS = frozenset(
    (
        "Byte",
        "Char",
        "Short",
        "Int",
        "Long",
        "Half",
        "Float",
        "Double",
        "ComplexFloat",
        "ComplexDouble",
        "Bool",
        "BFloat16",
    )
)


@dataclass(frozen=True)
class Finding:
    """One difference in what was measured for one claim.

    ``what`` tells it in a few words, ``before`` and ``after`` what was seen, ``when`` in which release it changed.
    Findings with the same ``what``, ``before``, ``after`` and ``when`` about one ``scope`` are one entry of the report.
    """

    claim: Claim
    severity: str
    kind: str
    what: str
    before: str
    after: str
    when: str
    script: str
    scope: str = ""
    notes: tuple[str, ...] = ()


class Comparison:
    """A claim in two releases, and in those between.

    Parameters
    ----------
    path
        Result files of one device from the old to the new release; the first and the last are compared, the others tell
        when.
    """

    def __init__(self, claim: Claim, path: Sequence[Results]) -> None:
        self.claim = claim
        self._path = path
        self._old, self._new = cell(claim, path[0]), cell(claim, path[-1])
        self._environments = {results.environment["torch"]: results.environment for results in path}
        self._device = path[-1].environment["device"]
        self._lines: dict[Aspect, Timeline] = {}

    @property
    def hole(self) -> str:
        """Why the claim can't be compared; empty where it can."""
        for side in (self._old, self._new):
            if side.entry is None:
                return f"{side.release}: {side.hole}"
            if standing(side.entry) is None:
                return f"{side.release}: it could not be judged"
        return ""

    def findings(self) -> list[Finding]:
        """Return all differences, none where the claim can't be compared."""
        if self.hole:
            return []
        self._lines = timelines(self.claim, self._path)
        before, after = self._ends(Aspect("standing"))
        found = list(self._standing(str(before), str(after))) if before != after else []
        if found and found[0].kind in ("vanished", "appeared", "promise"):
            return found
        observed = list(self._observed())
        if found:
            # What was seen beside a changed verdict belongs to it, but for what many claims show alike.
            told = tuple(f"also: {item.what}" for item in observed if item.kind not in _SHARED)
            found[0] = replace(found[0], notes=(*found[0].notes, *told))
            observed = [item for item in observed if item.kind in _SHARED]
        return found + observed + list(self._sentences())

    # What a claim's verdict says

    def _standing(self, before: str, after: str) -> Iterator[Finding]:
        claim, when = self.claim, self._when(Aspect("standing"))
        old, new = self._entries()
        notes = self._causes(Aspect("standing"))
        told_before, told_after = self._told(old, before), self._told(new, after)
        if after == "absent":
            yield self._finding(
                "breaking", "vanished", f"{claim.subject} is gone", "there", "no such name", when, "name"
            )
        elif before == "absent":
            failing = f"{claim.title}: {told_after}" if after in ("false", "crash") else ""
            what = f"{claim.subject} is new"
            yield self._finding("improvement", "appeared", what, "no such name", "there", when, "name", failing)
        elif "excluded" in (before, after):
            yield from self._promised(before, after, when, told_before, told_after)
        elif after == "crash":
            yield self._finding(
                "breaking", "crash", f"crashes: {claim.title}", told_before, told_after, when, "verdict"
            )
        elif before == "crash" and after == "false":
            what = f"no longer crashes, but is false: {claim.title}"
            yield self._finding("improvement", "fixed", what, told_before, told_after, when, "verdict", *notes)
        elif after == "false":
            severity, reasons = self._broken(new)
            kind = "silent" if claim.family in _SILENT and "raises" not in new.get("facts", {}) else "loud"
            what = f"no longer true: {claim.title}"
            divergences = self._divergences(new)
            if divergences and all(divergence.where is not None for divergence in divergences):
                kind, what = f"{kind} on some", f"no longer true for some inputs: {claim.title}"
            yield self._finding(severity, kind, what, told_before, told_after, when, "verdict", *reasons, *notes)
        elif after == "true":
            severity = self._mended(old)
            what = f"true now: {claim.title}"
            kind = "fixed" if severity == "improvement" else "silent"
            yield self._finding(severity, kind, what, told_before, told_after, when, "verdict", *notes)

    def _promised(self, before: str, after: str, when: str, told_before: str, told_after: str) -> Iterator[Finding]:
        specifier = self.claim.applies.torch
        sides = [specifier is not None and _admits(specifier, side.release) for side in (self._old, self._new)]
        if specifier is None or sides[0] == sides[1]:
            return  # NumPy, Python or the device excludes it, and not torch
        applies = f"the claim is about torch {specifier}"
        if after == "excluded":
            what = f"promised no longer: {self.claim.title}"
            yield self._finding("notice", "promise", what, told_before, applies, when, "observe")
        else:
            what = f"promised now: {self.claim.title}"
            severity = "improvement" if after == "true" else "documentation"
            yield self._finding(severity, "promise", what, applies, told_after, when, "observe")

    def _broken(self, new: dict[str, Any]) -> tuple[str, list[str]]:
        """Say how bad it is that a claim became false, and why it is not worse."""
        divergences = self._divergences(new)
        text = " ".join([new.get("counterexample", ""), *(item.where.text for item in divergences if item.where)])
        unknown = sorted(name for name in dtypes_named(text) if not _has_dtype(self._old.release, name))
        if unknown:
            return "notice", [f"false only for {', '.join(unknown)}, which torch {self._old.release} does not have"]
        if all(source.kind == "article" for source in self.claim.sources):
            return "behaviour", ["said by an article, and not by PyTorch's documentation"]
        return "breaking", []

    def _mended(self, old: dict[str, Any]) -> str:
        """Say how much it can hurt that a claim became true: code may rely on what happened before."""
        kinds = {divergence.kind for divergence in self._divergences(old)}
        raised = "raises" in old.get("facts", {}) and self.claim.expectation.raises is None
        return "behaviour" if kinds == {"changed"} and not raised else "improvement"

    def _told(self, entry: dict[str, Any], stands: str) -> str:
        if stands == "true":
            return "true"
        if stands == "open":
            return "left open"
        if stands == "crash":
            return "no end within the time limit" if entry["verdict"] == "timed-out" else "the interpreter crashes"
        notes = [" ".join(divergence.note.split()) for divergence in self._divergences(entry)]
        return _bounded("; ".join(notes) or f"false: {entry.get('failed', 'as recorded')}")

    def _divergences(self, entry: dict[str, Any]) -> list[Divergence]:
        known = self.claim.diverges
        return [known[number] for number in entry.get("divergence", ()) if 0 <= number < len(known)]

    # What was seen under an unchanged verdict

    def _observed(self) -> Iterator[Finding]:
        seen = [aspect for aspect in self._lines if self._ends(aspect)[0] is not _UNKNOWN and self._differs(aspect)]
        kinds = {aspect.kind for aspect in seen}
        for aspect in seen:
            if aspect.kind in ("standing", "sentence"):
                continue
            if aspect.kind == "message" and "error" in kinds:
                continue
            if aspect.kind == "tier" and kinds & {"error", "message", "warnings", "standing", "divergence"}:
                continue
            if aspect.kind == "value" and kinds & {"error", "dtype"}:
                continue
            if aspect.kind in ("node", "requires-grad", "history", "leaf") and kinds & {"error"}:
                continue
            if aspect.kind == "warnings":
                yield from self._warnings(aspect)
                continue
            finding = self._of_aspect(aspect)
            if finding is not None:
                yield finding

    def _of_aspect(self, aspect: Aspect) -> Optional[Finding]:
        before, after = self._ends(aspect)
        kind, name = aspect
        if kind == "error":
            return self._error(aspect, before, after)
        if kind == "message":
            what = f"the message of the {str(after).partition(':')[0]} is worded otherwise"
            return self._aspect_finding(aspect, "notice", what, str(before), str(after))
        if kind == "node":
            if after == f"{before}0":
                # torch 1.10 renamed all of them at once.
                return self._aspect_finding(
                    aspect, "notice", "names of grad_fn end in 0 now", "…Backward", "…Backward0"
                )
            return self._aspect_finding(aspect, "notice", f"grad_fn is {after}, was {before}", str(before), str(after))
        if kind == "unsupported":
            return self._unsupported(aspect, before, after)
        if kind == "observed":
            text = _bounded(self.claim.expectation.expect[int(name)].text.strip()) if self._has_expression(name) else ""
            severity = "behaviour" if {before, after} == {"always", "never"} else "notice"
            return self._aspect_finding(
                aspect, severity, f"{text} is {after} true, was {before}", str(before), str(after)
            )
        if kind == "tier":
            part = {"error": "the error or warning", "type": "its class", "message": "its message"}[name]
            severity = "notice" if name == "message" else "behaviour"
            what = f"{part} comes {after} as the claim has it, was {before}"
            return self._aspect_finding(aspect, severity, what, str(before), str(after))
        if kind == "divergence":
            old, new = self._entries()
            told = self._told(old, "false"), self._told(new, "false")
            how = (
                "one more way"
                if set(before) < set(after)
                else "fewer ways"
                if set(before) > set(after)
                else "another way"
            )
            severity = "improvement" if how == "fewer ways" else "behaviour"
            finding = self._aspect_finding(aspect, severity, f"false in {how}: {self.claim.title}", *told)
            return replace(finding, script=self._pinned(set(before) ^ set(after)) or finding.script)
        return self._flag(aspect, before, after)

    def _pinned(self, numbers: set[int]) -> str:
        """Return a script with the counterexample that a divergence pins."""
        for number in sorted(numbers):
            if 0 <= number < len(self.claim.diverges):
                example = {name: recipe.text for name, recipe in self.claim.diverges[number].example}
                return observing_script(self.claim, {"example": example}, "judged", "", self._device)
        return ""

    def _error(self, aspect: Aspect, before: Any, after: Any) -> Finding:
        told = tuple(self._message(side.entry or {}) for side in (self._old, self._new))
        if before is None:
            return self._aspect_finding(aspect, "behaviour", f"raises {after} now", *told)
        if after is None:
            severity = "behaviour" if self.claim.expectation.raises else "improvement"
            return self._aspect_finding(aspect, severity, f"no longer raises {before}", *told)
        severity = "notice" if still_caught(str(before), str(after)) else "behaviour"
        return self._aspect_finding(aspect, severity, f"raises {after}, was {before}", *told)

    def _message(self, entry: dict[str, Any]) -> str:
        raises = entry.get("facts", {}).get("raises")
        return _bounded(": ".join(str(part).strip() for part in raises)) if raises else "no error"

    def _unsupported(self, aspect: Aspect, before: Any, after: Any) -> Optional[Finding]:
        # A dtype that the old release did not have is no loss: it counts as had where some entry of its file names it.
        had = _OLD_KERNELS | {name for entry in self._path[0].claims.values() for name in entry.get("unsupported", ())}
        has = _OLD_KERNELS | {name for entry in self._path[-1].claims.values() for name in entry.get("unsupported", ())}
        lost = sorted(name for name in set(after) - set(before) if name in had or _had_later(self._old.release, name))
        gained = sorted(name for name in set(before) - set(after) if name in has or _had_later(self._new.release, name))
        if lost:
            what = f"no kernel any more for {', '.join(lost)}"
            return self._kernel_finding(aspect, lost[0], "behaviour", what, "worked", "not implemented")
        if gained:
            what = f"works for {', '.join(gained)} now"
            return self._kernel_finding(aspect, gained[0], "improvement", what, "not implemented", "works")
        return None

    def _kernel_finding(
        self, aspect: Aspect, kernel: str, severity: str, what: str, before: str, after: str
    ) -> Finding:
        finding = self._aspect_finding(aspect, severity, what, before, after)
        return replace(
            finding, script=observing_script(self.claim, self._example(), "unsupported", kernel, self._device)
        )

    def _flag(self, aspect: Aspect, before: Any, after: Any) -> Finding:
        kind, name = aspect
        if kind in ("shares", "view-of", "same"):
            word = {"shares": "shares memory with", "view-of": "is a view of", "same": "is the same object as"}[kind]
            gone, new = sorted(set(before) - set(after)), sorted(set(after) - set(before))
            told = [f"{name} {word} {other} now" for other in new] + [
                f"{name} {word} {other} no longer" for other in gone
            ]
            texts = [f"{name} {word} {', '.join(side) or 'no input'}" for side in (before, after)]
            return self._aspect_finding(aspect, "behaviour", "; ".join(told), *texts)
        if kind in ("leaf", "requires-grad", "history"):
            word = {"leaf": "is a leaf", "requires-grad": "requires grad", "history": "has a grad_fn"}[kind]
            what = f"{name} {word} {'now' if after else 'no longer'}"
            return self._aspect_finding(aspect, "behaviour", what, _yes(before), _yes(after))
        told_before, told_after = (_flat(value) for value in (before, after))
        word = {"dtype": "dtype", "value": "value", "flags": "property"}.get(kind, kind)
        return self._aspect_finding(aspect, "behaviour", f"{name} has another {word}", told_before, told_after)

    def _warnings(self, aspect: Aspect) -> Iterator[Finding]:
        before, after = self._ends(aspect)
        gone, new = sorted(before - after), sorted(after - before)
        for category, message in list(new):
            earlier = _similar(category, message, gone)
            if earlier is None:
                continue
            new.remove((category, message))
            gone.remove((category, earlier))
            what = f"a {category} is worded otherwise"
            yield self._aspect_finding(aspect, "notice", what, _bounded(earlier), _bounded(message))
        for category, message in new:
            yield self._aspect_finding(aspect, "notice", f"new {category}", "no warning", _bounded(message))
        for category, message in gone:
            yield self._aspect_finding(
                aspect, "improvement", f"no {category} any more", _bounded(message), "no warning"
            )

    def _has_expression(self, name: str) -> bool:
        return int(name) < len(self.claim.expectation.expect)

    # What the documentation says

    def _sentences(self) -> Iterator[Finding]:
        for aspect in self._lines:
            if aspect.kind != "sentence" or not self._differs(aspect):
                continue
            before, after = self._ends(aspect)
            source = sentence_sources(self.claim)[int(aspect.name)]
            if before is None:
                told = (f"new in the docstring of {source.name}", "not there", "there")
            elif after is None:
                told = (f"gone from the docstring of {source.name}", "there", "not there")
            else:
                told = (f"reworded in the docstring of {source.name}", "as it was", "reworded")
            yield Finding(
                self.claim,
                "documentation",
                "sentence",
                *told,
                self._when(aspect),
                documentation_script(source.name),
                notes=(f"the sentence with “{source.key}”{self._documented()}",),
            )

    def _documented(self) -> str:
        states = documentation_states(self.claim, sorted(self._path, key=release_order))
        before, after = states[self._old.release], states[self._new.release]
        return f": {before}, now {after}" if before != after and before and after else ""

    # Steps that all of them share

    def _entries(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return self._old.entry or {}, self._new.entry or {}

    def _ends(self, aspect: Aspect) -> tuple[Any, Any]:
        """Return the values to compare, the same marker twice where there is nothing to compare."""
        line = self._lines[aspect]
        seen = dict(line.seen)
        old, new = seen.get(self._old.release), seen.get(self._new.release)
        if old is None or new is None:
            return _UNKNOWN, _UNKNOWN
        if comparable(old, new):
            return old.value, new.value
        # The canonical example became another one on the way: what changed before and after that can still be told.
        changes = line.changes()
        return (changes[0].before, changes[-1].after) if changes else (_UNKNOWN, _UNKNOWN)

    def _differs(self, aspect: Aspect) -> bool:
        before, after = self._ends(aspect)
        return before is not _UNKNOWN and not same(aspect, before, after)

    def _changes(self, aspect: Aspect) -> list[Change]:
        return self._lines[aspect].changes()

    def _when(self, aspect: Aspect) -> str:
        changes = self._changes(aspect)
        if not changes:
            return f"between {self._old.release} and {self._new.release}"
        return ", then ".join(change.when() for change in changes)

    def _causes(self, aspect: Aspect) -> tuple[str, ...]:
        """Say what else differs where it changed, so that torch is not blamed for NumPy."""
        if not _about_numpy(self.claim):
            return ()
        for change in self._changes(aspect):
            old, new = (self._environments[release] for release in (change.last, change.first))
            if old["numpy"].split(".")[0] != new["numpy"].split(".")[0]:
                return (f"NumPy differs there too: {old['numpy']} and {new['numpy']}",)
        return ()

    def _aspect_finding(self, aspect: Aspect, severity: str, what: str, before: str, after: str) -> Finding:
        kind = "warning" if aspect.kind == "warnings" else aspect.kind
        scope = "" if kind in _SHARED else self.claim.subject
        script = observing_script(self.claim, self._example(), kind, aspect.name, self._device)
        notes = self._causes(aspect)
        return Finding(
            self.claim,
            severity,
            kind,
            what,
            _bounded(before),
            _bounded(after),
            self._when(aspect),
            script,
            scope,
            notes,
        )

    def _finding(
        self, severity: str, kind: str, what: str, before: str, after: str, when: str, script: str, *notes: str
    ) -> Finding:
        told = tuple(note for note in notes if note)
        return Finding(
            self.claim, severity, kind, what, before, after, when, self._script(script), self.claim.subject, told
        )

    def _script(self, wanted: str) -> str:
        old, new = self._entries()
        if wanted == "name":
            return name_script(self.claim.subject)
        if wanted == "verdict":
            # Where the claim is false the recorded counterexample shows it; it passes on the other release.
            for entry in (new, old):
                if standing(entry) in ("false", "crash") and "counterexample" in entry:
                    return str(entry["counterexample"])
        return observing_script(
            self.claim, self._example(), "error" if self.claim.expectation.raises else "", "", self._device
        )

    def _example(self) -> dict[str, Any]:
        old, new = self._entries()
        return new if "example" in new else old


_UNKNOWN = object()


def _bounded(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _LONGEST else folded[: _LONGEST - 1] + "…"


def _yes(value: Any) -> str:
    return "yes" if value else "no"


def _flat(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)


def _similar(category: str, message: str, others: list[tuple[str, str]]) -> Optional[str]:
    candidates = [text for name, text in others if name == category]
    found = difflib.get_close_matches(message, candidates, n=1, cutoff=0.5)
    return found[0] if found else None


def _admits(specifier: str, release: str) -> bool:
    base = as_version(release).base_version
    return SpecifierSet(specifier).contains(base, prereleases=True)


def _has_dtype(release: str, name: str) -> bool:
    return as_version(release) >= as_version(LATER_DTYPES[name])


def _had_later(release: str, kernel: str) -> bool:
    name = kernel.lower()
    return name in LATER_DTYPES and _has_dtype(release, name)


def _about_numpy(claim: Claim) -> bool:
    texts = [claim.subject, *(fragment.text for _, fragment in claim.given), claim.do.text if claim.do else ""]
    return any("numpy" in text or "np." in text or "array" in text for text in texts)
