"""Make the sidebar once for all pages that stand in no table of contents: it is the same on each page of a folder."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, Callable
from weakref import WeakKeyDictionary

from sphinx.application import Sphinx

_KNOWN: WeakKeyDictionary[Sphinx, dict[tuple[object, ...], str]] = WeakKeyDictionary()


def keep_sidebar(app: Sphinx, pagename: str, context: dict[str, Any]) -> None:
    """Let the page take the sidebar of another one, where it would be the same."""
    toctree: Callable[..., str] = context.get("toctree", str)

    def make(**options: object) -> str:
        # Sphinx makes its captions headings, and does not say of which level.
        return toctree(**options).replace('role="heading"', 'role="heading" aria-level="2"')

    context["toctree"] = make
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
