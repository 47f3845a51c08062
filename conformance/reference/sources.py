"""The sources of a claim: links, the sentence itself, and what became of it from version to version."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from conformance.language.model import Claim, Source
from conformance.reference import markup
from conformance.reference.columns import Column
from conformance.reference.content import Reference
from conformance.reference.sentences import Trace, trace
from conformance.reference.strip import names

STATES = {"there": "there", "reworded": "worded otherwise", "missing": "not there"}


def quotes(claim: Claim, reference: Reference) -> list[nodes.Node]:
    """Show the documented sentences, as the torch at hand has them."""
    blocks: list[nodes.Node] = []
    for source in claim.sources:
        if source.kind != "docs":
            continue
        sentence = reference.sentences.find(source, trace(claim, source, reference.columns)[1])
        if sentence is not None:
            quote = nodes.block_quote("", markup.paragraph(without_roles(sentence)), classes=["sentence"])
            quote += nodes.attribution("", f"Documentation of torch {reference.sentences.torch}, {source.name}")
            blocks.append(quote)
    return blocks


def without_roles(sentence: str) -> str:
    """Leave out what only Sphinx reads in a docstring, such as ``:class:`` before a name."""
    named = re.sub(r":[A-Za-z][\w:+-]*:`([^`]*)`", r"`\1`", sentence)
    return re.sub(r"`~?([^`<]*?)(?: <[^`]*>)?`", r"`\1`", named)


def source_blocks(claim: Claim, reference: Reference, document: str) -> list[nodes.Node]:
    """List the sources, what became of each sentence, and where the claim is encoded."""
    items: list[list[markup.Inline]] = []
    for source in claim.sources:
        item = source_link(source, reference, document)
        if source.kind == "docs":
            item += _states(trace(claim, source, reference.columns)[0])
            if not reference.sentences.texts:
                item.append(nodes.Text(". It is shown when built where torch is installed"))
        items.append(item)
    return [
        markup.label("Sources"),
        markup.bullets(items),
        markup.paragraph("Encoded in ", markup.code(reference.place_of(claim)), classes=["aside"]),
    ]


def source_link(source: Source, reference: Reference, document: str) -> list[markup.Inline]:
    """Name a source, with a link where one is known."""
    if source.kind == "article":
        return [
            markup.cite("article", source.name, document, nodes.Text(f"article {source.name}")),
            ", row ",
            markup.cite("row", source.row or "", document, nodes.Text(source.row or "?")),
        ]
    text, address = reference.describe(source)
    parts: list[markup.Inline] = [markup.link(text, address)]
    if source.key:
        parts.append(nodes.Text(f" (“{markup.bounded(source.key)}”)"))
    return parts


def _states(traces: Sequence[Trace]) -> list[markup.Inline]:
    """Say where the sentence is, where it has other words, and where it is not."""
    groups: dict[str, list[Column]] = {}
    for item in traces:
        groups.setdefault(item.state, []).append(item.column)
    if not groups:
        return []
    words = "; ".join(f"{STATES[state]} in {names(columns)}" for state, columns in groups.items())
    return [nodes.Text(f". The sentence is {words}")]
