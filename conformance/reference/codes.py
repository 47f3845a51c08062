"""The codes of the linter as a page."""

from __future__ import annotations

from docutils import nodes

try:
    from conformance.language.codes import CODES
except ImportError:
    CODES = {}
from conformance.reference import markup


def codes_blocks() -> list[nodes.Node]:
    """Make a section for each code: the rule, why it is there, and an example of both sides."""
    sections: list[nodes.Node] = []
    for name, code in sorted(CODES.items()):
        section = nodes.section(ids=[name.lower()], names=[])
        title = f"{name}: {code.rule}"
        section += nodes.title(title, "", *markup.prose(title))
        section += markup.paragraph(code.why)
        for heading, example in (("Wrong", code.bad), ("Right", code.good)):
            if example:
                section += [markup.label(heading), markup.listing(example, "yaml")]
        sections.append(section)
    return sections or [markup.paragraph("No code is defined yet.")]
