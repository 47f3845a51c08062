"""What makes claims false as the text of an issue, from the corpus and the recorded results; nothing is run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Source
from conformance.language.shapes import NOT_FILED
from conformance.scripts.observation import observing_script
from conformance.text import one_line
from conformance.views.causes import CauseView, ranked_causes
from conformance.views.conditions import conditions_in_words
from conformance.views.recorded import Recorded
from conformance.views.releases import runs
from conformance.views.sources import OFFICIAL, source_view

#: What concerns PyTorch; the other kinds say what changed, or depends on the platform.
KINDS = ("docs-wrong", "torch-bug")

#: Finds the sentence of a source in the documentation at hand, where there is one.
Quote = Callable[[Source], Optional[str]]


def unfiled(corpus: Corpus, recorded: Recorded) -> list[CauseView]:
    """Return the causes to report, the worst first: those that concern PyTorch and have no link."""
    official = [claim for claim in corpus.claims if any(source.kind in OFFICIAL for source in claim.sources)]
    views = ranked_causes(official, recorded)
    return [view for view in views if view.cause.kind in KINDS and view.cause.link == NOT_FILED]


def issue_title(view: CauseView) -> str:
    """Return a title for the issue."""
    documented = view.cause.kind != "torch-bug"
    if view.named:
        return f"{'[docs] ' if documented else ''}{view.cause.title}"
    claim = view.claims[0]
    subject = claim.subject if len(view.claims) == 1 else f"{claim.subject} and {len(view.claims) - 1} more"
    if documented:
        return f"[docs] {subject}: the documentation is wrong: {_lowered(claim.title)}"
    return f"{subject}: documented and not so: {_lowered(claim.title)}"


def issue_text(view: CauseView, corpus: Corpus, recorded: Recorded, quote: Quote) -> str:
    """Write the issue in Markdown.

    Parameters
    ----------
    quote
        Finds a sentence in the documentation at hand.
    """
    cause = view.cause
    parts = [
        f"# {issue_title(view)}",
        "## What the documentation says\n\n" + "\n".join(_said(view.claims, corpus, quote)),
        f"## What happens instead\n\n{cause.note}",
        f"## A script that shows it\n\n{_shown(view)}",
        "## Where\n\n" + "\n".join([*_conditions(view), *_releases(view, recorded)]),
    ]
    if cause.wording:
        parts.append(f"## Proposed wording\n\n> {one_line(cause.wording)}")
    which = f"Cause `{cause.id}`" if view.named else f"Claim `{view.claims[0].id}`"
    parts.append(f"<sub>{which} of torch-conformance, {cause.place}</sub>")
    return "\n\n".join(parts) + "\n"


def _said(claims: Iterable[Claim], corpus: Corpus, quote: Quote) -> list[str]:
    lines: dict[str, None] = {}
    for source in (source for claim in claims for source in claim.sources if source.kind in OFFICIAL):
        view = source_view(source, corpus.sources)
        name = f"`{view.title}`" if source.kind == "docs" else view.title
        where = f"[{name}]({view.url})" if view.url else name
        sentence = quote(source)
        lines[f"- {where}, {view.place}" + (f":\n  > {sentence}" if sentence else "")] = None
    meaning = dict.fromkeys(f"- {claim.title}" for claim in claims)
    return [*lines, "", "Read as:", "", *meaning]


def _shown(view: CauseView) -> str:
    """Return the script, from the newest release where it was seen, and what came of it there."""
    seen = [cell for way in view.ways for cell in way.seen]
    for cell in sorted(seen, key=lambda cell: cell.measured.version, reverse=True):
        entry = cell.entry
        if entry is not None and entry.counterexample is not None:
            shown = "\n".join(str(part) for part in (entry.failed, entry.detail) if part)
            told = f"\n\nOn torch {cell.release}, {cell.measured.device}:\n\n{_fenced(shown)}" if shown else ""
            return f"{_fenced(entry.counterexample, 'python')}{told}"
    way = view.ways[0]
    example = {name: recipe.text for name, recipe in way.divergence.example}
    return _fenced(observing_script(way.claim, example, "judged"), "python")


def _fenced(text: str, language: str = "") -> str:
    # A fence inside would end the block.
    return f"```{language}\n{text.strip().replace('```', '` ` `')}\n```"


def _conditions(view: CauseView) -> list[str]:
    lines: dict[str, None] = {}
    for divergence in (way.divergence for way in view.ways):
        when = conditions_in_words(divergence.when)
        lines.update({f"- recorded for {when}": None} if when else {})
        lines.update({f"- for inputs with `{one_line(divergence.where.text)}`": None} if divergence.where else {})
    return list(lines)


def _releases(view: CauseView, recorded: Recorded) -> list[str]:
    """Return where it was seen, and what the first claim gave elsewhere, for each device."""
    affected = {measured.position for measured in view.environments}
    lines = []
    for device, path in recorded.by_device.items():
        cells = [cell for cell in (measured.cell(view.claims[0]) for measured in path) if cell.entry is not None]
        states = [(cell.release, "false" if cell.measured.position in affected else cell.look.word) for cell in cells]
        lines += [f"- {run.value}: torch {run.span}, {device}" for run in runs(states)]
    return lines or ["- not measured yet in this form of the claim"]


def _lowered(title: str) -> str:
    first, rest = title[:1], title[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else title
