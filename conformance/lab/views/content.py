"""All that the pages are made from: the corpus, the recorded results, sentences, impostors and the census."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Optional

from conformance.base.release_spans import MISSING, as_version
from conformance.lab.census.record import CensusRecord
from conformance.lab.impostors.record import Killed, MutationRecord
from conformance.lab.views.causes import CauseView, ranked_causes
from conformance.lab.views.trial_changes import ordinary_changes
from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Source
from conformance.language.release_notes import ReleaseNotes
from conformance.language.sources import Article
from conformance.names.lookup import Names
from conformance.results.recorded import Cell, Recorded
from conformance.results.trials.model import Difference
from conformance.results.trials.recorded import RecordedTrials
from conformance.show.answer import answer_view
from conformance.show.messages import message_views, seen_messages
from conformance.show.model import AnswerView, MessageView
from conformance.show.sentences import Sentences
from conformance.upgrade.measured_notes import Judged, Measurements

#: A subject with another name gets no page: the name becomes that of a file.
SUBJECT = re.compile(r"[A-Za-z_]\w*(\.\w+)*|(notes|concepts)/[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
#: The same of a release.
RELEASE = re.compile(r"[0-9]+(\.[0-9]+)+[A-Za-z0-9.]*", re.ASCII)
NOTES = "Notes"
_TENSOR = "torch.Tensor"


@dataclass(frozen=True, eq=False)
class Content:
    """The content of a site.

    Attributes
    ----------
    mutation : MutationRecord, optional
        The record of a mutation run: what killed each claim.
    trials : RecordedTrials
        What calls did when they were tried.
    uses : mapping
        How many projects use a name, for those that any does.
    """

    corpus: Corpus
    recorded: Recorded = field(default_factory=Recorded)
    sentences: Sentences = field(default_factory=Sentences)
    mutation: Optional[MutationRecord] = None
    census: Optional[CensusRecord] = None
    trials: RecordedTrials = field(default_factory=RecordedTrials)
    uses: Mapping[str, int] = field(default_factory=dict)

    def derive(self) -> None:
        """Make what many pages show, so that processes which are forked later have it."""
        _ = self.trial_changes, self.judged_notes, self.causes, self.answers, self.messages, self.trials.expressions

    @cached_property
    def names(self) -> Names:
        """The recorded names of each release of torch."""
        return Names()

    @cached_property
    def trial_changes(self) -> Mapping[str, tuple[Difference, ...]]:
        """What changed in calls on ordinary inputs, by the release that has it."""
        return ordinary_changes(self.trials)

    @cached_property
    def judged_notes(self) -> tuple[tuple[ReleaseNotes, tuple[Judged, ...]], ...]:
        """The notes of each release, oldest first, with what was measured of them on the processor."""
        if not self.corpus.notes:
            return ()
        known = Measurements(self.names, self.corpus.claims, self.recorded.by_device.get("cpu", ()), self.trials)
        in_order = sorted(self.corpus.notes, key=lambda notes: as_version(notes.release))
        return tuple((notes, known.judge(notes)) for notes in in_order)

    @cached_property
    def causes(self) -> tuple[CauseView, ...]:
        """What makes claims false, the worst first."""
        return ranked_causes(self.corpus.claims, self.recorded)

    @cached_property
    def revision(self) -> str:
        """The revision of the corpus."""
        return self.corpus.revision()

    @cached_property
    def subjects(self) -> dict[str, list[Claim]]:
        """The claims by subject, in the order of the alphabet."""
        grouped: dict[str, list[Claim]] = {}
        for claim in sorted(
            self.corpus.claims, key=lambda claim: (claim.subject.lower(), claim.place.path, claim.place.line)
        ):
            grouped.setdefault(claim.subject, []).append(claim)
        return grouped

    @cached_property
    def answers(self) -> Mapping[str, AnswerView]:
        """The answers by subject, with the releases on which each line is true."""
        claims = {claim.id: claim for claim in self.corpus.claims}
        return {answer.subject: answer_view(answer, claims, self.recorded) for answer in self.corpus.answers}

    @cached_property
    def messages(self) -> Mapping[str, MessageView]:
        """The messages of errors and warnings that we wrote of or that were seen, by the words that never vary."""
        return message_views(self.corpus.messages, seen_messages(self.recorded, self.trials), self.uses)

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """The subjects that get a page: those with claims or an answer."""
        return tuple(sorted({*self.subjects, *self.answers}, key=str.lower))

    @cached_property
    def modules(self) -> dict[str, dict[str, list[Claim]]]:
        """The claims by module and subject; notes come last."""
        found: dict[str, dict[str, list[Claim]]] = {}
        for subject, claims in self.subjects.items():
            found.setdefault(module_of(subject), {})[subject] = claims
        return {name: found[name] for name in sorted(found, key=lambda name: (name == NOTES, name.lower()))}

    @cached_property
    def articles(self) -> tuple[Article, ...]:
        """The articles, in the order of their letters."""
        return tuple(article for _, article in sorted(self.corpus.sources.articles.items()))

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """The releases that get a page, oldest first."""
        return tuple(release for release in self.recorded.releases if RELEASE.fullmatch(release))

    @cached_property
    def _claims_of_rows(self) -> dict[tuple[str, str], list[Claim]]:
        found: dict[tuple[str, str], list[Claim]] = {}
        for claim in self.corpus.claims:
            rows = {(source.name, source.row or "") for source in claim.sources if source.kind == "article"}
            for row in rows:
                found.setdefault(row, []).append(claim)
        return found

    @cached_property
    def _cells(self) -> dict[str, tuple[Cell, ...]]:
        return {}

    def cells(self, claim: Claim) -> tuple[Cell, ...]:
        """Return a claim in every environment, in the order in which these are shown.

        Left out is where it was not measured, if another environment of the same release and device has it.
        """
        found = self._cells.get(claim.id)
        if found is None:
            cells = [measured.cell(claim) for measured in self.recorded.environments]
            known = {cell.measured.label for cell in cells if cell.entry is not None}
            found = tuple(cell for cell in cells if cell.gap != MISSING or cell.measured.label not in known)
            self._cells[claim.id] = found
        return found

    def claims_of_row(self, article: str, row: str) -> list[Claim]:
        """Return the claims that encode a row of an article."""
        return self._claims_of_rows.get((article, row), [])

    def documentation(self, subject: str) -> str:
        """Return the address of torch's own page about a subject; empty where none is known."""
        sources = self.corpus.sources
        if "/" in subject:
            page = sources.notes.get(subject.partition("/")[2])
            return (page.url or "") if page else ""
        return sources.elsewhere.get(subject) or sources.docs.replace("{object}", subject)

    def killed(self, claim: Claim) -> Optional[Killed]:
        """Return what killed a claim; `None` where it, in its present form, was not tried."""
        return None if self.mutation is None else self.mutation.entry(claim)

    def describe(self, source: Source) -> tuple[str, Optional[str]]:
        """Return the name and the address of a documented source."""
        if source.kind == "docs":
            return f"documentation of {source.name}", self.corpus.sources.url(source)
        return self.corpus.sources.title(source), self.corpus.sources.url(source)

    @cached_property
    def _root(self) -> Path:
        return self.corpus.root.resolve().parent

    def place_of(self, claim: Claim) -> str:
        """Return where a claim is encoded, from the folder that holds the corpus."""
        path = Path(claim.place.path).resolve()
        shown = path.relative_to(self._root).as_posix() if self._root in path.parents else path.name
        return f"{shown}:{claim.place.line}"


#: Readers choose among modules of so many parts, such as ``torch.nn``.
_DEPTH = 2


def broad_module_of(subject: str) -> str:
    """Return the module of a subject as readers choose among them: ``torch.nn`` also for ``torch.nn.functional``."""
    return ".".join(module_of(subject).split(".")[:_DEPTH])


def module_of(subject: str) -> str:
    """Return the module of a subject; a class belongs to its module, but a tensor's methods are many."""
    if subject.startswith("notes/"):
        return NOTES
    parts = subject.split(".")[:-1]
    while len(parts) > 1 and parts[-1][:1].isupper() and ".".join(parts) != _TENSOR:
        parts.pop()
    return ".".join(parts) or subject
