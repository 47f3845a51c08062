"""Names of torch: which one a text means, and what is known of it."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Optional

from conformance.base.recorded_folder import TRIALS
from conformance.base.text import listed
from conformance.show.index import Index, Subject
from conformance.show.matching import allowed, distance
from conformance.show.model import AnswerView, NameFacts, NameFinding
from conformance.show.spelling import spellings

if TYPE_CHECKING:
    from conformance.names.lookup import Names

_MOST_OTHERS = 4
_MOST_MEANT = 3
#: A name with fewer letters is near to too many others.
_SHORT = 4


class NameFinder:
    """Finds names in an index, and what the recorded names and trials have of them.

    Parameters
    ----------
    folder
        The folder of recorded results.
    """

    def __init__(self, index: Index, folder: Path) -> None:
        self._index = index
        self._folder = folder

    def named(self, text: str) -> Optional[Subject]:
        """Return the name that a text is: in full, or what most programs mean by its last part."""
        for spelling in spellings(text):
            best = next(iter(self._candidates(spelling)), None)
            if best is not None:
                return best
        return None

    def _candidates(self, spelling: str) -> list[Subject]:
        """Return the names that a spelling may mean, the likeliest first."""
        exact = self._index.subject(spelling)
        if exact is not None and exact.is_known:
            return [exact]
        ending = self._index.ending(spelling.rpartition(".")[2])
        fitting = [one for one in ending if f".{one.name}".lower().endswith(f".{spelling}".lower())]
        if exact is None and spelling.startswith("torch.") and self._exists(spelling):
            fitting.append(Subject(spelling))
        return sorted(fitting, key=lambda one: _rank(one, spelling))

    def _exists(self, name: str) -> bool:
        from conformance.names.model import Found, Gone

        return any(isinstance(span.answer, (Found, Gone)) for span in self._names.history(name))

    @cached_property
    def _names(self) -> Names:
        from conformance.show.name import load_names  # of a name that the index lacks, such as a private one

        return load_names(self._folder)

    def _measured(self, name: str) -> NameFacts:
        """Return what was measured of a name that the index has no facts of."""
        from conformance.results.trials.recorded import RecordedTrials
        from conformance.show.name import name_facts

        return name_facts(self._names, RecordedTrials(self._folder / TRIALS), name)

    def finding(self, subject: Subject, note: str = "") -> NameFinding:
        """Return what is known of a name, a page or a concept."""
        answer = subject.answer or self._answer_of_twin(subject.name)
        if "/" in subject.name:
            return NameFinding(subject.name, answer=answer, claims=subject.claims, note=note)
        facts = subject.facts or self._measured(subject.name)
        others = [one.name for one in self._candidates(subject.name.rpartition(".")[2]) if one.is_known]
        return NameFinding(
            subject.name,
            facts.releases,
            facts.standing,
            answer,
            facts.tried,
            (*self._index.changes(subject.name), *facts.parameters, *facts.calls),
            facts.corners,
            subject.claims,
            tuple(name for name in others if name != subject.name)[:_MOST_OTHERS],
            note,
        )

    def _answer_of_twin(self, name: str) -> Optional[AnswerView]:
        """Return the answer of a name that does the same, such as the method for the function."""
        owner, _, last = name.rpartition(".")
        if match := re.fullmatch(r"__(i?)(?:true|r)?(\w+?)__", last):
            last = f"{match[2]}{'_' * bool(match[1])}"
        twins = [f"torch.Tensor.{last}", f"torch.{last}", f"torch.nn.functional.{last}"]
        if owner not in ("torch", "torch.Tensor", "torch.nn.functional"):
            bases = ("torch.nn.Module", "torch.optim.Optimizer", "torch.optim.lr_scheduler.LRScheduler")
            parent = next((one for one in bases if owner.startswith(one.rpartition(".")[0])), "")
            twins = [f"{parent}.{last}"]
        subjects = (self._index.subject(twin) for twin in twins if twin != name)
        return next((twin.answer for twin in subjects if twin is not None and twin.answer is not None), None)

    def misspelt(self, text: str, most: int) -> Optional[NameFinding]:
        """Return the name that a person most likely meant, of those that programs use.

        Parameters
        ----------
        most
            How many letters may be wrong in a long name; fewer in a short one.
        """
        spelled = spellings(text)
        if not spelled or " " in text:
            return None
        owner, last = spelled[0].rpartition(".")[0], spelled[-1].rpartition(".")[2]
        most = min(most, allowed(last))
        near = []
        for name, uses in self._index.used():
            own = name.rpartition(".")[2]
            if abs(len(own) - len(last)) <= most and len({*own.lower()} ^ {*last.lower()}) <= 2 * most:
                far = distance(last.lower(), own.lower(), most)
                is_elsewhere = name.rpartition(".")[0] != owner
                # In a module that is named, a short name that is elsewhere is another one.
                if far <= most and not (owner and is_elsewhere and len(last) < _SHORT):
                    near.append((far, is_elsewhere, -uses, name))
        if not near:
            return None
        best, *others = [name for *_, name in sorted(near)]
        subject = self._index.subject(best)
        assert subject is not None
        also = f" (or did you mean {listed(others[:_MOST_MEANT])}?)" if others else ""
        return self.finding(subject, f"no name {text!r}; shown is {best}{also}")


def _rank(subject: Subject, spelling: str) -> tuple[object, ...]:
    """Return what sorts the names that a spelling may mean."""
    last = spelling.rpartition(".")[2]
    return (
        not subject.name.endswith(last),  # whatever its capitals comes after the same
        subject.answer is None,
        -subject.uses,
        not subject.claims,
        not subject.name.startswith("torch.Tensor."),
        subject.name.count("."),
        subject.name,
    )
