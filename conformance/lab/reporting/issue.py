"""What makes claims false as the text of an issue, from the corpus and the recorded results; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Optional

from conformance.base.release_spans import runs
from conformance.base.text import one_line
from conformance.lab.views.causes import CauseView, file_name, ranked_causes
from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Source
from conformance.language.shapes import NOT_FILED
from conformance.language.source_words import OFFICIAL, source_view
from conformance.results.recorded import Recorded
from conformance.run.scripts.observation import observing_script

#: What concerns PyTorch; the other kinds say what changed, or depends on the platform.
KINDS = ("docs-wrong", "torch-bug")
#: Sentences of an issue, and pages that are named for each.
_MOST = 4

#: Finds the sentence of a source in the documentation at hand, where there is one.
Quote = Callable[[Source], Optional[str]]


def unfiled(corpus: Corpus, recorded: Recorded) -> list[CauseView]:
    """Return the causes to report, the worst first: those that concern the newest torch measured and have no link."""
    official = [claim for claim in corpus.claims if any(source.kind in OFFICIAL for source in claim.sources)]
    newest = max((measured.version for measured in recorded.environments), default=None)
    return [
        view
        for view in ranked_causes(official, recorded)
        if view.newest == newest and view.cause.kind in KINDS and view.cause.link == NOT_FILED
    ]


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


def issue_index(views: Iterable[CauseView]) -> str:
    """Return the table of contents of a folder of issues in Markdown, in the order given."""
    ranked = enumerate(views, start=1)
    lines = [f"{rank}. [{issue_title(view)}]({file_name(view)}.md): {view.harm}, {view.reach}" for rank, view in ranked]
    return "# Issues to file, the worst first\n\n" + "\n".join(lines) + "\n"


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
        "## Where\n\n" + "\n".join(_releases(view, recorded)),
    ]
    if cause.wording:
        heading = "Wording for the documentation, if this stays" if cause.kind == "torch-bug" else "Proposed wording"
        parts.append(f"## {heading}\n\n> {one_line(cause.wording)}")
    which = f"cause `{cause.id}`" if view.named else f"claim `{view.claims[0].id}`"
    searched = f" The tracker was searched on {cause.searched}: no report found." if cause.searched else ""
    parts.append(f"<sub>Found by torch-conformance, {which}.{searched}</sub>")
    return "\n\n".join(parts) + "\n"


def _said(claims: Iterable[Claim], corpus: Corpus, quote: Quote) -> list[str]:
    """Return each sentence once, with the first places that have it; what is stated rather than what implies it."""
    sources = [source for claim in claims for source in claim.sources if source.kind in OFFICIAL]
    places: dict[str, dict[str, None]] = {}
    for source in [source for source in sources if source.states] or sources:
        view = source_view(source, corpus.sources)
        name = f"`{view.title}`" if source.kind == "docs" else view.title
        sentence = quote(source)
        told = _plain(sentence) if sentence else f"… {source.key} …" if source.key else "(the whole of it)"
        places.setdefault(told, {})[f"[{name}]({view.url})" if view.url else name] = None
    lines: dict[str, list[str]] = {}
    for told, found in places.items():
        lines.setdefault(_first(list(found)), []).append(f"  > {told}")
    return [f"- {where}:\n" + "\n  >\n".join(told) for where, told in lines.items()][:_MOST]


def _plain(sentence: str) -> str:
    """Return a sentence of a docstring without the marks of reStructuredText."""
    bare = re.sub(r"\\(?=\w)", "", re.sub(r"^[-*] ", "", sentence))
    named = re.sub(r":[\w:]+:`~?([^`<]+?)(?: ?<[^>`]*>)?`", r"`\1`", bare)
    return re.sub(r"``?([^`]+)``?", r"`\1`", named)


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")


def _shown(view: CauseView) -> str:
    """Return the script of the cause, or that from the newest release where it was seen and what came of it there."""
    if view.cause.script:
        return _fenced(view.cause.script, "python")
    seen = [cell for way in view.ways for cell in way.seen]
    for cell in sorted(seen, key=lambda cell: cell.measured.version, reverse=True):
        entry = cell.entry
        if entry is not None and entry.counterexample is not None:
            parts = [_fenced(entry.counterexample, "python")]
            if entry.detail:
                parts += [f"On torch {cell.release}, {cell.measured.device}:", _fenced(entry.detail)]
            return "\n\n".join(parts)
    way = view.ways[0]
    example = {name: recipe.text for name, recipe in way.divergence.example}
    return _fenced(observing_script(way.claim, example, "judged"), "python")


def _fenced(text: str, language: str = "") -> str:
    # A fence inside would end the block.
    return f"```{language}\n{text.strip().replace('```', '` ` `')}\n```"


def _releases(view: CauseView, recorded: Recorded) -> list[str]:
    """Return where it was seen, and where all of its claims hold, for each device."""
    affected = {measured.position for measured in view.environments}
    lines = []
    for device, path in recorded.by_device.items():
        states = []
        for measured in path:
            verdicts = {measured.cell(claim).verdict for claim in view.claims} - {
                None,
                "absent",
                "inapplicable",
                "unsupported",
            }
            if measured.position in affected:
                states.append((measured.torch, "not as documented"))
            elif verdicts == {"holds"}:
                states.append((measured.torch, "as documented"))
        lines += [f"- {run.value}: torch {run.span}, {device}" for run in runs(states)]
    return lines or ["- not measured yet"]


def _lowered(title: str) -> str:
    first, rest = title[:1], title[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else title
