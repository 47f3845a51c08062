"""Building blocks of pages.

Everything that comes from a spec or a result file enters a page through these functions, as the text of a docutils
node. The HTML writer escapes text, so nothing that a file says can become markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union
from urllib.parse import urlsplit

from docutils import nodes
from sphinx import addnodes

Inline = Union[str, nodes.Node]

#: The parts of one cell of a table, and the cells of one row.
Cell = Sequence[Inline]
Row = list[Cell]

LONGEST = 20_000


class disclosure(nodes.General, nodes.Element):
    """A part that is folded until its summary is chosen; ``summary`` is the text of the summary."""


class drawing(nodes.General, nodes.Element):
    """A drawing: ``markup`` is SVG that an XML library wrote, ``description`` says in words what it shows."""


class emblem(nodes.Inline, nodes.Element):
    """The small drawing beside a name: ``markup`` is SVG that an XML library wrote."""


class bar(nodes.Inline, nodes.Element):
    """A row of small cells: ``cells`` has a class, a sign and a hint for each, ``description`` the whole in words."""


def bounded(text: object) -> str:
    """Cut a text that is too long for a page, and say so."""
    shown = str(text)
    if len(shown) <= LONGEST:
        return shown
    return f"{shown[:LONGEST]}\n… {len(shown) - LONGEST} more characters"


def code(text: object, *classes: str) -> nodes.literal:
    """Make inline code."""
    shown = bounded(text)
    return nodes.literal(shown, shown, classes=list(classes))


def prose(text: object) -> list[nodes.Node]:
    """Make running text in which `code` or ``code`` is code."""
    parts: list[nodes.Node] = []
    for position, part in enumerate(re.split(r"(?<!\w)(`{1,2})(?=\S)(.+?)\1(?!\w)", bounded(text))):
        if position % 3 == 0 and part:
            parts.append(nodes.Text(part))
        elif position % 3 == 2:
            parts.append(code(part))
    return parts


def span(text: object, *classes: str) -> nodes.inline:
    """Make a piece of text with classes."""
    shown = bounded(text)
    return nodes.inline(shown, shown, classes=list(classes))


def paragraph(*parts: Inline, classes: Sequence[str] = ()) -> nodes.paragraph:
    """Make a paragraph; a string is running text."""
    block = nodes.paragraph(classes=list(classes))
    fill(block, parts)
    return block


def fill(block: nodes.Element, parts: Iterable[Inline]) -> None:
    """Add parts to a node; a string is running text."""
    for part in parts:
        # A text node is a string too.
        block.extend([part] if isinstance(part, nodes.Node) else prose(part))


def listing(text: object, language: str = "python") -> nodes.literal_block:
    """Make a block of code. Text that the highlighter can't read is shown plain."""
    shown = bounded(text).rstrip("\n")
    block = nodes.literal_block(shown, shown)
    block["language"] = language
    block["force"] = True
    return block


def bullets(items: Iterable[Sequence[Inline]], classes: Sequence[str] = ()) -> nodes.bullet_list:
    """Make a list; an item is the parts of its paragraph."""
    block = nodes.bullet_list(bullet="*", classes=list(classes))
    for parts in items:
        block += nodes.list_item("", paragraph(*parts))
    return block


def table(head: Sequence[Sequence[Inline]], rows: Iterable[Sequence[Sequence[Inline]]], *classes: str) -> nodes.table:
    """Make a table; a cell is the parts of its paragraph."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=100 // len(head)) for _ in head]
    group += nodes.thead("", _row(head))
    group += nodes.tbody("", *[_row(row) for row in rows])
    return nodes.table("", group, classes=["colwidths-auto", *classes])


def _row(cells: Sequence[Sequence[Inline]]) -> nodes.row:
    row = nodes.row()
    for parts in cells:
        row += nodes.entry("", paragraph(*parts))
    return row


def definitions(items: Iterable[tuple[Sequence[Inline], Sequence[nodes.Node]]], *classes: str) -> nodes.definition_list:
    """Make a list of terms, each with its blocks."""
    block = nodes.definition_list(classes=list(classes))
    for parts, body in items:
        term = nodes.term()
        fill(term, parts)
        block += nodes.definition_list_item("", term, nodes.definition("", *body))
    return block


def folded(summary: str, *body: nodes.Node) -> disclosure:
    """Make a part that is folded at first."""
    block = disclosure(summary=summary)
    block.extend(body)
    return block


def label(text: str) -> nodes.paragraph:
    """Make a small heading that is not in the table of contents."""
    return paragraph(text, classes=["part"])


def box(*body: nodes.Node, classes: Sequence[str]) -> nodes.container:
    """Make a block with classes."""
    block = nodes.container(classes=list(classes))
    block.extend(body)
    return block


def link(text: Optional[str], address: Optional[str]) -> nodes.Node:
    """Link to a web page. An address that is no web address is shown as text and leads nowhere."""
    shown = bounded(text or address or "")
    if address is None or not is_web_address(address):
        return nodes.Text(shown)
    return nodes.reference(shown, shown, refuri=address, internal=False, classes=["external"])


def is_web_address(address: object) -> bool:
    """Whether a text is an address that a browser may be sent to."""
    if not isinstance(address, str) or len(address) > LONGEST or re.search(r"[\s\x00-\x1f\\]", address):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def cite(kind: str, target: str, document: str, text: Optional[Inline] = None) -> addnodes.pending_xref:
    """Refer to an object of the claim domain; Sphinx warns where there is none."""
    inner = text if isinstance(text, nodes.Node) else nodes.literal(text or target, text or target)
    return addnodes.pending_xref(
        "", inner, refdomain="claim", reftype=kind, reftarget=target, refexplicit=True, refwarn=True, refdoc=document
    )


def escape_for_attribute(text: object) -> str:
    """Escape a text for HTML, in an attribute too."""
    return html.escape(bounded(text), quote=True)


def visit_disclosure(translator: Any, node: nodes.Element) -> None:
    """Open a folded part in HTML."""
    translator.body.append(f"<details><summary>{escape_for_attribute(node['summary'])}</summary>\n")


def depart_disclosure(translator: Any, node: nodes.Element) -> None:
    """Close a folded part in HTML."""
    translator.body.append("</details>\n")


def visit_drawing(translator: Any, node: nodes.Element) -> None:
    """Put a drawing into HTML."""
    translator.body.append(f'<div class="drawing">{node["markup"]}</div>\n')
    raise nodes.SkipNode


def visit_emblem(translator: Any, node: nodes.Element) -> None:
    """Put the small drawing into HTML."""
    translator.body.append(f"{node['markup']} ")
    raise nodes.SkipNode


def visit_bar(translator: Any, node: nodes.Element) -> None:
    """Put a row of cells into HTML; one who can't see it is read the words."""
    parts = [f'<span class="bar" role="img" aria-label="{escape_for_attribute(node["description"])}">']
    for cell in node["cells"]:
        style, sign, hint = (escape_for_attribute(text) for text in cell)
        parts.append(f'<span class="cell verdict-{style}" title="{hint}">{sign}</span>')
    translator.body.append("".join(parts) + "</span>")
    raise nodes.SkipNode


def visit_bar_as_text(translator: Any, node: nodes.Element) -> None:
    """Put the words of a row of cells where it can't be drawn."""
    translator.add_text(str(node["description"]))
    raise nodes.SkipNode


def visit_drawing_as_text(translator: Any, node: nodes.Element) -> None:
    """Put the words of a drawing where no drawing can be."""
    translator.add_text(str(node["description"]))
    raise nodes.SkipNode


def visit_nothing(translator: Any, node: nodes.Element) -> None:
    """Show only what is inside."""
