"""Files beside the pages that programs and other sites read: data as JSON, badges, answers to embed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.config import Config

from conformance.base.text import printable

#: Where a document keeps the files beside its page until that is written.
ATTRIBUTE = "beside"


def published_at(config: Config) -> str:
    """Return where the pages are published, with a slash at the end; empty where that is not known."""
    return f"{config.html_baseurl.rstrip('/')}/" if config.html_baseurl else ""


def keep_beside(document: nodes.document, path: str, text: str) -> None:
    """Keep a file until the page is written; the path is from the root of the pages."""
    document[ATTRIBUTE] = {**document.get(ATTRIBUTE, {}), path: text}


def keep_data(document: nodes.document, page: str, data: object) -> None:
    """Keep what a page says as JSON, under the name of the page."""
    text = json.dumps(printable_data(data), ensure_ascii=False, separators=(",", ":"))
    keep_beside(document, data_path(page), f"{text}\n")


def data_path(page: str) -> str:
    """Return where the data of a page is, from the root of the pages."""
    return f"{page}.json"


def write_beside(doctree: object, folder: Path) -> None:
    """Write the files beside a page that is written."""
    found: dict[str, str] = doctree.get(ATTRIBUTE, {}) if isinstance(doctree, nodes.document) else {}
    for path, text in found.items():
        write_file(folder / path, text)


def write_file(target: Path, text: str) -> None:
    """Write a file, and the folders that it is in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def has_data(doctree: object, page: str) -> bool:
    """Return whether a page has its data beside it."""
    return isinstance(doctree, nodes.document) and data_path(page) in doctree.get(ATTRIBUTE, {})


def printable_data(value: Any) -> Any:
    """Return a value of JSON without control characters in its texts."""
    if isinstance(value, str):
        return printable(value, keep="\n\t")
    if isinstance(value, Mapping):
        return {printable_data(name): printable_data(item) for name, item in value.items()}
    return [printable_data(item) for item in value] if isinstance(value, (list, tuple)) else value
