"""One claim in two releases and in those between: what is compared, and how a difference is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Optional

from conformance.language.model import Claim
from conformance.results.model import Entry
from conformance.scripts.observation import observing_script
from conformance.text import bounded
from conformance.upgrade.severity import Severity
from conformance.views.aspects import Aspect, same
from conformance.views.history import Change, Timeline, comparable, timelines
from conformance.views.recorded import Cell, Measured
from conformance.views.verdicts import standing

LONGEST = 400
#: Kinds of findings that one change of torch shows in many claims alike.
SHARED = ("node", "message", "warning", "no-kernel")


@dataclass(frozen=True)
class Finding:
    """One difference in what was measured for one claim.

    ``what`` tells it in a few words, ``before`` and ``after`` what was seen, ``when`` in which release it changed.
    Findings with the same ``what``, ``before``, ``after`` and ``when`` about one ``scope`` are one entry of the report.
    """

    claim: Claim
    severity: Severity
    kind: str
    what: str
    before: str
    after: str
    when: str
    script: str
    scope: str = ""
    notes: tuple[str, ...] = ()


class Ends(NamedTuple):
    """The values of an aspect that are compared."""

    before: Any
    after: Any


@dataclass(frozen=True)
class Comparison:
    """A claim in two releases, and in those between.

    Attributes
    ----------
    path : sequence of Measured
        One device from the old to the new release; the first and the last are compared, the others tell when.
    """

    claim: Claim
    path: Sequence[Measured]

    @property
    def old(self) -> Cell:
        """The claim in the old release."""
        return self.path[0].cell(self.claim)

    @property
    def new(self) -> Cell:
        """The claim in the new release."""
        return self.path[-1].cell(self.claim)

    @property
    def gap(self) -> str:
        """Why the claim can't be compared; empty where it can."""
        for cell in (self.old, self.new):
            if cell.entry is None:
                return f"{cell.release}: {cell.gap}"
            if standing(cell.entry.verdict) is None:
                return f"{cell.release}: it could not be judged"
        return ""

    @property
    def entries(self) -> tuple[Entry, Entry]:
        """What was measured in the old and in the new release; there is no gap."""
        old, new = self.old.entry, self.new.entry
        assert old is not None
        assert new is not None
        return old, new

    @cached_property
    def lines(self) -> dict[Aspect, Timeline]:
        """Every aspect through the releases."""
        return timelines(self.claim, self.path)

    def ends(self, aspect: Aspect) -> Optional[Ends]:
        """Return the values of an aspect to compare; `None` where there is nothing to compare."""
        line = self.lines[aspect]
        seen = dict(line.seen)
        old, new = seen.get(self.old.release), seen.get(self.new.release)
        if old is None or new is None:
            return None
        if comparable(old, new):
            return Ends(old.value, new.value)
        # The canonical example became another one on the way: what changed before and after that can still be told.
        changes = line.changes()
        return Ends(changes[0].before, changes[-1].after) if changes else None

    def difference(self, aspect: Aspect) -> Optional[Ends]:
        """Return the values of an aspect where they differ."""
        ends = self.ends(aspect)
        return None if ends is None or same(aspect, *ends) else ends

    def when(self, aspect: Aspect) -> str:
        """Return in words when an aspect changed."""
        changes = self._changes(aspect)
        if not changes:
            return f"between {self.old.release} and {self.new.release}"
        return ", then ".join(change.when() for change in changes)

    def causes(self, aspect: Aspect) -> tuple[str, ...]:
        """Return what else differs where an aspect changed, so that torch is not blamed for NumPy."""
        if not _about_numpy(self.claim):
            return ()
        numpy = {measured.torch: measured.environment.numpy for measured in self.path}
        for change in self._changes(aspect):
            old, new = numpy[change.last], numpy[change.first]
            if old.split(".")[0] != new.split(".")[0]:
                return (f"NumPy differs there too: {old} and {new}",)
        return ()

    def finding(
        self,
        aspect: Aspect,
        severity: Severity,
        what: str,
        before: str,
        after: str,
        *,
        kind: str = "",
        script: str = "",
        notes: tuple[str, ...] = (),
    ) -> Finding:
        """Return what is told of an aspect that differs.

        Parameters
        ----------
        kind
            By default that of the aspect.
        script
            By default one that prints the aspect on the canonical example.
        """
        kind = kind or ("warning" if aspect.kind == "warnings" else aspect.kind)
        return Finding(
            self.claim,
            severity,
            kind,
            what,
            bounded(before, LONGEST),
            bounded(after, LONGEST),
            self.when(aspect),
            script or self.script(kind, aspect.name),
            "" if kind in SHARED else self.claim.subject,
            notes or self.causes(aspect),
        )

    def script(self, kind: str, name: str = "") -> str:
        """Return a script that prints one aspect on the canonical example, that of the new release if it has one."""
        old, new = self.entries
        return observing_script(self.claim, new.example or old.example, kind, name, self.path[-1].device)

    def _changes(self, aspect: Aspect) -> list[Change]:
        return self.lines[aspect].changes()


def _about_numpy(claim: Claim) -> bool:
    texts = [claim.subject, *(kind.text for _, kind in claim.given), claim.do.text if claim.do else ""]
    return any("numpy" in text or "np." in text or "array" in text for text in texts)
