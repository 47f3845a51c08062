"""Divergences: that each is complete, explained, and different from the claim."""

from __future__ import annotations

from conformance.base.text import did_you_mean, listed
from conformance.language.documents import Mapping, Node, Scalar
from conformance.language.drafts import Draft
from conformance.language.model import Divergence, Expectation
from conformance.language.reading import OF_CAUSE
from conformance.language.rules.outcomes import check_raises
from conformance.language.rules.programs import input_names
from conformance.language.shapes import NOT_FILED, is_url
from conformance.language.sources import SourceList


def check_divergences(draft: Draft, sources: SourceList) -> None:
    """Check the divergences of a claim."""
    for divergence in draft.claim.diverges:
        _check_complete(draft, divergence)
        _check_cause(draft, divergence, sources)
        _check_example(draft, divergence)
        check_raises(draft, divergence.instead)
        _check_instead(draft, divergence)
        _check_kind(draft, divergence)
        link = divergence.link if divergence.cause is None else ""
        if link and link != NOT_FILED and not is_url(link):
            message = f"'{link}' is not an address; write it in full, from https:// on, or {NOT_FILED}"
            draft.report(draft.value(divergence, "link"), "E703", message)


def _check_complete(draft: Draft, divergence: Divergence) -> None:
    node = draft.mapping_of(divergence)
    if node.damaged:
        return
    wanted = ["cause", "instead"] if "cause" in node.entries else ["kind", "instead", "note", "link"]
    if input_names(draft):
        wanted.append("example")
    missing = [name for name in wanted if name not in node.entries]
    instead = node.entries.get("instead")
    if missing:
        message = f"this divergence lacks {' and '.join(missing)}; all of {', '.join(wanted)} are needed"
        draft.report(node, "E701", message)
    elif isinstance(instead, Mapping) and not any(_says(name, value) for name, value in instead.entries.items()):
        draft.report(instead, "E701", "`instead` says nothing; give expect, raises, warns or crashes: true")


def _check_cause(draft: Draft, divergence: Divergence, sources: SourceList) -> None:
    node = draft.mapping_of(divergence)
    name = node.entries.get("cause")
    if not isinstance(name, Scalar):
        return
    if name.value not in sources.causes:
        advice = did_you_mean(name.value, sources.causes) or "; add it to a file in the folder causes"
        draft.report(name, "E706", f"there is no cause '{name.value}'{advice}")
    for key in OF_CAUSE:
        if key in node.keys:
            draft.report(node.keys[key], "E107", f"`{key}` stands beside `cause`, which says it; remove one of them")


def _says(name: str, value: Node) -> bool:
    """Whether an entry of ``instead`` says something, be it wrong."""
    return not (name == "crashes" and isinstance(value, Scalar) and value.value == "false")


def _check_instead(draft: Draft, divergence: Divergence) -> None:
    instead = divergence.instead
    node = draft.value(divergence, "instead")
    if instead.crashes and (instead.expect or instead.raises or instead.warns):
        draft.report(node, "E107", "after a crash nothing else can be seen; keep `crashes` alone")
    if instead != Expectation() and _content(instead) == _content(draft.claim.expectation):
        draft.report(node, "E704", "`instead` is what the claim itself expects; say what happens in its place")


def _check_kind(draft: Draft, divergence: Divergence) -> None:
    """Check that a document is called wrong only where it states something."""
    sources = draft.claim.sources
    # A cause has other claims too: it is checked over all of them.
    if (
        divergence.cause is None
        and divergence.kind == "docs-wrong"
        and sources
        and not any(source.states for source in sources)
    ):
        message = "no source of the claim `states` this, so that no document is wrong; choose another kind"
        draft.report(draft.value(divergence, "kind"), "E705", message)


def _check_example(draft: Draft, divergence: Divergence) -> None:
    node = draft.value(divergence, "example")
    if not isinstance(node, Mapping) or node.damaged:
        return
    inputs = input_names(draft)
    for name, key in node.keys.items():
        if name not in inputs:
            advice = did_you_mean(name, inputs) or (f"; inputs are {listed(sorted(inputs))}" if inputs else "")
            draft.report(key, "E702", f"the claim has no input '{name}'{advice}")
    missing = sorted(inputs - set(node.entries))
    if missing:
        message = f"the example has no recipe for {' and '.join(missing)}; give one for each input"
        draft.report(node, "E702", message)


def _content(outcome: Expectation) -> object:
    raises = [(part.type, part.message) if part else None for part in (outcome.raises, outcome.warns)]
    return [fragment.text.strip() for fragment in outcome.expect], raises, outcome.crashes
