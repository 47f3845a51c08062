"""The sources of a claim: links, the sentence itself, and what became of it from version to version."""

from __future__ import annotations

from typing import Sequence

from docutils import nodes

from conformance.language.model import Claim, Source
from conformance.reference import markup
from conformance.reference.columns import Column
from conformance.reference.content import Reference
from conformance.reference.sentences import Trace, trace
from conformance.reference.strip import names

STATES = {"there": "there", "reworded": "worded otherwise", "missing": "not there"}


def source_blocks(claim: Claim, reference: Reference, document: str) -> list[nodes.Node]:
    """Show the documented sentences, then every source."""
    blocks: list[nodes.Node] = []
    items: list[list[markup.Inline]] = []
    absent = False
    for source in claim.sources:
        item = source_link(source, reference, document)
        if source.kind == "docs":
            traces, hashes = trace(claim, source, reference.columns)
            sentence = reference.sentences.find(source, hashes)
            if sentence is not None:
                said = f"Documentation of torch {reference.sentences.torch}"
                quote = nodes.block_quote("", markup.paragraph(nodes.Text(sentence)), classes=["sentence"])
                quote += nodes.attribution("", "", *_plain([said, ", ", *item]))
                blocks.append(quote)
            absent = absent or sentence is None
            item += _states(traces)
        items.append(item)
    if absent and not reference.sentences.texts:
        blocks.append(markup.paragraph("The sentence is shown when built where torch is installed.", classes=["missing"]))
    return [*blocks, markup.label("Sources"), markup.bullets(items)]


def _plain(parts: Sequence[markup.Inline]) -> list[nodes.Node]:
    block = nodes.inline()
    markup.fill(block, parts)
    children: list[nodes.Node] = list(block.children)
    return children


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
    return [nodes.Text(f" — the sentence is {words}")]
