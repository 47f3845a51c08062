"""What the notes of a release announced, beside what was measured of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from conformance.base.release_spans import minor
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import Text, code, joined, link, linked, prose, text_of, words
from conformance.lab.views.verdict_chips import Chip
from conformance.language.forms import NOTES
from conformance.language.release_notes import ReleaseNotes
from conformance.upgrade.measured_notes import (
    CAME_TRUE,
    EARLIER,
    IS_TRUE,
    LATER,
    NEVER,
    OUTCOMES,
    UNTRUE,
    Finding,
    Judged,
)

_STYLES = {CAME_TRUE: "good", IS_TRUE: "good", EARLIER: "open", LATER: "known", NEVER: "bad"}
_MOST_NAMES = 5
_UNREAD = "Nobody here read its passage; it is known from what was measured."


@dataclass(frozen=True)
class NoteView:
    """One note: what it announces, what became of it, and of what that was measured."""

    release: Text
    section: str
    title: Text
    outcome: Chip
    told: tuple[Text, ...]


def notes_of_release(release: str, content: Content) -> list[tuple[Text, str, list[NoteView]]]:
    """Return the notes of a release, such as those of 2.0.0 for 2.0.1, with their source and how much was read."""
    return [
        (_source(notes, content), _read(notes), [_note(one, content) for one in judged])
        for notes, judged in content.judged_notes
        if minor(notes.release) == minor(release)
    ]


def notes_rows(content: Content) -> Iterator[tuple[Text, Text, str, list[Chip]]]:
    """Yield every release whose notes are encoded, newest first: its page, source, how much was read, and outcomes."""
    for notes, judged in reversed(content.judged_notes):
        counts = Counter(one.outcome for one in judged)
        chips = [outcome_chip(outcome, counts[outcome]) for outcome in OUTCOMES if counts[outcome]]
        yield _page(notes.release, content), _source(notes, content), _read(notes), chips


def untrue_notes(content: Content) -> tuple[NoteView, ...]:
    """Return the notes that did not come true as they were written, those that never did first."""
    found = [one for _, judged in content.judged_notes for one in judged if one.outcome in UNTRUE]
    return tuple(_note(one, content) for one in sorted(found, key=lambda one: UNTRUE.index(one.outcome)))


def outcome_legend() -> tuple[tuple[Chip, str], ...]:
    """Return what each outcome means."""
    return tuple((outcome_chip(outcome), f"{told[0].upper()}{told[1:]}.") for outcome, told in OUTCOMES.items())


def outcome_chip(outcome: str, count: int = 0) -> Chip:
    """Return an outcome as a chip, with how many notes have it."""
    return Chip(str(count) if count else "", outcome, _STYLES.get(outcome, "none"))


def _note(judged: Judged, content: Content) -> NoteView:
    note = judged.note
    alike: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in judged.findings:
        alike.setdefault((finding.announced, finding.outcome, finding.since), []).append(finding)
    told = [_told(findings, content) for findings in alike.values()]
    if note.untested:
        told.append(prose(note.untested))
    if note.unread:
        told.append(words(_UNREAD))
    if note.by != minor(note.release):
        told.append(words(f"Announced for {note.by}."))
    return NoteView(
        _page(note.release, content), note.section, prose(note.title), outcome_chip(judged.outcome), tuple(told)
    )


def _told(findings: list[Finding], content: Content) -> Text:
    """Return what was measured alike of some things, such as ``torch.eig, torch.lstsq: gone, came in 1.13``."""
    about = joined([_about(finding.about, content) for finding in findings[:_MOST_NAMES]])
    more = len(findings) - _MOST_NAMES
    one = findings[0]
    return text_of(about, f" and {more} more" if more > 0 else "", f": {one.announced}, {_when(one)}.")


def _about(name: str, content: Content) -> Text:
    if "/" in name:
        title = next((claim.title for claim in content.corpus.claims if claim.id == name), None)
        if title is not None:
            return linked(title, "claim", name)
    return code(name)


def _when(finding: Finding) -> str:
    since = finding.since
    return {
        CAME_TRUE: f"came in {since}",
        IS_TRUE: f"seen in {since}",
        EARLIER: f"came earlier, in {since}" if since else "in the oldest measured release already",
        LATER: f"came later, in {since}",
        NEVER: "in no measured release",
    }.get(finding.outcome, finding.outcome)


def _source(notes: ReleaseNotes, content: Content) -> Text:
    page = content.corpus.sources.releases.get(notes.release)
    return link(page.title, page.url) if page is not None else words(notes.release)


def _page(release: str, content: Content) -> Text:
    measured = next((one for one in content.releases if minor(one) == minor(release)), None)
    return linked(minor(release), "release", measured) if measured is not None else words(minor(release))


def _read(notes: ReleaseNotes) -> str:
    return NOTES.keys["read"].words[notes.read]
