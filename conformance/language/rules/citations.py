"""Sources: that each is known, and cited in a few words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.base.text import did_you_mean, listed
from conformance.language.drafts import Draft
from conformance.language.forms import OBJECT
from conformance.language.model import SAYS, Source
from conformance.language.sources import SourceList

MAXIMUM_KEY_WORDS = 12
MAXIMUM_KEY = 90


def check_citations(draft: Draft, sources: SourceList) -> None:
    """Check the sources of a claim."""
    seen = set()
    for source in draft.claim.sources:
        _check_name(draft, source, sources)
        _check_key(draft, source)
        what = (source.kind, source.name, source.key, source.row)
        # A row's `key` and `subject` may make several docs sources one.
        if what in seen and draft.row is None:
            draft.report(draft.mapping_of(source), "E406", "this source is listed twice; remove one")
        seen.add(what)


def check_says(drafts: Sequence[Draft]) -> None:
    """Check that each source of an entry of the corpus says how firm its sentence is."""
    for draft in drafts:
        for source in draft.claim.sources:
            node = draft.mapping_of(source)
            if source.says is None and "says" not in node.entries and not node.damaged:
                message = f"this source lacks 'says', how its sentence says it: {listed(SAYS)}; add it"
                draft.report(node, "E407", message)


def _check_name(draft: Draft, source: Source, sources: SourceList) -> None:
    name = source.name
    node = draft.value(source, source.kind)
    if source.kind == "docs":
        may_be = draft.claim.own or name.partition(".")[0] == "torch"
        if node is not None and not (may_be and re.fullmatch(OBJECT, name)):
            what = "public name" if draft.claim.own else "public name of torch"
            draft.report(node, "E402", f"'{name}' is not a {what}; write it in full, such as torch.Tensor.detach")
    elif source.kind == "article":
        article = sources.articles.get(name)
        if article is None:
            known = ", ".join(sources.articles) or "none"
            draft.report(node, "E402", f"sources.yaml has no article '{name}'; it has {known}")
        elif source.row is not None and source.row not in article.rows:
            near = did_you_mean(source.row, article.rows) if not source.row.startswith(name) else ""
            rows = list(article.rows)
            advice = near or (f"; its rows are {rows[0]} to {rows[-1]}" if rows else "")
            draft.report(draft.value(source, "row"), "E403", f"article {name} has no row '{source.row}'{advice}")
    else:
        known_pages = sources.notes if source.kind == "note" else sources.releases
        if node is not None and name not in known_pages:
            advice = did_you_mean(name, known_pages) or "; add it there, with its title and url"
            draft.report(node, "E402", f"sources.yaml has no {source.kind} '{name}'{advice}")


def _check_key(draft: Draft, source: Source) -> None:
    key = source.key or ""
    if len(key.split()) > MAXIMUM_KEY_WORDS or len(key) > MAXIMUM_KEY:
        cell = draft.row.cells.get("key") if draft.row else None
        draft.report(
            cell or draft.value(source, "key"),
            "E405",
            f"this key has {len(key.split())} words, {len(key)} characters; a few that find the sentence are enough"
            f" ({MAXIMUM_KEY_WORDS} words, {MAXIMUM_KEY} characters), and no sentence is copied",
        )
