"""The codes of the checker as a page."""

from __future__ import annotations

from docutils import nodes

from conformance.language.codes import CODES, GROUPS
from conformance.reference import markup


def codes_blocks() -> list[nodes.Node]:
    """Make a table of all codes, then a section for each: the rule, why it is there, and both sides."""
    rows: list[markup.Row] = []
    for name, code in CODES.items():
        link = nodes.reference("", "", markup.code(name), refid=name.lower(), internal=True)
        rows.append([[link], [code.name], [code.rule]])
    blocks: list[nodes.Node] = [markup.table([["Code"], ["Name"], ["Rule"]], rows, "codes")]
    for prefix, heading in GROUPS.items():
        group = nodes.section("", nodes.title(heading, heading), ids=[f"codes-{prefix.lower()}"], names=[])
        for name, code in CODES.items():
            if name.startswith(prefix):
                title = f"{name} {code.name}"
                section = nodes.section("", nodes.title(title, title), ids=[name.lower()], names=[])
                section += [markup.paragraph(code.rule), markup.paragraph(code.why)]
                section += [markup.label("Wrong"), markup.listing(code.bad, "text")]
                section += [markup.label("Right"), markup.listing(code.good, "text")]
                group += section
        if len(group) > 1:
            blocks.append(group)
    return blocks
