"""A feed of the changes of each release, in Atom, and the map of the site for search engines."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from pathlib import Path

from markupsafe import Markup

from conformance.base.release_spans import as_version, minor
from conformance.base.text import printable
from conformance.lab.views.content import Content
from conformance.lab.views.running_text import prose
from conformance.language.addresses import release_page
from conformance.language.changes import FOLDER
from conformance.language.model import Change
from conformance.upgrade.harm import HARMS, MEANING

FEED, SITE_MAP = "changes.atom", "sitemap.xml"
_TAG = "tag:torch-conformance,2026:changes"


def feed_entries(content: Content) -> list[str]:
    """Return an entry for each release that has a page and changes, the newest first."""
    pages = {minor(release): release for release in content.releases}
    changes: dict[str, list[Change]] = {}
    for change in content.corpus.changes:
        changes.setdefault(change.release, []).append(change)
    newest_first = sorted(changes, key=as_version, reverse=True)
    return [_entry(pages[one], changes[one], content.corpus.root) for one in newest_first if one in pages]


def feed(entries: Sequence[str], base: str) -> str:
    """Return the feed.

    Parameters
    ----------
    base
        Where the pages are published; without it links are relative to the feed.
    """
    newest = max((entry.partition("<updated>")[2][:20] for entry in entries), default="1970-01-01T00:00:00Z")
    at = Markup(' xml:base="{}"').format(base) if base else ""
    head = Markup(
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"{}>'
        "<title>What releases of torch change for code</title><id>{}</id><updated>{}</updated>"
        '<author><name>torch-conformance</name></author><link rel="self" href="{}"/><link href="changes.html"/>\n'
    ).format(at, _TAG, newest, FEED)
    return f"{head}{''.join(entries)}</feed>\n"


def site_map(pages: Iterable[str], base: str) -> str:
    """Return the map of the site; the addresses of pages are from the root of the pages."""
    places = "".join(Markup("<url><loc>{}{}</loc></url>\n").format(base, page) for page in sorted(pages))
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{places}</urlset>\n"


def _entry(release: str, changes: Sequence[Change], root: Path) -> str:
    parts = []
    for harm in HARMS:
        ones = [change for change in changes if change.harm == harm]
        items = Markup("").join(Markup("<li>{}: {}</li>").format(_text(one.title), _text(one.after)) for one in ones)
        parts += [Markup("<h2>{}</h2><ul>{}</ul>").format(MEANING[harm], items)] if ones else []
    return Markup(
        '<entry><title>torch {}: {} changes for code</title><id>{}/{}</id><updated>{}</updated><link href="{}"/>'
        '<content type="html">{}</content></entry>\n'
    ).format(
        release,
        len(changes),
        _TAG,
        release,
        _changed(root / FOLDER / f"{minor(release)}.yaml"),
        release_page(release, "code"),
        str(Markup("").join(parts)),  # escaped once more: the content is HTML as text
    )


def _text(text: str) -> Markup:
    as_code = Markup("<code>{}</code>")
    shown = (as_code.format(it.text) if it.code else Markup.escape(it.text) for it in prose(text))
    return Markup(printable(Markup("").join(shown)))


def _changed(path: Path) -> str:
    """Return when a file was last changed, as git has it; without git as the file system does."""
    command = ["git", "log", "-1", "--format=%ct", "--", path.name]
    try:
        done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
        seconds = int(done.stdout or 0)
    except (OSError, ValueError):
        seconds = 0
    seconds = seconds or int(path.stat().st_mtime if path.exists() else 0)
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
