"""Sources: that each is known, and cited in a few words."""

from __future__ import annotations

import re

from conformance.language.documents import did_you_mean
from conformance.language.drafts import ClaimDraft, SourceDraft
from conformance.language.problems import Problems
from conformance.language.rules.context import report
from conformance.language.sources import SourceList

MAXIMUM_KEY_WORDS = 12
MAXIMUM_KEY = 90

_OBJECT = re.compile(r"torch(\.[A-Za-z_][A-Za-z0-9_]*)*")


def check_citations(draft: ClaimDraft, sources: SourceList, problems: Problems) -> None:
    """Check the sources of a claim."""
    seen = set()
    for source in draft.sources:
        _check_source(source, sources, problems)
        cited = source.finished()
        what = (cited.kind, cited.name, cited.key, cited.row)
        # A row's `key` and `subject` may make several docs sources one.
        if what in seen and draft.row is None:
            problems.add(source.place, "E406", "this source is listed twice; remove one")
        seen.add(what)


def _check_source(source: SourceDraft, sources: SourceList, problems: Problems) -> None:
    name = source.name.text
    if source.kind == "docs":
        if not _OBJECT.fullmatch(name):
            report(
                source.name,
                0,
                "E402",
                f"'{name}' is not a public name of torch; write it in full, such as torch.Tensor.detach",
                problems,
            )
    elif source.kind == "article":
        article = sources.articles.get(name)
        if article is None:
            known = ", ".join(sources.articles) or "none"
            report(source.name, 0, "E402", f"sources.yaml has no article '{name}'; it has {known}", problems)
        elif source.row is not None and source.row.text not in article.rows:
            row = source.row.text
            near = did_you_mean(row, article.rows) if not row.startswith(name) else ""
            rows = list(article.rows)
            advice = near or (f"; its rows are {rows[0]} to {rows[-1]}" if rows else "")
            report(source.row, 0, "E403", f"article {name} has no row '{row}'{advice}", problems)
    else:
        known_pages = sources.notes if source.kind == "note" else sources.releases
        if name not in known_pages:
            advice = did_you_mean(name, known_pages) or "; add it there, with its title and url"
            report(source.name, 0, "E402", f"sources.yaml has no {source.kind} '{name}'{advice}", problems)
    if source.key is not None:
        key = source.key.text
        if len(key.split()) > MAXIMUM_KEY_WORDS or len(key) > MAXIMUM_KEY:
            report(
                source.key,
                0,
                "E405",
                f"this key has {len(key.split())} words, {len(key)} characters; a few that find the sentence are enough"
                f" ({MAXIMUM_KEY_WORDS} words, {MAXIMUM_KEY} characters), and no sentence is copied",
                problems,
            )
