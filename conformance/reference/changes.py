"""When a claim became true or false, and how that went together with what the documentation says."""

from __future__ import annotations

from docutils import nodes

from conformance.language.model import Claim
from conformance.reference import markup
from conformance.reference.content import Reference


def change_blocks(claim: Claim, reference: Reference) -> list[nodes.Node]:
    """Say where the truth of a claim changed, and where documentation and truth do not go together."""
    several = len(reference.history.devices) > 1
    blocks: list[nodes.Node] = []
    for device, told in reference.history.since(claim):
        where = f" on {device}" if several else ""
        line = nodes.Text(f" {told}.")
        blocks.append(markup.paragraph(nodes.strong("", f"Change points{where}:"), line, classes=["since"]))
    for device, states in reference.history.documentation(claim):
        where = f" on {device}" if several else ""
        told = "; ".join(f"{state} {releases}" for state, releases in states.items())
        blocks.append(
            markup.paragraph(nodes.strong("", f"Documentation{where}:"), nodes.Text(f" {told}."), classes=["since"])
        )
    return blocks
