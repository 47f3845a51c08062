"""What a page loads when a reader opens a folded part: one file of data for each page, read by ``loaded.js``.

The file is JavaScript, since a browser loads no JSON from ``file://``. It holds strings only, and the script shows them
as text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Callable, Optional, Union

from sphinx.builders import Builder
from sphinx.errors import NoUri

from conformance.lab.reference.companion_files import printable_data
from conformance.lab.reference.page_data import CHANGE_TEXTS
from conformance.lab.views.changes import WrittenChange
from conformance.lab.views.claim import ClaimView
from conformance.lab.views.costs import CostlyCause
from conformance.lab.views.release_page import STYLES, DeviceView, change_heading
from conformance.lab.views.running_text import Table, Target, Text, bounded, prose, text_of
from conformance.upgrade.compare.differences import RecordDifference

FOLDER = "_loaded"
#: A block is a heading, running text with its parts in code, a list of these, a table, code, or names of impostors.
Block = Mapping[str, Union[str, Sequence[object]]]
Parts = dict[str, list[Block]]


def claim_parts(claims: Sequence[ClaimView], in_full: int, href: Callable[[Target], str]) -> Parts:
    """Return what stands behind the claims of a page: counterexamples, inputs, evidence, impostors.

    Parameters
    ----------
    in_full
        How many claims the page has in full; of the others it loads the program and the sources too.
    """
    parts: Parts = {}
    for position, view in enumerate(claims):
        slug = view.claim.slug
        if position >= in_full:
            parts[f"{slug}/body"] = list(_body(view, href))
        for way in view.falsehoods:
            if way.counterexamples:
                scripts = [[{"heading": where}, {"code": bounded(text)}] for where, text in way.counterexamples]
                parts[f"{slug}/{way.position}"] = [it for script in scripts for it in script if it.get("heading") != ""]
        behind = list(_behind(view))
        if behind:
            parts[slug] = behind
    return parts


def behind_in_words(claim: ClaimView) -> str:
    """Name what stands behind a claim; empty where nothing does."""
    named = ["inputs"] if claim.inputs else []
    named += ["evidence"] if claim.evidence else []
    named += ["other outputs"] if claim.outputs[1:] else []
    if claim.killed and claim.killed.killers:
        named.append(f"{len(claim.killed.killers)} impostors detected")
    told = ", ".join(named)
    return told[:1].upper() + told[1:]


def change_parts(device: DeviceView, shown: int, href: Callable[[Target], str]) -> Parts:
    """Return the scripts of a page about a release, and the changes that it does not have in full.

    Parameters
    ----------
    shown
        How many of each severity the page has in full.
    """
    parts: Parts = {}
    for harm, changes in device.sections.items():
        for position, change in enumerate(changes):
            if change.script:
                parts[f"{device.device}/{harm}/{position}"] = [{"code": bounded(change.script)}]
    for harm, changes in device.sections.items():
        if changes[shown:]:
            lines = [_change_in_line(change, href) for change in changes[shown:]]
            parts[f"{device.device}/{harm}/more"] = [{"items": lines}]
    return parts


def _change_in_line(change: RecordDifference, href: Callable[[Target], str]) -> list[list[object]]:
    told = [text_of(f" {it.what}: before ", prose(it.before), "; now ", prose(it.after), ".") for it in change.parts]
    return _parts(text_of(change_heading(change), ".", *told), href)


def data_file(parts: Parts, meanings: Mapping[str, str]) -> str:
    """Return the content of a page's file.

    Parameters
    ----------
    meanings
        What is wrong with each impostor; those that the page names are kept.
    """
    named = sorted({str(name) for blocks in parts.values() for block in blocks for name in block.get("impostors", ())})
    numbers = {name: number for number, name in enumerate(named)}
    numbered = {key: [_numbered(block, numbers) for block in blocks] for key, blocks in parts.items()}
    listed = [[name, meanings.get(name, "")] for name in named]
    return f"conformanceLoaded({_as_script(numbered)},{_as_script(listed)});\n"


def change_blocks(changes: Iterable[WrittenChange], page_of: Callable[[str], str]) -> list[Block]:
    """Return changes as the page that compares two releases loads them; each text as its parts, which may be code."""
    return [
        {
            "id": it.change.id,
            "release": it.change.release,
            "page": page_of(it.page),
            "harm": it.change.harm,
            "style": STYLES[it.change.harm],
            "reach": it.change.reach,
            "module": it.module,
            "proof": it.proof,
            **{name: _parts(prose(getattr(it.change, name))) for name in CHANGE_TEXTS},
        }
        for it in changes
    ]


def false_blocks(causes: Iterable[CostlyCause], href: Callable[[Target], str]) -> list[Block]:
    """Return what is false as the page that lists it loads it, what costs most first."""
    return [
        {
            "title": _parts(it.title),
            "href": _href(it.title, href),
            "said": _parts(it.said),
            "saidHref": _href(it.said, href),
            "subject": it.subject,
            "harm": it.harm,
            "reach": it.reach,
            "kind": it.kind,
            "modules": it.modules,
            "releases": it.releases,
            "seen": it.seen,
            "promises": f"{it.claims} promises" if it.claims > 1 else "",
            "status": [[piece.text, piece.address or ""] for piece in it.status],
        }
        for it in causes
    ]


def _href(text: Text, href: Callable[[Target], str]) -> str:
    target = text[0].target if text else None
    return href(target) if target else ""


def root_uri(builder: Builder, document: str) -> str:
    """Return the address of the root of the pages, as it is seen from one; empty where it is there, or has none."""
    try:
        return "../" * builder.get_target_uri(document).count("/")
    except NoUri:
        return ""


def file_uri(builder: Builder, document: str, page: str) -> str:
    """Return the address of the file of a page, as it is seen from another one."""
    return f"{root_uri(builder, document)}{loaded_path(page)}"


def loaded_path(page: str) -> str:
    """Return where the file of a page is, from the root of the pages."""
    return f"{FOLDER}/{page}.js"


def _numbered(block: Block, numbers: Mapping[str, int]) -> Block:
    """Return a block with impostors as their places in the list of the page; each claim of a page names many."""
    if "impostors" not in block:
        return block
    return {"impostors": [numbers[str(name)] for name in block["impostors"]]}


def _as_script(value: object) -> str:
    # ASCII only, so that no line separator ends a string; and nothing that could end a script or open a comment.
    text = json.dumps(printable_data(value), separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _body(claim: ClaimView, href: Callable[[Target], str]) -> Iterator[Block]:
    """Yield what a claim in full has below its verdict and its sentences."""
    if claim.script:
        yield from ({"heading": claim.label}, {"code": bounded(claim.script)})
    for where, output in claim.outputs[:1]:
        yield from ({"heading": f"Gives on {where}"}, {"code": bounded(output)})
    if claim.observed:
        yield from ({"heading": "Nothing is promised here. What happens is recorded"}, table_block(claim.observed))
    if claim.must_hold and not (claim.observed and claim.claim.unspecified):
        yield from ({"heading": "Looked at" if claim.claim.unspecified else "Must hold"}, items(claim.must_hold))
    if claim.applies:
        yield {"items": [[[f"Applies to {claim.applies} only.", 0]]]}
    if claim.tiers:
        yield table_block(claim.tiers)
    yield from ({"heading": "Sources"}, {"items": [_parts(text, href) for text in claim.sources]})
    yield {"items": [[["Encoded in ", 0], [claim.place, 1]]]}


def _behind(claim: ClaimView) -> Iterator[Block]:
    if claim.inputs:
        yield from ({"heading": "Inputs it is tried on"}, items(claim.inputs))
    for where, output in claim.outputs[1:]:
        yield from ({"heading": f"Gives on {where}"}, {"code": bounded(output)})
    if claim.evidence:
        yield from ({"heading": "Evidence"}, items(claim.evidence))
    if claim.killed and claim.killed.killers:
        yield from ({"heading": "Impostors that it detects"}, {"impostors": list(claim.killed.killers)})


def items(texts: Sequence[Text]) -> Block:
    """Return a list of running texts."""
    return {"items": [_parts(text) for text in texts]}


def table_block(it: Table, href: Optional[Callable[[Target], str]] = None, style: str = "") -> Block:
    """Return a table."""
    return {"table": [[_parts(cell, href) for cell in row] for row in (it.head, *it.rows)], "style": style}


def _parts(text: Text, href: Optional[Callable[[Target], str]] = None) -> list[list[object]]:
    """Return the pieces of a text: what each says, whether it is code, and where it leads to."""
    found: list[list[object]] = []
    for piece in text:
        address = piece.address or (href(piece.target) if href and piece.target else "")
        found.append([piece.text, int(piece.code), *([address] if href and address else [])])
    return found
