"""Make the sidebar once for all pages that stand in no table of contents: it is the same on each page of a folder."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Callable
from weakref import WeakKeyDictionary

from sphinx.application import Sphinx

_KNOWN: WeakKeyDictionary[Sphinx, dict[tuple[object, ...], str]] = WeakKeyDictionary()


def keep_sidebar(app: Sphinx, pagename: str, context: dict[str, Any]) -> None:
    """Let the page take the sidebar of another one, where it would be the same."""
    make: Callable[..., str] = context.get("toctree", str)
    if "orphan" not in app.env.metadata.get(pagename, {}):
        return
    known = _KNOWN.setdefault(app, {})
    folder = str(PurePosixPath(pagename).parent)

    def kept(**options: object) -> str:
        key = (folder, *sorted(options.items()))
        if key not in known:
            known[key] = make(**options)
        return known[key]

    context["toctree"] = kept
