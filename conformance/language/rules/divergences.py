"""Divergences: that each is complete, explained, and different from the claim."""

from __future__ import annotations

from conformance.language.documents import Mapping, Node, Scalar, did_you_mean, listed
from conformance.language.drafts import ClaimDraft, DivergenceDraft, ExpectationDraft
from conformance.language.problems import Problems
from conformance.language.rules.context import report
from conformance.language.rules.outcomes import check_raises, check_together
from conformance.language.rules.programs import input_names
from conformance.language.sources import is_url

NOT_FILED = "none-filed"


def check_divergences(draft: ClaimDraft, problems: Problems) -> None:
    """Check the divergences of a claim."""
    for divergence in draft.diverges:
        _check_complete(draft, divergence, problems)
        _check_example(draft, divergence, problems)
        for key, raises in (("raises", divergence.instead.raises), ("warns", divergence.instead.warns)):
            if raises is not None:
                check_raises(raises, key, problems)
        if divergence.instead_node is not None:
            check_together(divergence.instead, draft.document.place(divergence.instead_node), problems)
            if _same(divergence.instead, draft.expectation):
                problems.add(
                    draft.document.place(divergence.instead_node),
                    "E704",
                    "`instead` is what the claim itself expects; say what happens in its place",
                )
        if divergence.link is not None and divergence.link.text != NOT_FILED and not is_url(divergence.link.text):
            report(
                divergence.link,
                0,
                "E703",
                f"'{divergence.link.text}' is not an address; write it in full, from https:// on, or {NOT_FILED}",
                problems,
            )


def _check_complete(draft: ClaimDraft, divergence: DivergenceDraft, problems: Problems) -> None:
    if divergence.node.damaged:
        return
    wanted = ["kind", "instead", "note", "link"]
    if input_names(draft):
        wanted.append("example")
    missing = [name for name in wanted if name not in divergence.node.entries]
    if missing:
        problems.add(
            divergence.place,
            "E701",
            f"this divergence lacks {' and '.join(missing)}; all of {', '.join(wanted)} are needed",
        )
        return
    instead = divergence.instead_node
    if isinstance(instead, Mapping) and not any(_says(name, value) for name, value in instead.entries.items()):
        problems.add(
            draft.document.place(instead), "E701", "`instead` says nothing; give expect, raises, warns or crashes: true"
        )


def _says(name: str, value: Node) -> bool:
    """Whether an entry of ``instead`` says something, be it wrong."""
    return not (name == "crashes" and isinstance(value, Scalar) and value.value == "false")


def _check_example(draft: ClaimDraft, divergence: DivergenceDraft, problems: Problems) -> None:
    node = divergence.example_node
    if not isinstance(node, Mapping) or node.damaged:
        return
    inputs = input_names(draft)
    for name, key in node.keys.items():
        if name not in inputs:
            advice = did_you_mean(name, inputs) or (f"; inputs are {listed(sorted(inputs))}" if inputs else "")
            problems.add(draft.document.place(key), "E702", f"the claim has no input '{name}'{advice}")
    missing = sorted(inputs - set(node.entries))
    if missing:
        problems.add(
            draft.document.place(node),
            "E702",
            f"the example has no recipe for {' and '.join(missing)}; give one for each input",
        )


def _same(first: ExpectationDraft, second: ExpectationDraft) -> bool:
    return not first.empty and _content(first) == _content(second)


def _content(outcome: ExpectationDraft) -> object:
    raises = [
        (part.type and part.type.text, part.message and part.message.text) if part else None
        for part in (outcome.raises, outcome.warns)
    ]
    return [snippet.text.strip() for snippet in outcome.expect], raises, outcome.crashes
