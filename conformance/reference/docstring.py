"""NumPy-style docstrings of the vocabulary as page content, without importing what they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docutils import nodes

from conformance.language.vocabulary import Entry
from conformance.reference import markup

FIELDS = ("Parameters", "Other Parameters", "Returns", "Yields", "Raises", "Attributes")


def entry_section(entry: Entry, anchor: str) -> nodes.section:
    """Make the section of a check or an input kind."""
    section = nodes.section(ids=[anchor], names=[], classes=["vocabulary"])
    section += nodes.title(entry.name, "", markup.code(entry.name))
    section += markup.box(markup.listing(entry.signature), classes=["signature"])
    section += docstring_blocks(entry.doc)
    return section


def docstring_blocks(doc: str) -> list[nodes.Node]:
    """Turn a docstring into blocks: paragraphs, lists, examples and tables of parameters."""
    blocks: list[nodes.Node] = []
    for heading, lines in _parts(doc):
        if heading:
            blocks.append(markup.label(heading))
        if heading in FIELDS:
            blocks.append(_fields(lines))
        else:
            blocks += _running(lines)
    return blocks


def _parts(doc: str) -> list[tuple[str, list[str]]]:
    """Split a docstring at its underlined headings."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    lines = doc.splitlines()
    position = 0
    while position < len(lines):
        under = lines[position + 1] if position + 1 < len(lines) else ""
        if lines[position].strip() and re.fullmatch(r"-{3,}", under):
            parts.append((lines[position].strip(), []))
            position += 2
            continue
        parts[-1][1].append(lines[position])
        position += 1
    return [(heading, lines) for heading, lines in parts if heading or any(line.strip() for line in lines)]


def _fields(lines: Sequence[str]) -> nodes.Node:
    items: list[tuple[list[markup.Inline], list[nodes.Node]]] = []
    for line in lines:
        if line.strip() and not line.startswith(" "):
            name, colon, kind = line.partition(" : ")
            term: list[markup.Inline] = [markup.code(name.strip())]
            items.append((term + ([" ", markup.span(kind.strip(), "type")] if colon else []), []))
        elif line.strip() and items:
            items[-1][1].append(nodes.Text(line.strip() + " "))
    return markup.definitions(
        [(term, [markup.paragraph("".join(part.astext() for part in body).strip())]) for term, body in items], "fields"
    )


def _running(lines: Sequence[str]) -> list[nodes.Node]:
    blocks: list[nodes.Node] = []
    for text in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        stripped = text.strip("\n")
        if not stripped.strip():
            continue
        if stripped.lstrip().startswith(">>>"):
            blocks.append(markup.listing(_dedented(stripped), "pycon"))
        elif stripped.startswith("    "):
            blocks.append(markup.listing(_dedented(stripped)))
        elif re.match(r"[-*] ", stripped):
            items = re.split(r"\n(?=[-*] )", stripped)
            blocks.append(markup.bullets([[" ".join(item[2:].split())] for item in items]))
        else:
            text = " ".join(stripped.split())
            if text.endswith("::"):
                text = text[:-1]
            blocks.append(markup.paragraph(text))
    return blocks


def _dedented(text: str) -> str:
    lines = text.splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:] for line in lines)
